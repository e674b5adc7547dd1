// crypto/subtle_public: keys of two halves for crypto.subtle: RSA, ECDSA, ECDH, Ed25519, Ed448, X25519 and X448. What they
// do is done by the functions of `crypto`, of which this has the Web's forms and words.
'use strict';

const { coded } = require('internal/errors');
const { CryptoKey, bytesOf: handleOf, cryptoKey, keyBytes } = require('internal/crypto/keys');

const failed = (message, name) => new DOMException(message, name);
const unsupported = text => failed(text, 'NotSupportedError');
const signs = { public: ['verify'], private: ['sign'] }, agrees = { public: [], private: ['deriveKey', 'deriveBits'] };
// What each algorithm's halves may be used for.
const halves = {
    'RSASSA-PKCS1-v1_5': signs, 'RSA-PSS': signs, 'RSA-OAEP': { public: ['encrypt', 'wrapKey'], private: ['decrypt', 'unwrapKey'] },
    ECDSA: signs, Ed25519: signs, Ed448: signs, ECDH: agrees, X25519: agrees, X448: agrees,
};
const names = Object.keys(halves);
const curves = { 'P-256': ['prime256v1', 32], 'P-384': ['secp384r1', 48], 'P-521': ['secp521r1', 66] };
const digests = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const isRsa = name => name.startsWith('RSA');
const isCurve = name => name === 'ECDSA' || name === 'ECDH';
const crypto = () => require('crypto');

const keyObject = key => require('internal/crypto/public').keyObject(key.type, keyBytes(key));
const web = (object, algorithm, extractable, usages) => cryptoKey(handleOf(object), algorithm, extractable, usages, object.type);
const buffer = bytes => Uint8Array.from(bytes).buffer;

// ---------------------------------------------------------------- keys

function checkUses(name, type, usages) {
    if (usages.some(usage => !halves[name][type].includes(usage)))
        throw failed(`Unsupported key usage for ${isRsa(name) ? 'an RSA' : `a ${name}`} key`, 'SyntaxError');
    if (type === 'private' && usages.length === 0) throw failed('Usages cannot be empty when importing a private key.', 'SyntaxError');
}

function checkCurve(name) {
    if (!Object.hasOwn(curves, name)) throw unsupported('Unrecognized namedCurve');
}

