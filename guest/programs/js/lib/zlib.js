// zlib: gzip, deflate, Brotli and their inverses: sync, with callbacks, and as streams.
'use strict';

const { check, coded, argType, outOfRange } = require('internal/errors');
const { Transform } = require('stream');
const brotli = require('internal/brotli');
const { zlib } = native;

const constants = {
    Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_TREES: 6,
    Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4,
    Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6, Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9,
    Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3, Z_FIXED: 4, Z_DEFAULT_STRATEGY: 0,
    ZLIB_VERNUM: 4880, DEFLATE: 1, INFLATE: 2, GZIP: 3, GUNZIP: 4, DEFLATERAW: 5, INFLATERAW: 6, UNZIP: 7,
    Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_MAX_CHUNK: Infinity,
    Z_DEFAULT_CHUNK: 16384, Z_MIN_MEMLEVEL: 1, Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1,
    Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1, ...brotli.constants,
};
const codes = {};
for (const [name, value] of Object.entries(constants))
    if (/^Z_(?:OK|STREAM_END|NEED_DICT|\w+_ERROR|ERRNO)$/.test(name)) Object.assign(codes, { [name]: value, [value]: name });

// What is around the data, in the way zlib's windowBits tell it.
const kinds = {
    Gzip: { inflates: false, bits: bits => bits + 16 }, Gunzip: { inflates: true, bits: bits => bits + 16 },
    Deflate: { inflates: false, bits: bits => bits }, Inflate: { inflates: true, bits: bits => bits },
    DeflateRaw: { inflates: false, bits: bits => -bits }, InflateRaw: { inflates: true, bits: bits => -bits },
    Unzip: { inflates: true, bits: bits => bits + 32 },
    BrotliCompress: { inflates: false, brotli: true }, BrotliDecompress: { inflates: true, brotli: true },
};

function failure(number, message) {
    const error = new Error(message ?? { [-5]: 'unexpected end of file', 2: 'Missing dictionary', [-3]: 'incorrect data' }[number] ?? 'zlib error');
    error.errno = number;
    error.code = codes[number];
    return error;
}

function setting(options, name, low, high, fallback) {
    const value = options[name], shown = `options.${name}`;
    if (value === undefined || Number.isNaN(value)) return fallback;
    if (typeof value !== 'number') throw argType(shown, 'number', value);
    if (!Number.isFinite(value)) throw outOfRange(shown, 'a finite number', value);
    if (!(value >= low && value <= high)) throw outOfRange(shown, high === Infinity ? `>= ${low}` : `>= ${low} and <= ${high}`, value);
    return value;
}

