// crypto/sign: signatures, and encryption by public keys.
'use strict';

const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');
const { Writable } = require('stream');
const { find, hashOnce } = require('internal/crypto/hash');
const { given, asBuffer, isBytes } = require('internal/crypto/public');
const { power, secretPower } = require('internal/crypto/numbers');
const { toBytes, toNumber } = require('internal/crypto/der');
const { engine } = require('internal/crypto/material');

const PKCS1 = 1, NONE = 3, OAEP = 4, PSS = 6;
const ossl = (code, text, name) => Object.assign(new Error(`error:${code}:${text}`), { library: text.split('::')[0], reason: text.split('::')[1], code: `ERR_OSSL_${name}` });
const digest = (name, bytes) => hashOnce(name, bytes, 'buffer');

const sizeOf = ({ n }) => Math.ceil(n.toString(2).length / 8);
const open = (key, bytes) => toBytes(power(toNumber(bytes), key.e, key.n), sizeOf(key));
const close = (key, bytes) => toBytes(secretPower(toNumber(bytes), key), sizeOf(key));

const prefixes = {
    md5: '3020300c06082a864886f70d020505000410', sha1: '3021300906052b0e03021a05000414', sha224: '302d300d06096086480165030402040500041c',
    sha256: '3031300d060960864801650304020105000420', sha384: '3041300d060960864801650304020205000430', sha512: '3051300d060960864801650304020305000440',
    'sha512-224': '302d300d06096086480165030402050500041c', 'sha512-256': '3031300d060960864801650304020605000420', ripemd160: '3021300906052b2403020105000414',
    'sha3-224': '302d300d06096086480165030402070500041c', 'sha3-256': '3031300d060960864801650304020805000420',
    'sha3-384': '3041300d060960864801650304020905000430', 'sha3-512': '3051300d060960864801650304020a05000440',
};

function padded(key, name, hashed) {
    const prefix = prefixes[find(name).name];
    if (prefix === undefined) throw ossl('0200009A', 'rsa routines::unknown algorithm type', 'RSA_UNKNOWN_ALGORITHM_TYPE');
    const info = Buffer.concat([Buffer.from(prefix, 'hex'), hashed]), room = sizeOf(key) - info.length - 3;
    if (room < 8) throw ossl('02000070', 'rsa routines::digest too big for rsa key', 'RSA_DIGEST_TOO_BIG_FOR_RSA_KEY');
    return Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(room, 255), Buffer.from([0]), info]);
}

// ---------------------------------------------------------------- PSS

function mask(hash, seed, length) {
    const parts = [];
    for (let i = 0; parts.length * find(hash).size < length; i++) {
        const counter = Buffer.alloc(4);
        counter.writeUInt32BE(i);
        parts.push(digest(hash, Buffer.concat([seed, counter])));
    }
    return Buffer.concat(parts).subarray(0, length);
}
const xor = (a, b) => Buffer.from(a.map((byte, i) => byte ^ b[i]));

