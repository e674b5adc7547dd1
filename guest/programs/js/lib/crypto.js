// crypto: hashes, HMAC, ciphers, keys, signatures, key derivation and random values. Certificates are refused by name.
'use strict';

const { argType, coded } = require('internal/errors');
const { Hash, Hmac, hashOnce, hashes } = require('internal/crypto/hash');
const { KeyObject, createSecretKey, generateKey, generateKeySync } = require('internal/crypto/keys');
const { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } = require('internal/crypto/derive');
const { randomBytes, randomFill, randomFillSync, randomInt } = require('internal/crypto/random');
const { crypto: webcrypto, randomUUID } = require('internal/webcrypto');

const cipher = () => require('internal/crypto/cipher');

function timingSafeEqual(a, b) {
    const bytes = (value, name) => {
        if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        if (require('internal/types').isAnyArrayBuffer(value)) return new Uint8Array(value);
        const error = argType(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
        error.message = error.message.replace(/ Received .*/s, '');
        throw error;
    };
    const left = bytes(a, 'buf1'), right = bytes(b, 'buf2');
    if (left.length !== right.length) throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
    let different = 0;
    for (let i = 0; i < left.length; i++) different |= left[i] ^ right[i];
    return different === 0;
}

const crypto = {
    Hash, Hmac, KeyObject, createSecretKey, generateKey, generateKeySync, hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync,
    randomBytes, pseudoRandomBytes: randomBytes, prng: randomBytes, rng: randomBytes, randomFill, randomFillSync, randomInt, randomUUID, timingSafeEqual, webcrypto,
    constants: Object.setPrototypeOf({ RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2, POINT_CONVERSION_HYBRID: 6, RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6, POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4 }, null),
    hash: hashOnce, subtle: webcrypto.subtle,
    createHash: (name, options) => new Hash(name, options),
    createHmac: (name, key, options) => new Hmac(name, key, options),
    createCipheriv: (name, key, iv, options) => new (cipher().Cipheriv)(name, key, iv, options),
    createDecipheriv: (name, key, iv, options) => new (cipher().Decipheriv)(name, key, iv, options),
    getCipherInfo: (...args) => cipher().getCipherInfo(...args),
    getCiphers: () => [...cipher().ciphers],
    getCurves: () => ['prime256v1', 'secp256k1', 'secp384r1', 'secp521r1'],
    getFips: () => 0,
    // There is no OpenSSL whose state these would change.
    setFips(enabled) {
        if (enabled) throw coded(Error, 'ERR_CRYPTO_FIPS_UNAVAILABLE', 'Cannot set FIPS mode in a non-FIPS build.');
    },
    setEngine(id) {
        if (typeof id !== 'string') throw argType('id', 'string', id);
        throw coded(Error, 'ERR_CRYPTO_ENGINE_UNKNOWN', `Engine "${id}" was not found`);
    },
    secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 0 }),
    getHashes: () => [...hashes],
    getRandomValues: array => webcrypto.getRandomValues(array),
};
for (const name of ['Cipheriv', 'Decipheriv'])
    Object.defineProperty(crypto, name, { get: () => new Proxy(cipher()[name], { apply: (target, self, args) => new target(...args) }), enumerable: true, configurable: true });
// What public keys need is loaded when it is first used; `new` is not needed for their classes.
const parts = {
    public: ['createPrivateKey', 'createPublicKey', 'generateKeyPair', 'generateKeyPairSync'],
    sign: ['Sign', 'Verify', 'sign', 'verify', 'publicEncrypt', 'publicDecrypt', 'privateEncrypt', 'privateDecrypt'],
    agree: ['DiffieHellman', 'DiffieHellmanGroup', 'ECDH', 'diffieHellman'],
    numbers: ['checkPrime', 'checkPrimeSync', 'generatePrime', 'generatePrimeSync'],
};
for (const [file, names] of Object.entries(parts)) {
    for (const name of names) {
        const define = value => Object.defineProperty(crypto, name, { value, writable: true, enumerable: true, configurable: true });
        Object.defineProperty(crypto, name, {
            get() {
                const found = require(`internal/crypto/${file}`)[name];
                const value = file === 'sign' && /^[A-Z]/.test(name) ? new Proxy(found, { apply: (target, self, args) => new target(...args) }) : found;
                define(value);
                return value;
            },
            set: define, enumerable: true, configurable: true,
        });
    }
}
Object.assign(crypto, {
    createSign: (algorithm, options) => new crypto.Sign(algorithm, options),
    createVerify: (algorithm, options) => new crypto.Verify(algorithm, options),
    createECDH: curve => new crypto.ECDH(curve),
    createDiffieHellman: (size, keyEncoding, generator, encoding) => new crypto.DiffieHellman(size, keyEncoding, generator, encoding),
    createDiffieHellmanGroup: name => new crypto.DiffieHellmanGroup(name),
    getDiffieHellman: name => new crypto.DiffieHellmanGroup(name),
});
for (const name of ['createCipher', 'createDecipher'])
    crypto[name] = () => {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `crypto.${name} is not available in a sandbox: it makes weak keys; use ${name}iv`);
    };
Object.defineProperty(crypto, 'fips', { get: () => 0, set: value => crypto.setFips(value) });
crypto.X509Certificate = class X509Certificate {
    constructor() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'crypto.X509Certificate is not available in a sandbox: there are keys and signatures, but no certificates');
    }
};

module.exports = crypto;
