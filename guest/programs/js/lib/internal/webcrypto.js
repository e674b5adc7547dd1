// webcrypto: the global `crypto`: random values, UUIDs and, when it is asked for, `subtle`.
'use strict';

const validate = require('internal/validators');

const hex = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

function randomUUID(options) {
    if (options !== undefined) validate.object(options, 'options');
    if (options?.disableEntropyCache !== undefined) validate.boolean(options.disableEntropyCache, 'options.disableEntropyCache');
    const b = new Uint8Array(16);
    native.text.random(b);
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    const text = Array.from(b, byte => hex[byte]).join('');
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

let making = true;
const illegal = () => require('internal/errors').coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');

class Crypto {
    constructor() {
        if (!making) throw illegal();
    }
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
        return require('internal/crypto/subtle').subtle;
    }
}
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { value: 'Crypto', configurable: true });

const crypto = new Crypto();
making = false;

module.exports = { Crypto, crypto, illegal, randomUUID };
