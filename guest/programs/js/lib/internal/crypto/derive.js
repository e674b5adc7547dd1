// crypto/derive: keys from passwords and from other keys: PBKDF2, HKDF, scrypt.
'use strict';

const { coded, outOfRange } = require('internal/errors');
const validate = require('internal/validators');
const { badDigest, buffers, find, hmacStates, toBytes } = require('internal/crypto/hash');
const { secretBytes } = require('internal/crypto/keys');

const input = (data, name) => toBytes(data, undefined, name, ['string', ...buffers]);

// A function of bytes that answers their HMAC with this key.
function macOf(algorithm, key) {
    const [inner, outer] = hmacStates(algorithm, key), { final, update } = algorithm;
    return bytes => new Uint8Array(final(update(outer, new Uint8Array(final(update(inner, bytes))))));
}

function pbkdf2Bytes(algorithm, password, salt, iterations, length) {
    const mac = macOf(algorithm, password);
    const blocks = [];
    for (let i = 1, done = 0; done < length; i++) {
        const index = Buffer.alloc(4);
        index.writeUInt32BE(i);
        let last = mac(Buffer.concat([salt, index]));
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

// The callback is asked for before the digest is looked up.
function pbkdf2Arguments(password, salt, iterations, length, digest, callback = () => {}) {
    validate.string(digest, 'digest');
    const bytes = [input(password, 'password'), input(salt, 'salt')];
    validate.integer(iterations, 'iterations', 1, 2 ** 31 - 1);
    validate.integer(length, 'keylen', 0, 2 ** 31 - 1);
    validate.function(callback, 'callback');
    const algorithm = find(digest);
    if (!algorithm || algorithm.extends) throw badDigest(digest);
    return [algorithm, ...bytes, iterations, length];
}

const pbkdf2Sync = (...args) => pbkdf2Bytes(...pbkdf2Arguments(...args));

function hkdfBytes(algorithm, key, salt, info, length) {
    const mac = macOf(algorithm, macOf(algorithm, salt)(key));
    let last = Buffer.alloc(0);
    const parts = [];
    for (let i = 1, done = 0; done < length; i++) {
        last = mac(Buffer.concat([last, info, Buffer.from([i])]));
        parts.push(last);
        done += last.length;
    }
    return new Uint8Array(Buffer.concat(parts).subarray(0, length)).buffer;
}

function hkdfArguments(digest, key, salt, info, length) {
    validate.string(digest, 'digest');
    const accepted = ['ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'];
    const bytes = [
        key?.constructor?.name === 'SecretKeyObject' ? secretBytes(key) : toBytes(key, undefined, 'ikm', ['string', 'SecretKeyObject', ...accepted]),
        toBytes(salt, undefined, 'salt', ['string', ...accepted]), toBytes(info, undefined, 'info', ['string', ...accepted]),
    ];
    validate.integer(length, 'length', 0, 2 ** 31 - 1);
    if (bytes[2].length > 1024) throw outOfRange('info', 'must not contain more than 1024 bytes', bytes[2].length);
    const algorithm = find(digest);
    if (!algorithm || algorithm.extends) throw badDigest(digest);
    if (length > 255 * algorithm.size) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    return [algorithm, ...bytes, length];
}

const hkdfSync = (...args) => hkdfBytes(...hkdfArguments(...args));

// Either name of a parameter of scrypt, not both.
function scryptSetting(options, name, other, value) {
    const has = options[name] !== undefined;
    if (has && options[other] !== undefined) throw coded(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
    const key = has ? name : other;
    if (options[key] === undefined) return value;
    validate.uint32(options[key], key);
    return options[key] || value;
}

function scryptArguments(password, salt, length, options) {
    const bytes = [input(password, 'password'), input(salt, 'salt')];
    validate.integer(length, 'keylen', 0, 2 ** 31 - 1);
    const given = options ?? {};
    const N = scryptSetting(given, 'N', 'cost', 16384), r = scryptSetting(given, 'r', 'blockSize', 8), p = scryptSetting(given, 'p', 'parallelization', 1);
    let { maxmem = 32 * 1024 * 1024 } = given;
    if (given.maxmem !== undefined) validate.integer(maxmem, 'maxmem', 0);
    maxmem ||= 32 * 1024 * 1024;
    const bad = why => coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${why}`);
    if (N < 2 || (N & (N - 1)) !== 0 || p * r > 2 ** 30 - 1) throw bad('');
    if (128 * r * p + 32 * r * 4 + 128 * N * r > maxmem) throw bad(': error:030000AC:digital envelope routines::memory limit exceeded');
    return [...bytes, length, N, r, p];
}

function scryptBytes(password, salt, length, N, r, p) {
    const sha256 = find('sha256');
    const blocks = pbkdf2Bytes(sha256, password, salt, 1, p * 128 * r);
    for (let i = 0; i < p; i++) native.hash.scryptMix(blocks.subarray(i * 128 * r, (i + 1) * 128 * r), N);
    return pbkdf2Bytes(sha256, password, blocks, 1, length);
}

function scryptSync(password, salt, length, options) {
    return scryptBytes(...scryptArguments(password, salt, length, options));
}

function pbkdf2(password, salt, iterations, length, digest, callback) {
    if (typeof digest === 'function') [digest, callback] = [undefined, digest];
    const checked = pbkdf2Arguments(password, salt, iterations, length, digest, callback === undefined ? null : callback);
    require('internal/timers').complete(callback, null, pbkdf2Bytes(...checked));
}

function hkdf(digest, key, salt, info, length, callback) {
    const checked = hkdfArguments(digest, key, salt, info, length);
    validate.function(callback, 'callback');
    require('internal/timers').complete(callback, null, hkdfBytes(...checked));
}

function scrypt(password, salt, length, options, callback) {
    if (callback === undefined) [options, callback] = [undefined, options];
    const checked = scryptArguments(password, salt, length, options);
    validate.function(callback, 'callback');
    require('internal/timers').complete(callback, null, scryptBytes(...checked));
}

module.exports = { hkdf, hkdfBytes, hkdfSync, pbkdf2, pbkdf2Bytes, pbkdf2Sync, scrypt, scryptSync };
