// crypto: hashes, HMAC, key derivation by them, and random values.
'use strict';

const { check, coded, argType, outOfRange } = require('internal/errors');
const { Transform } = require('stream');
const { hash, text } = native;
const { crypto: webcrypto, randomUUID } = require('internal/webcrypto');

const names = { 'sha-1': 'sha1', 'sha-224': 'sha224', 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };
const blockSize = name => (name === 'sha384' || name === 'sha512' ? 128 : 64);

function algorithm(name) {
    check.string(name, 'algorithm');
    const lower = name.toLowerCase().replace(/^rsa-/, '');
    return names[lower] ?? lower;
}

function toBytes(data, encoding, name = 'data') {
    if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? undefined : encoding);
    if (data instanceof DataView) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data;
    throw argType(name, name === 'key' ? ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'] : ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

const shaped = (bytes, encoding) => {
    const buffer = Buffer.from(bytes);
    return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
};

class Hash extends Transform {
    #state;
    #done = false;
    constructor(name, options, state) {
        super(options);
        this.#state = state ?? hash.init(algorithm(name));
        if (this.#state === undefined) {
            const error = coded(Error, 'ERR_OSSL_EVP_UNSUPPORTED', 'Digest method not supported');
            delete error.code;
            throw error;
        }
    }
    update(data, encoding) {
        if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#state = hash.update(this.#state, toBytes(data, encoding));
        return this;
    }
    digest(encoding) {
        if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#done = true;
        return shaped(hash.final(this.#state), encoding);
    }
    copy(options) {
        if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        return new Hash(undefined, options, this.#state);
    }
    _transform(chunk, encoding, done) {
        this.update(chunk, encoding);
        done();
    }
    _flush(done) {
        this.push(this.digest());
        done();
    }
}

// The inner and outer states of HMAC with this key.
function hmacStates(name, key) {
    const size = blockSize(name);
    let bytes = new Uint8Array(toBytes(key, undefined, 'key').buffer ? toBytes(key, undefined, 'key') : new Uint8Array(key));
    if (bytes.length > size) bytes = new Uint8Array(hash.digest(name, bytes));
    const pad = byte => {
        const block = new Uint8Array(size).fill(byte);
        bytes.forEach((value, i) => void (block[i] ^= value));
        return hash.update(hash.init(name), block);
    };
    return [pad(0x36), pad(0x5c)];
}

class Hmac extends Transform {
    #inner;
    #outer;
    #done = false;
    constructor(name, key, options) {
        super(options);
        const known = algorithm(name);
        if (hash.init(known) === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
        [this.#inner, this.#outer] = hmacStates(known, key);
    }
    update(data, encoding) {
        if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
        this.#inner = hash.update(this.#inner, toBytes(data, encoding));
        return this;
    }
    digest(encoding) {
        if (this.#done) return shaped(new ArrayBuffer(0), encoding);
        this.#done = true;
        return shaped(hash.final(hash.update(this.#outer, hash.final(this.#inner))), encoding);
    }
    _transform(chunk, encoding, done) {
        this.update(chunk, encoding);
        done();
    }
    _flush(done) {
        this.push(this.digest());
        done();
    }
}

const createHash = (name, options) => new Hash(name, options);
const createHmac = (name, key, options) => new Hmac(name, key, options);
const hmac = (name, key, data) => createHmac(name, key).update(data).digest();

function pbkdf2Sync(password, salt, iterations, length, digest) {
    const name = algorithm(digest);
    if (hash.init(name) === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
    check.integer(iterations, 'iterations', 1, 2 ** 31 - 1);
    check.integer(length, 'keylen', 0, 2 ** 31 - 1);
    const [inner, outer] = hmacStates(name, password);
    const mac = bytes => new Uint8Array(hash.final(hash.update(outer, hash.final(hash.update(inner, bytes)))));
    const blocks = [];
    for (let i = 1, done = 0; done < length; i++) {
        const index = Buffer.alloc(4);
        index.writeUInt32BE(i);
        let last = mac(Buffer.concat([Buffer.from(toBytes(salt)), index]));
        const block = Buffer.from(last);
        for (let round = 1; round < iterations; round++) {
            last = mac(last);
            for (let at = 0; at < block.length; at++) block[at] ^= last[at];
        }
        blocks.push(block);
        done += block.length;
    }
    return Buffer.concat(blocks).subarray(0, length);
}

function hkdfSync(digest, key, salt, info, length) {
    const name = algorithm(digest);
    const secret = hmac(name, toBytes(salt), toBytes(key));
    let last = Buffer.alloc(0), out = Buffer.alloc(0);
    for (let i = 1; out.length < length; i++) {
        last = hmac(name, secret, Buffer.concat([last, Buffer.from(toBytes(info)), Buffer.from([i])]));
        out = Buffer.concat([out, last]);
    }
    return new Uint8Array(out.subarray(0, length)).buffer;
}

// fn(…, callback) around a synchronous one
const later = fn => (...args) => {
    const callback = args.pop();
    check.function(callback, 'callback');
    const result = fn(...args);
    require('internal/timers').complete(callback, null, result);
};

function randomBytes(size, callback) {
    check.integer(size, 'size', 0, 2 ** 31 - 1);
    const bytes = Buffer.alloc(size);
    text.random(bytes);
    if (callback === undefined) return bytes;
    require('internal/timers').complete(callback, null, bytes);
    return undefined;
}

function randomInt(min, max, callback) {
    if (max === undefined || typeof max === 'function') [min, max, callback] = [0, min, max];
    if (!Number.isSafeInteger(min)) throw argType('min', ['safe integer'], min);
    if (!Number.isSafeInteger(max)) throw argType('max', ['safe integer'], max);
    const range = max - min;
    if (range <= 0) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
    if (range >= 2 ** 48) throw outOfRange('max - min', '<= 281474976710655', range);
    const limit = 2 ** 48 - (2 ** 48 % range);
    let value;
    do value = randomBytes(6).readUIntBE(0, 6);
    while (value >= limit);
    if (callback === undefined) return min + value % range;
    require('internal/timers').complete(callback, null, min + value % range);
    return undefined;
}

function randomFillSync(buffer, offset = 0, size = buffer.byteLength - offset) {
    text.random(new Uint8Array(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + offset, size));
    return buffer;
}

function timingSafeEqual(a, b) {
    const left = new Uint8Array(toBytes(a, undefined, 'buf1')), right = new Uint8Array(toBytes(b, undefined, 'buf2'));
    if (left.length !== right.length) throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
    let different = 0;
    for (let i = 0; i < left.length; i++) different |= left[i] ^ right[i];
    return different === 0;
}

const crypto = {
    Hash, Hmac, createHash, createHmac, hkdfSync, hkdf: later(hkdfSync), pbkdf2Sync, pbkdf2: later(pbkdf2Sync),
    randomBytes, pseudoRandomBytes: randomBytes, randomFillSync, randomInt, randomUUID, timingSafeEqual, webcrypto,
    subtle: webcrypto.subtle, getRandomValues: array => webcrypto.getRandomValues(array),
    randomFill: (buffer, ...args) => later(randomFillSync)(buffer, ...args),
    hash: (name, data, encoding = 'hex') => createHash(name).update(data).digest(encoding),
    getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
    getCiphers: () => [], getCurves: () => [],
};
for (const name of ['createCipheriv', 'createDecipheriv', 'createSign', 'createVerify', 'generateKeyPair', 'generateKeyPairSync', 'scrypt', 'scryptSync', 'createECDH', 'createDiffieHellman', 'publicEncrypt', 'privateDecrypt', 'sign', 'verify'])
    crypto[name] = () => {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `crypto.${name} is not available in a sandbox: only hashes, HMAC, HKDF, PBKDF2 and random values are`);
    };

module.exports = crypto;
