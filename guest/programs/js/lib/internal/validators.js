// validators: what arguments every module asks for, in Node's words and with Node's codes. Each takes the
// value and the name that the error calls it by, and answers nothing.
'use strict';

const { argType, argValue, outOfRange, coded } = require('internal/errors');

function string(value, name) {
    if (typeof value !== 'string') throw argType(name, 'string', value);
}

function boolean(value, name) {
    if (typeof value !== 'boolean') throw argType(name, 'boolean', value);
}

function fn(value, name) {
    if (typeof value !== 'function') throw argType(name, 'Function', value);
}

function plainFunction(value, name) {
    if (typeof value !== 'function') throw argType(name, 'function', value);
}

function isUndefined(value, name) {
    if (value !== undefined) throw argType(name, 'undefined', value);
}

function number(value, name, min, max) {
    if (typeof value !== 'number') throw argType(name, 'number', value);
    const low = min !== undefined, high = max !== undefined;
    if ((low && value < min) || (high && value > max) || ((low || high) && Number.isNaN(value)))
        throw outOfRange(name, `${low ? `>= ${min}` : ''}${low && high ? ' && ' : ''}${high ? `<= ${max}` : ''}`, value);
}

function integer(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== 'number') throw argType(name, 'number', value);
    if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

const int32 = (value, name, min = -2147483648, max = 2147483647) => integer(value, name, min, max);

function uint32(value, name, positive = false) {
    integer(value, name, positive ? 1 : 0, 4294967295);
}

// options: {nullable, allowArray, allowFunction}
function object(value, name, options) {
    const { nullable = false, allowArray = false, allowFunction = false } = options ?? {};
    if ((!nullable && value === null) || (!allowArray && Array.isArray(value)) ||
        (typeof value !== 'object' && (!allowFunction || typeof value !== 'function')))
        throw argType(name, 'Object', value);
}

function array(value, name, least = 0) {
    if (!Array.isArray(value)) throw argType(name, 'Array', value);
    if (value.length < least) throw argValue(name, value, `must be longer than ${least}`);
}

function oneOf(value, name, allowed) {
    if (allowed.includes(value)) return;
    throw argValue(name, value, `must be one of: ${allowed.map(item => (typeof item === 'string' ? `'${item}'` : String(item))).join(', ')}`);
}

function union(value, name, choices) {
    if (!choices.includes(value)) throw argType(name, `('${choices.join('|')}')`, value);
}

function buffer(value, name = 'buffer') {
    if (!ArrayBuffer.isView(value)) throw argType(name, ['Buffer', 'TypedArray', 'DataView'], value);
}

function abortSignal(value, name) {
    if (value !== undefined && (value === null || typeof value !== 'object' || !('aborted' in value)))
        throw argType(name, 'AbortSignal', value);
}

function signalName(value, name = 'signal') {
    string(value, name);
    if (process.signals[value] !== undefined) return;
    throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', process.signals[value.toUpperCase()] !== undefined
        ? `Unknown signal: ${value} (signals must use all capital letters)` : `Unknown signal: ${value}`);
}

function encoding(data, value) {
    const name = `${value}`.toLowerCase();
    if (name === 'hex' && data.length % 2 !== 0) throw argValue('encoding', value, `is invalid for data of length ${data.length}`);
}

const missing = (...names) => coded(TypeError, 'ERR_MISSING_ARGS', names.length === 1
    ? `The "${names[0]}" argument must be specified`
    : `The ${names.slice(0, -1).map(name => `"${name}"`).join(', ')}${names.length > 2 ? ',' : ''} and "${names.at(-1)}" arguments must be specified`);

const unknownEncoding = name =>
    coded(TypeError, 'ERR_UNKNOWN_ENCODING', require('internal/inspect').format('Unknown encoding: %s', name));

module.exports = {
    string, boolean, function: plainFunction, Function: fn, undefined: isUndefined, number, integer, int32, uint32, object,
    array, oneOf, union, buffer, abortSignal, signalName, encoding, missing, unknownEncoding,
};
