// fs_streams: streams on files.
'use strict';

const { Readable, Writable } = require('stream');
const fs = require('fs');
const { outOfRange } = require('internal/errors');
const validate = require('internal/validators');

const EAGAIN = -11;

// Where in the file a stream begins and ends.
function checkRange(start, end = Infinity) {
    if (start !== undefined) validate.integer(start, 'start', 0);
    if (end !== Infinity) validate.integer(end, 'end', 0);
    if (start !== undefined && start > end) throw outOfRange('start', `<= "end" (here: ${end})`, start);
}

class ReadStream extends Readable {
    constructor(path, options) {
        if (typeof options === 'string') options = { encoding: options };
        const { fd, flags = 'r', mode = 0o666, start, end = Infinity, autoClose = true, encoding, highWaterMark = 65536, signal } = options ?? {};
        checkRange(start, end);
        super({ encoding, highWaterMark, signal, autoDestroy: autoClose, emitClose: options?.emitClose ?? true });
        Object.assign(this, { path: path === null ? undefined : fs._toPath(path), flags, mode, start, end, autoClose, bytesRead: 0 });
        this.fd = fd === undefined || fd === null ? null : fd.fd ?? fd;
        this.pos = start;
    }
    _construct(done) {
        if (this.fd !== null) return done();
        fs.open(this.path, this.flags, this.mode, (error, fd) => {
            if (error) return done(error);
            this.fd = fd;
            done();
            this.emit('open', fd);
            this.emit('ready');
        });
    }
    _read(size) {
        const left = this.start === undefined ? this.end - this.bytesRead + 1 : this.end - this.pos + 1;
        const wanted = Math.min(size, left);
        if (wanted <= 0) return void this.push(null);
        const buffer = Buffer.allocUnsafe(wanted);
        fs.read(this.fd, buffer, 0, wanted, this.pos ?? null, (error, got) => {
            if (error) return void this.destroy(error);
            if (this.pos !== undefined) this.pos += got;
            this.bytesRead += got;
            this.push(got > 0 ? buffer.subarray(0, got) : null);
        });
    }
    _destroy(error, done) {
        const { fd } = this;
        this.fd = null;
        if (fd === null || fd <= 2) return done(error);
        fs.close(fd, problem => done(error ?? problem));
    }
    close(callback) {
        if (callback) this.once('close', callback);
        this.destroy();
    }
    get pending() {
        return this.fd === null;
    }
}

class WriteStream extends Writable {
    constructor(path, options) {
        if (typeof options === 'string') options = { encoding: options };
        const { fd, flags = 'w', mode = 0o666, start, autoClose = true, encoding = 'utf8', highWaterMark = 16384, signal } = options ?? {};
        checkRange(start);
        super({ highWaterMark, signal, defaultEncoding: encoding, decodeStrings: true, autoDestroy: autoClose, emitClose: options?.emitClose ?? true });
        Object.assign(this, { path: path === null ? undefined : fs._toPath(path), flags, mode, start, autoClose, bytesWritten: 0 });
        this.fd = fd === undefined || fd === null ? null : fd.fd ?? fd;
        this.pos = start;
    }
    _construct(done) {
        if (this.fd !== null) return done();
        fs.open(this.path, this.flags, this.mode, (error, fd) => {
            if (error) return done(error);
            this.fd = fd;
            done();
            this.emit('open', fd);
            this.emit('ready');
        });
    }
    _write(chunk, encoding, done) {
        const put = at => {
            const wrote = native.fs.write(this.fd, chunk, at, chunk.length - at, this.pos ?? -1);
            if (wrote === EAGAIN) {
                const watch = native.loop.watch(this.fd, native.loop.OUT, () => {
                    native.loop.unwatch(watch);
                    put(at);
                });
                return undefined;
            }
            if (wrote < 0) return done(require('internal/errors').systemError(wrote, 'write'));
            this.bytesWritten += wrote;
            if (this.pos !== undefined) this.pos += wrote;
            if (at + wrote < chunk.length) return put(at + wrote);
            return require('internal/timers').complete(done, null);
        };
        put(0);
    }
    _destroy(error, done) {
        const { fd } = this;
        this.fd = null;
        if (fd === null || fd <= 2) return done(error);
        fs.close(fd, problem => done(error ?? problem));
    }
    close(callback) {
        if (callback) {
            if (this.closed) return void process.nextTick(callback);
            this.once('close', callback);
        }
        if (!this.autoClose) this.once('finish', () => this.destroy());
        this.end();
    }
    get pending() {
        return this.fd === null;
    }
}

module.exports = {
    ReadStream, WriteStream,
    createReadStream: (path, options) => new ReadStream(path, options),
    createWriteStream: (path, options) => new WriteStream(path, options),
};