function pssEncode(key, { hash, mgf, salt }, hashed) {
    const bits = key.n.toString(2).length - 1, length = Math.ceil(bits / 8), { size } = find(hash);
    if (salt < 0) salt = length - size - 2;
    if (length < size + salt + 2) throw ossl('0200006E', 'rsa routines::data too large for key size', 'RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
    const random = Buffer.alloc(salt);
    native.text.random(random);
    const inner = digest(hash, Buffer.concat([Buffer.alloc(8), hashed, random]));
    const block = Buffer.concat([Buffer.alloc(length - salt - size - 2), Buffer.from([1]), random]);
    const masked = xor(block, mask(mgf, inner, block.length));
    masked[0] &= 255 >> (8 * length - bits);
    return Buffer.concat([masked, inner, Buffer.from([0xbc])]);
}

function pssCheck(key, { hash, mgf, salt }, hashed, encoded) {
    const bits = key.n.toString(2).length - 1, length = Math.ceil(bits / 8), { size } = find(hash);
    encoded = encoded.subarray(encoded.length - length);
    if (encoded.at(-1) !== 0xbc || length < size + 2) return false;
    const inner = encoded.subarray(length - size - 1, length - 1);
    const block = xor(encoded.subarray(0, length - size - 1), mask(mgf, inner, length - size - 1));
    block[0] &= 255 >> (8 * length - bits);
    const one = block.findIndex(byte => byte !== 0);
    if (block[one] !== 1) return false;
    const random = block.subarray(one + 1);
    if (salt >= 0 && random.length !== salt) return false;
    return digest(hash, Buffer.concat([Buffer.alloc(8), hashed, random])).equals(inner);
}

// ---------------------------------------------------------------- one signature

const isEdwards = key => key.kind === 'ed25519' || key.kind === 'ed448';

// The options of a signature: {padding, salt, raw}.
function optionsOf(options, key, name) {
    const { padding, saltLength, dsaEncoding = 'der' } = options ?? {};
    if (dsaEncoding !== 'der' && dsaEncoding !== 'ieee-p1363') throw argValue('options.dsaEncoding', dsaEncoding);
    if (padding !== undefined && padding !== (padding | 0)) throw argValue('options.padding', padding);
    if (saltLength !== undefined && saltLength !== (saltLength | 0)) throw argValue('options.saltLength', saltLength);
    const about = { raw: dsaEncoding !== 'der' };
    if (key.n === undefined) return about;
    const way = padding ?? (key.kind === 'rsa-pss' ? PSS : PKCS1);
    if (way !== PKCS1 && way !== PSS) throw ossl('1C8000A5', 'Provider routines::illegal or unsupported padding mode', 'ILLEGAL_OR_UNSUPPORTED_PADDING_MODE');
    if (way === PKCS1) return { ...about, padding: way };
    if (key.pss) {
        const { size } = find(key.pss.hash);
        if (find(name).name !== find(key.pss.hash).name) throw ossl('1C8000AE', 'Provider routines::digest not allowed', 'DIGEST_NOT_ALLOWED');
        if (saltLength !== undefined && saltLength !== -2 && (saltLength === -1 ? size : saltLength) < key.pss.salt) throw ossl('1C8000AC', 'Provider routines::pss saltlen too small', 'PSS_SALTLEN_TOO_SMALL');
    }
    let salt = saltLength ?? (key.pss ? key.pss.salt : -2);
    if (salt === -1) salt = find(name).size;
    else if (salt === -2) salt = -1;
    return { ...about, padding: way, pss: { hash: name, mgf: key.pss?.mgf ?? name, salt } };
}

function makeSignature(key, name, data, hashed, options) {
    if (isEdwards(key)) return Buffer.from(engine(key).sign(data, key.secret));
    const { raw, padding, pss } = optionsOf(options, key, name);
    if (key.n !== undefined) return close(key, padding === PKCS1 ? padded(key, name, hashed) : pssEncode(key, pss, hashed));
    if (key.kind !== 'ec') throw ossl('03000096', 'digital envelope routines::operation not supported for this keytype', 'EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');
    return Buffer.from(engine(key).sign(hashed, key.secret, { prehash: false, lowS: false, extraEntropy: true, format: raw ? 'compact' : 'der' }));
}

function checkSignature(key, name, data, hashed, signature, options) {
    if (isEdwards(key)) {
        try {
            return engine(key).verify(signature, data, key.point, { zip215: false });
        } catch {
            return false;
        }
    }
    const { raw, padding, pss } = optionsOf(options, key, name);
    if (key.n !== undefined) {
        if (signature.length !== sizeOf(key) || toNumber(signature) >= key.n) return false;
        const opened = open(key, signature);
        return padding === PKCS1 ? opened.equals(padded(key, name, hashed)) : pssCheck(key, pss, hashed, opened);
    }
    if (key.kind !== 'ec') throw ossl('03000096', 'digital envelope routines::operation not supported for this keytype', 'EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');
    try {
        return engine(key).verify(signature, hashed, key.point, { prehash: false, lowS: false, format: raw ? 'compact' : 'der' });
    } catch {
        return false;
    }
}

const signingKey = key => {
    if (!key) throw coded(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
    return given(key, { secret: true }).value;
};

// ---------------------------------------------------------------- streams: Sign and Verify

class Signing extends Writable {
    #name;
    #parts = [];
    #done = false;
    constructor(algorithm, options) {
        validate.string(algorithm, 'algorithm');
        super(options);
        if (!find(algorithm)) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest');
        this.#name = algorithm;
    }
    _write(chunk, encoding, done) {
        this.update(chunk, encoding);
        done();
    }
    update(data, encoding) {
        if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw argType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
        this.#open();
        this.#parts.push(typeof data === 'string' ? Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding) : Buffer.from(asBuffer(data)));
        return this;
    }
    #open() {
        if (this.#done) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    }
    _finish() {
        this.#open();
        this.#done = true;
        const data = Buffer.concat(this.#parts);
        return [this.#name, data, digest(this.#name, data)];
    }
}

class Sign extends Signing {
    sign(options, encoding) {
        const key = signingKey(options);
        const signature = makeSignature(key, ...this._finish(), options);
        return encoding && encoding !== 'buffer' ? signature.toString(encoding) : signature;
    }
}

class Verify extends Signing {
    verify(options, signature, encoding) {
        const { value } = given(options, { either: true });
        if (typeof signature !== 'string' && !isBytes(signature)) throw argType('signature', ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], signature);
        const bytes = typeof signature === 'string' ? Buffer.from(signature, encoding) : asBuffer(signature);
        const [name, data, hashed] = this._finish();
        return checkSignature(value, name, data, hashed, bytes, options);
    }
}

// ---------------------------------------------------------------- at once

function prepared(algorithm, data, key) {
    if (algorithm !== undefined && algorithm !== null) {
        validate.string(algorithm, 'algorithm');
        if (!find(algorithm)) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
        if (isEdwards(key)) throw ossl('1C800080', 'Provider routines::invalid digest', 'INVALID_DIGEST');
    }
    const name = algorithm ?? (key.pss?.hash ?? 'sha256');
    return [name, data, isEdwards(key) ? undefined : digest(name, data)];
}

function dataOf(data, name = 'data') {
    if (typeof data === 'string') return Buffer.from(data);
    if (!isBytes(data)) throw argType(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
    return asBuffer(data);
}

function sign(algorithm, data, options, callback) {
    if (callback !== undefined) validate.function(callback, 'callback');
    const bytes = dataOf(data), key = signingKey(options);
    const work = () => makeSignature(key, ...prepared(algorithm, bytes, key), options);
    if (callback === undefined) return work();
    return later(work, callback);
}

function verify(algorithm, data, options, signature, callback) {
    if (callback !== undefined) validate.function(callback, 'callback');
    const bytes = dataOf(data), key = given(options, { either: true }).value;
    if (!isBytes(signature)) throw argType('signature', ['Buffer', 'TypedArray', 'DataView'], signature);
    const work = () => {
        const [name, text, hashed] = prepared(algorithm, bytes, key);
        return checkSignature(key, name, text, hashed, asBuffer(signature), options);
    };
    if (callback === undefined) return work();
    return later(work, callback);
}

function later(work, callback) {
    const { complete } = require('internal/timers');
    let result;
    try {
        result = work();
    } catch (error) {
        return complete(callback, error);
    }
    return complete(callback, null, result);
}

// ---------------------------------------------------------------- encryption

const tooLarge = () => ossl('0200006E', 'rsa routines::data too large for key size', 'RSA_DATA_TOO_LARGE_FOR_KEY_SIZE');
const badOaep = () => ossl('02000079', 'rsa routines::oaep decoding error', 'RSA_OAEP_DECODING_ERROR');

function oaepEncode(size, hash, label, data) {
    const { size: length } = find(hash), room = size - data.length - 2 * length - 2;
    if (room < 0) throw tooLarge();
    const seed = Buffer.alloc(length);
    native.text.random(seed);
    const rest = Buffer.concat([digest(hash, label), Buffer.alloc(room), Buffer.from([1]), data]);
    const masked = xor(rest, mask(hash, seed, rest.length));
    return Buffer.concat([Buffer.from([0]), xor(seed, mask(hash, masked, length)), masked]);
}
function oaepDecode(size, hash, label, encoded) {
    const { size: length } = find(hash);
    if (size < 2 * length + 2) throw badOaep();
    const masked = encoded.subarray(length + 1);
    const seed = xor(encoded.subarray(1, length + 1), mask(hash, masked, length)), rest = xor(masked, mask(hash, seed, masked.length));
    let at = length;
    while (rest[at] === 0) at++;
    if (encoded[0] !== 0 || rest[at] !== 1 || !rest.subarray(0, length).equals(digest(hash, label))) throw badOaep();
    return rest.subarray(at + 1);
}

// Data behind 00 02 and random bytes, or 00 01 and 255s.
function block(size, type, data) {
    const room = size - data.length - 3;
    if (room < 8) throw tooLarge();
    const filler = Buffer.alloc(room, 255);
    if (type === 2) for (let i = 0; i < room; i++) do native.text.random(filler.subarray(i, i + 1)); while (filler[i] === 0);
    return Buffer.concat([Buffer.from([0, type]), filler, Buffer.from([0]), data]);
}
function unblock(bytes, type) {
    const end = bytes.indexOf(0, 2);
    if (bytes[0] !== 0 || bytes[1] !== type || end < 10) throw ossl('0200009F', 'rsa routines::pkcs decoding error', 'RSA_PKCS_DECODING_ERROR');
    return bytes.subarray(end + 1);
}

function crypted(options, data, { secret, encrypting, fallback }) {
    const { value: key } = given(options, { secret, either: true });
    const { padding = fallback, oaepHash = 'sha1', oaepLabel, encoding } = options instanceof Object && !isBytes(options) ? options : {};
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : dataOf(data, 'buffer');
    if (key.n === undefined) throw ossl('03000096', 'digital envelope routines::operation not supported for this keytype', 'EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');
    if (key.kind === 'rsa-pss') throw ossl('1C8000B2', 'Provider routines::operation not supported for this keytype', 'OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE');
    if (padding === PKCS1 && secret && !encrypting)
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'RSA_PKCS1_PADDING is no longer supported for private decryption, this can be reverted with --security-revert=CVE-2023-46809');
    const size = sizeOf(key), turn = secret ? close : open;
    if (padding === OAEP && !find(oaepHash)) throw coded(Error, 'ERR_OSSL_EVP_INVALID_DIGEST', 'Invalid digest');
    if (padding === OAEP && secret !== encrypting) {
        const label = oaepLabel === undefined ? Buffer.alloc(0) : dataOf(oaepLabel, 'key.oaepLabel');
        if (encrypting) return turn(key, oaepEncode(size, oaepHash, label, bytes));
        if (bytes.length !== size || toNumber(bytes) >= key.n) throw badOaep();
        return oaepDecode(size, oaepHash, label, turn(key, bytes));
    }
    if (padding === NONE) {
        if (bytes.length !== size) throw bytes.length < size ? ossl('0200007A', 'rsa routines::data too small for key size', 'RSA_DATA_TOO_SMALL_FOR_KEY_SIZE') : tooLarge();
        return turn(key, bytes);
    }
    if (padding !== PKCS1) throw ossl('1C8000A5', 'Provider routines::illegal or unsupported padding mode', 'ILLEGAL_OR_UNSUPPORTED_PADDING_MODE');
    if (encrypting) return turn(key, block(size, secret ? 1 : 2, bytes));
    if (bytes.length !== size) throw ossl('0200006C', 'rsa routines::data greater than mod len', 'RSA_DATA_GREATER_THAN_MOD_LEN');
    return unblock(turn(key, bytes), secret ? 2 : 1);
}

module.exports = {
    Sign, Verify, sign, verify, makeSignature, checkSignature,
    publicEncrypt: (key, data) => crypted(key, data, { secret: false, encrypting: true, fallback: OAEP }),
    privateDecrypt: (key, data) => crypted(key, data, { secret: true, encrypting: false, fallback: OAEP }),
    privateEncrypt: (key, data) => crypted(key, data, { secret: true, encrypting: true, fallback: PKCS1 }),
    publicDecrypt: (key, data) => crypted(key, data, { secret: false, encrypting: false, fallback: PKCS1 }),
};
