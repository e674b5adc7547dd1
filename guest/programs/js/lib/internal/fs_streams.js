// fs_streams: streams on files.
'use strict';

const { Readable, Writable, finished } = require('stream');
const fs = require('fs');
const { argType, coded, outOfRange, systemError } = require('internal/errors');
const validate = require('internal/validators');

const EAGAIN = -11;
const kFs = Symbol('fs'), kHandle = Symbol('handle'), kBusy = Symbol('busy'), kIdle = Symbol('idle');

// The options that both kinds have, with what they say of the file: fd, path, flags and mode.
function begin(stream, path, options, flags) {
    stream[kFs] = options.fs || fs;
    if (options.fd === undefined || options.fd === null) {
        stream.fd = null;
        validate.function(stream[kFs].open, 'options.fs.open');
        stream.path = path instanceof URL ? require('internal/url').fileURLToPath(path) : path;
        stream.flags = options.flags === undefined ? flags : options.flags;
        stream.mode = options.mode === undefined ? 0o666 : options.mode;
        fs._toPath(stream.path);
    } else if (typeof options.fd === 'number') {
        validate.int32(options.fd, 'fd', 0);
        stream.fd = options.fd;
    } else if (fs._isFileHandle(options.fd)) {
        if (options.fs) throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The FileHandle with fs method is not implemented');
        stream[kHandle] = options.fd;
        stream.fd = options.fd.fd;
        stream[kFs] = { ...fs, close: (fd, done) => options.fd.close().then(() => done(), done) };
    } else {
        throw argType('options.fd', ['number', 'FileHandle'], options.fd);
    }
}

function readOptions(options) {
    if (options === undefined || options === null || typeof options === 'function') options = {};
    if (typeof options === 'string') options = { encoding: options };
    if (typeof options !== 'object') throw argType('options', ['string', 'Object'], options);
    fs._checkEncoding(options.encoding);
    if (options.signal !== undefined) validate.abortSignal(options.signal, 'options.signal');
    return { ...options, autoDestroy: options.autoClose === undefined ? true : options.autoClose };
}

const open = stream => done => {
    if (typeof stream.fd === 'number') return done();
    return stream[kFs].open(stream.path, stream.flags, stream.mode, (error, fd) => {
        if (error) return done(error);
        stream.fd = fd;
        done();
        stream.emit('open', fd);
        stream.emit('ready');
        return undefined;
    });
};

// Closes the descriptor once nothing is under way on it; the process's own three stay open.
function end(stream, error, done) {
    const { fd } = stream;
    stream.fd = null;
    if (fd === null || fd === undefined || fd <= 2) return done(error);
    const close = () => stream[kFs].close(fd, problem => done(problem ?? error));
    return stream.flush ? stream[kFs].fsync(fd, problem => (error ??= problem, close())) : close();
}

function destroy(stream, error, done) {
    if (stream[kBusy]) stream.once(kIdle, problem => end(stream, problem || error, done));
    else end(stream, error, done);
}

function busy(stream, done) {
    stream[kBusy] = true;
    return (error, ...rest) => {
        stream[kBusy] = false;
        if (stream.destroyed) return void stream.emit(kIdle, error);
        done(error, ...rest);
    };
}

// Node's are functions that may be called without `new`.
const callable = Class => new Proxy(Class, { apply: (target, self, args) => new target(...args) });

class ReadStream extends Readable {
    constructor(path, options) {
        options = readOptions(options);
        if (options.highWaterMark === undefined) options.highWaterMark = 65536;
        const { start, end: last = Infinity } = options;
        const about = {};
        begin(about, path, options, 'r');
        if (options.autoDestroy) validate.function(about[kFs].close, 'options.fs.close');
        validate.function(about[kFs].read, 'options.fs.read');
        if (start !== undefined) validate.integer(start, 'start', 0);
        if (last !== Infinity) validate.integer(last, 'end', 0);
        if (start !== undefined && start > last) throw outOfRange('start', `<= "end" (here: ${last})`, start);
        const { fs: _fs, ...rest } = options;
        super(rest);
        if (about[kHandle]) options.fd.on('close', () => this.close());
        Object.assign(this, { fd: null, bytesRead: 0, start, end: last, pos: start }, about);
        this[kBusy] = false;
    }
    _construct(done) {
        open(this)(done);
    }
    _read(size) {
        const wanted = Math.min(size, this.end - (this.pos ?? this.bytesRead) + 1);
        if (wanted <= 0) return void this.push(null);
        const buffer = Buffer.allocUnsafeSlow(wanted);
        this[kFs].read(this.fd, buffer, 0, wanted, this.pos, busy(this, (error, got) => {
            if (error) return void this.destroy(error);
            if (got > 0) {
                if (this.pos !== undefined) this.pos += got;
                this.bytesRead += got;
            }
            this.push(got > 0 ? buffer.subarray(0, got) : null);
        }));
    }
    _destroy(error, done) {
        destroy(this, error, done);
    }
    close(callback) {
        if (typeof callback === 'function') finished(this, callback);
        this.destroy();
    }
    get pending() {
        return this.fd === null;
    }
    get autoClose() {
        return this._readableState.autoDestroy;
    }
    set autoClose(value) {
        this._readableState.autoDestroy = value;
    }
}

