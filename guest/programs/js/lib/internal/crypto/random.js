// crypto/random: random values, which come from the host's generator or the sandbox's seed.
'use strict';

const { argType, outOfRange } = require('internal/errors');
const validate = require('internal/validators');
const { random } = native.text;
const complete = (...args) => require('internal/timers').complete(...args);

const most = 2 ** 31 - 1;

function checkSize(size, name, top) {
    validate.number(size, name);
    if (!(size >= 0 && size <= top)) throw outOfRange(name, `>= 0 && <= ${top}`, size);
}

function randomBytes(size, callback) {
    checkSize(size, 'size', most);
    if (callback !== undefined) validate.function(callback, 'callback');
    const bytes = Buffer.alloc(size);
    random(bytes);
    if (callback === undefined) return bytes;
    complete(callback, null, bytes);
    return undefined;
}

function randomInt(min, max, callback) {
    const few = max === undefined || typeof max === 'function';
    if (few) [min, max, callback] = [0, min, max];
    if (callback !== undefined) validate.function(callback, 'callback');
    if (!Number.isSafeInteger(min)) throw argType('min', ['a safe integer'], min);
    if (!Number.isSafeInteger(max)) throw argType('max', ['a safe integer'], max);
    const range = max - min;
    if (range <= 0) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
    if (range > 2 ** 48 - 1) throw outOfRange(few ? 'max' : 'max - min', '<= 281474976710655', range);
    const limit = 2 ** 48 - (2 ** 48 % range);
    let value;
    do value = randomBytes(6).readUIntBE(0, 6);
    while (value >= limit);
    if (callback === undefined) return min + value % range;
    complete(callback, null, min + value % range);
    return undefined;
}

// The part of a buffer that is to be filled, in elements of its own.
function part(buffer, offset, size) {
    if (!ArrayBuffer.isView(buffer) && !require('internal/types').isAnyArrayBuffer(buffer)) throw argType('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
    const width = buffer.BYTES_PER_ELEMENT ?? 1, length = Math.min(buffer.byteLength, most);
    validate.number(offset, 'offset');
    offset *= width;
    if (!(offset >= 0 && offset <= length)) throw outOfRange('offset', `>= 0 && <= ${length}`, offset);
    if (size === undefined) {
        size = buffer.byteLength - offset;
    } else {
        validate.number(size, 'size');
        size *= width;
        if (!(size >= 0 && size <= most)) throw outOfRange('size', `>= 0 && <= ${most}`, size);
        if (size + offset > length) throw outOfRange('size + offset', `<= ${length}`, size + offset);
    }
    return new Uint8Array(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + Math.trunc(offset), Math.trunc(size));
}

function randomFillSync(buffer, offset = 0, size = undefined) {
    random(part(buffer, offset, size));
    return buffer;
}

function randomFill(buffer, offset, size, callback) {
    if (!ArrayBuffer.isView(buffer) && !require('internal/types').isAnyArrayBuffer(buffer)) throw argType('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
    if (typeof offset === 'function') [offset, size, callback] = [0, undefined, offset];
    else if (typeof size === 'function') [size, callback] = [undefined, size];
    else validate.function(callback, 'callback');
    random(part(buffer, offset, size));
    complete(callback, null, buffer);
}

module.exports = { randomBytes, randomFill, randomFillSync, randomInt };
