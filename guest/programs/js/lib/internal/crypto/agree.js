// crypto/agree: secrets that two sides agree upon: Diffie-Hellman, over numbers and over curves.
'use strict';

const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');
const { curves, curveName, engine } = require('internal/crypto/material');
const { isBytes, asBuffer } = require('internal/crypto/public');
const { KeyObject, bytesOf } = require('internal/crypto/keys');
const { isProbablePrime, power, primeOf } = require('internal/crypto/numbers');
const { toBytes, toNumber } = require('internal/crypto/der');

const kinds = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];
function bytesFrom(data, encoding, name) {
    if (typeof data === 'string') return Buffer.from(data, encoding);
    if (!isBytes(data)) throw argType(name, kinds, data);
    return asBuffer(data);
}
const shown = (bytes, encoding) => (encoding && encoding !== 'buffer' ? Buffer.from(bytes).toString(encoding) : Buffer.from(bytes));
// Functions that may be called without `new`.
const callable = Class => new Proxy(Class, { apply: (target, self, args) => new target(...args) });

// ---------------------------------------------------------------- numbers

const groupNames = { modp1: 768, modp2: 1024, modp5: 1536, modp14: 2048, modp15: 3072, modp16: 4096, modp17: 6144, modp18: 8192 };
function group(name) {
    validate.string(name, 'name');
    const known = Object.hasOwn(groupNames, name.toLowerCase()) ? require('npm/micro_rsa').DHGroups[name.toLowerCase()] : undefined;
    if (known === undefined) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
    return { prime: known.p, generator: BigInt(known.g) };
}

