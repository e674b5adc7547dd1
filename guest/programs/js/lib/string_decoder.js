// string_decoder: an npm package that is Node's own.
'use strict';

const { StringDecoder: Decoder } = require('npm/string_decoder');
const { unknownEncoding } = require('internal/validators');

const encodings = new Set(['utf8', 'utf-8', 'ascii', 'latin1', 'binary', 'base64', 'base64url', 'hex', 'ucs2', 'ucs-2', 'utf16le', 'utf-16le', 'buffer']);

class StringDecoder extends Decoder {
    #urlSafe = false;
    constructor(encoding = 'utf8') {
        const name = encoding === null || encoding === '' ? 'utf8' : typeof encoding === 'string' ? encoding.toLowerCase() : undefined;
        if (!encodings.has(name)) throw unknownEncoding(encoding);
        super(name === 'base64url' ? 'base64' : name);
        this.#urlSafe = name === 'base64url';
        if (this.#urlSafe) this.encoding = 'base64url';
        const finish = this.end; // the package sets it for each encoding
        this.end = chunk => {
            const text = (chunk === undefined ? '' : this.write(chunk)) + this.#shown(finish.call(this));
            this.lastNeed = this.lastTotal = 0;
            return text;
        };
    }
    write(chunk) {
        if (typeof chunk === 'string') return chunk;
        if (!ArrayBuffer.isView(chunk)) throw require('internal/errors').argType('buf', ['Buffer', 'TypedArray', 'DataView'], chunk);
        const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        return this.#shown(super.write(bytes));
    }
    #shown(text) {
        return this.#urlSafe ? text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') : text;
    }
}

module.exports = { StringDecoder };
