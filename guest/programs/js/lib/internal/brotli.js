// brotli: what zlib does with Brotli: its constants, its options, and a stream of work.
'use strict';

const { argType, coded } = require('internal/errors');
const { brotli } = native;

const constants = {
    BROTLI_DECODE: 8, BROTLI_ENCODE: 9,
    BROTLI_OPERATION_PROCESS: 0, BROTLI_OPERATION_FLUSH: 1, BROTLI_OPERATION_FINISH: 2, BROTLI_OPERATION_EMIT_METADATA: 3,
    BROTLI_PARAM_MODE: 0, BROTLI_MODE_GENERIC: 0, BROTLI_MODE_TEXT: 1, BROTLI_MODE_FONT: 2, BROTLI_DEFAULT_MODE: 0,
    BROTLI_PARAM_QUALITY: 1, BROTLI_MIN_QUALITY: 0, BROTLI_MAX_QUALITY: 11, BROTLI_DEFAULT_QUALITY: 11,
    BROTLI_PARAM_LGWIN: 2, BROTLI_MIN_WINDOW_BITS: 10, BROTLI_MAX_WINDOW_BITS: 24, BROTLI_LARGE_MAX_WINDOW_BITS: 30, BROTLI_DEFAULT_WINDOW: 22,
    BROTLI_PARAM_LGBLOCK: 3, BROTLI_MIN_INPUT_BLOCK_BITS: 16, BROTLI_MAX_INPUT_BLOCK_BITS: 24,
    BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING: 4, BROTLI_PARAM_SIZE_HINT: 5, BROTLI_PARAM_LARGE_WINDOW: 6, BROTLI_PARAM_NPOSTFIX: 7, BROTLI_PARAM_NDIRECT: 8,
    BROTLI_DECODER_RESULT_ERROR: 0, BROTLI_DECODER_RESULT_SUCCESS: 1, BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: 3,
    BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION: 0, BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
    BROTLI_DECODER_NO_ERROR: 0, BROTLI_DECODER_SUCCESS: 1, BROTLI_DECODER_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_NEEDS_MORE_OUTPUT: 3,
};
const formatErrors = ['EXUBERANT_NIBBLE', 'RESERVED', 'EXUBERANT_META_NIBBLE', 'SIMPLE_HUFFMAN_ALPHABET', 'SIMPLE_HUFFMAN_SAME', 'CL_SPACE', 'HUFFMAN_SPACE',
    'CONTEXT_MAP_REPEAT', 'BLOCK_LENGTH_1', 'BLOCK_LENGTH_2', 'TRANSFORM', 'DICTIONARY', 'WINDOW_BITS', 'PADDING_1', 'PADDING_2', 'DISTANCE'];
formatErrors.forEach((name, i) => void (constants[`BROTLI_DECODER_ERROR_FORMAT_${name}`] = -1 - i));
Object.assign(constants, {
    BROTLI_DECODER_ERROR_DICTIONARY_NOT_SET: -19, BROTLI_DECODER_ERROR_INVALID_ARGUMENTS: -20, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES: -21,
    BROTLI_DECODER_ERROR_ALLOC_TREE_GROUPS: -22, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MAP: -25, BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_1: -26,
    BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_2: -27, BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES: -30, BROTLI_DECODER_ERROR_UNREACHABLE: -31,
});

const nameOf = number => `ERR_${Object.keys(constants).find(name => name.startsWith('BROTLI_DECODER_ERROR') && constants[name] === number)?.slice('BROTLI_DECODER'.length)}`;

// [number, value] of each parameter.
function parameters(given) {
    return Object.keys(given ?? {}).map(key => {
        const number = Number(key), value = given[key];
        if (!(number >= 0 && number <= constants.BROTLI_PARAM_NDIRECT)) throw coded(RangeError, 'ERR_BROTLI_INVALID_PARAM', `${key} is not a valid Brotli parameter`);
        if (typeof value !== 'number' && typeof value !== 'boolean') throw argType('options.params[key]', 'number', value);
        return [number, Number(value)];
    });
}

// One stream of work: feed(bytes, operation) answers the output; `ended` when the data is complete.
class Work {
    ended = false;
    #stream;
    #decodes;
    #most;
    constructor(decodes, { params, maxOutputLength }) {
        this.#decodes = decodes;
        this.#most = maxOutputLength;
        this.#stream = brotli.start(decodes);
        for (const [number, value] of params)
            if (!brotli.parameter(this.#stream, number, value)) throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');
    }
    feed(bytes, operation) {
        if (this.ended) return Buffer.alloc(0); // what follows the data is no part of it
        const [status, out, , number] = brotli.run(this.#stream, bytes, operation, Math.min(this.#most, 2 ** 31));
        if (status < 0) {
            throw this.#decodes ? Object.assign(new Error('Decompression failed'), { errno: number, code: nameOf(number) })
                : Object.assign(new Error('Compression failed'), { errno: -1, code: 'ERR_BROTLI_COMPRESSION_FAILED' });
        }
        if (out.byteLength > this.#most) throw coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${this.#most} bytes`);
        this.ended = status === 1;
        return Buffer.from(out);
    }
    params() {
        return 0; // those of zlib are none of Brotli's
    }
    finish(bytes, operation = constants.BROTLI_OPERATION_FINISH) {
        const out = this.feed(bytes, operation);
        if (!this.ended && operation === constants.BROTLI_OPERATION_FINISH)
            throw Object.assign(new Error('unexpected end of file'), { errno: -5, code: 'Z_BUF_ERROR' });
        return out;
    }
}

module.exports = { constants, parameters, Work };
