// serdes: v8.serialize() and its kin: values as bytes, in V8's own format (version 15).
'use strict';

const { coded } = require('internal/errors');
const { classOf } = native.inspect;

const VERSION = 15;
const flagBits = { g: 1, i: 2, m: 4, y: 8, u: 16, s: 32, d: 128, v: 256 };
const errorTags = { EvalError: 'E', RangeError: 'R', ReferenceError: 'F', SyntaxError: 'S', TypeError: 'T', URIError: 'U' };
const views = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, DataView, null, BigInt64Array, BigUint64Array];
const viewTags = { b: Int8Array, B: Uint8Array, C: Uint8ClampedArray, w: Int16Array, W: Uint16Array, d: Int32Array, D: Uint32Array, f: Float32Array, F: Float64Array, q: BigInt64Array, Q: BigUint64Array, '?': DataView };
const isIndex = key => /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 4294967295;

class Serializer {
    #bytes = Buffer.alloc(64);
    #size = 0;
    #ids = new Map();
    #moved = new Map(); // ArrayBuffer → id
    #hostViews = false;
    #room(more) {
        if (this.#size + more <= this.#bytes.length) return;
        const bigger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#size + more));
        this.#bytes.copy(bigger);
        this.#bytes = bigger;
    }
    #byte(value) {
        this.#room(1);
        this.#bytes[this.#size++] = value;
    }
    #tag(letter) {
        this.#byte(letter.charCodeAt(0));
    }
    #varint(value) {
        for (value = BigInt(value); value > 127n; value >>= 7n) this.#byte(Number(value & 127n) | 128);
        this.#byte(Number(value));
    }
    writeHeader() {
        this.#byte(255);
        this.#byte(VERSION);
    }
    writeUint32(value) {
        this.#varint(value >>> 0);
    }
    writeUint64(high, low) {
        this.#varint(BigInt(high >>> 0) << 32n | BigInt(low >>> 0));
    }
    writeDouble(value) {
        this.#room(8);
        this.#bytes.writeDoubleLE(value, this.#size);
        this.#size += 8;
    }
    writeRawBytes(source) {
        if (!ArrayBuffer.isView(source) && !(source instanceof ArrayBuffer)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'source must be a TypedArray or a DataView');
        const bytes = new Uint8Array(source.buffer ?? source, source.byteOffset ?? 0, source.byteLength);
        this.#room(bytes.length);
        this.#bytes.set(bytes, this.#size);
        this.#size += bytes.length;
    }
    releaseBuffer() {
        const made = Buffer.from(this.#bytes.subarray(0, this.#size));
        this.#size = 0;
        this.#ids.clear();
        return made;
    }
    transferArrayBuffer(id, buffer) {
        this.#moved.set(buffer, id);
    }
    _setTreatArrayBufferViewsAsHostObjects(value) {
        this.#hostViews = Boolean(value);
    }
    writeValue(value) {
        this.#write(value);
        return true;
    }
    #refuse(what) {
        throw new (this._getDataCloneError ?? Error)(`${what} could not be cloned.`);
    }
    #text(text) {
        if (!/[^\x00-\xff]/.test(text)) {
            this.#tag('"');
            this.#varint(text.length);
            return this.writeRawBytes(Buffer.from(text, 'latin1'));
        }
        const bytes = Buffer.from(text, 'utf16le');
        let length = 1;
        for (let left = bytes.length; left > 127; left >>= 7) length++;
        if ((this.#size + 1 + length) & 1) this.#byte(0);
        this.#tag('c');
        this.#varint(bytes.length);
        return this.writeRawBytes(bytes);
    }
    #bigint(value) {
        let rest = value < 0n ? -value : value;
        const digits = [];
        for (; rest > 0n; rest >>= 64n) digits.push(rest & 0xffffffffffffffffn);
        this.#varint(digits.length * 16 + (value < 0n ? 1 : 0));
        for (const digit of digits) {
            const bytes = Buffer.alloc(8);
            bytes.writeBigUInt64LE(digit);
            this.writeRawBytes(bytes);
        }
    }
    #number(value) {
        if (value === (value | 0) && !Object.is(value, -0)) {
            this.#tag('I');
            return this.#varint(((value << 1) ^ (value >> 31)) >>> 0);
        }
        this.#tag('N');
        return this.writeDouble(value);
    }
    #write(value) {
        switch (typeof value) {
        case 'undefined': return this.#tag('_');
        case 'boolean': return this.#tag(value ? 'T' : 'F');
        case 'number': return this.#number(value);
        case 'string': return this.#text(value);
        case 'bigint':
            this.#tag('Z');
            return this.#bigint(value);
        case 'symbol': return this.#refuse(value.toString());
        case 'function': return this.#refuse(`${value}`);
        default: return value === null ? this.#tag('0') : this.#object(value);
        }
    }
    #object(value) {
        if (ArrayBuffer.isView(value) && !this.#ids.has(value) && !this.#hostViews && !this.#ids.has(value.buffer)) this.#write(value.buffer);
        if (this.#ids.has(value)) {
            this.#tag('^');
            return this.#varint(this.#ids.get(value));
        }
        this.#ids.set(value, this.#ids.size);
        const kind = classOf(value);
        if (ArrayBuffer.isView(value)) return this.#view(value, kind);
        if (this._isHostObject?.(value)) {
            this.#tag('\\');
            return this._writeHostObject(value);
        }
        switch (kind) {
        case 'Boolean': return this.#tag(value.valueOf() ? 'y' : 'x');
        case 'Number':
            this.#tag('n');
            return this.writeDouble(value.valueOf());
        case 'BigInt':
            this.#tag('z');
            return this.#bigint(value.valueOf());
        case 'String':
            this.#tag('s');
            return this.#text(`${value}`);
        case 'Date':
            this.#tag('D');
            return this.writeDouble(value.getTime());
        case 'RegExp':
            this.#tag('R');
            this.#text(value.source);
            return this.#varint([...value.flags].reduce((bits, flag) => bits | flagBits[flag], 0));
        case 'ArrayBuffer': return this.#buffer(value);
        case 'Map': return this.#list(';', ':', [...value].flat());
        case 'Set': return this.#list("'", ',', [...value]);
        case 'Error': return this.#error(value);
        case 'Array': return this.#array(value);
        case 'Object': case 'Arguments':
            this.#tag('o');
            this.#properties(value, Object.keys(value), '{');
            return undefined;
        default:
            if (typeof this._writeHostObject === 'function' && kind === 'External') return this._writeHostObject(value);
            return this.#refuse(`#<${value.constructor?.name ?? 'Object'}>`);
        }
    }
    #properties(object, keys, end) {
        let count = 0;
        for (const key of keys) {
            if (!Object.hasOwn(object, key)) continue; // a getter took it away
            const value = object[key];
            if (isIndex(key)) this.#number(Number(key));
            else this.#text(key);
            this.#write(value);
            count++;
        }
        this.#tag(end);
        this.#varint(count);
    }
    #array(array) {
        const { length } = array, keys = Object.keys(array), elements = keys.filter(isIndex).length;
        if (elements === length) {
            this.#tag('A');
            this.#varint(length);
            for (let i = 0; i < length; i++) {
                if (i in array) this.#write(array[i]);
                else this.#tag('-');
            }
            this.#properties(array, keys.slice(elements), '$');
        } else {
            this.#tag('a');
            this.#varint(length);
            this.#properties(array, keys, '@');
        }
        this.#varint(length);
    }
    #list(tag, end, items) {
        this.#tag(tag);
        for (const item of items) this.#write(item);
        this.#tag(end);
        this.#varint(items.length);
    }
    #error(error) {
        this.#tag('r');
        const tag = errorTags[error.name];
        if (tag) this.#tag(tag);
        const message = Object.getOwnPropertyDescriptor(error, 'message');
        if (message && 'value' in message) {
            this.#tag('m');
            this.#text(`${message.value}`);
        }
        if (Object.hasOwn(error, 'cause')) {
            this.#tag('c');
            this.#write(error.cause);
        }
        if (typeof error.stack === 'string') {
            this.#tag('s');
            this.#text(error.stack);
        }
        this.#tag('.');
    }
    #buffer(buffer) {
        if (this.#moved.has(buffer)) {
            this.#tag('t');
            return this.#varint(this.#moved.get(buffer));
        }
        this.#tag('B');
        this.#varint(buffer.byteLength);
        return this.writeRawBytes(buffer);
    }
    #view(view, kind) {
        if (this.#hostViews) {
            this.#tag('\\');
            return this._writeHostObject(view);
        }
        this.#tag('V');
        this.#tag(Object.keys(viewTags).find(tag => viewTags[tag].name === kind));
        this.#varint(view.byteOffset);
        this.#varint(view.byteLength);
        return this.#varint(0);
    }
}

