// crypto/subtle: crypto.subtle: HMAC, AES, PBKDF2 and HKDF; crypto/subtle_public has keys of two halves.
'use strict';

const { argType, coded } = require('internal/errors');
const { Hmac, buffers, find } = require('internal/crypto/hash');
const { CryptoKey, cryptoKey, keyBytes } = require('internal/crypto/keys');

const digests = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const blocks = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
const halves = require('internal/crypto/subtle_public');
const names = ['HMAC', 'AES-CBC', 'AES-CTR', 'AES-GCM', 'PBKDF2', 'HKDF', ...Object.keys(digests), ...halves.names];
const failed = (message, name) => new DOMException(message, name);
const unspecific = () => failed('The operation failed for an operation-specific reason', 'OperationError');

function bytesOf(data, name = 'data') {
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (require('internal/types').isAnyArrayBuffer(data)) return new Uint8Array(data);
    throw argType(name, buffers, data);
}

// {…, name}: the name as the standard writes it, hashes as {name}.
function normalized(given, needs = []) {
    const algorithm = typeof given === 'string' ? { name: given } : { ...given };
    const name = names.find(known => known.toUpperCase() === String(algorithm.name).toUpperCase());
    if (!name) throw failed('Unrecognized algorithm name', 'NotSupportedError');
    for (const need of needs)
        if (algorithm[need] === undefined) {
            const dictionary = { HMAC: 'HmacImportParams', 'AES-GCM': 'AesGcmParams', 'AES-CBC': 'AesCbcParams', 'AES-CTR': 'AesCtrParams', PBKDF2: 'Pbkdf2Params', HKDF: 'HkdfParams' }[name] ?? (needs.includes('modulusLength') ? 'RsaHashedKeyGenParams' : 'RsaHashedImportParams');
            throw coded(TypeError, 'ERR_MISSING_OPTION', `Failed to normalize algorithm: passed algorithm can not be converted to '${dictionary}' because '${need}' is required in '${dictionary}'.`);
        }
    if (algorithm.hash !== undefined) algorithm.hash = { name: normalized(algorithm.hash).name };
    return { ...algorithm, name };
}

const uses = {
    HMAC: ['sign', 'verify'], 'AES-CBC': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'], 'AES-CTR': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'],
    'AES-GCM': ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'], PBKDF2: ['deriveKey', 'deriveBits'], HKDF: ['deriveKey', 'deriveBits'],
};

function checkUses(name, usages) {
    if (usages.some(usage => !uses[name].includes(usage)))
        throw failed(`Unsupported key usage for ${name === 'HMAC' ? 'HMAC' : name.startsWith('AES') ? 'an AES' : `a ${name}`} key`, 'SyntaxError');
    if (usages.length === 0) throw failed('Usages cannot be empty when importing a secret key.', 'SyntaxError');
}

const isPair = name => halves.names.includes(name);
const needsHash = name => name === 'HMAC' || name.startsWith('RSA');

function allowed(key, algorithm, usage) {
    if (!(key instanceof CryptoKey)) throw argType('key', 'CryptoKey', key);
    const other = key.algorithm.name !== algorithm.name;
    if (other && usage !== 'sign' && usage !== 'verify') throw failed('Key algorithm mismatch', 'InvalidAccessError');
    if (other || !key._usages.includes(usage)) throw failed(`Unable to use this key to ${usage}`, 'InvalidAccessError');
}

function cipherOf(direction, algorithm, key) {
    const bytes = keyBytes(key), crypto = require('internal/crypto/cipher');
    const mode = algorithm.name.slice(4).toLowerCase(), iv = bytesOf(algorithm[mode === 'ctr' ? 'counter' : 'iv'], mode === 'ctr' ? 'algorithm.counter' : 'algorithm.iv');
    if (mode !== 'gcm' && iv.length !== 16) throw failed(`algorithm.${mode === 'ctr' ? 'counter' : 'iv'} must contain exactly 16 bytes`, 'OperationError');
    const length = (algorithm.tagLength ?? 128) / 8;
    const cipher = new crypto[direction](`aes-${bytes.length * 8}-${mode}`, bytes, iv, mode === 'gcm' ? { authTagLength: length } : undefined);
    if (algorithm.additionalData !== undefined) cipher.setAAD(bytesOf(algorithm.additionalData));
    return { cipher, length: mode === 'gcm' ? length : 0 };
}

const buffer = bytes => Uint8Array.from(bytes).buffer;
const needsOf = name => ({ 'AES-CTR': ['counter', 'length'], 'RSA-OAEP': [] }[name] ?? ['iv']);