// Everything, also where the descriptor has to wait or takes a part.
function writeAll(stream, chunk, done) {
    const step = at => {
        if (stream[kFs] === fs) {
            const wrote = native.fs.write(stream.fd, chunk, at, chunk.byteLength - at, stream.pos ?? -1);
            if (wrote === EAGAIN) {
                const watch = native.loop.watch(stream.fd, native.loop.OUT, () => {
                    native.loop.unwatch(watch);
                    step(at);
                });
                return undefined;
            }
            return require('internal/timers').complete(next, wrote < 0 ? systemError(wrote, 'write') : null, wrote, at);
        }
        return stream[kFs].write(stream.fd, chunk, at, chunk.byteLength - at, stream.pos, (error, wrote) => next(error, wrote, at));
    };
    const next = (error, wrote, at) => {
        if (error) return done(error);
        stream.bytesWritten += wrote;
        if (stream.pos !== undefined) stream.pos += wrote;
        return at + wrote < chunk.byteLength ? step(at + wrote) : done();
    };
    step(0);
}

class WriteStream extends Writable {
    constructor(path, options) {
        options = readOptions(options);
        const about = {};
        begin(about, path, options, 'w');
        const { flush, start } = options;
        if (flush !== undefined && flush !== null) validate.boolean(flush, 'options.flush');
        const files = about[kFs];
        if (!files.write && !files.writev) throw argType('options.fs.write', 'function', files.write);
        if (files.write) validate.function(files.write, 'options.fs.write');
        if (files.writev) validate.function(files.writev, 'options.fs.writev');
        if (options.autoDestroy) validate.function(files.close, 'options.fs.close');
        if (flush) validate.function(files.fsync, 'options.fs.fsync');
        if (start !== undefined) validate.integer(start, 'start', 0);
        const { fs: given, encoding, ...rest } = options;
        super({ ...rest, decodeStrings: true });
        if (about[kHandle]) options.fd.on('close', () => this.close());
        Object.assign(this, { fd: null, bytesWritten: 0, start, pos: start, flush: flush ?? false }, about);
        this[kBusy] = false;
        if (given?.writev && !given.write) this._write = (chunk, _, done) => this._writev([{ chunk }], done);
        if (given?.writev) {
            this._writev = (chunks, done) => given.writev(this.fd, chunks.map(({ chunk }) => chunk), this.pos, busy(this, (error, wrote) => {
                if (error) return done(error);
                this.bytesWritten += wrote;
                if (this.pos !== undefined) this.pos += wrote;
                return done();
            }));
        }
        if (encoding) this.setDefaultEncoding(encoding);
    }
    _construct(done) {
        open(this)(done);
    }
    _write(chunk, encoding, done) {
        writeAll(this, chunk, busy(this, done));
    }
    _destroy(error, done) {
        destroy(this, error, done);
    }
    close(callback) {
        if (callback) {
            if (this.closed) return void process.nextTick(callback);
            this.on('close', callback);
        }
        if (!this.autoClose) this.on('finish', this.destroy);
        this.end();
    }
    get pending() {
        return this.fd === null;
    }
    get autoClose() {
        return this._writableState.autoDestroy;
    }
    set autoClose(value) {
        this._writableState.autoDestroy = value;
    }
}
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

const streams = { ReadStream: callable(ReadStream), WriteStream: callable(WriteStream) };
module.exports = {
    ...streams,
    createReadStream: (path, options) => new streams.ReadStream(path, options),
    createWriteStream: (path, options) => new streams.WriteStream(path, options),
};
