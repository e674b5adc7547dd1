// clone: structuredClone.
'use strict';

const { coded } = require('internal/errors');
const { classOf } = native.inspect;
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const MAX_DEPTH = 2000;

function refuse(value) {
    const what = typeof value === 'function' ? `${value}` : typeof value === 'symbol' ? value.toString() : `#<${value.constructor?.name ?? 'Object'}>`;
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
}

const isPort = value => value?.[Symbol.toStringTag] === 'MessagePort' && value instanceof MessagePort;

// What is no plain object, but of a class that the platform knows how to copy.
function cloneOfPlatform(value) {
    switch (value[Symbol.toStringTag]) {
    case 'Blob': case 'File': return value instanceof Blob ? value : undefined;
    case 'CryptoKey': return value instanceof CryptoKey ? value : undefined;
    case 'MessagePort':
        if (isPort(value)) throw new DOMException('Object that needs transfer was found in message but not listed in transferList', 'DataCloneError');
        return undefined;
    default: return undefined;
    }
}

function clone(value, seen, moved, depth) {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
    if (value === null || typeof value !== 'object') return value;
    if (seen.has(value)) return seen.get(value);
    if (depth > MAX_DEPTH) throw new RangeError('structuredClone: nested too deeply');
    const keep = made => (seen.set(value, made), made);
    const inner = part => clone(part, seen, moved, depth + 1);
    const kind = classOf(value);
    if (ArrayBuffer.isView(value)) {
        const buffer = inner(value.buffer);
        const Class = globalThis[kind];
        return keep(new Class(buffer, value.byteOffset, kind === 'DataView' ? value.byteLength : value.length));
    }
    switch (kind) {
    case 'Boolean': case 'Number': case 'String': case 'BigInt':
        return keep(Object(value.valueOf()));
    case 'Date':
        return keep(new Date(value.getTime()));
    case 'RegExp':
        return keep(new RegExp(value.source, value.flags));
    case 'ArrayBuffer':
        if (value.detached) throw new DOMException('An ArrayBuffer is detached and could not be cloned.', 'DataCloneError');
        return keep(moved.has(value) ? value.transfer() : value.slice(0));
    case 'SharedArrayBuffer':
        return value;
    case 'Map': {
        const made = keep(new Map());
        for (const [key, item] of [...value]) made.set(inner(key), inner(item));
        return made;
    }
    case 'Set': {
        const made = keep(new Set());
        for (const item of [...value]) made.add(inner(item));
        return made;
    }
    case 'Error': {
        const Class = errors[value.name] ?? Error;
        const made = keep(Object.create(Class.prototype));
        const copy = new Class(String(value.message));
        seen.set(value, copy);
        Object.defineProperty(copy, 'stack', { value: value.stack, writable: true, configurable: true });
        if ('cause' in value) Object.defineProperty(copy, 'cause', { value: inner(value.cause), writable: true, configurable: true });
        return made && copy;
    }
    case 'Array': {
        const made = keep(new Array(value.length));
        for (const key of Object.keys(value)) made[key] = inner(value[key]);
        return made;
    }
    }
    if (moved.has(value)) return keep(moved.get(value));
    if (kind !== 'Object' && kind !== 'Arguments') refuse(value);
    const platform = cloneOfPlatform(value);
    if (platform !== undefined) return keep(platform);
    const made = keep({});
    for (const key of Object.keys(value))
        Object.defineProperty(made, key, { value: inner(value[key]), writable: true, enumerable: true, configurable: true });
    return made;
}

function structuredClone(value, options) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
    if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function')
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The options argument must be either an object or undefined');
    if (options?.transfer !== undefined && typeof options.transfer?.[Symbol.iterator] !== 'function')
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
    return cloneMessage(value, options?.transfer ?? []).data;
}

const untransferable = new WeakSet(); // of these a copy is made

// {data, ports}: the copy of a value, and the ports that `list` moves. `source`: the port that it is sent through.
function cloneMessage(value, list, source) {
    const moved = new Map(); // what is moved → what it becomes
    for (const item of list) {
        if (!(item instanceof ArrayBuffer) && !isPort(item)) throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT', 'Found invalid object in transferList');
        if (moved.has(item)) throw new DOMException(`Transfer list contains duplicate ${item instanceof ArrayBuffer ? 'ArrayBuffer' : 'MessagePort'}`, 'DataCloneError');
        if (item === source) throw new DOMException('Transfer list contains source port', 'DataCloneError');
        if (isPort(item) && item._isClosed) throw new DOMException('MessagePort in transfer list is already detached', 'DataCloneError');
        if (!untransferable.has(item)) moved.set(item, isPort(item) ? require('internal/messaging').makePort() : undefined);
    }
    const data = clone(value, new Map(), moved, 0), ports = [];
    for (const [item, port] of moved) {
        if (port) {
            port[require('internal/messaging').kMove](item);
            ports.push(port);
        } else if (!item.detached) item.transfer();
    }
    return { data, ports };
}

Object.defineProperty(structuredClone, 'length', { value: 0, configurable: true });

module.exports = { structuredClone, cloneMessage, untransferable, isPort };
