// async_hooks: AsyncLocalStorage and AsyncResource.
//
// The engine keeps one value, the context: a Map from storage to store, or undefined. It is captured
// where a callback is handed over (quickjs_open.c: promises; internal/timers: timers, ticks) and is in
// place again while that callback runs.
'use strict';

const { check } = require('internal/errors');
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

const track = () => require('internal/async_track');

class AsyncResource {
    #context = context();
    #ids;
    constructor(type, options = {}) {
        check.string(type, 'type');
        this.#ids = track().resource(this, type, options);
    }
    static bind(callback, type, thisArg) {
        check.function(callback, 'fn');
        return new AsyncResource(type ?? (callback.name || 'bound-anonymous-fn')).bind(callback, thisArg);
    }
    bind(callback, thisArg) {
        check.function(callback, 'fn');
        const resource = this;
        const bound = function (...args) {
            return resource.runInAsyncScope(callback, thisArg === undefined ? this : thisArg, ...args);
        };
        Object.defineProperty(bound, 'length', { value: callback.length, configurable: true });
        return bound;
    }
    runInAsyncScope(callback, thisArg, ...args) {
        return within(this.#context, () => track().run(this, callback, thisArg, args));
    }
    emitDestroy() {
        track().release(this);
        return this;
    }
    asyncId() {
        return this.#ids.id;
    }
    triggerAsyncId() {
        return this.#ids.trigger;
    }
}

// Kinds of resources that Node reports; here there are those of timers, ticks, promises and files.
const asyncWrapProviders = Object.freeze({
    NONE: 0, FSREQCALLBACK: 1, PROMISE: 2, Immediate: 3, TickObject: 4, Timeout: 5,
});

module.exports = {
    AsyncLocalStorage, AsyncResource, asyncWrapProviders,
    createHook: callbacks => track().createHook(callbacks),
    executionAsyncId: () => track().executionAsyncId(),
    triggerAsyncId: () => track().triggerAsyncId(),
    executionAsyncResource: () => track().executionAsyncResource(),
};
