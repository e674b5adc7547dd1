// stdio: process.stdin, stdout and stderr.
//
// The outputs are small writable streams of their own: what is written is in the hands of C at once
// (output.c), so there is never anything to wait for.
'use strict';

const EventEmitter = require('events');
const { argType, systemError, coded } = require('internal/errors');

// put: where what is written goes instead, in a worker.
function Output(fd, put) {
    EventEmitter.call(this);
    this._maxListeners = 0; // a stream of this simple kind gets more listeners of each pipeline than Node's
    // Defined, not assigned: once `stream` is there, its Writable has accessors of these names.
    const state = { fd, _type: 'pipe', _isStdio: true, writable: true, writableEnded: false, writableFinished: false, destroyed: false, writableNeedDrain: false, writableLength: 0, writableHighWaterMark: 16384 };
    for (const [name, value] of Object.entries(state)) Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(this, '_put', { value: put ?? (chunk => native.process.write(fd, chunk)) });
    if (!put && native.process.isatty(fd)) {
        this.isTTY = true;
        this.columns = 80;
        this.rows = 24;
    }
}
Output.prototype = Object.create(EventEmitter.prototype, { constructor: { value: Output, writable: true, configurable: true } });
Object.defineProperty(Output, 'name', { value: 'WriteStream' });

Output.prototype.write = function write(chunk, encoding, callback) {
    if (typeof encoding === 'function') [callback, encoding] = [encoding, undefined];
    if (typeof chunk === 'string') {
        if (encoding && !/^utf-?8$/i.test(encoding)) chunk = Buffer.from(chunk, encoding);
    } else if (!ArrayBuffer.isView(chunk)) {
        throw argType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
    } else if (chunk instanceof DataView) {
        chunk = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
    if (this.writableEnded) {
        const error = coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
        process.nextTick(() => (callback?.(error), this.emit('error', error)));
        return false;
    }
    const result = this._put(chunk);
    const error = result < 0 ? systemError(result, 'write') : null;
    if (callback) process.nextTick(callback, error);
    if (error) process.nextTick(() => this.emit('error', error));
    return true;
};

Output.prototype.end = function end(chunk, encoding, callback) {
    if (typeof chunk === 'function') [callback, chunk] = [chunk, undefined];
    if (typeof encoding === 'function') [callback, encoding] = [encoding, undefined];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    this.writable = false;
    this.writableEnded = this.writableFinished = true;
    process.nextTick(() => {
        this.emit('finish');
        callback?.();
    });
    return this;
};
Output.prototype.cork = Output.prototype.uncork = Output.prototype.ref = Output.prototype.unref = function () {
    return this;
};
Output.prototype.setDefaultEncoding = function () {
    return this;
};
Output.prototype.destroy = function (error) {
    this.destroyed = true;
    if (error) process.nextTick(() => this.emit('error', error));
    return this;
};
Output.prototype.getWindowSize = function () {
    return [this.columns ?? 80, this.rows ?? 24];
};
Output.prototype.getColorDepth = () => 1;
Output.prototype.hasColors = () => false;
Output.prototype.cursorTo = Output.prototype.clearLine = Output.prototype.moveCursor = () => true;

const { write, getColorDepth } = Output.prototype;
Output.prototype.isPlain = function () {
    return this.write === write && this.getColorDepth === getColorDepth;
};

const output = (fd, put) => new Output(fd, put);

function input() {
    const stream = require('internal/fdstream').readable(0);
    stream.fd = 0;
    if (native.process.isatty(0)) {
        stream.isTTY = true;
        stream.setRawMode = () => stream;
    }
    return stream;
}

module.exports = { Output, output, input };
