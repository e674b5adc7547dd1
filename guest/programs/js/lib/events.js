// events: EventEmitter, and the helpers that wait for events.
'use strict';

const { argType, coded, AbortError } = require('internal/errors');
const validate = require('internal/validators');

const kShape = Symbol('shapeMode'), kCapture = Symbol('kCapture');
const kMonitor = Symbol('events.errorMonitor'), kRejection = Symbol.for('nodejs.rejection');
let defaultMax = 10;

function EventEmitter(options) {
    EventEmitter.init.call(this, options);
}
const p = EventEmitter.prototype;

EventEmitter.init = function (options) {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
        this[kShape] = false;
        this._events = { __proto__: null };
        this._eventsCount = 0;
    }
    this._maxListeners = this._maxListeners || undefined;
    if (options?.captureRejections) {
        validate.boolean(options.captureRejections, 'options.captureRejections');
        this[kCapture] = true;
    } else {
        this[kCapture] = p[kCapture];
    }
};

p._events = undefined;
p._eventsCount = 0;
p._maxListeners = undefined;
Object.defineProperty(p, kCapture, { value: false, writable: true, enumerable: false });

const limitOf = emitter => (emitter._maxListeners === undefined ? defaultMax : emitter._maxListeners);

p.setMaxListeners = function setMaxListeners(n) {
    validate.number(n, 'setMaxListeners', 0);
    this._maxListeners = n;
    return this;
};
p.getMaxListeners = function getMaxListeners() {
    return limitOf(this);
};

// ---------------------------------------------------------------- emitting

function unhandled(args) {
    const [error] = args;
    if (args.length > 0 && error instanceof Error) throw error;
    let text;
    try {
        text = require('internal/inspect').inspect(error);
    } catch {
        text = error;
    }
    const made = coded(Error, 'ERR_UNHANDLED_ERROR', text === undefined ? 'Unhandled error.' : `Unhandled error. (${text})`);
    made.context = error;
    throw made;
}

// With `captureRejections` a listener's rejected promise becomes an 'error' event.
function capture(emitter, promise, type, args) {
    if (!emitter[kCapture]) return;
    try {
        const { then } = promise;
        if (typeof then === 'function')
            then.call(promise, undefined, error => process.nextTick(rejected, emitter, error, type, args));
    } catch (error) {
        emitter.emit('error', error);
    }
}

function rejected(emitter, error, type, args) {
    if (typeof emitter[kRejection] === 'function') return void emitter[kRejection](error, type, ...args);
    const before = emitter[kCapture];
    try { // an 'error' listener that rejects must not come back here
        emitter[kCapture] = false;
        emitter.emit('error', error);
    } finally {
        emitter[kCapture] = before;
    }
}

p.emit = function emit(type, ...args) {
    const events = this._events;
    if (type === 'error') {
        if (events?.[kMonitor] !== undefined) this.emit(kMonitor, ...args);
        if (events?.error === undefined) unhandled(args);
    }
    const handler = events?.[type];
    if (handler === undefined) return false;
    if (typeof handler === 'function') {
        const result = handler.apply(this, args);
        if (result !== undefined && result !== null) capture(this, result, type, args);
        return true;
    }
    for (const listener of handler.slice()) {
        const result = listener.apply(this, args);
        if (result !== undefined && result !== null) capture(this, result, type, args);
    }
    return true;
};

// ---------------------------------------------------------------- listeners

