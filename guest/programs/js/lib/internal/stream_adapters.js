// stream_adapters: Node's streams as the Web's, and the other way round: Readable.fromWeb(), toWeb() and
// their like on Writable and Duplex.
'use strict';

const { argType, AbortError } = require('internal/errors');
const { ReadableStream, WritableStream, CountQueuingStrategy } = require('internal/webstreams');

const isNode = (stream, ...methods) => stream !== null && typeof stream === 'object' && methods.every(name => typeof stream[name] === 'function');
const strategyOf = (objectMode, highWaterMark) => (objectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark });
const eventually = fn => (done, ...args) => fn(...args).then(() => done(), error => done(error ?? new AbortError()));

function readableToWeb(stream, readable, options = {}) {
    if (!isNode(readable, 'read', 'on')) throw argType('streamReadable', 'stream.Readable', readable);
    const { readableObjectMode: objectMode, readableHighWaterMark } = readable;
    if (readable.destroyed || readable.readable === false) {
        const made = new ReadableStream();
        made.cancel();
        return made;
    }
    let stopped = false;
    readable.pause();
    return new ReadableStream({
        start(controller) {
            stream.finished(readable, { writable: false }, error => {
                if (stopped) return;
                stopped = true;
                if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE') error = new AbortError(undefined, { cause: error });
                if (error) controller.error(error);
                else controller.close();
            });
            readable.on('error', () => {});
            readable.on('data', chunk => {
                if (stopped) return;
                controller.enqueue(Buffer.isBuffer(chunk) && !objectMode ? new Uint8Array(chunk) : chunk);
                if (controller.desiredSize <= 0) readable.pause();
            });
            readable.pause();
        },
        pull() {
            readable.resume();
        },
        cancel(reason) {
            stopped = true;
            readable.destroy(reason);
        },
    }, options.strategy ?? strategyOf(objectMode, readableHighWaterMark));
}

function readableFromWeb(stream, web, options = {}) {
    if (!(web instanceof ReadableStream)) throw argType('readableStream', 'ReadableStream', web);
    const { highWaterMark, encoding, objectMode = false, signal } = options;
    const reader = web.getReader();
    let closed = false;
    const readable = new stream.Readable({
        objectMode, highWaterMark, encoding, signal,
        read() {
            reader.read().then(({ done, value }) => readable.push(done ? null : value), error => readable.destroy(error));
        },
        destroy(error, done) {
            const end = () => process.nextTick(done, error);
            if (closed) return end();
            return reader.cancel(error).then(end, end);
        },
    });
    reader.closed.then(() => void (closed = true), error => {
        closed = true;
        readable.destroy(error);
    });
    return readable;
}

function writableToWeb(stream, writable) {
    if (!isNode(writable, 'write', 'on')) throw argType('streamWritable', 'stream.Writable', writable);
    if (writable.destroyed || writable.writable === false) {
        const made = new WritableStream();
        made.close();
        return made;
    }
    let stop;
    return new WritableStream({
        start(controller) {
            stop = error => controller.error(error);
            stream.finished(writable, { readable: false }, error => {
                if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE') error = new AbortError(undefined, { cause: error });
                if (error) stop(error);
            });
            writable.on('error', () => {});
        },
        async write(chunk) {
            if (writable.writableNeedDrain || !writable.write(chunk))
                await new Promise((resolve, reject) => {
                    const settle = fn => value => {
                        writable.off('drain', onDrain).off('close', onClose);
                        fn(value);
                    };
                    const onDrain = settle(resolve), onClose = settle(() => reject(writable.errored ?? new AbortError()));
                    writable.once('drain', onDrain).once('close', onClose);
                });
        },
        close() {
            return new Promise((resolve, reject) => {
                stream.finished(writable, { readable: false }, error => (error ? reject(error) : resolve()));
                writable.end();
            });
        },
        abort(reason) {
            writable.destroy(reason);
        },
    }, strategyOf(writable.writableObjectMode, writable.writableHighWaterMark));
}

// The functions of a Writable around a writer.
const sink = writer => ({
    write(chunk, encoding, done) {
        eventually(async () => {
            await writer.ready;
            await writer.write(chunk);
        })(done);
    },
    final(done) {
        eventually(() => writer.close())(done);
    },
});

function writableFromWeb(stream, web, options = {}) {
    if (!(web instanceof WritableStream)) throw argType('writableStream', 'WritableStream', web);
    const { highWaterMark, decodeStrings = true, objectMode = false, signal } = options;
    const writer = web.getWriter();
    let closed = false;
    const writable = new stream.Writable({
        highWaterMark, objectMode, decodeStrings, signal, ...sink(writer),
        destroy(error, done) {
            const end = () => process.nextTick(done, error);
            if (closed || !error) return end();
            return writer.abort(error).then(end, end);
        },
    });
    writer.closed.then(() => void (closed = true), error => {
        closed = true;
        writable.destroy(error);
    });
    return writable;
}

function duplexToWeb(stream, duplex) {
    if (!isNode(duplex, 'write', 'read', 'on')) throw argType('duplex', 'stream.Duplex', duplex);
    return { writable: writableToWeb(stream, duplex), readable: readableToWeb(stream, duplex) };
}

function duplexFromWeb(stream, pair = {}, options = {}) {
    const { readable, writable } = pair;
    if (!(readable instanceof ReadableStream)) throw argType('pair.readable', 'ReadableStream', readable);
    if (!(writable instanceof WritableStream)) throw argType('pair.writable', 'WritableStream', writable);
    const { allowHalfOpen = false, objectMode = false, encoding, decodeStrings = true, highWaterMark, signal } = options;
    const reader = readable.getReader(), writer = writable.getWriter();
    const duplex = new stream.Duplex({
        allowHalfOpen, highWaterMark, objectMode, encoding, decodeStrings, signal, ...sink(writer),
        read() {
            reader.read().then(({ done, value }) => duplex.push(done ? null : value), error => duplex.destroy(error));
        },
        destroy(error, done) {
            const end = () => process.nextTick(done, error);
            return Promise.allSettled(error ? [writer.abort(error), reader.cancel(error)] : []).then(end);
        },
    });
    for (const { closed } of [reader, writer]) closed.catch(error => void duplex.destroy(error));
    return duplex;
}

module.exports = { readableToWeb, readableFromWeb, writableToWeb, writableFromWeb, duplexToWeb, duplexFromWeb };