// The algorithm that a key shows.
function described({ name, hash, namedCurve }, object) {
    if (isRsa(name)) {
        const { modulusLength, publicExponent } = object.asymmetricKeyDetails;
        const hex = publicExponent.toString(16);
        return { name, modulusLength, publicExponent: new Uint8Array(Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')), hash };
    }
    return isCurve(name) ? { name, namedCurve } : { name };
}

function generate(algorithm, extractable, usages) {
    const { name } = algorithm, of = halves[name];
    if (usages.some(usage => !of.public.includes(usage) && !of.private.includes(usage)))
        throw failed(`Unsupported key usage for ${isRsa(name) ? 'a RSA' : `an ${name}`} key`, 'SyntaxError');
    let pair;
    if (isRsa(name)) {
        const exponent = algorithm.publicExponent.reduce((sum, byte) => sum * 256 + byte, 0);
        pair = crypto().generateKeyPairSync('rsa', { modulusLength: algorithm.modulusLength, publicExponent: exponent });
    } else if (isCurve(name)) {
        checkCurve(algorithm.namedCurve);
        pair = crypto().generateKeyPairSync('ec', { namedCurve: curves[algorithm.namedCurve][0] });
    } else {
        pair = crypto().generateKeyPairSync(name.toLowerCase());
    }
    const some = type => [...new Set(of[type].filter(usage => usages.includes(usage)))];
    if (some('private').length === 0) throw failed('Usages cannot be empty when creating a key.', 'SyntaxError');
    return {
        publicKey: web(pair.publicKey, described(algorithm, pair.publicKey), true, some('public')),
        privateKey: web(pair.privateKey, described(algorithm, pair.privateKey), extractable, some('private')),
    };
}

// A point or a key as it is, as `crypto` reads it.
function fromRaw({ name, namedCurve }, bytes) {
    if (isRsa(name)) throw unsupported(`Unable to import ${name} key with format raw`);
    if (!isCurve(name)) return { kty: 'OKP', crv: name, x: Buffer.from(bytes).toString('base64url') };
    const size = curves[namedCurve][1];
    let point;
    try {
        point = crypto().ECDH.convertKey(Buffer.from(bytes), curves[namedCurve][0], undefined, undefined, 'uncompressed');
    } catch (cause) {
        throw Object.assign(failed('Invalid keyData', 'DataError'), { cause });
    }
    return { kty: 'EC', crv: namedCurve, x: point.subarray(1, 1 + size).toString('base64url'), y: point.subarray(1 + size).toString('base64url') };
}

function checkJwk(jwk, { name, hash, namedCurve }, extractable, usages) {
    if (jwk === null || typeof jwk !== 'object') throw failed('Invalid keyData', 'DataError');
    const wanted = isRsa(name) ? 'RSA' : isCurve(name) ? 'EC' : 'OKP';
    if (jwk.kty !== wanted) throw failed('Invalid JWK "kty" Parameter', 'DataError');
    if (isCurve(name) && jwk.crv !== namedCurve) throw failed('JWK "crv" does not match the requested algorithm', 'DataError');
    if (wanted === 'OKP' && jwk.crv !== name) throw failed('JWK "crv" Parameter and algorithm name mismatch', 'DataError');
    if (jwk.ext === false && extractable) throw failed('JWK "ext" Parameter and extractable mismatch', 'DataError');
    if (Array.isArray(jwk.key_ops) && usages.some(usage => !jwk.key_ops.includes(usage))) throw failed('Key operations and usage mismatch', 'DataError');
    if (isRsa(name) && jwk.alg !== undefined && jwk.alg !== algOf(name, hash)) throw failed('JWK "alg" does not match the requested algorithm', 'DataError');
}

function read(format, data, algorithm, extractable, usages) {
    const from = (make, options) => {
        try {
            return crypto()[make](options);
        } catch (cause) {
            throw Object.assign(failed('Invalid keyData', 'DataError'), { cause });
        }
    };
    switch (format) {
    case 'spki': return from('createPublicKey', { key: Buffer.from(data), format: 'der', type: 'spki' });
    case 'pkcs8': return from('createPrivateKey', { key: Buffer.from(data), format: 'der', type: 'pkcs8' });
    case 'raw': return from('createPublicKey', { key: fromRaw(algorithm, data), format: 'jwk' });
    case 'jwk':
        checkJwk(data, algorithm, extractable, usages);
        return from(data.d === undefined ? 'createPublicKey' : 'createPrivateKey', { key: data, format: 'jwk' });
    default: throw unsupported(`Unable to import ${algorithm.name} key with format ${format}`);
    }
}

function importKey(format, data, algorithm, extractable, usages) {
    const { name, namedCurve } = algorithm;
    if (isCurve(name)) checkCurve(namedCurve);
    const object = read(format, data, algorithm, extractable, usages);
    const kind = isRsa(name) ? 'rsa' : isCurve(name) ? 'ec' : name.toLowerCase();
    if (object.asymmetricKeyType !== kind) throw failed('Invalid key type', 'DataError');
    if (isCurve(name) && object.asymmetricKeyDetails.namedCurve !== curves[namedCurve][0]) throw failed('Named curve mismatch', 'DataError');
    checkUses(name, object.type, usages);
    return web(object, described(algorithm, object), Boolean(extractable), [...new Set(usages)]);
}

function algOf(name, hash) {
    const bits = hash.name.slice(4);
    return { 'RSASSA-PKCS1-v1_5': `RS${bits}`, 'RSA-PSS': `PS${bits}`, 'RSA-OAEP': bits === '1' ? 'RSA-OAEP' : `RSA-OAEP-${bits}` }[name];
}

function exportKey(format, key) {
    const object = keyObject(key), { name, hash, namedCurve } = key.algorithm;
    const needed = { spki: 'public', raw: 'public', pkcs8: 'private' }[format];
    if (needed !== undefined && key.type !== needed)
        throw failed(`Unable to export a ${format} ${isRsa(name) ? name : name} ${key.type} key`, 'InvalidAccessError');
    switch (format) {
    case 'spki': case 'pkcs8': return buffer(object.export({ format: 'der', type: format }));
    case 'raw': {
        if (isRsa(name)) throw unsupported(`Unable to export a raw ${name} public key`);
        const { x, y } = object.export({ format: 'jwk' });
        const parts = [x, ...(isCurve(name) ? [y] : [])].map(part => Buffer.from(part, 'base64url'));
        return buffer(Buffer.concat(isCurve(name) ? [Buffer.from([4]), ...parts] : parts));
    }
    case 'jwk': {
        const made = { key_ops: key.usages, ext: key.extractable, ...object.export({ format: 'jwk' }) };
        if (isRsa(name)) made.alg = algOf(name, hash);
        else if (namedCurve !== undefined) made.crv = namedCurve;
        else if (name.startsWith('Ed')) made.alg = name;
        return made;
    }
    default: throw unsupported(`Unable to export a ${format} ${name} key`);
    }
}

// ---------------------------------------------------------------- what keys do

// What crypto.sign() and verify() are told besides the data.
function signing(algorithm, key) {
    const { constants } = crypto(), { name } = key.algorithm, object = { key: keyObject(key) };
    if (name === 'Ed25519' || name === 'Ed448') return [undefined, object];
    if (name === 'ECDSA') {
        if (algorithm.hash === undefined) throw missing('EcdsaParams', 'hash');
        return [digests[algorithm.hash.name], { ...object, dsaEncoding: 'ieee-p1363' }];
    }
    if (name === 'RSA-PSS') {
        if (algorithm.saltLength === undefined) throw missing('RsaPssParams', 'saltLength');
        return [digests[key.algorithm.hash.name], { ...object, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength }];
    }
    return [digests[key.algorithm.hash.name], { ...object, padding: constants.RSA_PKCS1_PADDING }];
}

const missing = (dictionary, need) => coded(TypeError, 'ERR_MISSING_OPTION', `Failed to normalize algorithm: passed algorithm can not be converted to '${dictionary}' because '${need}' is required in '${dictionary}'.`);
const unspecific = () => failed('The operation failed for an operation-specific reason', 'OperationError');

function sign(algorithm, key, data) {
    const [digest, options] = signing(algorithm, key);
    return buffer(crypto().sign(digest, data, options));
}

function verify(algorithm, key, signature, data) {
    const [digest, options] = signing(algorithm, key);
    try {
        return crypto().verify(digest, data, options, signature);
    } catch {
        return false; // no signature at all
    }
}

// publicEncrypt() and privateDecrypt() of RSA-OAEP.
function encryption(how, algorithm, key, data) {
    const { constants } = crypto();
    const options = { key: keyObject(key), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: digests[key.algorithm.hash.name] };
    if (algorithm.label !== undefined) options.oaepLabel = algorithm.label;
    try {
        return buffer(crypto()[how](options, data));
    } catch {
        throw unspecific();
    }
}

// The secret that two keys agree on, cut to `length` bits; null: as long as it is.
function agree(algorithm, key, length) {
    const { public: other } = algorithm;
    if (!(other instanceof CryptoKey)) throw missing('EcdhKeyDeriveParams', 'public');
    if (other.type !== 'public') throw failed('algorithm.public must be a public key', 'InvalidAccessError');
    if (other.algorithm.name !== key.algorithm.name) throw failed('algorithm.public must be an ECDH, X25519, or X448 public key', 'InvalidAccessError');
    if (other.algorithm.namedCurve !== key.algorithm.namedCurve) throw failed('Named curve mismatch', 'InvalidAccessError');
    const secret = crypto().diffieHellman({ privateKey: keyObject(key), publicKey: keyObject(other) });
    if (length === null || length === undefined) return buffer(secret);
    if (secret.length * 8 < length) throw failed('derived bit length is too small', 'OperationError');
    const cut = buffer(secret.subarray(0, Math.ceil(length / 8)));
    if (length % 8) new Uint8Array(cut)[cut.byteLength - 1] &= 0xff << (8 - length % 8);
    return cut;
}

module.exports = { agree, decrypt: (...args) => encryption('privateDecrypt', ...args), encrypt: (...args) => encryption('publicEncrypt', ...args), exportKey, generate, importKey, names, sign, verify };