function encryptBytes(algorithm, key, data) {
    const { cipher, length } = cipherOf('Cipheriv', algorithm, key);
    return buffer(Buffer.concat([cipher.update(bytesOf(data)), cipher.final(), length ? cipher.getAuthTag() : Buffer.alloc(0)]));
}

function decryptBytes(algorithm, key, data) {
    const bytes = bytesOf(data);
    try {
        const { cipher, length } = cipherOf('Decipheriv', algorithm, key);
        if (bytes.length < length) throw unspecific();
        if (length) cipher.setAuthTag(bytes.subarray(bytes.length - length));
        return buffer(Buffer.concat([cipher.update(bytes.subarray(0, bytes.length - length)), cipher.final()]));
    } catch (error) {
        if (error instanceof TypeError) throw error;
        throw unspecific();
    }
}

function derived(algorithm, key, length) {
    const { hkdfBytes, pbkdf2Bytes } = require('internal/crypto/derive');
    if (length === null || length === undefined || length % 8) throw failed(length === null || length === undefined ? 'length cannot be null' : 'length must be a multiple of 8', 'OperationError');
    const hash = find(digests[algorithm.hash.name]), salt = bytesOf(algorithm.salt);
    if (algorithm.name === 'HKDF') return hkdfBytes(hash, keyBytes(key), salt, bytesOf(algorithm.info), length / 8);
    if (algorithm.iterations === 0) throw failed('iterations cannot be zero', 'OperationError');
    return buffer(pbkdf2Bytes(hash, keyBytes(key), salt, algorithm.iterations, length / 8));
}

const derivation = algorithm => normalized(algorithm, { PBKDF2: ['hash', 'iterations', 'salt'], HKDF: ['hash', 'info', 'salt'] }[normalized(algorithm).name] ?? []);

// The algorithm that a key of these bytes has.
function keyAlgorithm(algorithm, length) {
    const { name } = algorithm;
    if (name === 'HMAC') return { name, hash: algorithm.hash, length: length * 8 };
    if (!name.startsWith('AES')) return { name };
    if (![16, 24, 32].includes(length)) throw failed('Invalid key length', 'DataError');
    return { name, length: length * 8 };
}

function importBytes(bytes, algorithm, extractable, usages) {
    checkUses(algorithm.name, usages);
    if (algorithm.name === 'HMAC' && bytes.length === 0) throw failed('Zero-length key is not supported', 'DataError');
    if ((algorithm.name === 'PBKDF2' || algorithm.name === 'HKDF') && extractable) throw failed(`${algorithm.name} keys are not extractable`, 'SyntaxError');
    return cryptoKey(Buffer.from(bytes), keyAlgorithm(algorithm, bytes.length), Boolean(extractable), [...new Set(usages)]);
}

function keyLength(algorithm) {
    if (algorithm.name === 'HMAC') return algorithm.length ?? blocks[algorithm.hash.name];
    if (algorithm.name.startsWith('AES') && ![128, 192, 256].includes(algorithm.length)) throw failed('AES key length must be 128, 192, or 256 bits', 'OperationError');
    return algorithm.length;
}

