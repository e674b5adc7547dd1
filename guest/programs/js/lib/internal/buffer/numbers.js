// buffer/numbers: the methods of Buffer that read and write numbers: integers of one to six bytes, BigInts, floats.
'use strict';

const { argType, coded, outOfRange } = require('internal/errors');
const validate = require('internal/validators');

const outside = name => coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS',
    name ? `"${name}" is outside of buffer bounds` : 'Attempt to access memory outside buffer bounds');

// The error of a place (`type`: or another number) that is beyond `last`.
function boundsError(value, last, type) {
    validate.number(value, type ?? 'offset');
    if (Math.floor(value) !== value) throw outOfRange(type ?? 'offset', 'an integer', value);
    if (last < 0) throw outside();
    throw outOfRange(type ?? 'offset', `>= ${type ? 1 : 0} and <= ${last}`, value);
}

function place(bytes, offset, size) {
    if (typeof offset !== 'number') validate.number(offset, 'offset');
    if (bytes[offset] === undefined || bytes[offset + size - 1] === undefined) boundsError(offset, bytes.length - size);
}

function limits(value, low, high, size) {
    if (!(value > high || value < low)) return;
    const n = typeof low === 'bigint' ? 'n' : '', bits = size * 8;
    const range = size <= 4 ? `>= ${low}${n} and <= ${high}${n}`
        : low === 0 || low === 0n ? `>= 0${n} and < 2${n} ** ${bits}${n}`
            : `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`;
    throw outOfRange('value', range, value);
}

function read(bytes, offset, size, little, signed) {
    place(bytes, offset, size);
    let value = 0;
    if (little) for (let i = offset + size - 1; i >= offset; i--) value = value * 256 + bytes[i];
    else for (let i = offset; i < offset + size; i++) value = value * 256 + bytes[i];
    return signed && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
}

function write(bytes, value, offset, size, little, signed) {
    value = +value;
    if (size === 1) validate.number(offset, 'offset');
    const top = 2 ** (size * 8 - (signed ? 1 : 0));
    limits(value, signed ? -top : 0, top - 1, size);
    place(bytes, offset, size);
    let rest = Math.trunc(value) || 0;
    if (rest < 0) rest += 2 ** (size * 8);
    for (let i = 0; i < size; i++) {
        bytes[little ? offset + i : offset + size - 1 - i] = rest % 256;
        rest = Math.floor(rest / 256);
    }
    return offset + size;
}

function variable(offset, size) {
    if (offset === undefined) throw argType('offset', 'number', offset);
    if (!(size >= 1 && size <= 6 && Math.floor(size) === size) || typeof size !== 'number') boundsError(size, 6, 'byteLength');
}

const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// Defines the methods by method(name, function).
function define(method) {
    for (const [kind, signed] of [['Int', true], ['UInt', false]]) {
        for (const order of ['LE', 'BE']) {
            const little = order === 'LE';
            for (const bits of [16, 32]) {
                const size = bits / 8;
                method(`read${kind}${bits}${order}`, function (offset = 0) {
                    return read(this, offset, size, little, signed);
                });
                method(`write${kind}${bits}${order}`, function (value, offset = 0) {
                    return write(this, value, offset, size, little, signed);
                });
            }
            method(`read${kind}${order}`, function (offset, byteLength) {
                variable(offset, byteLength);
                return read(this, offset, byteLength, little, signed);
            });
            method(`write${kind}${order}`, function (value, offset, byteLength) {
                variable(0, byteLength);
                return write(this, value, offset, byteLength, little, signed);
            });
        }
        method(`read${kind}8`, function (offset = 0) {
            return read(this, offset, 1, true, signed);
        });
        method(`write${kind}8`, function (value, offset = 0) {
            return write(this, value, offset, 1, true, signed);
        });
    }
    for (const order of ['LE', 'BE']) {
        const little = order === 'LE';
        for (const [name, size, type] of [['Float', 4, 'Float32'], ['Double', 8, 'Float64']]) {
            method(`read${name}${order}`, function (offset = 0) {
                place(this, offset, size);
                return view(this)[`get${type}`](offset, little);
            });
            method(`write${name}${order}`, function (value, offset = 0) {
                value = +value;
                place(this, offset, size);
                view(this)[`set${type}`](offset, value, little);
                return offset + size;
            });
        }
        for (const [name, type, low, high] of [['BigInt64', 'BigInt64', -(2n ** 63n), 2n ** 63n - 1n], ['BigUInt64', 'BigUint64', 0n, 2n ** 64n - 1n]]) {
            method(`read${name}${order}`, function (offset = 0) {
                place(this, offset, 8);
                return view(this)[`get${type}`](offset, little);
            });
            method(`write${name}${order}`, function (value, offset = 0) {
                limits(value, low, high, 8);
                place(this, offset, 8);
                if (typeof value !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
                view(this)[`set${type}`](offset, value, little);
                return offset + 8;
            });
        }
    }
}

module.exports = { define, outside };
