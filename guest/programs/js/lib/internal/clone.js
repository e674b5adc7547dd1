// clone: structuredClone.
'use strict';

const { classOf } = native.inspect;
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const MAX_DEPTH = 2000;

function refuse(value) {
    const what = typeof value === 'function' ? `${value}` : typeof value === 'symbol' ? value.toString() : `#<${value.constructor?.name ?? 'Object'}>`;
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
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
    if (kind !== 'Object' && kind !== 'Arguments') refuse(value);
    const made = keep({});
    for (const key of Object.keys(value))
        Object.defineProperty(made, key, { value: inner(value[key]), writable: true, enumerable: true, configurable: true });
    return made;
}

function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("The \"value\" argument must be specified");
    const moved = new Set(options?.transfer ?? []);
    for (const item of moved)
        if (!(item instanceof ArrayBuffer)) throw new DOMException('Value not transferable', 'DataCloneError');
    return clone(value, new Map(), moved, 0);
}

module.exports = { structuredClone };
