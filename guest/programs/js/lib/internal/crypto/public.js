// crypto/public: public and private keys: their objects, how they are made, read and written.
'use strict';

const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');
const material = require('internal/crypto/material');
const { KeyObject, CryptoKey, bytesOf, keyBytes, made } = require('internal/crypto/keys');
const { buffers, find } = require('internal/crypto/hash');

const isBytes = value => ArrayBuffer.isView(value) || require('internal/types').isAnyArrayBuffer(value);
const asBuffer = value => (ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value));

function details({ kind, n, e, curve, pss }) {
    if (n !== undefined) {
        const about = { modulusLength: n.toString(2).length, publicExponent: e };
        return pss ? { ...about, hashAlgorithm: pss.hash, mgf1HashAlgorithm: pss.mgf, saltLength: pss.salt } : about;
    }
    return kind === 'ec' ? { namedCurve: curve } : {};
}

class AsymmetricKeyObject extends KeyObject {
    get asymmetricKeyType() {
        return bytesOf(this).kind;
    }
    get asymmetricKeyDetails() {
        return details(bytesOf(this));
    }
    toCryptoKey(...args) {
        return require('internal/crypto/subtle').fromKeyObject(this, ...args);
    }
}
class PublicKeyObject extends AsymmetricKeyObject {
    export(options) {
        if (options?.format === 'jwk') return material.toJwk(bytesOf(this), false);
        return material.write(bytesOf(this), false, encoding(options, bytesOf(this).kind, false));
    }
}
class PrivateKeyObject extends AsymmetricKeyObject {
    export(options) {
        if (options?.format === 'jwk') {
            if (options.passphrase !== undefined || options.cipher !== undefined) throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding jwk does not support encryption.');
            return material.toJwk(bytesOf(this), true);
        }
        return material.write(bytesOf(this), true, encoding(options, bytesOf(this).kind, true));
    }
}
const keyObject = (type, value) => new (type === 'public' ? PublicKeyObject : PrivateKeyObject)(type, value, made);

function same(a, b) {
    if (a.kind !== b.kind || a.curve !== b.curve) return false;
    if (a.n !== undefined) return a.n === b.n && a.e === b.e;
    return a.point.equals(b.point);
}

// The form in which a key is written: {type, format, cipher, passphrase}. `name`: of the option.
function encoding(options, kind, secret, name = 'options') {
    validate.object(options, name);
    const { format, type, cipher, passphrase } = options;
    if (format !== 'pem' && format !== 'der') throw argValue(`${name}.format`, format);
    const known = secret ? ['pkcs1', 'pkcs8', 'sec1'] : ['pkcs1', 'spki'];
    if (!known.includes(type)) throw argValue(`${name}.type`, type);
    if (type === 'pkcs1' && kind !== 'rsa') throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding pkcs1 can only be used for RSA keys.');
    if (type === 'sec1' && kind !== 'ec') throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding sec1 can only be used for EC keys.');
    if (secret && (cipher !== undefined && cipher !== null)) {
        if (typeof cipher !== 'string') throw argValue(`${name}.cipher`, cipher);
        if (format === 'der' && type !== 'pkcs8') throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${type} does not support encryption.`);
        if (typeof passphrase !== 'string' && !isBytes(passphrase)) throw argValue(`${name}.passphrase`, passphrase);
    } else if (secret && passphrase !== undefined) {
        throw argValue(`${name}.cipher`, cipher);
    }
    return { type, format, cipher, passphrase };
}

// ---------------------------------------------------------------- reading

// What a caller gave as a key, of which a private one is wanted (or, with `either`, any). Answers {value, secret}.
function given(key, { secret = false, either = false, name = 'key' } = {}) {
    if (key instanceof KeyObject || key instanceof CryptoKey) {
        const { type } = key;
        if (type === 'secret' || (secret && type !== 'private')) throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${secret ? 'private' : 'private or public'}.`);
        return { value: key instanceof CryptoKey ? keyBytes(key) : bytesOf(key), secret: type === 'private' };
    }
    if (typeof key === 'string' || isBytes(key)) return text(key, { secret });
    if (key === null || typeof key !== 'object') throw argType(name, ['string', ...buffers, ...either || !secret ? ['KeyObject', 'CryptoKey', 'Object'] : ['Object']], key);
    const { key: data, encoding: charset, format = 'pem', type, passphrase } = key;
    if (data instanceof KeyObject || data instanceof CryptoKey) return given(data, { secret, either });
    if (format === 'jwk') {
        validate.object(data, 'key.key');
        const value = material.fromJwk(data);
        const isSecret = value.d !== undefined || value.secret !== undefined;
        if (secret && !isSecret) throw argType('key.d', 'string', data.d);
        return { value, secret: isSecret };
    }
    if (typeof data !== 'string' && !isBytes(data)) throw argType('key.key', ['string', ...buffers, ...either ? ['KeyObject', 'CryptoKey'] : []], data);
    if (format !== 'pem' && format !== 'der') throw argValue('options.format', format);
    if (passphrase !== undefined && typeof passphrase !== 'string' && !isBytes(passphrase)) throw argValue('options.passphrase', passphrase);
    if (format === 'pem') return text(data, { secret, passphrase });
    if (!['pkcs1', 'pkcs8', 'sec1', 'spki'].includes(type) || (secret && type === 'spki')) throw argValue('options.type', type);
    const bytes = typeof data === 'string' ? Buffer.from(data, charset) : asBuffer(data);
    try {
        const value = material.fromDer(bytes, type, passphrase);
        return { value, secret: value.d !== undefined || value.secret !== undefined };
    } catch (error) {
        if (error.code?.startsWith('ERR_')) throw error;
        throw Object.assign(new Error(`Failed to read ${secret ? 'private' : 'asymmetric'} key`));
    }
}