function warn(emitter, type, list, limit) {
    list.warned = true;
    const { inspect } = require('internal/inspect');
    const warning = new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ${inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
    process.emitWarning(Object.assign(warning, { name: 'MaxListenersExceededWarning', emitter, type, count: list.length }));
}

function add(emitter, type, listener, first) {
    validate.function(listener, 'listener');
    let events = emitter._events;
    if (events === undefined) {
        events = emitter._events = { __proto__: null };
        emitter._eventsCount = 0;
    } else if (events.newListener !== undefined) {
        emitter.emit('newListener', type, listener.listener ?? listener);
        events = emitter._events; // a listener may have replaced it
    }
    const existing = events[type];
    if (existing === undefined) {
        events[type] = listener;
        emitter._eventsCount++;
        return emitter;
    }
    let list = existing;
    if (typeof existing === 'function') list = events[type] = first ? [listener, existing] : [existing, listener];
    else if (first) existing.unshift(listener);
    else existing.push(listener);
    const limit = limitOf(emitter);
    if (limit > 0 && list.length > limit && !list.warned) warn(emitter, type, list, limit);
    return emitter;
}

p.addListener = function addListener(type, listener) {
    return add(this, type, listener, false);
};
p.on = p.addListener;
p.prependListener = function prependListener(type, listener) {
    return add(this, type, listener, true);
};

function onceWrapper(...args) {
    if (this.fired) return undefined;
    this.target.removeListener(this.type, this.wrapFn);
    this.fired = true;
    return this.listener.apply(this.target, args);
}
function wrapOnce(target, type, listener) {
    const state = { fired: false, wrapFn: undefined, target, type, listener };
    const wrapped = onceWrapper.bind(state);
    wrapped.listener = listener;
    state.wrapFn = wrapped;
    return wrapped;
}
p.once = function once(type, listener) {
    validate.function(listener, 'listener');
    this.on(type, wrapOnce(this, type, listener));
    return this;
};
p.prependOnceListener = function prependOnceListener(type, listener) {
    validate.function(listener, 'listener');
    this.prependListener(type, wrapOnce(this, type, listener));
    return this;
};

// Takes the only listener of `type` away.
function removeType(emitter, events, type) {
    emitter._eventsCount -= 1;
    if (emitter[kShape]) events[type] = undefined;
    else if (emitter._eventsCount === 0) emitter._events = { __proto__: null };
    else delete events[type];
}

p.removeListener = function removeListener(type, listener) {
    validate.function(listener, 'listener');
    const events = this._events, list = events?.[type];
    if (list === undefined) return this;
    if (list === listener || list.listener === listener) {
        removeType(this, events, type);
        if (events.removeListener) this.emit('removeListener', type, list.listener || listener);
    } else if (typeof list !== 'function') {
        const at = list.findLastIndex(item => item === listener || item.listener === listener);
        if (at < 0) return this;
        list.splice(at, 1);
        if (list.length === 1) events[type] = list[0];
        if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
    }
    return this;
};
p.off = p.removeListener;

p.removeAllListeners = function removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (events.removeListener === undefined) { // nobody wants to know
        if (arguments.length === 0) {
            this._events = { __proto__: null };
            this._eventsCount = 0;
        } else if (events[type] !== undefined) {
            if (--this._eventsCount === 0) this._events = { __proto__: null };
            else delete events[type];
        }
        this[kShape] = false;
        return this;
    }
    if (arguments.length === 0) {
        for (const key of Reflect.ownKeys(events)) if (key !== 'removeListener') this.removeAllListeners(key);
        this.removeAllListeners('removeListener');
        this._events = { __proto__: null };
        this._eventsCount = 0;
        this[kShape] = false;
        return this;
    }
    const list = events[type];
    if (typeof list === 'function') this.removeListener(type, list);
    else if (list !== undefined) for (let i = list.length - 1; i >= 0; i--) this.removeListener(type, list[i]);
    return this;
};

const listOf = (emitter, type) => {
    const found = emitter._events?.[type];
    return found === undefined ? [] : typeof found === 'function' ? [found] : found.slice();
};
p.listeners = function listeners(type) {
    return listOf(this, type).map(item => item.listener ?? item);
};
p.rawListeners = function rawListeners(type) {
    return listOf(this, type);
};
p.listenerCount = function listenerCount(type, listener) {
    const found = this._events?.[type];
    if (found === undefined) return 0;
    if (listener == null) return typeof found === 'function' ? 1 : found.length;
    return listOf(this, type).filter(item => item === listener || item.listener === listener).length;
};
p.eventNames = function eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
};

// ---------------------------------------------------------------- for emitters and targets

const isTarget = value => typeof value?.addEventListener === 'function' && typeof value.on !== 'function';

function attach(emitter, name, listener, flags) {
    if (typeof emitter.on === 'function') {
        if (flags?.once) emitter.once(name, listener);
        else emitter.on(name, listener);
    } else if (typeof emitter.addEventListener === 'function') {
        emitter.addEventListener(name, listener, flags);
    } else {
        throw argType('emitter', 'EventEmitter', emitter);
    }
}
function detach(emitter, name, listener) {
    if (typeof emitter.removeListener === 'function') emitter.removeListener(name, listener);
    else if (typeof emitter.removeEventListener === 'function') emitter.removeEventListener(name, listener);
    else throw argType('emitter', 'EventEmitter', emitter);
}

