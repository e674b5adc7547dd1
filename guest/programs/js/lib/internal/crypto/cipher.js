// crypto/cipher: createCipheriv() and createDecipheriv() of AES and ChaCha20-Poly1305. The block cipher and the
// sums are npm's (@noble/ciphers); here are the modes, which take their data in pieces.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');
const { Transform } = require('stream');
const { buffers, openssl, toBytes } = require('internal/crypto/hash');
const { secretBytes } = require('internal/crypto/keys');

const nids = {
    ecb: [418, 422, 426], cbc: [419, 423, 427], ofb: [420, 424, 428], cfb: [421, 425, 429], cfb8: [653, 654, 655], ctr: [904, 905, 906],
    gcm: [895, 898, 901],
};

// {name, mode, keyLength, ivLength, blockSize, nid}; undefined when there is no such cipher.
function info(given) {
    let name = given.toLowerCase();
    if (/^aes(128|192|256)$/.test(name)) name = `aes-${name.slice(3)}-cbc`;
    if (name === 'chacha20-poly1305') return { name, mode: 'stream', keyLength: 32, ivLength: 12, nid: 1018 };
    const found = /^(?:id-)?aes-?(128|192|256)-(ecb|cbc|ctr|gcm|cfb|cfb8|ofb)$/.exec(name);
    if (!found) return undefined;
    const [, bits, mode] = found, nid = nids[mode][(bits - 128) / 64];
    return {
        name: mode === 'gcm' ? `id-aes${bits}-gcm` : `aes-${bits}-${mode}`, mode, nid, keyLength: bits / 8,
        ivLength: mode === 'ecb' ? undefined : mode === 'gcm' ? 12 : 16, blockSize: mode === 'ecb' || mode === 'cbc' ? 16 : 1,
    };
}

const ciphers = [128, 192, 256].flatMap(bits => ['cbc', 'cfb', 'cfb8', 'ctr', 'ecb', 'gcm', 'ofb'].map(mode => `aes-${bits}-${mode}`).concat([`aes${bits}`, `id-aes${bits}-GCM`]))
    .concat(['chacha20-poly1305']).sort();

const aes = () => require('npm/noble_aes').unsafe;
const unauthentic = () => new Error('Unsupported state or unable to authenticate data');

