// crypto: hashes, HMAC, ciphers, secret keys, key derivation and random values. Public keys are refused by name.
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
    constants: { RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6, POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4 },
    hash: hashOnce, subtle: webcrypto.subtle,
    createHash: (name, options) => new Hash(name, options),
    createHmac: (name, key, options) => new Hmac(name, key, options),
    createCipheriv: (name, key, iv, options) => new (cipher().Cipheriv)(name, key, iv, options),
    createDecipheriv: (name, key, iv, options) => new (cipher().Decipheriv)(name, key, iv, options),
    getCipherInfo: (...args) => cipher().getCipherInfo(...args),
    getCiphers: () => [...cipher().ciphers],
    getCurves: () => [],
    getFips: () => 0,
    getHashes: () => [...hashes],
    getRandomValues: array => webcrypto.getRandomValues(array),
};
for (const name of ['Cipheriv', 'Decipheriv'])
    Object.defineProperty(crypto, name, { get: () => new Proxy(cipher()[name], { apply: (target, self, args) => new target(...args) }), enumerable: true, configurable: true });
for (const name of ['createSign', 'createVerify', 'generateKeyPair', 'generateKeyPairSync', 'createECDH', 'createDiffieHellman', 'createDiffieHellmanGroup',
    'getDiffieHellman', 'diffieHellman', 'publicEncrypt', 'publicDecrypt', 'privateEncrypt', 'privateDecrypt', 'sign', 'verify', 'createPrivateKey',
    'createPublicKey', 'createCipher', 'createDecipher', 'checkPrime', 'checkPrimeSync', 'generatePrime', 'generatePrimeSync'])
    crypto[name] = () => {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `crypto.${name} is not available in a sandbox: there are hashes, HMAC, AES, ChaCha20-Poly1305, secret keys, scrypt, HKDF and PBKDF2, and no public keys`);
    };

module.exports = crypto;
