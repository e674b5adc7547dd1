// crypto/hash: the algorithms of hashes, by name, and the classes Hash and Hmac.
//
// MD5, SHA-1 and SHA-2 are C's; SHA-3, RIPEMD-160, BLAKE2 and SHA-512's short forms are npm's. A state that goes on
// is a value of its own in both: `update` answers the next one.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');
const { Transform } = require('stream');
const { hash: native_ } = native;

const native64 = new Set(['md5', 'sha1', 'sha224', 'sha256']), native128 = new Set(['sha384', 'sha512']);
const others = {
    'sha3-224': () => require('npm/noble_sha3').sha3_224, 'sha3-256': () => require('npm/noble_sha3').sha3_256,
    'sha3-384': () => require('npm/noble_sha3').sha3_384, 'sha3-512': () => require('npm/noble_sha3').sha3_512,
    shake128: () => require('npm/noble_sha3').shake128, shake256: () => require('npm/noble_sha3').shake256,
    ripemd160: () => require('npm/noble_legacy').ripemd160, blake2b512: () => require('npm/noble_blake2').blake2b,
    blake2s256: () => require('npm/noble_blake2').blake2s, 'sha512-224': () => require('npm/noble_sha2').sha512_224,
    'sha512-256': () => require('npm/noble_sha2').sha512_256,
};
const synonyms = {
    'sha-1': 'sha1', 'sha-224': 'sha224', 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512', 'ssl3-md5': 'md5',
    'ssl3-sha1': 'sha1', ripemd: 'ripemd160', rmd160: 'ripemd160', 'sha512/224': 'sha512-224', 'sha512/256': 'sha512-256',
    'sha-512/224': 'sha512-224', 'sha-512/256': 'sha512-256', 'rsa-sha1-2': 'sha1', ripemd160withrsa: 'ripemd160',
    'blake2b-512': 'blake2b512', 'blake2s-256': 'blake2s256', 'shake-128': 'shake128', 'shake-256': 'shake256', 'ripemd-160': 'ripemd160',
};

const hashes = [
    'RSA-MD5', 'RSA-RIPEMD160', 'RSA-SHA1', 'RSA-SHA1-2', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA3-224', 'RSA-SHA3-256', 'RSA-SHA3-384',
    'RSA-SHA3-512', 'RSA-SHA384', 'RSA-SHA512', 'RSA-SHA512/224', 'RSA-SHA512/256', 'blake2b512', 'blake2s256',
    'id-rsassa-pkcs1-v1_5-with-sha3-224', 'id-rsassa-pkcs1-v1_5-with-sha3-256', 'id-rsassa-pkcs1-v1_5-with-sha3-384',
    'id-rsassa-pkcs1-v1_5-with-sha3-512', 'md5', 'md5WithRSAEncryption', 'ripemd', 'ripemd160', 'ripemd160WithRSA', 'rmd160',
    'sha1', 'sha1WithRSAEncryption', 'sha224', 'sha224WithRSAEncryption', 'sha256', 'sha256WithRSAEncryption', 'sha3-224', 'sha3-256',
    'sha3-384', 'sha3-512', 'sha384', 'sha384WithRSAEncryption', 'sha512', 'sha512-224', 'sha512-224WithRSAEncryption', 'sha512-256',
    'sha512-256WithRSAEncryption', 'sha512WithRSAEncryption', 'shake128', 'shake256', 'ssl3-md5', 'ssl3-sha1',
];

function fromLibrary(name) {
    const algorithm = others[name]();
    return {
        name, block: algorithm.blockLen, size: algorithm.outputLen, extends: name.startsWith('shake'),
        init: options => algorithm.create(options),
        update: (state, bytes) => state.clone().update(Uint8Array.prototype.slice.call(bytes)),
        more: (state, bytes) => state.update(bytes),
        final: state => state.clone().digest(),
    };
}

// The algorithm {name, block, size, init, update, more (which may change the state it is given), final};
// undefined when there is none of this name.
function find(given) {
    let name = given.toLowerCase();
    name = name.replace(/^id-rsassa-pkcs1-v1_5-with-/, '').replace(/^rsa-(?!sha1-2)/, '').replace(/withrsaencryption$/, '');
    name = synonyms[name] ?? name;
    if (Object.hasOwn(others, name)) return fromLibrary(name);
    if (!native64.has(name) && !native128.has(name)) return undefined;
    const size = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }[name];
    return { name, block: native128.has(name) ? 128 : 64, size, init: () => native_.init(name), update: native_.update, more: native_.update, final: native_.final };
}

const buffers = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

// Bytes of a text, of a view or of a buffer; `expected` is what an error names.
function toBytes(data, encoding, name, expected) {
    if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? undefined : encoding);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (expected.includes('ArrayBuffer') && require('internal/types').isAnyArrayBuffer(data)) return new Uint8Array(data);
    throw argType(name, expected, data);
}
const dataBytes = (data, encoding) => toBytes(data, encoding, 'data', ['string', 'Buffer', 'TypedArray', 'DataView']);

