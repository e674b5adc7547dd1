// stream: the npm package `readable-stream`, which is Node's own, with the ways to the Web's streams.
'use strict';

const stream = require('npm/stream');

for (const [Class, kind] of [[stream.Readable, 'readable'], [stream.Writable, 'writable'], [stream.Duplex, 'duplex']]) {
    for (const way of ['fromWeb', 'toWeb'])
        Class[way] = { [way]: (...args) => require('internal/stream_adapters')[`${kind}${way[0].toUpperCase()}${way.slice(1)}`](stream, ...args) }[way];
}

// What is written into one end of a pair is read at the other.
stream.duplexPair = function duplexPair(options) {
    const waiting = Symbol('waiting');
    class DuplexSide extends stream.Duplex {
        constructor() {
            super(options);
            this[waiting] = null;
        }
        _read() {
            const callback = this[waiting];
            this[waiting] = null;
            callback?.();
        }
        _write(chunk, encoding, callback) {
            if (chunk.length === 0) return void process.nextTick(callback);
            this.other.push(chunk);
            this.other[waiting] = callback;
            return undefined;
        }
        _final(callback) {
            this.other.on('end', callback);
            this.other.push(null);
        }
    }
    const sides = [new DuplexSide(), new DuplexSide()];
    for (const [i, side] of sides.entries()) Object.defineProperty(side, 'other', { value: sides[1 - i] });
    return sides;
};
stream._isArrayBufferView = value => ArrayBuffer.isView(value);
// stdout and stderr are streams of their own (internal/stdio), and writable ones for who asks.
Object.setPrototypeOf(require('internal/stdio').Output.prototype, stream.Writable.prototype);

module.exports = stream;
