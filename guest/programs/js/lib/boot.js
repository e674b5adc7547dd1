// boot: builds the library of a JavaScript process. Runs once, in the booted template: it must not look
// at arguments, environment, files, time or randomness.
'use strict';

const hooks = exports;
const cache = new Map();

// The library's own require(): files of lib/ by name, each loaded when it is first asked for.
function libraryRequire(name) {
    const known = cache.get(name);
    if (known !== undefined) return known.exports;
    const load = native.engine.library(name);
    if (load === undefined) throw new Error(`the library has no file '${name}'`);
    const made = { exports: {} };
    cache.set(name, made);
    try {
        load(made.exports, libraryRequire, made, native);
    } catch (error) { // memory ran out: it is whole the next time or not there
        cache.delete(name);
        throw error;
    }
    return made.exports;
}

// Interfaces of the Web, whose members are enumerable, as the standards of the Web have them.
const interfaces = new Set(['BroadcastChannel', 'Crypto', 'CryptoKey', 'FormData', 'Headers', 'MessageEvent', 'MessagePort', 'Request', 'Response', 'SubtleCrypto',
    'TextDecoder', 'TextDecoderStream', 'TextEncoder', 'TextEncoderStream', 'URLSearchParams']);
function exposed({ prototype }) {
    for (const key of Object.getOwnPropertyNames(prototype)) {
        const property = Object.getOwnPropertyDescriptor(prototype, key);
        if (key !== 'constructor' && !key.startsWith('_') && property.configurable && !property.enumerable)
            Object.defineProperty(prototype, key, { enumerable: true });
    }
}

// A global that is made when it is first used.
function lazy(name, make, enumerable = false) {
    Object.defineProperty(globalThis, name, {
        configurable: true,
        enumerable,
        get() {
            const value = make();
            if (interfaces.has(name)) exposed(value);
            Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });
            return value;
        },
        set(value) {
            Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });
        },
    });
}
const define = (name, value, enumerable = false) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });

globalThis.global = globalThis;
Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true });

libraryRequire('internal/errors');
const timers = libraryRequire('internal/timers');
const process = libraryRequire('process');
define('process', process);
define('console', libraryRequire('internal/console'));
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'])
    define(name, timers[name], true);

{
    const enqueue = globalThis.queueMicrotask;
    define('queueMicrotask', function queueMicrotask(callback) {
        libraryRequire('internal/validators').function(callback, 'callback');
        enqueue(callback);
    }, true);
}
lazy('Buffer', () => libraryRequire('buffer').Buffer);
for (const name of ['Blob', 'File']) lazy(name, () => libraryRequire('internal/blob')[name]);
for (const name of ['URL', 'URLSearchParams']) lazy(name, () => libraryRequire('internal/url')[name]);
for (const name of ['TextEncoder', 'TextDecoder']) lazy(name, () => libraryRequire('internal/encoding')[name]);
for (const name of ['Event', 'EventTarget', 'CustomEvent', 'AbortController', 'AbortSignal'])
    lazy(name, () => libraryRequire('internal/events')[name]);
for (const name of ['MessageChannel', 'MessagePort', 'MessageEvent', 'BroadcastChannel']) lazy(name, () => libraryRequire('internal/messaging')[name]);
lazy('DOMException', () => libraryRequire('internal/domexception').DOMException);
for (const name of ['atob', 'btoa']) lazy(name, () => libraryRequire('internal/domexception')[name], true);
lazy('structuredClone', () => libraryRequire('internal/clone').structuredClone, true);
lazy('performance', () => libraryRequire('perf_hooks').performance, true);
for (const name of ['Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList', 'PerformanceResourceTiming'])
    lazy(name, () => libraryRequire('perf_hooks')[name]);
lazy('crypto', () => libraryRequire('internal/webcrypto').crypto, true);
lazy('Crypto', () => libraryRequire('internal/webcrypto').Crypto);
lazy('CryptoKey', () => libraryRequire('internal/crypto/keys').CryptoKey);
lazy('SubtleCrypto', () => libraryRequire('internal/crypto/subtle').SubtleCrypto);
lazy('fetch', () => libraryRequire('internal/fetch').fetch, true);
for (const name of ['FormData', 'Headers', 'Request', 'Response']) lazy(name, () => libraryRequire('internal/fetch')[name]);
for (const name of ['ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamDefaultController', 'ReadableByteStreamController', 'WritableStream', 'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream', 'CompressionStream', 'DecompressionStream'])
    lazy(name, () => libraryRequire('internal/webstreams')[name]);
lazy('fs', () => libraryRequire('fs'));
for (const name of ['shell', '$']) lazy(name, () => libraryRequire('internal/shell')[name]);
for (const name of ['tools', 'listTools', 'getToolInfo', 'CapabilityError', 'ToolError'])
    lazy(name, () => libraryRequire('internal/tools')[name]);
lazy('Intl', () => libraryRequire('internal/locale').Intl);
const locale = () => libraryRequire('internal/locale');
const replace = (object, methods) => {
    for (const [name, value] of Object.entries(methods)) Object.defineProperty(object, name, { value, writable: true, configurable: true });
};
replace(Number.prototype, {
    toLocaleString(locales, options) {
        return locale().number(Number.prototype.valueOf.call(this), locales, options);
    },
});
replace(BigInt.prototype, {
    toLocaleString(locales, options) {
        return locale().number(BigInt.prototype.valueOf.call(this), locales, options);
    },
});
replace(Date.prototype, {
    toLocaleString(locales, options) {
        return locale().date(this, locales, options, 'any', 'all');
    },
    toLocaleDateString(locales, options) {
        return locale().date(this, locales, options, 'date', 'date');
    },
    toLocaleTimeString(locales, options) {
        return locale().date(this, locales, options, 'time', 'time');
    },
});
replace(String.prototype, {
    localeCompare(other, locales, options) {
        return locale().compare(`${this}`, `${other}`, options);
    },
});

lazy('navigator', () => ({ hardwareConcurrency: 1, language: 'en-US', platform: 'linux', userAgent: `Node.js/20` }));

const modules = libraryRequire('internal/modules');
modules.setLibrary(libraryRequire);
const main = libraryRequire('internal/main');

// The engine makes each of its functions when it is first asked for. What nearly every program uses is
// there for all of them.
for (const [object, names] of [
    [native.engine, 'define'], [native.fs, 'open readAll close'], [native.text, 'utf8Decode'],
    [native.process, 'runText runValue write'], [native.program, 'function promiseState'],
    [native.tool, 'make parse stringify'],
    [Promise.prototype, 'then catch'], [Promise, 'resolve all'], [JSON, 'parse stringify'],
    [Object, 'keys entries'], [Map.prototype, 'get set has'],
    [Array.prototype, 'push map filter join slice find indexOf includes forEach'],
    [String.prototype, 'split slice indexOf includes startsWith endsWith trim'],
]) for (const name of names.split(' ')) void object[name];

hooks.main = main.start;
hooks.fatal = main.fatal;
hooks.rejected = main.rejected;
hooks.finish = main.finish;
hooks.exit = main.exit;
hooks.ticks = timers.ticks;
hooks.turn = timers.turn;
hooks.signal = number => process.deliver(number);
hooks.resolve = modules.resolveImport;
hooks.load = modules.loadImport;
hooks.global = name => libraryRequire('internal/tools').lookup(name);
