// buffer/search: indexOf() and lastIndexOf() of Buffer.
'use strict';

const text = native.text;

// Where a search begins; -1: nothing can be found.
function begin(length, offset, needle, forward) {
    if (offset < 0) return offset + length >= 0 ? offset + length : forward || needle === 0 ? 0 : -1;
    if (offset + needle <= length) return offset;
    return needle === 0 ? length : forward ? -1 : length - 1;
}

function matches(bytes, needle, at) {
    for (let i = 0; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false;
    return true;
}

// `unit`: matches lie at multiples of so many bytes.
function indexOf(bytes, needle, offset, forward, unit) {
    let at = begin(bytes.length, offset, needle.length, forward);
    if (needle.length === 0) return at;
    if (at <= -1 || needle.length > bytes.length || (forward && at + needle.length > bytes.length)) return -1;
    if (unit > 1 && (bytes.length < unit || needle.length < unit)) return -1;
    if (unit > 1) at -= at % unit;
    if (forward && unit === 1) return text.find(bytes, needle, at);
    const step = forward ? unit : -unit, last = bytes.length - needle.length;
    if (!forward && at > last) at = last - last % unit;
    for (; at >= 0 && at <= last; at += step) if (matches(bytes, needle, at)) return at;
    return -1;
}

function indexOfByte(bytes, value, offset, forward) {
    const at = begin(bytes.length, offset, 1, forward);
    if (at <= -1 || bytes.length === 0) return -1;
    return forward ? Uint8Array.prototype.indexOf.call(bytes, value & 255, at) : Uint8Array.prototype.lastIndexOf.call(bytes, value & 255, at);
}

module.exports = { indexOf, indexOfByte };
