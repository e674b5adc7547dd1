// webstreams: the npm package `web-streams-polyfill`, printing as Node's classes, and what builds on it.
'use strict';

const streams = require('npm/web_streams');
const { argType, argValue } = require('internal/errors');

const { ReadableStream, WritableStream, TransformStream } = streams;
const custom = Symbol.for('nodejs.util.inspect.custom');

function shows(Class, describe) {
    Object.defineProperty(Class.prototype, custom, {
        value(depth, options, inspect) {
            return `${Class.name} ${inspect(describe(this), options)}`;
        },
        configurable: true,
    });
}
shows(ReadableStream, stream => ({ locked: stream.locked, state: stream._state, supportsBYOB: stream._readableStreamController instanceof streams.ReadableByteStreamController }));
shows(WritableStream, stream => ({ locked: stream.locked, state: stream._state }));
shows(TransformStream, stream => ({ readable: stream.readable, writable: stream.writable, backpressure: stream._backpressure }));

// A pair of streams around a function of each chunk.
class Pair {
    #pair;
    constructor(transformer) {
        this.#pair = new TransformStream(transformer);
    }
    get readable() {
        return this.#pair.readable;
    }
    get writable() {
        return this.#pair.writable;
    }
}

class TextEncoderStream extends Pair {
    constructor() {
        const encoder = new TextEncoder();
        let high = ''; // half of a pair, at the end of the last chunk
        super({
            transform(chunk, controller) {
                let text = high + chunk;
                high = '';
                if (/[\ud800-\udbff]$/.test(text)) {
                    high = text.slice(-1);
                    text = text.slice(0, -1);
                }
                if (text !== '') controller.enqueue(encoder.encode(text));
            },
            flush(controller) {
                if (high !== '') controller.enqueue(encoder.encode(high));
            },
        });
    }
    get encoding() {
        return 'utf-8';
    }
}

class TextDecoderStream extends Pair {
    #decoder;
    constructor(encoding = 'utf-8', options = {}) {
        const decoder = new TextDecoder(encoding, options);
        const give = (text, controller) => text !== '' && controller.enqueue(text);
        super({
            transform: (chunk, controller) => give(decoder.decode(chunk, { stream: true }), controller),
            flush: controller => give(decoder.decode(), controller),
        });
        this.#decoder = decoder;
    }
    get encoding() {
        return this.#decoder.encoding;
    }
    get fatal() {
        return this.#decoder.fatal;
    }
    get ignoreBOM() {
        return this.#decoder.ignoreBOM;
    }
}

// What zlib's streams make of each chunk as it comes.
function packing(names) {
    return class extends Pair {
        constructor(format) {
            if (!Object.hasOwn(names, format)) throw argValue('format', format);
            const engine = require('zlib')[names[format]]();
            const asked = start => new Promise((resolve, reject) => {
                engine.once('error', reject);
                start(() => {
                    engine.off('error', reject);
                    resolve();
                });
            });
            super({
                start(controller) {
                    engine.on('error', () => {}).on('data', chunk => controller.enqueue(new Uint8Array(chunk)));
                },
                transform(chunk) {
                    if (!ArrayBuffer.isView(chunk) && !(chunk instanceof ArrayBuffer)) throw argType('chunk', ['Buffer', 'TypedArray', 'DataView'], chunk);
                    const bytes = ArrayBuffer.isView(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : new Uint8Array(chunk);
                    return asked(done => engine.write(bytes, error => error || done()));
                },
                flush: () => asked(done => engine.once('end', done).end()),
            });
        }
    };
}
const CompressionStream = packing({ deflate: 'createDeflate', 'deflate-raw': 'createDeflateRaw', gzip: 'createGzip' });
const DecompressionStream = packing({ deflate: 'createInflate', 'deflate-raw': 'createInflateRaw', gzip: 'createGunzip' });
for (const [name, Class] of Object.entries({ CompressionStream, DecompressionStream })) Object.defineProperty(Class, 'name', { value: name });

for (const Class of [TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream]) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
    shows(Class, ({ readable, writable }) => ({ readable, writable }));
}

// All of a stream as one Uint8Array. `what` names it in an error.
async function gather(stream, what = 'chunk') {
    const pieces = [];
    let length = 0;
    for await (const chunk of stream) {
        const piece = typeof chunk === 'string' ? new TextEncoder().encode(chunk)
            : ArrayBuffer.isView(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
                : chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : undefined;
        if (piece === undefined) throw argType(what, ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
        pieces.push(piece);
        length += piece.length;
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
    }
    return all;
}

module.exports = { ...streams, TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream, gather };
