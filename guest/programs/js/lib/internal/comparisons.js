// comparisons: deep equality, for assert and util.isDeepStrictEqual.
'use strict';

const { classOf, namedKeys } = native.inspect;

const NONE = 0, LOOSE = 1; // modes
const MAX_DEPTH = 5000;
const enumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);
const symbolsOf = object => Object.getOwnPropertySymbols(object).filter(key => enumerable(object, key));

function primitiveEqual(a, b, mode) {
    // eslint-disable-next-line eqeqeq
    return mode === LOOSE ? a == b || (a !== a && b !== b) : Object.is(a, b);
}

const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');

function equal(a, b, mode, seen) {
    if (a === b) return a !== 0 || mode === LOOSE || Object.is(a, b);
    if (!isObject(a) || !isObject(b)) {
        if (mode === LOOSE && (isObject(a) || isObject(b))) return false;
        return primitiveEqual(a, b, mode);
    }
    if (typeof a === 'function' || typeof b === 'function') return false;
    const kind = classOf(a);
    if (mode === NONE && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (kind !== classOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    if (!sameKind(a, b, kind, mode, seen)) return false;
    return sameContents(a, b, kind, mode, seen);
}

// What the class itself holds, beside properties and entries.
function sameKind(a, b, kind, mode, seen) {
    switch (kind) {
    case 'Date':
        return Object.is(a.getTime(), b.getTime());
    case 'RegExp':
        return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    case 'Error':
        if (a.message !== b.message || a.name !== b.name) return false;
        if ('cause' in a !== 'cause' in b || ('cause' in a && !equal(a.cause, b.cause, mode, seen))) return false;
        return true;
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol':
        return Object.is(a.valueOf(), b.valueOf());
    case 'ArrayBuffer': case 'SharedArrayBuffer':
        return native.text.compare(new Uint8Array(a), new Uint8Array(b)) === 0;
    case 'Promise': case 'WeakMap': case 'WeakSet': case 'WeakRef':
        return false;
    }
    if (ArrayBuffer.isView(a)) {
        if (a.byteLength !== b.byteLength) return false;
        if (kind.startsWith('Float') || mode === LOOSE) {
            if (a.length !== undefined) return Array.prototype.every.call(a, (value, i) => (mode === LOOSE ? value === b[i] || (value !== value && b[i] !== b[i]) : Object.is(value, b[i])));
        }
        const bytes = view => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        return native.text.compare(bytes(a), bytes(b)) === 0;
    }
    return true;
}

function sameContents(a, b, kind, mode, seen) {
    const view = ArrayBuffer.isView(a);
    const keys = view ? namedKeys(a, true).filter(key => typeof key === 'string') : Object.keys(a);
    const others = view ? namedKeys(b, true).filter(key => typeof key === 'string') : Object.keys(b);
    if (keys.length !== others.length) return false;
    if (Array.isArray(a) && a.length !== b.length) return false;
    for (const key of keys) if (!Object.hasOwn(b, key)) return false;
    const symbols = mode === NONE ? symbolsOf(a) : [];
    if (mode === NONE) {
        if (symbols.length !== symbolsOf(b).length) return false;
        for (const key of symbols) if (!enumerable(b, key)) return false;
    }
    if ((kind === 'Set' || kind === 'Map') && a.size !== b.size) return false;
    if (seen.depth > MAX_DEPTH) throw new RangeError('comparison nested too deeply');
    const known = seen.get(a);
    if (known?.has(b)) return true;
    if (known) known.add(b);
    else seen.set(a, new Set([b]));
    seen.depth++;
    let same = true;
    if (kind === 'Set') same = sameSets(a, b, mode, seen);
    else if (kind === 'Map') same = sameMaps(a, b, mode, seen);
    if (same && kind !== 'String')
        same = keys.every(key => equal(a[key], b[key], mode, seen)) && symbols.every(key => equal(a[key], b[key], mode, seen));
    seen.depth--;
    seen.get(a).delete(b);
    return same;
}

function sameSets(a, b, mode, seen) {
    const left = [];
    for (const item of a) if (!b.has(item)) left.push(item);
    if (left.length === 0) return true;
    const right = [...b].filter(item => !a.has(item));
    return left.every(item => {
        if (mode === NONE && !isObject(item)) return false;
        const at = right.findIndex(other => equal(item, other, mode, seen));
        if (at !== -1) right.splice(at, 1);
        return at !== -1;
    });
}

function sameMaps(a, b, mode, seen) {
    const left = [];
    for (const [key, value] of a) {
        if (b.has(key)) {
            if (!equal(value, b.get(key), mode, seen)) return false;
        } else {
            left.push([key, value]);
        }
    }
    if (left.length === 0) return true;
    const right = [...b].filter(([key]) => !a.has(key));
    return left.every(([key, value]) => {
        if (mode === NONE && !isObject(key)) return false;
        const at = right.findIndex(([k, v]) => equal(key, k, mode, seen) && equal(value, v, mode, seen));
        if (at !== -1) right.splice(at, 1);
        return at !== -1;
    });
}

const start = () => Object.assign(new Map(), { depth: 0 });

module.exports = {
    isDeepEqual: (a, b) => equal(a, b, LOOSE, start()),
    isDeepStrictEqual: (a, b) => equal(a, b, NONE, start()),
};
