// buffer: Buffer, a Uint8Array whose conversions are done by C, and what comes with it.
'use strict';

const { argType, argValue, coded, outOfRange } = require('internal/errors');
const validate = require('internal/validators');
const { outside, define } = require('internal/buffer/numbers');
const text = native.text;

const kMaxLength = 2 ** 32, kStringMaxLength = 2 ** 29 - 24;

class FastBuffer extends Uint8Array {}
let warned = false;
function Buffer(value, encoding, length) {
    if (!warned) {
        warned = true;
        process.emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005');
    }
    if (typeof value !== 'number') return Buffer.from(value, encoding, length);
    if (typeof encoding === 'string') throw argType('string', 'string', value);
    return Buffer.alloc(value);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Object.defineProperty(Buffer, Symbol.species, { configurable: true, enumerable: false, get: () => FastBuffer });
Buffer.prototype = FastBuffer.prototype;
const p = Buffer.prototype;
Object.defineProperty(p, 'constructor', { value: Buffer, writable: true, configurable: true });
const method = (name, fn) => Object.defineProperty(p, name, { value: fn, writable: true, configurable: true, enumerable: true });

// ---------------------------------------------------------------- encodings

const canonical = {
    utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1',
    binary: 'latin1', ascii: 'ascii', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
};
const lookUp = name => (Object.hasOwn(canonical, name) ? canonical[name] : undefined);

// undefined: there is no such encoding
const encodingOf = name => lookUp(name) ?? lookUp(`${name}`.toLowerCase());
const known = name => {
    const found = encodingOf(name);
    if (found === undefined) throw validate.unknownEncoding(name);
    return found;
};

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

const made = bytes => Object.setPrototypeOf(bytes, p);
const encoded = (string, name) => made(new Uint8Array(encoders[name](string)));
const isBytes = value => value instanceof Uint8Array;

// ---------------------------------------------------------------- making

function fromString(string, encoding) {
    if (typeof encoding !== 'string' || encoding.length === 0) return encoded(string, 'utf8');
    return encoded(string, known(encoding));
}

function fromArrayBuffer(buffer, offset, length) {
    offset = offset === undefined ? 0 : +offset || 0;
    const most = buffer.byteLength - offset;
    if (most < 0) throw outside('offset');
    if (offset < 0) throw new RangeError(`Start offset ${offset} is outside the bounds of the buffer`);
    if (length === undefined) return made(new Uint8Array(buffer, offset, most));
    length = +length;
    if (length > most) throw outside('length');
    return made(new Uint8Array(buffer, offset, length > 0 ? length : 0));
}

function fromArrayLike(list) {
    if (list.length <= 0) return made(new Uint8Array(0));
    const bytes = new Uint8Array(list.length);
    if (ArrayBuffer.isView(list) && list.BYTES_PER_ELEMENT === 1) bytes.set(list);
    else for (let i = 0; i < bytes.length; i++) bytes[i] = list[i];
    return made(bytes);
}

const isArrayBuffer = value => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer ||
    (typeof value === 'object' && /^(?:Shared)?ArrayBuffer$/.test(native.inspect.classOf(value)));

function fromObject(value) {
    if (value.length !== undefined || (value.buffer !== undefined && isArrayBuffer(value.buffer))) {
        if (typeof value.length !== 'number') return made(new Uint8Array(0));
        return fromArrayLike(value);
    }
    return value.type === 'Buffer' && Array.isArray(value.data) ? fromArrayLike(value.data) : undefined;
}

Buffer.poolSize = 8 * 1024;
Buffer.from = function from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return fromString(value, encodingOrOffset);
    if (typeof value === 'object' && value !== null) {
        if (isArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
        const inner = value.valueOf && value.valueOf();
        if (inner != null && inner !== value && (typeof inner === 'string' || typeof inner === 'object'))
            return from(inner, encodingOrOffset, length);
        const bytes = fromObject(value);
        if (bytes) return bytes;
        if (typeof value[Symbol.toPrimitive] === 'function') {
            const primitive = value[Symbol.toPrimitive]('string');
            if (typeof primitive === 'string') return fromString(primitive, encodingOrOffset);
        }
    }
    throw argType('first argument', ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
};
Buffer.of = function of(...items) {
    return made(new Uint8Array(items));
};
Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
    if (!ArrayBuffer.isView(view) || view instanceof DataView) throw argType('view', ['TypedArray'], view);
    if (view.length === 0) return made(new Uint8Array(0));
    if (offset !== undefined) validate.integer(offset, 'offset', 0);
    if (length !== undefined) validate.integer(length, 'length', 0);
    const from = offset ?? 0, part = view.subarray(from, length === undefined ? view.length : from + length);
    return fromArrayLike(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};

Buffer.alloc = function alloc(size, fill, encoding) {
    validate.number(size, 'size', 0, kMaxLength);
    const bytes = made(new Uint8Array(size));
    return fill !== undefined && fill !== 0 && size > 0 ? fillWith(bytes, fill, 0, bytes.length, encoding) : bytes;
};
Buffer.allocUnsafe = function allocUnsafe(size) {
    validate.number(size, 'size', 0, kMaxLength);
    return made(new Uint8Array(size));
};
Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
    validate.number(size, 'size', 0, kMaxLength);
    return made(new Uint8Array(size));
};
Buffer.isBuffer = function isBuffer(value) {
    return value instanceof Buffer;
};
Buffer.isEncoding = function isEncoding(name) {
    return typeof name === 'string' && name.length !== 0 && encodingOf(name) !== undefined;
};
Buffer.byteLength = function byteLength(value, encoding) {
    if (typeof value !== 'string') {
        if (ArrayBuffer.isView(value) || isArrayBuffer(value)) return value.byteLength;
        throw argType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
    }
    const name = encoding ? encodingOf(encoding) ?? 'utf8' : 'utf8';
    return name === 'utf8' ? text.utf8Length(value) : name === 'utf16le' ? value.length * 2
        : name === 'hex' ? value.length >>> 1 : name === 'latin1' || name === 'ascii' ? value.length
            : value.replace(/={1,2}$/, '').length * 3 >>> 2; // base64, also of a text that is none
};
Buffer.compare = function compare(buf1, buf2) {
    if (!isBytes(buf1)) throw argType('buf1', ['Buffer', 'Uint8Array'], buf1);
    if (!isBytes(buf2)) throw argType('buf2', ['Buffer', 'Uint8Array'], buf2);
    return text.compare(buf1, buf2);
};
Buffer.concat = function concat(list, length) {
    validate.array(list, 'list');
    if (list.length === 0) return made(new Uint8Array(0));
    if (length === undefined) length = list.reduce((sum, item) => (item.length ? sum + item.length : sum), 0);
    else validate.integer(length, 'length', 0, kMaxLength);
    const result = Buffer.allocUnsafe(length);
    let at = 0;
    for (let i = 0; i < list.length; i++) {
        if (!isBytes(list[i])) throw argType(`list[${i}]`, ['Buffer', 'Uint8Array'], list[i]);
        at += text.copy(result, at, list[i]);
    }
    return result;
};

// ---------------------------------------------------------------- text

for (const key of ['parent', 'offset'])
    Object.defineProperty(p, key, {
        enumerable: true,
        get() {
            if (!(this instanceof Buffer)) return undefined;
            return key === 'parent' ? this.buffer : this.byteOffset;
        },
    });

method('toString', function toString(encoding, start, end) {
    if (arguments.length === 0) return text.utf8Decode(this);
    const { length } = this;
    if (start <= 0) start = 0;
    else if (start >= length) return '';
    else start = Math.trunc(start) || 0;
    end = end === undefined || end > length ? length : Math.trunc(end) || 0;
    if (end <= start) return '';
    return decoders[encoding === undefined ? 'utf8' : known(encoding)](this, start, end);
});
method('toLocaleString', p.toString);

// What is cut off at the end must not leave half a character.
function put(bytes, string, offset, length, name) {
    let made = new Uint8Array(encoders[name](string));
    if (made.length > length) {
        let keep = length;
        if (name === 'utf8') while (keep > 0 && (made[keep] & 0xc0) === 0x80) keep--;
        if (name === 'utf16le') keep -= keep % 2;
        made = made.subarray(0, keep);
    }
    return text.copy(bytes, offset, made);
}
const needString = string => {
    if (typeof string !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
};

method('write', function write(string, offset, length, encoding) {
    if (offset === undefined) {
        needString(string);
        return put(this, string, 0, this.length, 'utf8');
    }
    if (length === undefined && typeof offset === 'string') {
        [encoding, length, offset] = [offset, this.length, 0];
    } else {
        validate.integer(offset, 'offset', 0, this.length);
        const room = this.length - offset;
        if (length === undefined) length = room;
        else if (typeof length === 'string') [encoding, length] = [length, room];
        else {
            validate.integer(length, 'length', 0, this.length);
            if (length > room) length = room;
        }
    }
    const name = encoding ? known(encoding) : 'utf8';
    needString(string);
    return put(this, string, offset, length, name);
});

// As the functions of C++ behind Node's have it: a wrong place is out of range by its index.
function slot(value, fallback) {
    if (value === undefined) return fallback;
    const number = Math.trunc(+value) || 0;
    if (number < 0) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
    return number;
}
for (const [name, real] of Object.entries({ ascii: 'ascii', base64: 'base64', base64url: 'base64url', latin1: 'latin1', hex: 'hex', ucs2: 'utf16le', utf8: 'utf8' })) {
    method(`${name}Slice`, function (start, end) {
        start = slot(start, 0);
        end = Math.min(slot(end, this.length), this.length);
        if (end < start) end = start;
        if (start > this.length) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
        return end === start ? '' : decoders[real](this, start, end);
    });
    method(`${name}Write`, function (string, offset, length) {
        needString(string);
        offset = slot(offset, 0);
        if (offset > this.length) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
        return put(this, string, offset, Math.min(slot(length, this.length - offset), this.length - offset), real);
    });
}

define(method);
for (const name of Object.getOwnPropertyNames(p))
    if (name.includes('UInt')) method(name.replace('UInt', 'Uint'), p[name]);

// ---------------------------------------------------------------- comparing and searching

method('equals', function equals(other) {
    if (!isBytes(other)) throw argType('otherBuffer', ['Buffer', 'Uint8Array'], other);
    return this === other || (this.byteLength === other.byteLength && text.compare(this, other) === 0);
});
method('compare', function compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
    if (!isBytes(target)) throw argType('target', ['Buffer', 'Uint8Array'], target);
    if (arguments.length === 1) return text.compare(this, target);
    if (targetStart === undefined) targetStart = 0;
    else validate.integer(targetStart, 'targetStart', 0, kMaxLength);
    if (targetEnd === undefined) targetEnd = target.length;
    else validate.integer(targetEnd, 'targetEnd', 0, target.length);
    if (sourceStart === undefined) sourceStart = 0;
    else validate.integer(sourceStart, 'sourceStart', 0, kMaxLength);
    if (sourceEnd === undefined) sourceEnd = this.length;
    else validate.integer(sourceEnd, 'sourceEnd', 0, this.length);
    if (sourceStart >= sourceEnd) return targetStart >= targetEnd ? 0 : -1;
    if (targetStart >= targetEnd) return 1;
    return text.compare(this.subarray(sourceStart, sourceEnd), target.subarray(targetStart, targetEnd));
});

function search(bytes, value, offset, encoding, forward) {
    validate.buffer(bytes);
    if (typeof offset === 'string') [encoding, offset] = [offset, undefined];
    else if (offset > 0x7fffffff) offset = 0x7fffffff;
    else if (offset < -0x80000000) offset = -0x80000000;
    offset = +offset;
    if (Number.isNaN(offset)) offset = forward ? 0 : bytes.length || bytes.byteLength;
    offset = Math.trunc(offset);
    const { indexOf, indexOfByte } = require('internal/buffer/search');
    if (typeof value === 'number') return indexOfByte(bytes, value >>> 0, offset, forward);
    const name = encoding === undefined ? 'utf8' : encodingOf(encoding), unit = name === 'utf16le' ? 2 : 1;
    if (typeof value === 'string') {
        if (name === undefined) throw validate.unknownEncoding(encoding);
        return indexOf(bytes, new Uint8Array(encoders[name](value)), offset, forward, unit);
    }
    if (isBytes(value)) return indexOf(bytes, value, offset, forward, unit);
    throw argType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
}
method('indexOf', function indexOf(value, byteOffset, encoding) {
    return search(this, value, byteOffset, encoding, true);
});
method('lastIndexOf', function lastIndexOf(value, byteOffset, encoding) {
    return search(this, value, byteOffset, encoding, false);
});
method('includes', function includes(value, byteOffset, encoding) {
    return this.indexOf(value, byteOffset, encoding) !== -1;
});

// ---------------------------------------------------------------- copying and filling

// A whole number as Node reads those of copy(): what is none is the fallback.
const whole = (value, fallback) => {
    value = +value;
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : fallback;
};

method('copy', function copy(target, targetStart, sourceStart, sourceEnd) {
    if (!isBytes(this)) throw argType('source', ['Buffer', 'Uint8Array'], this);
    if (!isBytes(target)) throw argType('target', ['Buffer', 'Uint8Array'], target);
    targetStart = targetStart === undefined ? 0 : whole(targetStart, 0);
    if (targetStart < 0) throw outOfRange('targetStart', '>= 0', targetStart);
    sourceStart = sourceStart === undefined ? 0 : whole(sourceStart, 0);
    if (sourceStart < 0 || sourceStart > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
    sourceEnd = sourceEnd === undefined ? this.length : whole(sourceEnd, 0);
    if (sourceEnd < 0) throw outOfRange('sourceEnd', '>= 0', sourceEnd);
    if (targetStart >= target.length || sourceStart >= sourceEnd) return 0;
    const length = Math.min(sourceEnd - sourceStart, target.length - targetStart, this.length - sourceStart);
    target.set(Uint8Array.prototype.subarray.call(this, sourceStart, sourceStart + length), targetStart);
    return length;
});

const bounded = (offset, length) => {
    offset = Math.trunc(offset) || 0;
    return offset < 0 ? Math.max(0, offset + length) : Math.min(offset, length);
};
method('subarray', function subarray(start, end) {
    const { length } = this;
    start = bounded(start, length);
    end = end !== undefined ? bounded(end, length) : length;
    return made(new Uint8Array(this.buffer, this.byteOffset + start, end > start ? end - start : 0));
});
method('slice', function slice(start, end) {
    return this.subarray(start, end);
});

function fillWith(bytes, value, offset, end, encoding) {
    if (typeof value === 'string') {
        if (offset === undefined || typeof offset === 'string') [encoding, offset, end] = [offset, 0, bytes.length];
        else if (typeof end === 'string') [encoding, end] = [end, bytes.length];
        if (encoding != null) validate.string(encoding, 'encoding');
        const name = encoding ? known(encoding) : 'utf8';
        if (value.length === 0) value = 0;
        else {
            const unit = new Uint8Array(encoders[name](value));
            value = unit.length === 1 ? unit[0] : unit.length === 0 ? invalid(value) : unit;
        }
    }
    if (offset === undefined) [offset, end] = [0, bytes.length];
    else {
        validate.integer(offset, 'offset', 0, kMaxLength);
        if (end === undefined) end = bytes.length;
        else validate.integer(end, 'end', 0, bytes.length);
        if (offset >= end) return bytes;
    }
    if (ArrayBuffer.isView(value)) {
        const unit = value instanceof Uint8Array ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        if (unit.length === 0) invalid(value);
        repeat(bytes, unit, Math.trunc(offset), Math.trunc(end));
        return bytes;
    }
    if (end > bytes.byteLength) throw outside();
    return Uint8Array.prototype.fill.call(bytes, +value & 255, offset, end);
}

function invalid(value) {
    throw argValue('value', value);
}

function repeat(bytes, unit, offset, end) {
    let done = offset + text.copy(bytes, offset, unit.subarray(0, end - offset));
    for (let size = unit.length; done < end; size *= 2) {
        const part = Math.min(size, end - done);
        bytes.copyWithin(done, offset, offset + part);
        done += part;
    }
}

method('fill', function fill(value, offset, end, encoding) {
    return fillWith(this, value, offset, end, encoding);
});

function swap(bytes, size) {
    if (bytes.length % size !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${size * 8}-bits`);
    for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
    return bytes;
}
method('swap16', function swap16() {
    return swap(this, 2);
});
method('swap32', function swap32() {
    return swap(this, 4);
});
method('swap64', function swap64() {
    return swap(this, 8);
});

method('toJSON', function toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
});

// ---------------------------------------------------------------- printing

let shownBytes = 50; // INSPECT_MAX_BYTES
const customInspect = function inspect(depth, options) {
    const shown = Math.min(shownBytes, this.length);
    let content = text.hexDecode(this, 0, shown).replace(/(.{2})(?!$)/g, '$1 ');
    const rest = this.length - shown;
    if (rest > 0) content += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
    if (options) {
        const inspect_ = require('internal/inspect').inspect;
        for (const key of native.inspect.namedKeys(this, true))
            content += `${content ? ', ' : ''}${String(key)}: ${inspect_(this[key], { ...options, breakLength: Infinity })}`;
    }
    return `<${this.constructor.name} ${content}>`;
};
method(Symbol.for('nodejs.util.inspect.custom'), customInspect);
method('inspect', customInspect);

function SlowBuffer(size) {
    validate.number(size, 'size', 0, kMaxLength);
    return Buffer.allocUnsafeSlow(size);
}
SlowBuffer.prototype = Buffer.prototype;

// ---------------------------------------------------------------- the module

const asBytes = value => {
    if (!ArrayBuffer.isView(value) && !isArrayBuffer(value)) throw argType('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], value);
    if ((value.buffer ?? value).detached) throw coded(Error, 'ERR_INVALID_STATE', 'Invalid state: Cannot validate on a detached buffer');
    return new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
};

function transcode(source, from, to) {
    if (!isBytes(source)) throw argType('source', ['Buffer', 'Uint8Array'], source);
    if (source.length === 0) return Buffer.alloc(0);
    const names = [from, to].map(name => (name == null || name === '' ? 'utf8' : typeof name === 'string' && encodingOf(name)));
    if (names.some(name => !['utf8', 'utf16le', 'latin1', 'ascii'].includes(name))) {
        const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
        throw Object.assign(error, { code: 'U_ILLEGAL_ARGUMENT_ERROR', errno: 1 });
    }
    let string = decoders[names[0]](source, 0, source.length);
    if (names[1] === 'latin1') string = string.replace(/[\ud800-\udbff][\udc00-\udfff]|[^\0-\xff]/g, '?');
    if (names[1] === 'ascii') string = string.replace(/[\ud800-\udbff][\udc00-\udfff]|[^\0-\x7f]/g, '?');
    return encoded(string, names[1]);
}

module.exports = {
    Buffer, SlowBuffer, transcode,
    kMaxLength, kStringMaxLength,
    isUtf8: value => text.utf8Valid(asBytes(value)) === value.byteLength,
    isAscii: value => asBytes(value).every(byte => byte < 128),
    constants: Object.defineProperties({}, {
        MAX_LENGTH: { value: kMaxLength, enumerable: true }, MAX_STRING_LENGTH: { value: kStringMaxLength, enumerable: true },
    }),
    get INSPECT_MAX_BYTES() {
        return shownBytes;
    },
    set INSPECT_MAX_BYTES(value) {
        validate.number(value, 'INSPECT_MAX_BYTES', 0);
        shownBytes = value;
    },
    resolveObjectURL: id => require('internal/blob').resolveObjectURL(id),
    get atob() {
        return require('internal/domexception').atob;
    },
    get btoa() {
        return require('internal/domexception').btoa;
    },
    get Blob() {
        return require('internal/blob').Blob;
    },
    get File() {
        return require('internal/blob').File;
    },
};