class DefaultSerializer extends Serializer {
    constructor() {
        super();
        this._setTreatArrayBufferViewsAsHostObjects(true);
    }
    _writeHostObject(view) {
        const index = Buffer.isBuffer(view) ? 10 : views.findIndex(Class => Class?.name === classOf(view));
        if (index === -1) throw new this._getDataCloneError(`Unserializable host object: ${require('internal/inspect').inspect(view)}`);
        this.writeUint32(index);
        this.writeUint32(view.byteLength);
        this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    }
}

const corrupt = () => new Error('Unable to deserialize cloned data.');

class Deserializer {
    #at = 0;
    #version = 0;
    #objects = [];
    #moved = new Map();
    constructor(buffer) {
        if (!ArrayBuffer.isView(buffer)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'buffer must be a TypedArray or a DataView');
        this.buffer = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    }
    readHeader() {
        const wrong = () => new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
        if (this.buffer[this.#at] !== 255) throw wrong();
        this.#at++;
        this.#version = Number(this.#varint());
        if (this.#version > VERSION || this.#version < 1) throw wrong();
        return true;
    }
    getWireFormatVersion() {
        return this.#version;
    }
    #byte() {
        if (this.#at >= this.buffer.length) throw corrupt();
        return this.buffer[this.#at++];
    }
    #varint() {
        let value = 0n;
        for (let shift = 0n; ; shift += 7n) {
            const byte = this.#byte();
            value |= BigInt(byte & 127) << shift;
            if (!(byte & 128)) return value;
            if (shift > 63n) throw corrupt();
        }
    }
    #size() {
        return Number(this.#varint());
    }
    #take(size) {
        if (size > this.buffer.length - this.#at) throw corrupt();
        this.#at += size;
        return this.buffer.subarray(this.#at - size, this.#at);
    }
    readUint32() {
        return Number(this.#varint() & 0xffffffffn);
    }
    readUint64() {
        const value = this.#varint();
        return [Number(value >> 32n & 0xffffffffn), Number(value & 0xffffffffn)];
    }
    readDouble() {
        return this.#take(8).readDoubleLE(0);
    }
    readRawBytes(length) {
        if (length > this.buffer.length - this.#at) throw coded(Error, 'ERR_OUT_OF_RANGE', 'ReadRawBytes() failed');
        return Buffer.from(this.#take(length));
    }
    transferArrayBuffer(id, buffer) {
        this.#moved.set(id, buffer);
    }
    readValue() {
        return this.#read();
    }
    #tag() {
        let byte;
        do byte = this.#byte(); while (byte === 0);
        return String.fromCharCode(byte);
    }
    #peek() {
        while (this.buffer[this.#at] === 0) this.#at++;
        return String.fromCharCode(this.buffer[this.#at]);
    }
    #keep(object) {
        this.#objects.push(object);
        return object;
    }
    #bigint() {
        const bits = this.#size(), bytes = this.#take(bits >> 1);
        let value = 0n;
        for (let i = bytes.length - 1; i >= 0; i--) value = value << 8n | BigInt(bytes[i]);
        return bits & 1 ? -value : value;
    }
    #read() {
        const value = this.#plain(this.#tag());
        // A view stands behind its buffer.
        if (value instanceof ArrayBuffer && this.#peek() === 'V') {
            this.#tag();
            return this.#view(value);
        }
        return value;
    }
    #plain(tag) {
        switch (tag) {
        case '_': return undefined;
        case '0': return null;
        case 'T': return true;
        case 'F': return false;
        case 'I': {
            const value = this.readUint32();
            return (value >>> 1) ^ -(value & 1);
        }
        case 'U': return this.readUint32();
        case 'N': return this.readDouble();
        case 'Z': return this.#bigint();
        case '"': return this.#take(this.#size()).toString('latin1');
        case 'c': return this.#take(this.#size()).toString('utf16le');
        case 'S': return this.#take(this.#size()).toString('utf8');
        case '^': {
            const id = this.#size();
            if (id >= this.#objects.length) throw corrupt();
            return this.#objects[id];
        }
        case '\\': {
            const at = this.#objects.push(undefined) - 1;
            return this.#objects[at] = this._readHostObject();
        }
        default: return this.#made(tag);
        }
    }
    #made(tag) {
        switch (tag) {
        case 'y': return this.#keep(Object(true));
        case 'x': return this.#keep(Object(false));
        case 'n': return this.#keep(Object(this.readDouble()));
        case 'z': return this.#keep(Object(this.#bigint()));
        case 's': {
            const at = this.#objects.push(undefined) - 1;
            return this.#objects[at] = Object(this.#read());
        }
        case 'D': return this.#keep(new Date(this.readDouble()));
        case 'R': {
            const at = this.#objects.push(undefined) - 1, source = this.#read(), bits = this.#size();
            return this.#objects[at] = new RegExp(source, Object.keys(flagBits).filter(flag => bits & flagBits[flag]).join(''));
        }
        case 'B': return this.#keep(Uint8Array.from(this.#take(this.#size())).buffer);
        case 't': return this.#keep(this.#moved.get(this.#size()));
        case 'o': return this.#properties(this.#keep({}), '{');
        case 'A': {
            const length = this.#size(), array = this.#keep([]);
            for (let i = 0; i < length; i++) {
                if (this.#peek() === '-') this.#tag();
                else array[i] = this.#read();
            }
            array.length = length;
            this.#properties(array, '$');
            this.#size();
            return array;
        }
        case 'a': {
            const array = this.#keep(new Array(this.#size()));
            this.#properties(array, '@');
            this.#size();
            return array;
        }
        case ';': {
            const map = this.#keep(new Map());
            while (this.#peek() !== ':') {
                const key = this.#read();
                map.set(key, this.#read());
            }
            this.#tag();
            this.#size();
            return map;
        }
        case "'": {
            const set = this.#keep(new Set());
            while (this.#peek() !== ',') set.add(this.#read());
            this.#tag();
            this.#size();
            return set;
        }
        case 'r': return this.#error();
        default: throw corrupt();
        }
    }
    #properties(object, end) {
        while (this.#peek() !== end) {
            const key = this.#read();
            if (typeof key !== 'string' && typeof key !== 'number') throw corrupt();
            Object.defineProperty(object, key, { value: this.#read(), writable: true, enumerable: true, configurable: true });
        }
        this.#tag();
        this.#size();
        return object;
    }
    #error() {
        const at = this.#objects.push(undefined) - 1;
        let Class = Error, message, cause, hasCause = false, stack;
        for (let tag; (tag = this.#tag()) !== '.';) {
            const name = Object.keys(errorTags).find(key => errorTags[key] === tag);
            if (name) Class = globalThis[name];
            else if (tag === 'm') message = this.#read();
            else if (tag === 's') stack = this.#read();
            else if (tag === 'c') [cause, hasCause] = [this.#read(), true];
            else throw corrupt();
        }
        const error = this.#objects[at] = message === undefined ? new Class() : new Class(message);
        if (hasCause) Object.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true });
        Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
        return error;
    }
    #view(buffer) {
        const Class = viewTags[this.#tag()], offset = this.#size(), length = this.#size();
        if (this.#version >= 14) this.#size();
        if (!Class || offset + length > buffer.byteLength) throw corrupt();
        return this.#keep(new Class(buffer, offset, length / (Class.BYTES_PER_ELEMENT ?? 1)));
    }
}

class DefaultDeserializer extends Deserializer {
    _readHostObject() {
        const index = this.readUint32(), bytes = this.readRawBytes(this.readUint32());
        if (index === 10) return bytes;
        const Class = views[index];
        if (!Class) throw corrupt();
        return new Class(Uint8Array.from(bytes).buffer, 0, bytes.length / (Class.BYTES_PER_ELEMENT ?? 1));
    }
}
Object.defineProperty(Serializer.prototype, '_getDataCloneError', { value: Error, writable: true, configurable: true });

module.exports = {
    Serializer, Deserializer, DefaultSerializer, DefaultDeserializer,
    serialize(value) {
        const serializer = new DefaultSerializer();
        serializer.writeHeader();
        serializer.writeValue(value);
        return serializer.releaseBuffer();
    },
    deserialize(buffer) {
        const deserializer = new DefaultDeserializer(buffer);
        deserializer.readHeader();
        return deserializer.readValue();
    },
};