class Numbers {
    #prime;
    #generator;
    #size;
    #secret;
    #public;
    constructor(prime, generator) {
        this.#prime = prime;
        this.#generator = generator;
        this.#size = Math.ceil(prime.toString(2).length / 8);
    }
    get verifyError() {
        if (this.#size < 64) return 128 | (isProbablePrime(this.#prime) ? 0 : 1);
        if (!isProbablePrime(this.#prime)) return 1;
        return isProbablePrime((this.#prime - 1n) / 2n) ? 0 : 2;
    }
    generateKeys(encoding) {
        if (this.#secret === undefined) do this.#secret = toNumber(random(this.#size)) % (this.#prime - 1n); while (this.#secret < 2n);
        this.#public ??= power(this.#generator, this.#secret, this.#prime);
        return shown(toBytes(this.#public), encoding);
    }
    computeSecret(key, inputEncoding, outputEncoding) {
        const other = toNumber(bytesFrom(key, inputEncoding, 'otherPublicKey'));
        if (other <= 1n) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too small');
        if (other >= this.#prime - 1n) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too large');
        if (this.#secret === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'No private key');
        return shown(toBytes(power(other, this.#secret, this.#prime), this.#size), outputEncoding);
    }
    getPrime(encoding) {
        return shown(toBytes(this.#prime), encoding);
    }
    getGenerator(encoding) {
        return shown(toBytes(this.#generator), encoding);
    }
    getPublicKey(encoding) {
        if (this.#public === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'No public key - did you forget to generate one?');
        return shown(toBytes(this.#public), encoding);
    }
    getPrivateKey(encoding) {
        if (this.#secret === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'No private key - did you forget to generate one?');
        return shown(toBytes(this.#secret), encoding);
    }
    _setPublic(number) {
        this.#public = number;
    }
    _setPrivate(number) {
        this.#secret = number;
    }
}
function random(size) {
    const bytes = Buffer.alloc(size);
    native.text.random(bytes);
    return bytes;
}

class DiffieHellman extends Numbers {
    constructor(sizeOrKey, keyEncoding, generator, generatorEncoding) {
        if (typeof sizeOrKey !== 'number' && typeof sizeOrKey !== 'string' && !isBytes(sizeOrKey))
            throw argType('sizeOrKey', ['number', ...kinds], sizeOrKey);
        if (typeof sizeOrKey === 'number') validate.int32(sizeOrKey, 'sizeOrKey');
        if (keyEncoding && !Buffer.isEncoding(keyEncoding) && keyEncoding !== 'buffer') {
            generatorEncoding = generator;
            generator = keyEncoding;
            keyEncoding = undefined;
        }
        if (generator && typeof generator !== 'number') generator = toNumber(bytesFrom(generator, generatorEncoding, 'generator'));
        if (typeof generator === 'number') validate.int32(generator, 'generator');
        generator = BigInt(generator || 2);
        const bad = () => Object.assign(new Error('error:02800065:Diffie-Hellman routines::bad generator'), { code: 'ERR_OSSL_DH_BAD_GENERATOR' });
        if (generator < 2n) throw bad();
        if (typeof sizeOrKey === 'number') {
            if (sizeOrKey < 2) throw Object.assign(new Error('error:0280007E:Diffie-Hellman routines::modulus too small'), { code: 'ERR_OSSL_DH_MODULUS_TOO_SMALL' });
            super(primeOf(sizeOrKey, { safe: sizeOrKey > 4 }), generator);
        } else {
            super(toNumber(bytesFrom(sizeOrKey, keyEncoding, 'sizeOrKey')), generator);
        }
    }
    setPublicKey(key, encoding) {
        this._setPublic(toNumber(bytesFrom(key, encoding, 'key')));
    }
    setPrivateKey(key, encoding) {
        this._setPrivate(toNumber(bytesFrom(key, encoding, 'key')));
    }
}
class DiffieHellmanGroup extends Numbers {
    constructor(name) {
        const { prime, generator } = group(name);
        super(prime, generator);
    }
}
for (const name of ['_setPublic', '_setPrivate']) Object.defineProperty(Numbers.prototype, name, { enumerable: false });

// ---------------------------------------------------------------- curves

const formats = { uncompressed: 0, compressed: 2, hybrid: 6 };
function written(point, format = 'uncompressed', encoding = undefined) {
    if (!Object.hasOwn(formats, format)) throw coded(TypeError, 'ERR_CRYPTO_ECDH_INVALID_FORMAT', `Invalid ECDH format: ${format}`);
    const bytes = Buffer.from(point.toBytes(format === 'compressed'));
    if (format === 'hybrid') bytes[0] = 6 | (bytes.at(-1) & 1);
    return shown(bytes, encoding);
}
function curveOf(name) {
    validate.string(name, 'curve');
    const known = curveName(name);
    if (known === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    return curves[known]();
}

class ECDH {
    #curve;
    #secret;
    #point;
    constructor(curve) {
        this.#curve = curveOf(curve);
    }
    static convertKey(key, curve, inputEncoding, outputEncoding, format) {
        const bytes = bytesFrom(key, inputEncoding, 'key');
        const point = pointOf(curveOf(curve), bytes);
        if (point === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
        return written(point, format, outputEncoding);
    }
    #from(secret) {
        this.#secret = Buffer.from(secret);
        this.#point = this.#curve.Point.fromBytes(this.#curve.getPublicKey(this.#secret, false));
    }
    generateKeys(encoding, format) {
        this.#from(this.#curve.utils.randomSecretKey());
        return this.getPublicKey(encoding, format);
    }
    computeSecret(key, inputEncoding, outputEncoding) {
        const bytes = bytesFrom(key, inputEncoding, 'otherPublicKey'), point = pointOf(this.#curve, bytes);
        if (this.#secret === undefined) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair');
        if (point === undefined) throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Public key is not valid for specified curve');
        return shown(Buffer.from(this.#curve.getSharedSecret(this.#secret, point.toBytes(false), true)).subarray(1), outputEncoding);
    }
    getPublicKey(encoding, format) {
        if (this.#point === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH public key');
        return written(this.#point, format, encoding);
    }
    getPrivateKey(encoding) {
        if (this.#secret === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to get ECDH private key');
        return shown(this.#secret, encoding);
    }
    setPrivateKey(key, encoding) {
        const bytes = bytesFrom(key, encoding, 'key'), size = this.#curve.lengths.secretKey;
        const secret = Buffer.concat([Buffer.alloc(Math.max(0, size - bytes.length)), bytes]);
        if (!this.#curve.utils.isValidSecretKey(secret)) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.');
        this.#from(secret);
    }
    setPublicKey(key, encoding) {
        const point = pointOf(this.#curve, bytesFrom(key, encoding, 'key'));
        if (point === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Failed to convert Buffer to EC_POINT');
        this.#point = point;
    }
}

function pointOf(curve, bytes) {
    const plain = Buffer.from(bytes);
    if (plain[0] === 6 || plain[0] === 7) plain[0] = 4;
    try {
        return curve.Point.fromBytes(plain);
    } catch {
        return undefined;
    }
}

// crypto.diffieHellman(): of two keys.
function diffieHellman(options) {
    validate.object(options, 'options');
    const { privateKey, publicKey } = options;
    if (!(privateKey instanceof KeyObject)) throw argValue('options.privateKey', privateKey);
    if (!(publicKey instanceof KeyObject)) throw argValue('options.publicKey', publicKey);
    if (privateKey.type !== 'private') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${privateKey.type}, expected private.`);
    if (publicKey.type !== 'public' && publicKey.type !== 'private') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${publicKey.type}, expected private or public.`);
    const mine = bytesOf(privateKey), other = bytesOf(publicKey);
    if (mine.kind !== other.kind || !['ec', 'x25519', 'x448'].includes(mine.kind))
        throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY', `Incompatible key types for Diffie-Hellman: ${mine.kind} and ${other.kind}`);
    if (mine.curve !== other.curve) throw Object.assign(new Error('error:1C800093:Provider routines::different parameters'), { code: 'ERR_OSSL_MISMATCHING_DOMAIN_PARAMETERS' });
    return agreed(mine, other);
}
function agreed(mine, other) {
    if (mine.kind === 'ec') return Buffer.from(engine(mine).getSharedSecret(mine.secret, other.point, true)).subarray(1);
    return Buffer.from(engine(mine).getSharedSecret(mine.secret, other.point));
}

module.exports = { DiffieHellman: callable(DiffieHellman), DiffieHellmanGroup: callable(DiffieHellmanGroup), ECDH: callable(ECDH), diffieHellman, agreed };
