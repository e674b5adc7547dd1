// encoding: TextEncoder and TextDecoder.
'use strict';

const { argType, coded } = require('internal/errors');
const text = native.text;

const custom = Symbol.for('nodejs.util.inspect.custom');

class TextEncoder {
    get encoding() {
        return 'utf-8';
    }
    [custom](depth, options, inspect) {
        return inspect({ encoding: this.encoding }, options);
    }
    encode(input = '') {
        return new Uint8Array(text.utf8Encode(`${input}`));
    }
    encodeInto(input, target) {
        if (!(target instanceof Uint8Array)) throw argType('dest', 'Uint8Array', target);
        const bytes = new Uint8Array(text.utf8Encode(`${input}`));
        let written = Math.min(bytes.length, target.length);
        while (written < bytes.length && written > 0 && (bytes[written] & 0xc0) === 0x80) written--;
        target.set(bytes.subarray(0, written));
        return { read: text.utf8Decode(bytes, 0, written).length, written };
    }
}

const labels = {
    'utf-8': 'utf-8', utf8: 'utf-8', 'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', 'utf-16be': 'utf-16be', latin1: 'windows-1252',
    'iso-8859-1': 'windows-1252', ascii: 'windows-1252', 'us-ascii': 'windows-1252', 'windows-1252': 'windows-1252',
};
const ABSENT = ['iso-8859-16', 'x-user-defined', 'replacement']; // Node has no such, either

// The encoding that a label means, also one of those that are seldom needed.
function encodingOf(label) {
    const low = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
    if (Object.hasOwn(labels, low)) return labels[low];
    const { labels: all } = require('npm/text_encodings');
    const found = Object.hasOwn(all, low) ? low : Object.keys(all).find(name => all[name].includes(low));
    if (found === undefined || ABSENT.includes(found)) throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${found ?? label}" encoding is not supported`);
    return found;
}

// The decoder of one that is not Unicode: (bytes, stream) => text.
function oldDecoder(encoding, fatal) {
    const { multibyteDecoder, encodingDecoder } = require('npm/text_encodings');
    if (/^(?:gb|big5|euc|shift|iso-2022)/.test(encoding)) return multibyteDecoder(encoding, !fatal);
    const decode = encodingDecoder(encoding);
    return bytes => decode(bytes, !fatal);
}

// What windows-1252 has at 0x80..0x9f; everything else is Latin-1.
const windows1252 = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

const none = new Uint8Array(0);

class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #rest = none; // an incomplete sequence of a streamed text
    #begun = false;
    #old; // what decodes an encoding that is not Unicode
    constructor(label = 'utf-8', options = {}) {
        this.#encoding = encodingOf(`${label}`);
        this.#fatal = Boolean(options?.fatal);
        this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }
    get encoding() {
        return this.#encoding;
    }
    get fatal() {
        return this.#fatal;
    }
    get ignoreBOM() {
        return this.#ignoreBOM;
    }
    [custom](depth, options, inspect) {
        return `TextDecoder ${inspect({ encoding: this.encoding, fatal: this.fatal, ignoreBOM: this.ignoreBOM }, options)}`;
    }
    decode(input = none, options = {}) {
        const stream = Boolean(options?.stream);
        let bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
            : input instanceof ArrayBuffer || input instanceof SharedArrayBuffer ? new Uint8Array(input) : undefined;
        if (bytes === undefined) throw argType('list', ['ArrayBuffer', 'ArrayBufferView'], input);
        if (this.#encoding === 'windows-1252')
            return text.latin1Decode(bytes, 0, bytes.length, 255).replace(/[\x80-\x9f]/g, c => windows1252[c.charCodeAt(0) - 128]);
        if (!this.#encoding.startsWith('utf-')) {
            try {
                return (this.#old ??= oldDecoder(this.#encoding, this.#fatal))(bytes, stream);
            } catch {
                throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.#encoding}`);
            }
        }
        if (this.#rest.length) {
            const joined = new Uint8Array(this.#rest.length + bytes.length);
            joined.set(this.#rest);
            joined.set(bytes, this.#rest.length);
            bytes = joined;
        }
        let end = bytes.length;
        if (this.#encoding === 'utf-16be') bytes = swapped(bytes);
        if (stream) end = this.#encoding === 'utf-8' ? wholeLength(bytes) : wholePairs(bytes);
        this.#rest = stream ? bytes.slice(end) : none;
        if (this.#encoding === 'utf-16be') this.#rest = swapped(this.#rest);
        if (this.#fatal && this.#encoding !== 'utf-8' && ((!stream && end & 1) || !text.utf16Decode(bytes, 0, end).isWellFormed())) {
            this.#rest = none;
            throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.#encoding}`);
        }
        if (this.#fatal && this.#encoding === 'utf-8' && text.utf8Valid(bytes, 0, end) !== end) {
            this.#rest = none;
            throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', 'The encoded data was not valid for encoding utf-8');
        }
        let result = this.#encoding === 'utf-8' ? text.utf8Decode(bytes, 0, end)
            : text.utf16Decode(bytes, 0, end).toWellFormed() + (!stream && end & 1 ? '\ufffd' : '');
        if (!this.#begun && !this.#ignoreBOM && result.charCodeAt(0) === 0xfeff) result = result.slice(1);
        this.#begun = stream && (this.#begun || end > 0);
        return result;
    }
}

// How many bytes do not end in the middle of a character.
function wholeLength(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
        const byte = bytes[bytes.length - back];
        if ((byte & 0xc0) === 0x80) continue;
        const need = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return need > back ? bytes.length - back : bytes.length;
    }
    return bytes.length;
}

// As above, for UTF-16: neither in the middle of a unit nor behind the first half of a pair.
function wholePairs(bytes) {
    const end = bytes.length & ~1;
    return end > 0 && (bytes[end - 1] & 0xfc) === 0xd8 ? end - 2 : end;
}

// The bytes of each unit the other way round; half a unit at the end stays.
function swapped(bytes) {
    const out = bytes.slice();
    for (let i = 0; i + 1 < out.length; i += 2) [out[i], out[i + 1]] = [out[i + 1], out[i]];
    return out;
}

for (const [name, Class] of Object.entries({ TextEncoder, TextDecoder }))
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });

module.exports = { TextEncoder, TextDecoder };