function text(data, { secret, passphrase }) {
    const value = material.fromText(typeof data === 'string' ? data : asBuffer(data).toString('latin1'), secret, passphrase);
    return { value, secret: value.d !== undefined || value.secret !== undefined };
}

function createPublicKey(key) {
    if (key instanceof KeyObject && key.type !== 'private') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${key.type}, expected private.`);
    return keyObject('public', material.toPublic(given(key).value));
}
function createPrivateKey(key) {
    if (key instanceof KeyObject) throw argType('key', ['string', ...buffers, 'Object'], key);
    const found = given(key, { secret: true });
    if (!found.secret) throw new Error('Failed to read private key');
    return keyObject('private', found.value);
}

// ---------------------------------------------------------------- making

function rsa(bits, exponent) {
    const { isProbablePrime, mod, invert, primeOf } = require('internal/crypto/numbers');
    const e = BigInt(exponent);
    for (;;) {
        const half = Math.ceil(bits / 2);
        const p = primeOf(half, { high: true, fits: value => mod(value - 1n, e) !== 0n }), q = primeOf(bits - half, { high: true, fits: value => mod(value - 1n, e) !== 0n });
        const n = p * q;
        if (p === q || n.toString(2).length !== bits || !isProbablePrime(p)) continue;
        const [a, b] = p > q ? [p, q] : [q, p];
        let gcd = a - 1n, rest = b - 1n;
        while (rest) [gcd, rest] = [rest, gcd % rest];
        const d = invert(e, (a - 1n) * (b - 1n) / gcd);
        return { n, e, d, p: a, q: b, dp: d % (a - 1n), dq: d % (b - 1n), qi: invert(b, a) };
    }
}

function generate(type, options) {
    switch (type) {
    case 'rsa': case 'rsa-pss': {
        validate.object(options, 'options');
        const { modulusLength, publicExponent = 65537 } = options;
        validate.uint32(modulusLength, 'options.modulusLength');
        validate.uint32(publicExponent, 'options.publicExponent');
        const { hashAlgorithm, mgf1HashAlgorithm, saltLength } = options;
        for (const [name, value] of Object.entries({ hashAlgorithm, mgf1HashAlgorithm })) {
            if (value === undefined || type === 'rsa') continue;
            validate.string(value, `options.${name}`);
            if (!find(value)) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid ${name === 'hashAlgorithm' ? '' : 'MGF1 '}digest: ${value}`);
        }
        if (modulusLength < 512) throw Object.assign(new Error('error:02000078:rsa routines::key size too small'), { code: 'ERR_OSSL_RSA_KEY_SIZE_TOO_SMALL' });
        const pss = type === 'rsa-pss' && hashAlgorithm ? { hash: hashAlgorithm, mgf: mgf1HashAlgorithm ?? hashAlgorithm, salt: saltLength ?? find(hashAlgorithm).size } : undefined;
        return { kind: type, ...rsa(modulusLength, publicExponent), ...pss ? { pss } : {} };
    }
    case 'ec': {
        validate.object(options, 'options');
        validate.string(options.namedCurve, 'options.namedCurve');
        const curve = material.curveName(options.namedCurve);
        if (curve === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
        const secret = Buffer.from(material.curves[curve]().utils.randomSecretKey());
        return { kind: 'ec', curve, secret, point: Buffer.from(material.curves[curve]().getPublicKey(secret, false)) };
    }
    case 'ed25519': case 'x25519': case 'ed448': case 'x448': {
        const secret = Buffer.from(material.curves[type]().utils.randomSecretKey());
        return { kind: type, secret, point: Buffer.from(material.curves[type]().getPublicKey(secret)) };
    }
    case 'dsa': case 'dh':
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `crypto.generateKeyPair('${type}') is not available in a sandbox: there are RSA, elliptic curves, Ed25519, X25519, Ed448 and X448`);
    default: throw argValue('type', type, 'must be a supported key type');
    }
}

// What a pair is to be given as: {public: undefined or a form, private}.
function forms(options, kind) {
    const form = (name, secret) => {
        const wanted = options?.[name];
        if (wanted === undefined || wanted === null) return undefined;
        if (typeof wanted !== 'object') throw argValue(`options.${name}`, wanted);
        return wanted.format === 'jwk' ? wanted : encoding(wanted, kind, secret, `options.${name}`);
    };
    return { public: form('publicKeyEncoding', false), private: form('privateKeyEncoding', true) };
}

function pair(type, options) {
    validate.string(type, 'type');
    const wanted = forms(options, type), value = generate(type, options);
    const keys = { publicKey: keyObject('public', material.toPublic(value)), privateKey: keyObject('private', value) };
    if (wanted.public) keys.publicKey = keys.publicKey.export(wanted.public);
    if (wanted.private) keys.privateKey = keys.privateKey.export(wanted.private);
    return keys;
}

const generateKeyPairSync = (type, options) => pair(type, options);
function generateKeyPair(type, options, callback) {
    if (typeof options === 'function') [options, callback] = [undefined, options];
    validate.function(callback, 'callback');
    const { publicKey, privateKey } = pair(type, options);
    require('internal/timers').complete(callback, null, publicKey, privateKey);
}
Object.defineProperty(generateKeyPair, Symbol.for('nodejs.util.promisify.custom'), {
    value: async (type, options) => pair(type, options),
});

module.exports = { asBuffer, isBytes, given, keyObject, same, generate, createPublicKey, createPrivateKey, generateKeyPair, generateKeyPairSync };
