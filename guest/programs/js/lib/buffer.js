// buffer: the npm package `buffer`, with the conversions done by C and the prints of today's Node.
'use strict';

const base = require('npm/buffer');
const { argType, coded, outOfRange } = require('internal/errors');
const text = native.text;
const { Buffer } = base;
Object.defineProperty(Buffer, 'name', { value: 'Buffer' }); // the bundler renamed it

const canonical = {
    utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1',
    binary: 'latin1', ascii: 'ascii', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
};

function encodingOf(name) {
    if (name === undefined || name === null || name === '') return 'utf8';
    const found = canonical[name] ?? canonical[String(name).toLowerCase()];
    if (found === undefined) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${name}`);
    return found;
}

const encoders = {
    utf8: text.utf8Encode, hex: text.hexEncode, base64: value => text.base64Encode(value, false),
    base64url: value => text.base64Encode(value, false), latin1: text.latin1Encode, ascii: text.latin1Encode,
    utf16le: text.utf16Encode,
};
const decoders = {
    utf8: text.utf8Decode, hex: text.hexDecode, base64: (b, s, e) => text.base64Decode(b, s, e, false),
    base64url: (b, s, e) => text.base64Decode(b, s, e, true), latin1: (b, s, e) => text.latin1Decode(b, s, e, 255),
    ascii: (b, s, e) => text.latin1Decode(b, s, e, 127), utf16le: text.utf16Decode,
};

const made = bytes => Object.setPrototypeOf(bytes, Buffer.prototype);
const encode = (string, encoding) => made(new Uint8Array(encoders[encodingOf(encoding)](string)));

const from = Buffer.from;
Buffer.from = function (value, encoding, length) {
    if (typeof value === 'string') return encode(value, encoding);
    if (value === null || (typeof value !== 'object' && typeof value !== 'function'))
        throw argType2(value);
    try {
        return from(value, encoding, length);
    } catch (error) {
        throw error.message.startsWith('The first argument') ? argType2(value) : error;
    }
};
Object.defineProperty(Buffer.from, 'name', { value: 'from' });

function argType2(value) {
    const error = argType('first argument', 'string', value);
    error.message = error.message.replace(/^.*?\. /, 'The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. ');
    return error;
}

function size(length) {
    if (typeof length !== 'number') throw argType('size', 'number', length);
    if (!(length >= 0 && length <= base.kMaxLength)) throw outOfRange('size', '>= 0 && <= 4294967296', length);
}
Buffer.alloc = function alloc(length, fill, encoding) {
    size(length);
    const bytes = made(new Uint8Array(length));
    return fill === undefined || fill === 0 || length === 0 ? bytes : bytes.fill(fill, encoding);
};
Buffer.allocUnsafe = Buffer.allocUnsafeSlow = function allocUnsafe(length) {
    size(length);
    return made(new Uint8Array(length));
};
Buffer.isEncoding = name => typeof name === 'string' && canonical[name.toLowerCase()] !== undefined;
Buffer.byteLength = function byteLength(value, encoding) {
    if (typeof value !== 'string') {
        if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
        throw argType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
    }
    const name = canonical[String(encoding ?? 'utf8').toLowerCase()] ?? 'utf8';
    return name === 'utf8' ? text.utf8Length(value) : name === 'utf16le' ? value.length * 2
        : name === 'hex' ? value.length >>> 1 : name === 'latin1' || name === 'ascii' ? value.length
            : name.startsWith('base64') ? value.replace(/={1,2}$/, '').length * 3 >>> 2 // also of a text that is none
                : encoders[name](value).byteLength;
};
Buffer.compare = function compare(a, b) {
    for (const [value, name] of [[a, 'buf1'], [b, 'buf2']])
        if (!(value instanceof Uint8Array)) throw argType(name, ['Buffer', 'Uint8Array'], value);
    return text.compare(a, b);
};
Buffer.concat = function concat(list, total) {
    if (!Array.isArray(list)) throw argType('list', 'Array', list);
    total ??= list.reduce((sum, item) => sum + item.length, 0);
    const result = Buffer.alloc(total);
    let at = 0;
    list.forEach((item, i) => {
        if (!(item instanceof Uint8Array)) throw argType(`list[${i}]`, ['Buffer', 'Uint8Array'], item);
        at += text.copy(result, at, item);
    });
    return result;
};
Buffer.copyBytesFrom = function copyBytesFrom(view, offset = 0, length = view.length - offset) {
    return Buffer.from(view.slice(offset, offset + length).buffer);
};

const p = Buffer.prototype;
const method = (name, fn) => Object.defineProperty(p, name, { value: fn, writable: true, configurable: true });

method('toString', function toString(encoding, start, end) {
    if (arguments.length === 0) return text.utf8Decode(this);
    const name = encodingOf(encoding);
    start = start === undefined || start <= 0 ? 0 : Math.trunc(start) || 0;
    end = end === undefined || end > this.length ? this.length : Math.trunc(end) || 0;
    return end <= start ? '' : decoders[name](this, start, end);
});
method('toLocaleString', p.toString);
for (const [name, decode] of Object.entries({ ...decoders, ucs2: decoders.utf16le }))
    method(`${name}Slice`, function (start = 0, end = this.length) {
        return decode(this, start, end);
    });

method('write', function write(string, offset, length, encoding) {
    if (typeof string !== 'string') throw argType('argument', 'string', string);
    if (typeof offset === 'string') [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === 'string') [encoding, length] = [length, undefined];
    offset = offset === undefined ? 0 : offset;
    if (offset < 0 || offset > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, offset);
    const room = this.length - offset;
    length = length === undefined || length > room ? room : length;
    let bytes = new Uint8Array(encoders[encodingOf(encoding)](string));
    if (bytes.length > length) {
        let keep = length;
        if (encodingOf(encoding) === 'utf8') while (keep > 0 && (bytes[keep] & 0xc0) === 0x80) keep--;
        bytes = bytes.subarray(0, keep);
    }
    return text.copy(this, offset, bytes);
});

// ---------------------------------------------------------------- numbers

function place(buffer, offset, size) {
    if (typeof offset !== 'number') throw argType('offset', 'number', offset);
    if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
    if (buffer.length - size < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
    if (offset < 0 || offset > buffer.length - size) throw outOfRange('offset', `>= 0 and <= ${buffer.length - size}`, offset);
}

function checkLength(size) {
    if (typeof size !== 'number') throw argType('byteLength', 'number', size);
    if (!Number.isInteger(size) || size < 1 || size > 6) throw outOfRange('byteLength', '>= 1 and <= 6', size);
}

function readInteger(buffer, offset, size, little, signed) {
    place(buffer, offset, size);
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + buffer[little ? offset + size - 1 - i : offset + i];
    return signed && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
}

function writeInteger(buffer, value, offset, size, little, signed) {
    value = +value;
    const low = signed ? -(2 ** (size * 8 - 1)) : 0, high = signed ? 2 ** (size * 8 - 1) - 1 : 2 ** (size * 8) - 1;
    if (value < low || value > high) {
        const range = size === 3 || size > 4
            ? (signed ? `>= -(2 ** ${size * 8 - 1}) and < 2 ** ${size * 8 - 1}` : `>= 0 and < 2 ** ${size * 8}`) : `>= ${low} and <= ${high}`;
        throw outOfRange('value', range, value);
    }
    place(buffer, offset, size);
    let rest = value < 0 ? value + 2 ** (size * 8) : value;
    for (let i = 0; i < size; i++) {
        buffer[little ? offset + i : offset + size - 1 - i] = rest % 256;
        rest = Math.floor(rest / 256);
    }
    return offset + size;
}

for (const [kind, signed] of [['Int', true], ['UInt', false]]) {
    for (const order of ['LE', 'BE']) {
        const little = order === 'LE';
        for (const bits of [16, 32]) {
            method(`read${kind}${bits}${order}`, function (offset = 0) {
                return readInteger(this, offset, bits / 8, little, signed);
            });
            method(`write${kind}${bits}${order}`, function (value, offset = 0) {
                return writeInteger(this, value, offset, bits / 8, little, signed);
            });
        }
        method(`read${kind}${order}`, function (offset, size) {
            checkLength(size);
            return readInteger(this, offset, size, little, signed);
        });
        method(`write${kind}${order}`, function (value, offset, size) {
            checkLength(size);
            return writeInteger(this, value, offset, size, little, signed);
        });
    }
    method(`read${kind}8`, function (offset = 0) {
        return readInteger(this, offset, 1, true, signed);
    });
    method(`write${kind}8`, function (value, offset = 0) {
        return writeInteger(this, value, offset, 1, true, signed);
    });
}
for (const [name, size, kind] of [['Float', 4, 'Float32'], ['Double', 8, 'Float64'], ['BigInt64', 8, 'BigInt64'], ['BigUInt64', 8, 'BigUint64']]) {
    for (const order of ['LE', 'BE']) {
        const little = order === 'LE';
        method(`read${name}${order}`, function (offset = 0) {
            place(this, offset, size);
            return new DataView(this.buffer, this.byteOffset)[`get${kind}`](offset, little);
        });
        method(`write${name}${order}`, function (value, offset = 0) {
            if (name.startsWith('Big')) {
                const [low, high, range] = name === 'BigInt64' ? [-(2n ** 63n), 2n ** 63n - 1n, '>= -(2n ** 63n) and < 2n ** 63n'] : [0n, 2n ** 64n - 1n, '>= 0n and < 2n ** 64n'];
                if (value < low || value > high) throw outOfRange('value', range, value);
            }
            place(this, offset, size);
            new DataView(this.buffer, this.byteOffset)[`set${kind}`](offset, value, little);
            return offset + size;
        });
    }
}
for (const name of Object.getOwnPropertyNames(p))
    if (name.includes('UInt')) method(name.replace('UInt', 'Uint'), p[name]);

method('equals', function equals(other) {
    if (!(other instanceof Uint8Array)) throw argType('otherBuffer', ['Buffer', 'Uint8Array'], other);
    return text.compare(this, other) === 0;
});
method('compare', function compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
    if (!(target instanceof Uint8Array)) throw argType('target', ['Buffer', 'Uint8Array'], target);
    return text.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
});

method('indexOf', function indexOf(value, from, encoding) {
    if (typeof from === 'string') [encoding, from] = [from, 0];
    from = Math.trunc(from) || 0;
    if (from < 0) from = Math.max(0, this.length + from);
    if (typeof value === 'number') return Uint8Array.prototype.indexOf.call(this, value & 255, from);
    if (typeof value !== 'string' && !(value instanceof Uint8Array))
        throw argType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
    const needle = typeof value === 'string' ? encode(value, encoding) : value;
    if (needle.length === 0) return Math.min(from, this.length);
    return text.find(this, needle, from);
});
method('includes', function includes(value, from, encoding) {
    return this.indexOf(value, from, encoding) !== -1;
});

method('inspect', function inspect(depth, options) {
    const shown = Math.min(module.exports.INSPECT_MAX_BYTES, this.length);
    let content = text.hexDecode(this, 0, shown).replace(/(.{2})(?!$)/g, '$1 ');
    const rest = this.length - shown;
    if (rest > 0) content += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
    if (options) {
        const keys = native.inspect.namedKeys(this, true);
        const inspect_ = require('internal/inspect').inspect;
        for (const key of keys) content += `${content ? ', ' : ''}${String(key)}: ${inspect_(this[key], { ...options, breakLength: Infinity })}`;
    }
    return `<${this.constructor.name} ${content}>`;
});
method(Symbol.for('nodejs.util.inspect.custom'), p.inspect);
for (const key of Object.keys(p))
    if (Object.getOwnPropertyDescriptor(p, key).configurable) Object.defineProperty(p, key, { enumerable: false });

// The package fills byte by byte; what is asked for most is done by the engine.
const fillSlowly = p.fill;
method('fill', function fill(value, offset, end, encoding) {
    const { length } = this;
    if (typeof value === 'number' && Number.isInteger(offset ?? 0) && Number.isInteger(end ?? 0) && (offset ?? 0) >= 0 && (end ?? length) <= length)
        return Uint8Array.prototype.fill.call(this, value & 255, offset ?? 0, end ?? length);
    if (typeof offset === 'number' && (offset < 0 || offset > length)) throw outOfRange('offset', `>= 0 && <= ${length}`, offset);
    if (typeof end === 'number' && (end < 0 || end > length)) throw outOfRange('end', `>= 0 && <= ${length}`, end);
    const unknown = typeof value === 'string' && [offset, end, encoding].find(item => typeof item === 'string');
    if (unknown && !Buffer.isEncoding(unknown)) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${unknown}`);
    const whole = offset === undefined || (typeof offset === 'string' && end === undefined);
    if (typeof value !== 'string' || !whole || length < 1024) return fillSlowly.call(this, value, offset, end, encoding);
    const unit = Buffer.from(value, offset);
    if (unit.length === 0 || unit.length > length) return fillSlowly.call(this, value, offset);
    this.set(unit);
    for (let done = unit.length; done < length; done *= 2) this.copyWithin(done, 0, Math.min(done, length - done));
    return this;
});
for (const [name, bits] of [['swap16', 16], ['swap32', 32], ['swap64', 64]]) {
    const swap = p[name];
    if (swap === undefined) continue;
    method(name, {
        [name]() {
            if (this.length % (bits / 8) !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${bits}-bits`);
            return swap.call(this);
        },
    }[name]);
}

module.exports = {
    ...base, Buffer, INSPECT_MAX_BYTES: 50,
    constants: { MAX_LENGTH: base.kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 },
    isUtf8: bytes => text.utf8Valid(bytes) === bytes.byteLength,
    isAscii: bytes => new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset, bytes.byteLength).every(byte => byte < 128),
    transcode: (bytes, fromName, toName) => Buffer.from(bytes.toString(fromName), toName),
    get atob() {
        return require('internal/domexception').atob;
    },
    get btoa() {
        return require('internal/domexception').btoa;
    },
    get Blob() {
        return globalThis.Blob;
    },
};
