// blob: Blob and File, whose bytes are in memory, and the blob: URLs of them.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');

const urls = new Map(); // id -> Blob

function dictionary(value, name) {
    if (value !== null && value !== undefined && typeof value !== 'object' && typeof value !== 'function')
        throw argType(name, 'a dictionary', value);
}

const encode = string => new Uint8Array(native.text.utf8Encode(string));

class Blob {
    #bytes;
    #type;
    constructor(sources = [], options = {}) {
        if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function')
            throw argType('sources', 'a sequence', sources);
        dictionary(options, 'options');
        const { type = '', endings = 'transparent' } = options ?? {};
        if (`${endings}` !== 'transparent' && `${endings}` !== 'native')
            throw require('internal/errors').argValue('options.endings', `${endings}`, 'is invalid');
        const pieces = [];
        for (const part of sources) {
            if (part !== null && typeof part === 'object' && #bytes in part) pieces.push(part.#bytes);
            else if (part instanceof ArrayBuffer || part instanceof SharedArrayBuffer) pieces.push(new Uint8Array(part).slice());
            else if (ArrayBuffer.isView(part)) pieces.push(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice());
            else pieces.push(encode(`${endings}` === 'native' ? `${part}`.replace(/\r\n?/g, '\n') : `${part}`));
        }
        const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
        let at = 0;
        for (const piece of pieces) {
            bytes.set(piece, at);
            at += piece.length;
        }
        this.#bytes = bytes;
        const text = `${type}`;
        this.#type = /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : '';
    }
    get size() {
        return this.#bytes.length;
    }
    get type() {
        return this.#type;
    }
    slice(start = 0, end = this.#bytes.length, type = '') {
        const place = value => (value < 0 ? Math.max(this.size + Number(value), 0) : Math.min(Number(value) || 0, this.size));
        const from = place(start);
        return new Blob([this.#bytes.subarray(from, Math.max(from, place(end)))], { type });
    }
    arrayBuffer() {
        return this.#read(bytes => bytes.slice().buffer);
    }
    bytes() {
        return this.#read(bytes => bytes.slice());
    }
    text() {
        return this.#read(bytes => native.text.utf8Decode(bytes));
    }
    // For who copies a blob into another process.
    static bytesOf(blob) {
        return blob.#bytes;
    }
    async #read(shape) {
        return shape(this.#bytes);
    }
    stream() {
        const bytes = this.#bytes.slice();
        return new (require('internal/webstreams').ReadableStream)({
            type: 'bytes',
            start(controller) {
                if (bytes.length) controller.enqueue(bytes);
                controller.close();
            },
        });
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        if (depth < 0) return this;
        return `${this.constructor.name} ${inspect({ size: this.size, type: this.type }, options)}`;
    }
}

const { bytesOf } = Blob;
delete Blob.bytesOf;

class File extends Blob {
    #name;
    #modified;
    constructor(fileBits, fileName, options = {}) {
        if (arguments.length < 2) throw validate.missing('fileBits', 'fileName');
        super(fileBits, options);
        const { lastModified } = options ?? {};
        this.#name = `${fileName}`.toWellFormed();
        this.#modified = lastModified === undefined ? Date.now() : Math.trunc(Number(lastModified)) || 0;
    }
    get name() {
        return this.#name;
    }
    get lastModified() {
        return this.#modified;
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        if (depth < 0) return this;
        return `File ${inspect({ size: this.size, type: this.type, name: this.#name, lastModified: this.#modified }, options)}`;
    }
}

for (const Class of [Blob, File]) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
    for (const name of Object.getOwnPropertyNames(Class.prototype))
        if (name !== 'constructor') Object.defineProperty(Class.prototype, name, { enumerable: true });
}

function createObjectURL(blob) {
    if (!(blob instanceof Blob)) throw argType('obj', 'Blob', blob);
    const id = `blob:nodedata:${require('internal/webcrypto').randomUUID()}`;
    urls.set(id, blob);
    return id;
}

function revokeObjectURL(id) {
    urls.delete(`${id}`);
}

function resolveObjectURL(id) {
    return urls.get(`${id}`);
}

module.exports = { bytesOf, Blob, File, createObjectURL, revokeObjectURL, resolveObjectURL };
