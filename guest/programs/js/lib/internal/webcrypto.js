// webcrypto: the global `crypto`: random values, UUIDs and digests.
'use strict';

const { argType } = require('internal/errors');

const hex = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

function randomUUID() {
    const b = new Uint8Array(16);
    native.text.random(b);
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    const text = Array.from(b, byte => hex[byte]).join('');
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

class Crypto {
    getRandomValues(array) {
        if (!ArrayBuffer.isView(array) || array instanceof DataView || array instanceof Float32Array || array instanceof Float64Array)
            throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
        if (array.byteLength > 65536)
            throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
        native.text.random(array);
        return array;
    }
    randomUUID() {
        return randomUUID();
    }
    get subtle() {
        return subtle;
    }
}
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { value: 'Crypto', configurable: true });

const names = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };

class SubtleCrypto {
    async digest(algorithm, data) {
        const name = String(algorithm?.name ?? algorithm).toUpperCase();
        if (names[name] === undefined) throw new DOMException(`Unrecognized algorithm name: ${name}`, 'NotSupportedError');
        if (!ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer))
            throw argType('data', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
        const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        return native.hash.digest(names[name], bytes);
    }
}
for (const name of ['encrypt', 'decrypt', 'sign', 'verify', 'generateKey', 'deriveKey', 'deriveBits', 'importKey', 'exportKey', 'wrapKey', 'unwrapKey']) {
    SubtleCrypto.prototype[name] = async function () {
        throw new DOMException(`crypto.subtle.${name} is not available in a sandbox`, 'NotSupportedError');
    };
}
const subtle = new SubtleCrypto();

module.exports = { crypto: new Crypto(), randomUUID };
