// types: what util.types answers, from the engine's own classes.
'use strict';

const { classOf, proxy } = native.inspect;

const is = (...names) => value => names.includes(classOf(value));
const isTypedArray = value => ArrayBuffer.isView(value) && classOf(value) !== 'DataView';

const types = {
    isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'),
    isArgumentsObject: is('Arguments'),
    isArrayBuffer: is('ArrayBuffer'),
    isArrayBufferView: value => ArrayBuffer.isView(value),
    isAsyncFunction: is('AsyncFunction', 'AsyncGeneratorFunction'),
    isBigIntObject: is('BigInt'),
    isBooleanObject: is('Boolean'),
    isBoxedPrimitive: is('Number', 'String', 'Boolean', 'BigInt', 'Symbol'),
    isCryptoKey: value => value instanceof CryptoKey,
    isDataView: is('DataView'),
    isDate: is('Date'),
    isEventTarget: value => value instanceof EventTarget,
    isExternal: () => false,
    isGeneratorFunction: is('GeneratorFunction', 'AsyncGeneratorFunction'),
    isGeneratorObject: is('Generator', 'AsyncGenerator'),
    isKeyObject: value => value instanceof require('crypto').KeyObject,
    isMap: is('Map'),
    isMapIterator: is('Map Iterator'),
    isModuleNamespaceObject: is('Module'),
    isNativeError: is('Error'),
    isNumberObject: is('Number'),
    isPromise: is('Promise'),
    isProxy: value => proxy(value) !== undefined,
    isRegExp: is('RegExp'),
    isSet: is('Set'),
    isSetIterator: is('Set Iterator'),
    isSharedArrayBuffer: is('SharedArrayBuffer'),
    isStringObject: is('String'),
    isSymbolObject: is('Symbol'),
    isTypedArray,
    isWeakMap: is('WeakMap'),
    isWeakSet: is('WeakSet'),
};
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'])
    types[`is${name}`] = is(name);
// Each has its name, as any function has that is a method.
for (const [name, test] of Object.entries(types)) Object.defineProperty(test, 'name', { value: name, configurable: true });

module.exports = types;