EventEmitter.once = async function once(emitter, name, options = {}) {
    const signal = options?.signal;
    if (signal !== undefined) validate.abortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    return new Promise((resolve, reject) => {
        const failed = error => {
            emitter.removeListener(name, done);
            signal?.removeEventListener('abort', aborted);
            reject(error);
        };
        const done = (...args) => {
            if (typeof emitter.removeListener === 'function') emitter.removeListener('error', failed);
            signal?.removeEventListener('abort', aborted);
            resolve(args);
        };
        const aborted = () => {
            detach(emitter, name, done);
            if (typeof emitter.removeListener === 'function') emitter.removeListener('error', failed);
            reject(new AbortError(undefined, { cause: signal.reason }));
        };
        attach(emitter, name, done, { once: true });
        if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', failed);
        signal?.addEventListener('abort', aborted, { once: true });
    });
};

EventEmitter.on = function on(emitter, name, options = {}) {
    return require('internal/events_on').on(emitter, name, options, attach, detach);
};

EventEmitter.getEventListeners = function getEventListeners(emitterOrTarget, type) {
    if (typeof emitterOrTarget.listeners === 'function') return emitterOrTarget.listeners(type);
    if (emitterOrTarget instanceof EventTarget) return require('internal/events').listenersOf(emitterOrTarget, type);
    throw argType('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
};
EventEmitter.getMaxListeners = function getMaxListeners(emitterOrTarget) {
    if (typeof emitterOrTarget?.getMaxListeners === 'function') return limitOf(emitterOrTarget);
    if (emitterOrTarget instanceof EventTarget) return require('internal/events').limits.get(emitterOrTarget) ?? defaultMax;
    throw argType('emitter', ['EventEmitter', 'EventTarget'], emitterOrTarget);
};
EventEmitter.setMaxListeners = function setMaxListeners(n = defaultMax, ...eventTargets) {
    validate.number(n, 'setMaxListeners', 0);
    if (eventTargets.length === 0) defaultMax = n;
    for (const target of eventTargets) {
        if (isTarget(target)) require('internal/events').limits.set(target, n);
        else if (typeof target.setMaxListeners === 'function') target.setMaxListeners(n);
        else throw argType('eventTargets', ['EventEmitter', 'EventTarget'], target);
    }
};
EventEmitter.listenerCount = function listenerCount(emitter, type) {
    return typeof emitter.listenerCount === 'function' ? emitter.listenerCount(type) : p.listenerCount.call(emitter, type);
};
EventEmitter.addAbortListener = function addAbortListener(signal, listener) {
    if (signal === undefined) throw argType('signal', 'AbortSignal', signal);
    validate.abortSignal(signal, 'signal');
    validate.function(listener, 'listener');
    let remove;
    if (signal.aborted) {
        queueMicrotask(() => listener());
    } else {
        signal.addEventListener('abort', listener, { once: true });
        remove = () => signal.removeEventListener('abort', listener);
    }
    return { __proto__: null, [Symbol.dispose]: () => remove?.() };
};

EventEmitter.errorMonitor = kMonitor;
EventEmitter.captureRejectionSymbol = kRejection;
EventEmitter.usingDomains = false;
EventEmitter.EventEmitter = EventEmitter;
Object.defineProperties(EventEmitter, {
    captureRejections: {
        get: () => p[kCapture],
        set(value) {
            validate.boolean(value, 'EventEmitter.captureRejections');
            p[kCapture] = value;
        },
        enumerable: true,
    },
    defaultMaxListeners: {
        enumerable: true,
        get: () => defaultMax,
        set(value) {
            validate.number(value, 'defaultMaxListeners', 0);
            defaultMax = value;
        },
    },
    EventEmitterAsyncResource: {
        enumerable: true,
        get: () => require('internal/events_on').EventEmitterAsyncResource,
        set: undefined,
    },
    kMaxEventTargetListeners: { value: Symbol('events.maxEventTargetListeners'), enumerable: false },
});

module.exports = EventEmitter;
