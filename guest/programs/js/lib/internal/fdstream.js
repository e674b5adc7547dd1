// fdstream: Node streams on descriptors that may have to wait: pipes, terminals, FIFOs, children.
// The event loop polls them; no read or write here ever waits.
'use strict';

const { Readable, Writable } = require('stream');
const { systemError } = require('internal/errors');

const { IN, OUT } = native.loop;
const EAGAIN = -11;

// A Readable of descriptor fd; close says whether the stream owns it.
function readable(fd, { close = false, ...options } = {}) {
    let watch = 0, alive = true;
    const stop = () => {
        if (watch) native.loop.unwatch(watch);
        watch = 0;
    };
    const ready = () => {
        const chunk = Buffer.allocUnsafe(65536);
        const got = native.fs.read(fd, chunk, 0, chunk.length, -1);
        if (got === EAGAIN) return;
        native.loop.update(watch, 0, alive);
        if (got < 0) stream.destroy(systemError(got, 'read'));
        else if (got === 0) {
            stop();
            stream.push(null);
        } else {
            stream.bytesRead += got;
            stream.push(chunk.subarray(0, got));
        }
    };
    const stream = new Readable({
        highWaterMark: 65536,
        ...options,
        read() {
            if (!watch) watch = native.loop.watch(fd, IN, ready);
            native.loop.update(watch, IN, alive);
        },
        destroy(error, done) {
            stop();
            if (close) native.fs.close(fd);
            done(error);
        },
    });
    stream.bytesRead = 0;
    stream.ref = () => {
        alive = true;
        if (watch) native.loop.update(watch, IN, alive);
        return stream;
    };
    stream.unref = () => {
        alive = false;
        if (watch) native.loop.update(watch, IN, alive);
        return stream;
    };
    stream.on('pause', () => {
        if (watch) native.loop.update(watch, 0, alive);
    });
    return stream;
}

// A Writable of descriptor fd, which is made non-blocking and belongs to the stream.
function writable(fd, options = {}) {
    native.spawn.nonblock(fd, true);
    let watch = 0, chunk, at = 0, done;
    const finish = error => {
        const callback = done;
        chunk = done = undefined;
        if (watch) native.loop.update(watch, 0, false);
        callback?.(error);
    };
    const put = () => {
        while (at < chunk.length) {
            const wrote = native.fs.write(fd, chunk, at, chunk.length - at, -1);
            if (wrote === EAGAIN) {
                if (!watch) watch = native.loop.watch(fd, OUT, put);
                else native.loop.update(watch, OUT, true);
                return;
            }
            if (wrote < 0) return finish(systemError(wrote, 'write'));
            at += wrote;
        }
        finish();
    };
    return new Writable({
        decodeStrings: true,
        ...options,
        write(bytes, encoding, callback) {
            chunk = bytes;
            at = 0;
            done = callback;
            put();
        },
        destroy(error, callback) {
            if (watch) native.loop.unwatch(watch);
            watch = 0;
            native.fs.close(fd);
            callback(error);
        },
    });
}

module.exports = { readable, writable };
