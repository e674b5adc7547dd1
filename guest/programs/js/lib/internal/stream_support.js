// stream_support: errors and validators under the names by which readable-stream knows them.
'use strict';

const { AbortError, argType, argValue, coded, outOfRange, specificType } = require('internal/errors');
const validate = require('internal/validators');
const { inspect } = require('internal/inspect');

function returned(expected, name, value) {
    const type = typeof value === 'object' && value?.constructor?.name ? `an instance of ${value.constructor.name}`
        : specificType(value);
    return coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected ${expected} to be returned from the "${name}" function but got ${type}.`);
}

const plain = (code, text, Base = Error) => (...args) => coded(Base, code, text.replace('%s', args[0]));

// Each is called with `new`, and what it answers is the error.
const makers = {
    ERR_INVALID_ARG_TYPE: argType, ERR_INVALID_ARG_VALUE: argValue, ERR_OUT_OF_RANGE: outOfRange, ERR_INVALID_RETURN_VALUE: returned,
    ERR_MISSING_ARGS: validate.missing, ERR_UNKNOWN_ENCODING: validate.unknownEncoding,
    ERR_METHOD_NOT_IMPLEMENTED: plain('ERR_METHOD_NOT_IMPLEMENTED', 'The %s method is not implemented'),
    ERR_MULTIPLE_CALLBACK: plain('ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'),
    ERR_STREAM_ALREADY_FINISHED: plain('ERR_STREAM_ALREADY_FINISHED', 'Cannot call %s after a stream was finished'),
    ERR_STREAM_CANNOT_PIPE: plain('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'),
    ERR_STREAM_DESTROYED: plain('ERR_STREAM_DESTROYED', 'Cannot call %s after a stream was destroyed'),
    ERR_STREAM_NULL_VALUES: plain('ERR_STREAM_NULL_VALUES', 'May not write null values to stream', TypeError),
    ERR_STREAM_PREMATURE_CLOSE: plain('ERR_STREAM_PREMATURE_CLOSE', 'Premature close'),
    ERR_STREAM_PUSH_AFTER_EOF: plain('ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'),
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT: plain('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', 'stream.unshift() after end event'),
    ERR_STREAM_WRITE_AFTER_END: plain('ERR_STREAM_WRITE_AFTER_END', 'write after end'),
};
const codes = {};
for (const [name, make] of Object.entries(makers))
    codes[name] = function (...args) {
        return make(...args);
    };

function aggregateTwoErrors(inner, outer) {
    if (!inner || !outer || inner === outer) return inner || outer;
    if (Array.isArray(outer.errors)) {
        outer.errors.push(inner);
        return outer;
    }
    const error = new AggregateError([outer, inner], outer.message);
    error.code = outer.code;
    return error;
}

// The encoding of strings that a stream's options name.
function defaultEncoding(options) {
    const name = options?.defaultEncoding;
    if (name === undefined || name === null || name === 'utf8' || name === 'utf-8') return 'utf8';
    if (typeof name === 'string' && Buffer.isEncoding(name)) return name;
    throw validate.unknownEncoding(name);
}

module.exports = {
    AbortError, aggregateTwoErrors, codes, defaultEncoding, hideStackFrames: fn => fn,
    validateAbortSignal: validate.abortSignal, validateBoolean: validate.boolean, validateFunction: validate.function,
    validateInteger: validate.integer, validateObject: validate.object,
};