// The bytes as a Buffer, or as text where the encoding is one.
const shaped = (bytes, encoding) => {
    const buffer = Buffer.from(bytes);
    return typeof encoding === 'string' && Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer;
};

const finished = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

// An error as OpenSSL's are: its number, library and reason in the message, and of their own.
function openssl(number, library, reason, code = `ERR_OSSL_${reason.toUpperCase().replaceAll(' ', '_')}`) {
    return Object.assign(new Error(`error:${number}:${library}::${reason}`), { library, reason, code });
}

function Hash(name, options) {
    if (!(this instanceof Hash)) return new Hash(name, options);
    const from = name instanceof Hash ? name : undefined;
    if (!from) validate.string(name, 'algorithm');
    const length = options !== null && typeof options === 'object' ? options.outputLength : undefined;
    if (length !== undefined) validate.uint32(length, 'options.outputLength');
    const algorithm = from ? from._algorithm : find(name);
    if (!algorithm) throw new Error('Digest method not supported');
    if (length !== undefined && !algorithm.extends && length !== algorithm.size)
        throw openssl('030000B2', 'digital envelope routines', 'not XOF or invalid length', 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH');
    Transform.call(this, options);
    const keep = (key, value) => Object.defineProperty(this, key, { value, writable: true, enumerable: false });
    keep('_algorithm', algorithm);
    keep('_state', from ? algorithm.update(from._state, new Uint8Array(0)) : algorithm.init(length === undefined ? undefined : { dkLen: Math.max(length, 1) }));
    keep('_length', length);
    keep('_done', false);
}
Object.setPrototypeOf(Hash.prototype, Transform.prototype);
Object.setPrototypeOf(Hash, Transform);
Object.assign(Hash.prototype, {
    copy(options) {
        if (this._done) throw finished();
        return new Hash(this, options);
    },
    update(data, encoding) {
        if (this._done) throw finished();
        if (typeof data === 'string') validate.encoding(data, encoding);
        const bytes = dataBytes(data, encoding);
        this._state = this._algorithm.more(this._state, bytes);
        return this;
    },
    digest(encoding) {
        if (this._done) throw finished();
        const bytes = this._length === 0 ? new Uint8Array(0) : this._algorithm.final(this._state);
        this._done = true;
        return shaped(bytes, encoding);
    },
    _transform(chunk, encoding, done) {
        this.update(chunk, encoding);
        done();
    },
    _flush(done) {
        this.push(this.digest());
        done();
    },
});

// The inner and outer states of HMAC with this key.
function hmacStates(algorithm, key) {
    let bytes = key;
    if (bytes.length > algorithm.block) bytes = new Uint8Array(algorithm.final(algorithm.update(algorithm.init(), bytes)));
    const pad = byte => {
        const block = new Uint8Array(algorithm.block).fill(byte);
        bytes.forEach((value, i) => void (block[i] ^= value));
        return algorithm.update(algorithm.init(), block);
    };
    return [pad(0x36), pad(0x5c)];
}

const badDigest = name => coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);

function Hmac(name, key, options) {
    if (!(this instanceof Hmac)) return new Hmac(name, key, options);
    validate.string(name, 'hmac');
    const bytes = require('internal/crypto/keys').secretBytes(key, options?.encoding);
    const algorithm = find(name);
    if (!algorithm || algorithm.extends) throw badDigest(name);
    Transform.call(this, options);
    const keep = (field, value) => Object.defineProperty(this, field, { value, writable: true, enumerable: false });
    const [inner, outer] = hmacStates(algorithm, bytes);
    keep('_algorithm', algorithm);
    keep('_state', inner);
    keep('_outer', outer);
    keep('_done', false);
}
Object.setPrototypeOf(Hmac.prototype, Transform.prototype);
Object.setPrototypeOf(Hmac, Transform);
Object.assign(Hmac.prototype, {
    update: Hash.prototype.update,
    digest(encoding) {
        if (this._done) return shaped(new ArrayBuffer(0), encoding);
        this._done = true;
        const inner = new Uint8Array(this._algorithm.final(this._state));
        return shaped(this._algorithm.final(this._algorithm.update(this._outer, inner)), encoding);
    },
    _transform: Hash.prototype._transform,
    _flush: Hash.prototype._flush,
});

function hashOnce(name, input, encoding = 'hex') {
    validate.string(name, 'algorithm');
    if (typeof input !== 'string' && !ArrayBuffer.isView(input)) throw argType('input', ['string', 'Buffer', 'TypedArray', 'DataView'], input);
    if (typeof encoding !== 'string') throw argType('outputEncoding', 'string', encoding);
    const readable = encoding.toLowerCase();
    if (readable !== 'buffer' && readable !== '' && !Buffer.isEncoding(readable)) throw require('internal/errors').argValue('outputEncoding', encoding);
    if (!find(name)) throw new Error(`Digest method ${name} is not supported`);
    return new Hash(name).update(input).digest(readable === '' ? 'utf8' : readable);
}

module.exports = { Hash, Hmac, badDigest, buffers, find, hashOnce, hashes, hmacStates, openssl, shaped, toBytes };
