// events: the npm package `events`, and what Node has added since.
'use strict';

const Base = require('npm/events');
const { argType, coded, check, outOfRange, AbortError } = require('internal/errors');

// As the package's, which takes no options; prototype and statics are shared.
function EventEmitter(options) {
    EventEmitter.init.call(this, options);
}
EventEmitter.prototype = Base.prototype;
EventEmitter.prototype.constructor = EventEmitter;
Object.setPrototypeOf(EventEmitter, Base);
EventEmitter.EventEmitter = EventEmitter;

// Properties that Node's emitters have too, so that they print as there.
const shapeMode = Symbol('shapeMode'), kCapture = Symbol('kCapture');
const { init } = Base;
EventEmitter.init = function (options) {
    init.call(this);
    this[shapeMode] = false;
    this[kCapture] = Boolean(options?.captureRejections);
};
const setMax = EventEmitter.prototype.setMaxListeners;
EventEmitter.prototype.setMaxListeners = function setMaxListeners(n) {
    if (typeof n !== 'number') throw argType('n', 'number', n);
    if (n < 0 || Number.isNaN(n)) throw outOfRange('n', 'a non-negative number', n);
    return setMax.call(this, n);
};
EventEmitter.errorMonitor = Symbol('events.errorMonitor');
EventEmitter.captureRejectionSymbol = Symbol.for('nodejs.rejection');
EventEmitter.usingDomains = false;

const emit = EventEmitter.prototype.emit;
EventEmitter.prototype.emit = function (type, ...args) {
    if (type === 'error') {
        emit.call(this, EventEmitter.errorMonitor, ...args);
        if (this.listenerCount('error') === 0 && !(args[0] instanceof Error)) {
            const { inspect } = require('internal/inspect');
            const error = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${typeof args[0] === 'string' ? `'${args[0]}'` : inspect(args[0])})`);
            error.context = args[0];
            throw error;
        }
    }
    return this[kCapture] ? emitCapturing(this, type, args) : emit.call(this, type, ...args);
};

// With `captureRejections` a listener's rejected promise becomes an 'error' event.
function emitCapturing(emitter, type, args) {
    const listeners = emitter.rawListeners(type);
    if (listeners.length === 0) return emit.call(emitter, type, ...args);
    for (const listener of listeners) {
        const result = Reflect.apply(listener, emitter, args);
        if (typeof result?.then !== 'function') continue;
        result.then(undefined, error => process.nextTick(() => {
            if (typeof emitter[EventEmitter.captureRejectionSymbol] === 'function') emitter[EventEmitter.captureRejectionSymbol](error, type, ...args);
            else emitter.emit('error', error);
        }));
    }
    return true;
}


for (const name of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener', 'off', 'removeListener']) {
    const original = EventEmitter.prototype[name];
    EventEmitter.prototype[name] = {
        [name](type, listener) {
            check.function(listener, 'listener');
            return original.call(this, type, listener);
        },
    }[name];
}

EventEmitter.once = function once(emitter, name, options) {
    return new Promise((resolve, reject) => {
        const signal = options?.signal;
        if (signal?.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
        const web = typeof emitter.addEventListener === 'function' && typeof emitter.on !== 'function';
        const off = (type, fn) => (web ? emitter.removeEventListener(type, fn) : emitter.removeListener(type, fn));
        const clean = () => {
            off(name, done);
            if (!web && name !== 'error') off('error', failed);
            signal?.removeEventListener('abort', aborted);
        };
        const done = (...args) => (clean(), resolve(args));
        const failed = error => (clean(), reject(error));
        const aborted = () => failed(new AbortError(undefined, { cause: signal.reason }));
        if (web) emitter.addEventListener(name, done);
        else emitter.on(name, done);
        if (!web && name !== 'error') emitter.on('error', failed);
        signal?.addEventListener('abort', aborted);
    });
};

EventEmitter.on = function on(emitter, name, options) {
    const events = [], waiting = [];
    let error, finished = false;
    const give = (...args) => {
        const next = waiting.shift();
        if (next) next.resolve({ value: args, done: false });
        else events.push(args);
    };
    const fail = reason => {
        finished = true;
        const next = waiting.shift();
        if (next) next.reject(reason);
        else error = reason;
        iterator.return();
    };
    const iterator = {
        next() {
            if (events.length) return Promise.resolve({ value: events.shift(), done: false });
            if (error) {
                const reason = error;
                error = undefined;
                return Promise.reject(reason);
            }
            if (finished) return Promise.resolve({ value: undefined, done: true });
            return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
        },
        return() {
            finished = true;
            emitter.removeListener(name, give);
            emitter.removeListener('error', fail);
            for (const end of options?.close ?? []) emitter.removeListener(end, close);
            for (const next of waiting.splice(0)) next.resolve({ value: undefined, done: true });
            return Promise.resolve({ value: undefined, done: true });
        },
        throw(reason) {
            fail(reason);
            return Promise.resolve({ value: undefined, done: true });
        },
        [Symbol.asyncIterator]() {
            return this;
        },
    };
    const close = () => void iterator.return();
    if (options?.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
    options?.signal?.addEventListener('abort', () => fail(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
    emitter.on(name, give);
    if (name !== 'error') emitter.on('error', fail);
    for (const end of options?.close ?? []) emitter.on(end, close);
    return iterator;
};

EventEmitter.getEventListeners = (emitter, name) => emitter.listeners?.(name) ?? [];
EventEmitter.setMaxListeners = (count = 10, ...emitters) => {
    if (typeof count !== 'number') throw argType('n', 'number', count);
    if (emitters.length === 0) EventEmitter.defaultMaxListeners = count;
    for (const emitter of emitters) emitter.setMaxListeners?.(count);
};

module.exports = EventEmitter;
