// crypto/keys: KeyObject, and secret keys: createSecretKey(), generateKey(). crypto/public has the others.
'use strict';

const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');
const { buffers, toBytes } = require('internal/crypto/hash');
const { inspect } = require('internal/inspect');

const made = Symbol('made');

class KeyObject {
    #bytes; // of a secret key; of others what crypto/material says
    #type;
    constructor(type, handle, mark) {
        if (type !== 'secret' && type !== 'public' && type !== 'private') throw argValue('type', type);
        if (mark !== made) throw argType('handle', 'object', handle);
        this.#bytes = handle;
        this.#type = type;
    }
    get type() {
        return this.#type;
    }
    static from(key) {
        if (!(key instanceof CryptoKey)) throw argType('key', 'CryptoKey', key);
        if (key.type !== 'secret') return require('internal/crypto/public').keyObject(key.type, keyBytes(key));
        return secretKey(keyBytes(key));
    }
    static bytesOf(key) {
        return key.#bytes;
    }
    equals(other) {
        if (!(other instanceof KeyObject)) throw argType('otherKeyObject', 'KeyObject', other);
        if (this.#type !== other.#type) return false;
        if (this.#type !== 'secret') return require('internal/crypto/public').same(this.#bytes, other.#bytes);
        return Buffer.compare(this.#bytes, other.#bytes) === 0;
    }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { value: 'KeyObject', configurable: true });
const { bytesOf } = KeyObject;
delete KeyObject.bytesOf;

class SecretKeyObject extends KeyObject {
    get symmetricKeySize() {
        return bytesOf(this).length;
    }
    export(options) {
        if (options !== undefined) {
            validate.object(options, 'options');
            validate.oneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
            if (options.format === 'jwk') return { kty: 'oct', k: Buffer.from(bytesOf(this)).toString('base64url') };
        }
        return Buffer.from(bytesOf(this));
    }
}

const secretKey = bytes => new SecretKeyObject('secret', Buffer.from(bytes), made);

// What the Web's API calls a key.
class CryptoKey {
    #bytes;
    constructor(mark, bytes, algorithm, extractable, usages, type) {
        if (mark !== made) throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
        this.#bytes = bytes;
        Object.defineProperties(this, Object.fromEntries(Object.entries({ _algorithm: algorithm, _extractable: extractable, _usages: usages, _type: type })
            .map(([name, value]) => [name, { value, enumerable: false }])));
    }
    static bytesOf(key) {
        return key.#bytes;
    }
    get type() {
        return this._type ?? 'secret';
    }
    get extractable() {
        return this._extractable;
    }
    get algorithm() {
        return this._algorithm;
    }
    get usages() {
        return [...this._usages];
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
        if (depth < 0) return this;
        const { type, extractable, algorithm, usages } = this;
        return `CryptoKey ${inspect({ type, extractable, algorithm, usages }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
}
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { value: 'CryptoKey', configurable: true });
const { bytesOf: keyBytes } = CryptoKey;
delete CryptoKey.bytesOf;
const cryptoKey = (...args) => new CryptoKey(made, ...args);

// The bytes of a key in any form: text, bytes or a key.
function secretBytes(key, encoding, name = 'key') {
    if (key instanceof KeyObject) {
        if (key.type !== 'secret') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${key.type}, expected secret.`);
        return bytesOf(key);
    }
    if (key instanceof CryptoKey) return keyBytes(key);
    return toBytes(key, encoding, name, ['string', ...buffers, 'KeyObject', 'CryptoKey']);
}

function createSecretKey(key, encoding) {
    return secretKey(toBytes(key, encoding, 'key', typeof key === 'string' ? ['string', ...buffers] : buffers));
}

function generated(type, options) {
    validate.string(type, 'type');
    if (type !== 'hmac' && type !== 'aes') throw argValue('type', type, 'must be a supported key type');
    validate.object(options, 'options');
    if (type === 'hmac') validate.integer(options.length, 'options.length', 8, 2 ** 31 - 1);
    else validate.oneOf(options.length, 'options.length', [128, 192, 256]);
    const bytes = Buffer.alloc(Math.floor(options.length / 8));
    native.text.random(bytes);
    return secretKey(bytes);
}

function generateKeySync(type, options) {
    return generated(type, options);
}

function generateKey(type, options, callback) {
    if (typeof options === 'function') [options, callback] = [undefined, options];
    validate.function(callback, 'callback');
    require('internal/timers').complete(callback, null, generated(type, options));
}

module.exports = { made, bytesOf, CryptoKey, KeyObject, createSecretKey, cryptoKey, generateKey, generateKeySync, keyBytes, secretBytes };