let making = true;
class SubtleCrypto {
    constructor() {
        if (!making) throw require('internal/webcrypto').illegal();
    }
    async digest(algorithm, data) {
        const name = digests[normalized(algorithm).name];
        if (name === undefined) throw failed('Unrecognized algorithm name', 'NotSupportedError');
        return native.hash.digest(name, bytesOf(data));
    }
    async importKey(format, data, given, extractable, usages) {
        const algorithm = normalized(given, needsHash(String(given?.name ?? given).toUpperCase()) ? ['hash'] : []);
        if (isPair(algorithm.name)) return halves.importKey(format, format === 'jwk' ? data : bytesOf(data, 'keyData'), algorithm, extractable, usages);
        if (!uses[algorithm.name]) throw failed('Unrecognized algorithm name', 'NotSupportedError');
        if (format === 'jwk') {
            if (data?.kty !== 'oct') throw failed('Invalid keyData', 'DataError');
            return importBytes(Buffer.from(data.k, 'base64url'), algorithm, extractable, usages);
        }
        if (format !== 'raw') throw failed(`Unable to import ${algorithm.name} key with format ${format}`, 'NotSupportedError');
        return importBytes(bytesOf(data, 'keyData'), algorithm, extractable, usages);
    }
    async exportKey(format, key) {
        if (!(key instanceof CryptoKey)) throw argType('key', 'CryptoKey', key);
        if (!key.extractable) throw failed('key is not extractable', 'InvalidAccessException');
        if (isPair(key.algorithm.name)) return halves.exportKey(format, key);
        const bytes = keyBytes(key), { algorithm } = key;
        if (format === 'raw') return buffer(bytes);
        if (format !== 'jwk') throw failed(`Unable to export a raw ${algorithm.name} secret key`, 'NotSupportedError');
        const alg = algorithm.name === 'HMAC' ? `HS${algorithm.hash.name.slice(4)}` : `A${algorithm.length}${algorithm.name.slice(4)}`;
        return { key_ops: key.usages, ext: true, kty: 'oct', k: bytes.toString('base64url'), alg };
    }
    async generateKey(given, extractable, usages) {
        const upper = String(given?.name ?? given).toUpperCase();
        const algorithm = normalized(given, upper.startsWith('RSA') ? ['hash', 'modulusLength', 'publicExponent'] : upper === 'HMAC' ? ['hash'] : upper.startsWith('AES') ? ['length'] : []);
        if (isPair(algorithm.name)) return halves.generate(algorithm, Boolean(extractable), usages);
        if (algorithm.name !== 'HMAC' && !algorithm.name.startsWith('AES')) throw failed('Unrecognized algorithm name', 'NotSupportedError');
        if (usages.length === 0) throw failed('Usages cannot be empty when creating a key.', 'SyntaxError');
        const bytes = Buffer.alloc(Math.ceil(keyLength(algorithm) / 8));
        native.text.random(bytes);
        return importBytes(bytes, algorithm, extractable, usages);
    }
    async sign(given, key, data) {
        const algorithm = normalized(given);
        allowed(key, algorithm, 'sign');
        if (isPair(algorithm.name)) return halves.sign(algorithm, key, bytesOf(data));
        return buffer(new Hmac(digests[key.algorithm.hash.name], keyBytes(key)).update(bytesOf(data)).digest());
    }
    async verify(given, key, signature, data) {
        const algorithm = normalized(given);
        allowed(key, algorithm, 'verify');
        if (isPair(algorithm.name)) return halves.verify(algorithm, key, bytesOf(signature, 'signature'), bytesOf(data));
        const made = new Hmac(digests[key.algorithm.hash.name], keyBytes(key)).update(bytesOf(data)).digest(), told = bytesOf(signature, 'signature');
        return made.length === told.length && require('crypto').timingSafeEqual(made, told);
    }
    async encrypt(given, key, data) {
        const algorithm = normalized(given, needsOf(normalized(given).name));
        allowed(key, algorithm, 'encrypt');
        if (isPair(algorithm.name)) return halves.encrypt(algorithm, key, bytesOf(data));
        return encryptBytes(algorithm, key, data);
    }
    async decrypt(given, key, data) {
        const algorithm = normalized(given, needsOf(normalized(given).name));
        allowed(key, algorithm, 'decrypt');
        if (isPair(algorithm.name)) return halves.decrypt(algorithm, key, bytesOf(data));
        return decryptBytes(algorithm, key, data);
    }
    async deriveBits(given, key, length) {
        const algorithm = derivation(given);
        allowed(key, algorithm, 'deriveBits');
        return isPair(algorithm.name) ? halves.agree(algorithm, key, length) : derived(algorithm, key, length);
    }
    async deriveKey(given, key, target, extractable, usages) {
        const algorithm = derivation(given), wanted = normalized(target);
        allowed(key, algorithm, 'deriveKey');
        const bytes = isPair(algorithm.name) ? halves.agree(algorithm, key, keyLength(wanted)) : derived(algorithm, key, keyLength(wanted));
        return importBytes(new Uint8Array(bytes), wanted, extractable, usages);
    }
    async wrapKey(format, key, wrapping, given) {
        const algorithm = normalized(given), data = await this.exportKey(format, key);
        allowed(wrapping, algorithm, 'wrapKey');
        const bytes = format === 'jwk' ? Buffer.from(JSON.stringify(data)) : data;
        return isPair(algorithm.name) ? halves.encrypt(algorithm, wrapping, bytesOf(bytes)) : encryptBytes(algorithm, wrapping, bytes);
    }
    async unwrapKey(format, wrapped, unwrapping, given, keyGiven, extractable, usages) {
        const algorithm = normalized(given);
        allowed(unwrapping, algorithm, 'unwrapKey');
        const data = isPair(algorithm.name) ? halves.decrypt(algorithm, unwrapping, bytesOf(wrapped)) : decryptBytes(algorithm, unwrapping, wrapped);
        return this.importKey(format, format === 'jwk' ? JSON.parse(Buffer.from(data)) : data, keyGiven, extractable, usages);
    }
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, { value: 'SubtleCrypto', configurable: true });

const subtle = new SubtleCrypto();
making = false;

module.exports = { SubtleCrypto, subtle };