// Whole blocks at a time; what is left over waits. Decryption with padding holds the last block back.
class Blocks {
    #key;
    #last;
    #waiting = new Uint8Array(0);
    constructor(key, iv, encrypts, mode) {
        this.#key = encrypts ? aes().expandKeyLE(key) : aes().expandKeyDecLE(key);
        this.#last = mode === 'cbc' ? new Uint8Array(iv) : undefined;
        Object.assign(this, { encrypts, padding: true });
    }
    #block(block) {
        const { encryptBlock, decryptBlock } = aes(), last = this.#last;
        if (this.encrypts) {
            if (last) for (let i = 0; i < 16; i++) block[i] ^= last[i];
            encryptBlock(this.#key, block);
            if (last) this.#last = block.slice();
        } else {
            const was = block.slice();
            decryptBlock(this.#key, block);
            if (last) for (let i = 0; i < 16; i++) block[i] ^= last[i];
            if (last) this.#last = was;
        }
    }
    update(data) {
        const all = new Uint8Array(this.#waiting.length + data.length);
        all.set(this.#waiting);
        all.set(data, this.#waiting.length);
        let end = all.length - all.length % 16;
        if (!this.encrypts && this.padding && end === all.length && end > 0) end -= 16;
        for (let at = 0; at < end; at += 16) {
            const block = all.slice(at, at + 16);
            this.#block(block);
            all.set(block, at);
        }
        this.#waiting = all.slice(end);
        return all.subarray(0, end);
    }
    final() {
        const rest = this.#waiting, wrong = () => openssl('1C80006B', 'Provider routines', 'wrong final block length');
        if (!this.padding) {
            if (rest.length) throw wrong();
            return rest;
        }
        if (this.encrypts) {
            const block = new Uint8Array(16).fill(16 - rest.length);
            block.set(rest);
            this.#block(block);
            return block;
        }
        if (rest.length !== 16) throw wrong();
        this.#block(rest);
        const count = rest[15];
        if (count < 1 || count > 16 || rest.subarray(16 - count).some(byte => byte !== count)) throw openssl('1C800064', 'Provider routines', 'bad decrypt');
        return rest.subarray(0, 16 - count);
    }
}

// Modes that make a stream of AES, byte by byte: CTR, OFB, CFB and CFB8.
class Stream {
    #key;
    #mode;
    #register;
    #stream = new Uint8Array(16);
    #used = 16;
    constructor(key, iv, encrypts, mode) {
        this.#key = aes().expandKeyLE(key);
        this.#mode = mode;
        this.#register = new Uint8Array(iv);
        this.encrypts = encrypts;
    }
    #next(bytes = 16) {
        this.#stream = this.#register.slice();
        aes().encryptBlock(this.#key, this.#stream);
        this.#used = 0;
        if (this.#mode === 'ofb') this.#register = this.#stream.slice();
        else if (this.#mode === 'ctr' || this.#mode === 'gcm')
            for (let i = 15; i >= 16 - bytes && ++this.#register[i] === 256 % 256; i--);
    }
    update(data) {
        const out = new Uint8Array(data.length);
        for (let i = 0; i < data.length; i++) {
            if (this.#used === 16) this.#next(this.#mode === 'gcm' ? 4 : 16);
            out[i] = data[i] ^ this.#stream[this.#used];
            const coded_ = this.encrypts ? out[i] : data[i];
            if (this.#mode === 'cfb8') {
                this.#register = Uint8Array.from([...this.#register.subarray(1), coded_]);
                this.#used = 16;
                continue;
            }
            if (this.#mode === 'cfb') this.#register[this.#used] = coded_;
            this.#used++;
        }
        return out;
    }
    final() {
        return new Uint8Array(0);
    }
}

// The sum of GCM and of Poly1305 alike: additional data, then the ciphertext, each filled up to 16, then both lengths.
class Sum {
    #sum;
    #lengths = [0, 0];
    constructor(sum, bits) {
        this.#sum = sum;
        this.bits = bits;
    }
    add(which, bytes) {
        if (which === 1 && this.#lengths[1] === 0) this.#fill(this.#lengths[0]);
        this.#lengths[which] += bytes.length;
        this.#sum.update(Uint8Array.prototype.slice.call(bytes));
    }
    #fill(length) {
        if (length % 16) this.#sum.update(new Uint8Array(16 - length % 16));
    }
    digest() {
        if (this.#lengths[1] === 0) this.#fill(this.#lengths[0]);
        this.#fill(this.#lengths[1]);
        const lengths = new DataView(new ArrayBuffer(16));
        this.#lengths.forEach((length, i) => lengths.setBigUint64(i * 8, BigInt(length) * (this.bits ? 8n : 1n), !this.bits));
        this.#sum.update(new Uint8Array(lengths.buffer));
        return this.#sum.digest();
    }
}

// GHASH of pieces of any length.
class Ghash {
    #ghash;
    #rest = [];
    constructor(key) {
        this.#ghash = require('npm/noble_ghash').ghash.create(key);
    }
    update(bytes) {
        this.#rest.push(...bytes);
        const whole = this.#rest.length - this.#rest.length % 16;
        if (whole) this.#ghash.update(Uint8Array.from(this.#rest.splice(0, whole)));
    }
    digest() {
        return this.#ghash.digest();
    }
}

// GCM and ChaCha20-Poly1305: a stream, and a sum of what was encrypted.
class Authenticated {
    #stream;
    #sum;
    #mask;
    constructor(key, iv, encrypts, mode) {
        this.encrypts = encrypts;
        if (mode === 'gcm') this.#startGcm(key, iv, encrypts);
        else this.#startChacha(key, iv);
    }
    #startGcm(key, iv, encrypts) {
        const expanded = aes().expandKeyLE(key), zero = aes().encryptBlock(expanded, new Uint8Array(16));
        let first = new Uint8Array(16);
        if (iv.length === 12) {
            first.set(iv);
            first[15] = 1;
        } else {
            const sum = new Sum(new Ghash(zero.slice()), true);
            sum.add(1, iv);
            first = sum.digest();
        }
        this.#stream = new Stream(key, first, encrypts, 'gcm');
        this.#mask = this.#stream.update(new Uint8Array(16));
        this.#sum = new Sum(new Ghash(zero), true);
    }
    #startChacha(key, iv) {
        const { chacha20 } = require('npm/noble_chacha');
        const nonce = new Uint8Array(12);
        nonce.set(iv, 12 - iv.length);
        let waiting = new Uint8Array(0), counter = 0;
        const take = length => {
            while (waiting.length < length) {
                const more = chacha20(key, nonce, new Uint8Array(1024), undefined, counter);
                counter += 16;
                waiting = Uint8Array.from([...waiting, ...more]);
            }
            const taken = waiting.slice(0, length);
            waiting = waiting.slice(length);
            return taken;
        };
        this.#sum = new Sum(require('npm/noble_poly1305').poly1305.create(take(64).slice(0, 32)), false);
        this.#stream = { update: data => take(data.length).map((byte, i) => byte ^ data[i]) };
        this.#mask = new Uint8Array(16);
    }
    aad(bytes) {
        this.#sum.add(0, bytes);
    }
    update(data) {
        const out = this.#stream.update(data);
        if (data.length) this.#sum.add(1, this.encrypts ? out : data);
        return out;
    }
    tag() {
        return this.#sum.digest().map((byte, i) => byte ^ this.#mask[i]);
    }
}

const stateError = what => coded(Error, 'ERR_CRYPTO_INVALID_STATE', what ? `Invalid state for operation ${what}` : 'Invalid state');

class CipherBase extends Transform {
    #engine;
    #cipher;
    #encrypts;
    #state = 'new'; // then 'started', 'done'
    #tag;
    #tagLength;
    #decoder;
    constructor(encrypts, name, key, iv, options) {
        validate.string(name, 'cipher');
        if (options?.encoding !== undefined) validate.string(options.encoding, 'options.encoding');
        const bytes = secretBytes(key, options?.encoding);
        const vector = iv === null ? null : toBytes(iv, undefined, 'iv', ['string', ...buffers]);
        const tagLength = options?.authTagLength;
        if (tagLength !== undefined && (typeof tagLength !== 'number' || !Number.isInteger(tagLength) || tagLength < 0))
            throw require('internal/errors').argValue('options.authTagLength', tagLength);
        const cipher = info(name);
        if (!cipher) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
        if (bytes.length !== cipher.keyLength) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
        const length = vector?.length ?? 0, { mode } = cipher;
        const fits = mode === 'ecb' ? length === 0 : mode === 'gcm' ? length > 0 : mode === 'stream' ? length > 0 && length <= 12 : length === 16;
        if (!fits) throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
        super(options);
        this.#encrypts = encrypts;
        this.#cipher = cipher;
        if (mode === 'gcm' || mode === 'stream') {
            if (tagLength !== undefined) this.#checkTag(tagLength);
            this.#tagLength = tagLength;
        }
        const Engine = mode === 'ecb' || mode === 'cbc' ? Blocks : mode === 'gcm' || mode === 'stream' ? Authenticated : Stream;
        this.#engine = new Engine(Uint8Array.from(bytes), vector && Uint8Array.from(vector), encrypts, mode);
    }
    #checkTag(length) {
        const fits = this.#cipher.mode === 'gcm' ? length === 4 || length === 8 || (length >= 12 && length <= 16) : length >= 1 && length <= 16;
        if (!fits) throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`);
    }
    #given(bytes, encoding) {
        if (!encoding || encoding === 'buffer') return Buffer.from(bytes);
        const name = require('buffer').normalizeEncoding?.(encoding) ?? `${encoding}`.toLowerCase();
        if (!this.#decoder) this.#decoder = new (require('string_decoder').StringDecoder)(encoding);
        else if (this.#decoder.encoding !== new (require('string_decoder').StringDecoder)(name).encoding)
            throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'Cannot change encoding\nThis is caused by either a bug in Node.js or incorrect usage of Node.js internals.\nPlease open an issue with this stack trace at https://github.com/nodejs/node/issues\n');
        return this.#decoder;
    }
    update(data, inputEncoding, outputEncoding) {
        if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw argType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
        if (typeof data === 'string') validate.encoding(data, inputEncoding);
        if (this.#state === 'done') throw new Error('Trying to add data in unsupported state');
        this.#state = 'started';
        const out = this.#engine.update(toBytes(data, inputEncoding, 'data', ['string', ...buffers]));
        const made = this.#given(out, outputEncoding);
        return Buffer.isBuffer(made) ? made : made.write(Buffer.from(out));
    }
    final(outputEncoding) {
        if (this.#state === 'done') throw stateError();
        const out = this.#cipher.mode === 'gcm' || this.#cipher.mode === 'stream' ? this.#finish() : this.#engine.final();
        this.#state = 'done';
        const made = this.#given(out, outputEncoding);
        return Buffer.isBuffer(made) ? made : made.end(Buffer.from(out));
    }
    #finish() {
        const tag = this.#engine.tag();
        this.#state = 'done';
        if (this.#encrypts) this.#tag = Buffer.from(tag.slice(0, this.#tagLength ?? 16));
        else if (!this.#tag || Buffer.compare(this.#tag, Buffer.from(tag.slice(0, this.#tag.length))) !== 0) throw unauthentic();
        return new Uint8Array(0);
    }
    setAutoPadding(padding) {
        if (this.#state === 'done') throw stateError('setAutoPadding');
        if (this.#engine instanceof Blocks) this.#engine.padding = padding === undefined || Boolean(padding);
        return this;
    }
    setAAD(data, options) {
        const bytes = toBytes(data, options?.encoding, 'buffer', ['string', ...buffers]);
        if (this.#state !== 'new' || !(this.#engine instanceof Authenticated)) throw stateError('setAAD');
        this.#engine.aad(bytes);
        return this;
    }
    _getTag() {
        if (!this.#tag || this.#state !== 'done') throw stateError('getAuthTag');
        return this.#tag;
    }
    _setTag(tag, encoding) {
        const bytes = toBytes(tag, encoding, 'buffer', ['string', ...buffers]);
        if (!(this.#engine instanceof Authenticated) || this.#tag || this.#state === 'done') throw stateError('setAuthTag');
        this.#checkTag(bytes.length);
        if (this.#tagLength !== undefined && bytes.length !== this.#tagLength)
            throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${bytes.length}`);
        this.#tag = Buffer.from(bytes);
    }
    _transform(chunk, encoding, done) {
        this.push(this.update(chunk, encoding));
        done();
    }
    _flush(done) {
        try {
            this.push(this.final());
        } catch (error) {
            return done(error);
        }
        return done();
    }
}

class Cipheriv extends CipherBase {
    constructor(...args) {
        super(true, ...args);
    }
    getAuthTag() {
        return this._getTag();
    }
}
class Decipheriv extends CipherBase {
    constructor(...args) {
        super(false, ...args);
    }
    setAuthTag(tag, encoding) {
        this._setTag(tag, encoding);
        return this;
    }
}

function getCipherInfo(nameOrNid, options) {
    if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') throw argType('nameOrNid', ['string', 'number'], nameOrNid);
    if (typeof nameOrNid === 'number') validate.int32(nameOrNid, 'nameOrNid');
    if (options !== undefined) validate.object(options, 'options');
    const { keyLength, ivLength } = options ?? {};
    if (keyLength !== undefined) validate.int32(keyLength, 'options.keyLength');
    if (ivLength !== undefined) validate.int32(ivLength, 'options.ivLength');
    const found = typeof nameOrNid === 'string' ? info(nameOrNid) : ciphers.map(info).find(({ nid }) => nid === nameOrNid);
    if (!found || (keyLength !== undefined && keyLength !== found.keyLength)) return undefined;
    const any = found.mode === 'gcm' || found.mode === 'stream';
    if (ivLength !== undefined && (any ? ivLength < 1 || (found.mode === 'stream' && ivLength > 12) : ivLength !== found.ivLength)) return undefined;
    const { mode, name, nid, blockSize } = found, made = { mode, name, nid };
    if (blockSize !== undefined && mode !== 'stream') made.blockSize = blockSize;
    if (found.ivLength !== undefined) made.ivLength = ivLength ?? found.ivLength;
    made.keyLength = found.keyLength;
    return made;
}

module.exports = { Cipheriv, Decipheriv, ciphers, getCipherInfo };
