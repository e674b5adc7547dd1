// async_hooks: AsyncLocalStorage and AsyncResource.
//
// The engine keeps one value, the context: a Map from storage to store, or undefined. It is captured
// where a callback is handed over (quickjs_open.c: promises; internal/timers: timers, ticks) and is in
// place again while that callback runs.
'use strict';

const { check, coded } = require('internal/errors');
const { context, setContext, keep } = native.engine;

const microtask = globalThis.queueMicrotask;
Object.defineProperty(globalThis, 'queueMicrotask', {
    value: function queueMicrotask(callback) {
        check.function(callback, 'callback');
        microtask(keep(callback));
    },
    writable: true, configurable: true, enumerable: true,
});

// Calls a function with another context in place.
function within(inner, call) {
    const outer = context();
    setContext(inner);
    try {
        return call();
    } finally {
        setContext(outer);
    }
}

class AsyncLocalStorage {
    static bind(callback) {
        check.function(callback, 'fn');
        const captured = context();
        return function (...args) {
            return within(captured, () => Reflect.apply(callback, this, args));
        };
    }
    static snapshot() {
        return AsyncLocalStorage.bind((callback, ...args) => callback(...args));
    }
    run(store, callback, ...args) {
        return within(new Map(context()).set(this, store), () => Reflect.apply(callback, null, args));
    }
    exit(callback, ...args) {
        return this.run(undefined, callback, ...args);
    }
    enterWith(store) {
        setContext(new Map(context()).set(this, store));
    }
    getStore() {
        return context()?.get(this);
    }
    disable() {
        const others = new Map(context());
        others.delete(this);
        setContext(others.size ? others : undefined);
    }
}

let lastId = 1;

class AsyncResource {
    #context = context();
    #id = ++lastId;
    #trigger;
    constructor(type, options = {}) {
        check.string(type, 'type');
        this.#trigger = typeof options === 'number' ? options : options?.triggerAsyncId ?? 1;
    }
    static bind(callback, type, thisArg) {
        return new AsyncResource(type ?? (callback.name || 'bound-anonymous-fn')).bind(callback, thisArg);
    }
    bind(callback, thisArg) {
        check.function(callback, 'fn');
        const resource = this;
        return function (...args) {
            return resource.runInAsyncScope(callback, thisArg === undefined ? this : thisArg, ...args);
        };
    }
    runInAsyncScope(callback, thisArg, ...args) {
        return within(this.#context, () => Reflect.apply(callback, thisArg, args));
    }
    emitDestroy() {
        return this;
    }
    asyncId() {
        return this.#id;
    }
    triggerAsyncId() {
        return this.#trigger;
    }
}

function createHook() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'async_hooks.createHook() is not there: single operations are not tracked; AsyncLocalStorage follows them');
}
const executionAsyncId = () => 1, triggerAsyncId = () => 0, executionAsyncResource = () => ({});

module.exports = { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId, executionAsyncResource };