// Options as they count, each of them checked.
function settings(kind, given) {
    const options = given ?? {}, { inflates } = kinds[kind];
    if (kinds[kind].brotli) return { ...sizesAndFlushes(options, brotli.constants.BROTLI_OPERATION_EMIT_METADATA, brotli.constants.BROTLI_OPERATION_FINISH), params: brotli.parameters(options.params) };
    const free = inflates && kind !== 'InflateRaw' && (options.windowBits == null || options.windowBits === 0); // the data says it
    const checked = {
        window: free ? 0 : setting(options, 'windowBits', kind === 'Gzip' ? 9 : 8, 15, 15),
        level: setting(options, 'level', -1, 9, -1), memory: setting(options, 'memLevel', 1, 9, 8),
        strategy: setting(options, 'strategy', 0, 4, 0), dictionary: options.dictionary,
    };
    if (checked.dictionary !== undefined && !ArrayBuffer.isView(checked.dictionary)) {
        if (!require('internal/types').isAnyArrayBuffer(checked.dictionary))
            throw argType('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], checked.dictionary);
        checked.dictionary = new Uint8Array(checked.dictionary);
    }
    return { ...checked, ...sizesAndFlushes(options, constants.Z_BLOCK, constants.Z_FINISH) };
}

// Those that all kinds have; `most` is the highest kind of flush, `finish` the one at the end.
function sizesAndFlushes(options, most, finish) {
    const chunkSize = setting(options, 'chunkSize', 64, Infinity, constants.Z_DEFAULT_CHUNK);
    if (chunkSize > 2 ** 32) throw outOfRange('size', '>= 0 && <= 4294967296', chunkSize);
    return {
        chunkSize, flush: setting(options, 'flush', 0, most, 0), finishFlush: setting(options, 'finishFlush', 0, most, finish),
        maxOutputLength: setting(options, 'maxOutputLength', 1, 2 ** 32, 2 ** 32),
    };
}

const workOf = (kind, checked) => (kinds[kind].brotli ? new brotli.Work(kinds[kind].inflates, checked) : new Work(kind, checked));

function start(kind, { window, level, memory, strategy, dictionary }) {
    const { inflates, bits } = kinds[kind];
    // zlib itself has no window of 8 bits for raw data
    const stream = zlib.start(inflates, level, bits(kind === 'DeflateRaw' && window === 8 ? 9 : window), memory, strategy);
    if (typeof stream === 'number') throw failure(stream);
    if (dictionary && (kind === 'InflateRaw' || kind.startsWith('Deflate'))) {
        const result = zlib.dictionary(stream, dictionary);
        if (result !== 0) throw failure(result, 'Failed to set dictionary');
    }
    return stream;
}

function asBytes(data) {
    if (typeof data === 'string') return Buffer.from(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    throw argType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
}

// One stream of work: feed(bytes, flush) answers the output; `ended` when the data is complete.
class Work {
    ended = false;
    #stream;
    #options;
    #hasMembers; // of gzip, which may follow each other
    constructor(kind, options) {
        this.#options = options;
        this.#hasMembers = kind === 'Gunzip' ? true : kind === 'Unzip' ? undefined : false;
        this.#stream = start(kind, options);
    }
    feed(bytes, flush) {
        const parts = [], most = this.#options.maxOutputLength;
        let left = bytes, total = 0;
        if (left.length > 0) this.#hasMembers ??= left[0] === 0x1f; // what gzip begins with, and zlib never
        for (;;) {
            if (this.ended) {
                // Another member may follow, or zeros that fill a block.
                if (!this.#hasMembers || left.length === 0 || left[0] === 0) break;
                zlib.reset(this.#stream);
                this.ended = false;
            }
            const [status, out, unused, message] = zlib.run(this.#stream, left, flush, Math.min(most - total, 2 ** 31));
            total += out.byteLength;
            if (total > most)
                throw coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${most} bytes`);
            if (out.byteLength) parts.push(Buffer.from(out));
            left = left.subarray(left.length - unused);
            if (status === constants.Z_NEED_DICT && this.#options.dictionary) {
                if (zlib.dictionary(this.#stream, this.#options.dictionary) !== 0) throw failure(constants.Z_NEED_DICT, 'Bad dictionary');
                continue;
            }
            if (status === constants.Z_STREAM_END) {
                this.ended = true;
                continue;
            }
            if (status < 0 && status !== constants.Z_BUF_ERROR) throw failure(status, message);
            if (status === constants.Z_NEED_DICT) throw failure(status, 'Missing dictionary');
            break;
        }
        return parts.length === 1 ? parts[0] : Buffer.concat(parts);
    }
    params(level, strategy) {
        return zlib.params(this.#stream, level, strategy);
    }
    finish(bytes, flush = constants.Z_FINISH) {
        const out = this.feed(bytes, flush);
        if (!this.ended && flush === constants.Z_FINISH) throw failure(constants.Z_BUF_ERROR);
        return out;
    }
}

function convert(kind, data, options) {
    const bytes = asBytes(data), checked = settings(kind, options);
    return workOf(kind, checked).finish(bytes, checked.finishFlush);
}

const flushes = new WeakMap(); // of empty buffers that are written to a stream: the kind of flush that each asks for

// The streams: new zlib.Gzip(options), zlib.createGzip(options).
class ZlibBase extends Transform {
    #work;
    #kind;
    #settings;
    bytesWritten = 0;
    constructor(kind, options) {
        const checked = settings(kind, options);
        super({ autoDestroy: true, ...options });
        this.#kind = kind;
        this.#settings = checked;
        this.#work = workOf(kind, checked);
        this._chunkSize = checked.chunkSize;
        if (!kinds[kind].brotli) [this._level, this._strategy] = [checked.level, checked.strategy];
        this._maxOutputLength = checked.maxOutputLength;
    }
    get bytesRead() {
        return this.bytesWritten;
    }
    get _closed() {
        return this.destroyed;
    }
    _transform(chunk, encoding, done) {
        this.bytesWritten += chunk.length;
        this.#step(() => this.#work.feed(asBytes(chunk), flushes.get(chunk) ?? this.#settings.flush), done);
    }
    _flush(done) {
        this.#step(() => (this.#work.ended || (kinds[this.#kind].inflates && this.bytesWritten === 0) ? Buffer.alloc(0) : this.#work.finish(new Uint8Array(0), this.#settings.finishFlush)), done);
    }
    #step(work, done) {
        let out;
        try {
            out = work();
        } catch (error) {
            return done(error);
        }
        for (let at = 0; at < out.length; at += this._chunkSize) this.push(out.subarray(at, at + this._chunkSize));
        return done();
    }
    flush(kind, callback) {
        const full = kinds[this.#kind].brotli ? constants.BROTLI_OPERATION_FLUSH : constants.Z_FULL_FLUSH;
        if (typeof kind === 'function' || (kind === undefined && !callback)) [kind, callback] = [full, kind];
        if (this.writableFinished) {
            if (callback) process.nextTick(callback);
        } else if (this.writableEnded) {
            if (callback) this.once('end', callback);
        } else {
            const mark = Buffer.alloc(0);
            flushes.set(mark, kind ?? full);
            this.write(mark, '', callback);
        }
    }
    params(level, strategy, callback) {
        number(level, 'level', -1, 9);
        number(strategy, 'strategy', 0, 4);
        if (this._level === level && this._strategy === strategy) {
            process.nextTick(callback);
            return;
        }
        this.flush(constants.Z_SYNC_FLUSH, () => {
            const result = this.#work.params(level, strategy);
            [this._level, this._strategy] = [level, strategy];
            if (result !== 0) this.destroy(failure(result, 'Failed to set parameters'));
            else callback?.();
        });
    }
    reset() {
        if (this.destroyed)
            throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'zlib binding closed\nThis is caused by either a bug in Node.js or incorrect usage of Node.js internals.\nPlease open an issue with this stack trace at https://github.com/nodejs/node/issues\n');
        this.#work = workOf(this.#kind, this.#settings);
    }
    close(callback) {
        if (callback) require('stream').finished(this, callback);
        this.destroy();
    }
}

function number(value, name, low, high) {
    if (value === undefined || Number.isNaN(value)) return;
    check.number(value, name);
    if (!Number.isFinite(value)) throw outOfRange(name, 'a finite number', value);
    if (value < low || value > high) throw outOfRange(name, `>= ${low} and <= ${high}`, value);
}

const names = {
    Gzip: 'gzip', Gunzip: 'gunzip', Deflate: 'deflate', Inflate: 'inflate', DeflateRaw: 'deflateRaw',
    InflateRaw: 'inflateRaw', Unzip: 'unzip', BrotliCompress: 'brotliCompress', BrotliDecompress: 'brotliDecompress',
};

module.exports = {
    constants, codes,
    crc32(data, value = 0) {
        if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw argType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
        require('internal/validators').uint32(value, 'value');
        return zlib.crc32(asBytes(data), value);
    },
};
for (const [kind, name] of Object.entries(names)) {
    const Class = { [kind]: class extends ZlibBase {
        constructor(options) {
            super(kind, options);
        }
    } }[kind];
    // Node's constructors work without `new`.
    module.exports[kind] = new Proxy(Class, { apply: (target, self, args) => new target(...args) });
    module.exports[`create${kind}`] = options => new Class(options);
    module.exports[`${name}Sync`] = (buffer, options) => convert(kind, buffer, options);
    module.exports[name] = (buffer, options, callback) => {
        if (typeof options === 'function') [options, callback] = [undefined, options];
        check.function(callback, 'callback');
        const bytes = asBytes(buffer);
        let error = null, result;
        try {
            result = convert(kind, bytes, options);
        } catch (thrown) {
            error = thrown;
        }
        require('internal/timers').complete(callback, error, result);
    };
}
for (const [name, value] of Object.entries(constants))
    if (name.startsWith('Z_')) Object.defineProperty(module.exports, name, { value, enumerable: false });
