// blob: Blob and File, whose bytes are in memory.
'use strict';

class Blob {
    #bytes;
    #type;
    constructor(parts = [], options = {}) {
        const pieces = [];
        for (const part of parts) {
            if (part instanceof Blob) pieces.push(part.#bytes);
            else if (part instanceof ArrayBuffer) pieces.push(new Uint8Array(part));
            else if (ArrayBuffer.isView(part)) pieces.push(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
            else pieces.push(new Uint8Array(native.text.utf8Encode(`${part}`)));
        }
        this.#bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
        let at = 0;
        for (const piece of pieces) {
            this.#bytes.set(piece, at);
            at += piece.length;
        }
        const type = `${options?.type ?? ''}`;
        this.#type = /^[\x20-\x7e]*$/.test(type) ? type.toLowerCase() : '';
    }
    get size() {
        return this.#bytes.length;
    }
    get type() {
        return this.#type;
    }
    slice(start, end, type = '') {
        return new Blob([this.#bytes.slice(start, end)], { type });
    }
    async arrayBuffer() {
        return this.#bytes.slice().buffer;
    }
    async bytes() {
        return this.#bytes.slice();
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
    async text() {
        return native.text.utf8Decode(this.#bytes);
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        return `${this.constructor.name} ${inspect({ size: this.size, type: this.type }, options)}`;
    }
}

class File extends Blob {
    #name;
    #modified;
    constructor(parts, name, options) {
        super(parts, options);
        this.#name = `${name}`;
        this.#modified = options?.lastModified ?? Date.now();
    }
    get name() {
        return this.#name;
    }
    get lastModified() {
        return this.#modified;
    }
}

for (const Class of [Blob, File])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

module.exports = { Blob, File };
