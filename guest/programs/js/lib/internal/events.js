// events: Event, EventTarget, AbortController and AbortSignal, as the DOM Standard has them.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');
const timers = require('internal/timers');

const custom = Symbol.for('nodejs.util.inspect.custom');
const wrongThis = name => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);
const limits = new WeakMap(); // of targets, by events.setMaxListeners()

// The fields of an event that only this file changes.
const inside = new WeakMap();
const of = event => {
    const found = inside.get(event);
    if (found === undefined) throw wrongThis('Event');
    return found;
};

class Event {
    constructor(type, options = undefined) {
        if (arguments.length === 0) throw validate.missing('type');
        if (options != null) validate.object(options, 'options');
        inside.set(this, {
            type: `${type}`, bubbles: Boolean(options?.bubbles), cancelable: Boolean(options?.cancelable), composed: Boolean(options?.composed),
            prevented: false, stopped: false, propagation: false, target: null, current: null, time: native.process.now(),
        });
        Object.defineProperty(this, 'isTrusted', { get: trusted, enumerable: true, configurable: false });
    }
    initEvent(type, bubbles = false, cancelable = false) {
        if (arguments.length === 0) throw validate.missing('type');
        if (of(this).current) return;
        Object.assign(of(this), { type: `${type}`, bubbles: Boolean(bubbles), cancelable: Boolean(cancelable) });
    }
    get type() {
        return of(this).type;
    }
    get target() {
        return of(this).target;
    }
    get currentTarget() {
        return of(this).current;
    }
    get srcElement() {
        return of(this).target;
    }
    get bubbles() {
        return of(this).bubbles;
    }
    get cancelable() {
        return of(this).cancelable;
    }
    get composed() {
        return of(this).composed;
    }
    get defaultPrevented() {
        return of(this).cancelable && of(this).prevented;
    }
    get returnValue() {
        return !(of(this).cancelable && of(this).prevented);
    }
    get timeStamp() {
        return of(this).time;
    }
    get eventPhase() {
        return of(this).current ? Event.AT_TARGET : Event.NONE;
    }
    get cancelBubble() {
        return of(this).propagation;
    }
    set cancelBubble(value) {
        if (value) of(this).propagation = true;
    }
    composedPath() {
        const { current } = of(this);
        return current ? [current] : [];
    }
    preventDefault() {
        of(this).prevented = true;
    }
    stopPropagation() {
        of(this).propagation = true;
    }
    stopImmediatePropagation() {
        of(this).stopped = true;
    }
    [custom](depth, options, inspect) {
        const { name } = this.constructor;
        if (depth < 0) return name;
        return `${name} ${inspect({
            type: this.type, defaultPrevented: this.defaultPrevented, cancelable: this.cancelable, timeStamp: this.timeStamp,
        }, { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth })}`;
    }
}
const byEngine = new WeakSet(); // events that no program made
const trusted = Object.getOwnPropertyDescriptor({
    get isTrusted() {
        return byEngine.has(this);
    },
}, 'isTrusted').get;
const phases = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };
for (const [name, value] of Object.entries(phases))
    for (const place of [Event, Event.prototype]) Object.defineProperty(place, name, { value, enumerable: true });

class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
        if (arguments.length === 0) throw validate.missing('type');
        super(type, options);
        this.#detail = options?.detail ?? null;
    }
    get detail() {
        if (!(#detail in this)) throw wrongThis('CustomEvent');
        return this.#detail;
    }
}

// ---------------------------------------------------------------- targets

const tables = new WeakMap(); // target -> Map of type -> listeners
const tableOf = target => {
    const found = tables.get(target);
    if (found === undefined) throw wrongThis('EventTarget');
    return found;
};
const listenersOf = (target, type) => (tables.get(target)?.get(type) ?? []).map(item => item.callback);
const typesOf = target => [...tables.get(target)?.keys() ?? []];

function toOptions(options) {
    if (typeof options === 'boolean') return { capture: options };
    if (options === null) return {};
    validate.object(options, 'options', { allowArray: true, allowFunction: true });
    return options;
}

function isListener(listener) {
    if (typeof listener === 'function' || (listener !== null && typeof listener === 'object')) return true;
    if (listener == null) return false;
    throw argType('listener', 'EventListener', listener);
}

function warn(target, type, count) {
    const limit = limits.get(target) ?? require('events').defaultMaxListeners;
    if (!(limit > 0 && count > limit) || count !== limit + 1) return;
    const { inspect } = require('internal/inspect');
    const warning = new Error(`Possible EventTarget memory leak detected. ${count} ${type} listeners added to ${inspect(target, { depth: -1 })}. MaxListeners is ${limit}. Use events.setMaxListeners() to increase limit`);
    process.emitWarning(Object.assign(warning, { name: 'MaxListenersExceededWarning', target, type, count }));
}

class EventTarget {
    constructor() {
        tables.set(this, new Map());
    }
    addEventListener(type, listener, options = {}) {
        const table = tableOf(this);
        if (arguments.length < 2) throw validate.missing('type', 'listener');
        const { once, capture, passive, signal } = toOptions(options);
        if (signal === null) throw argType('options.signal', 'AbortSignal', null);
        validate.abortSignal(signal, 'options.signal');
        if (!isListener(listener)) {
            const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
            process.emitWarning(Object.assign(warning, { name: 'AddEventListenerArgumentTypeWarning', target: this, type }));
            return;
        }
        type = webText(type);
        if (signal?.aborted) return;
        const list = table.get(type) ?? [];
        if (list.some(item => item.callback === listener && item.capture === Boolean(capture))) return;
        table.set(type, [...list, { callback: listener, once: Boolean(once), capture: Boolean(capture), passive: Boolean(passive) }]);
        warn(this, type, list.length + 1);
        signal?.addEventListener('abort', () => this.removeEventListener(type, listener, { capture }), { once: true });
    }
    removeEventListener(type, listener, options = {}) {
        const table = tableOf(this);
        if (arguments.length < 2) throw validate.missing('type', 'listener');
        if (!isListener(listener)) return;
        type = webText(type);
        const capture = typeof options === 'boolean' ? options : Boolean(options?.capture);
        const list = table.get(type);
        if (list === undefined) return;
        const rest = list.filter(item => item.callback !== listener || item.capture !== capture);
        if (rest.length) table.set(type, rest);
        else table.delete(type);
    }
    dispatchEvent(event) {
        const table = tableOf(this);
        if (arguments.length < 1) throw validate.missing('event');
        if (!(event instanceof Event)) throw argType('event', 'Event', event);
        const state = of(event);
        if (state.current) throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
        state.target = state.current = this;
        for (const item of table.get(state.type) ?? []) {
            if (!table.get(state.type)?.includes(item)) continue;
            if (item.once) this.removeEventListener(state.type, item.callback, item.capture);
            try {
                const result = typeof item.callback === 'function' ? item.callback.call(this, event) : item.callback.handleEvent?.(event);
                if (typeof result?.then === 'function') result.then(undefined, raise);
            } catch (error) {
                raise(error);
            }
            if (state.stopped) break;
        }
        state.current = null;
        return !event.defaultPrevented;
    }
    [custom](depth, options, inspect) {
        const { name } = this.constructor;
        return depth < 0 ? name : `${name} ${inspect({}, options)}`;
    }
}

function webText(type) {
    if (typeof type === 'symbol') throw require('internal/errors').argValue('value', type);
    return `${type}`;
}
const raise = error => process.nextTick(() => {
    throw error;
});

// Defines on a class of targets what `ontype` properties do.
function defineHandler(prototype, type) {
    const handlers = new WeakMap(); // target -> {wrapped, handler}
    const name = `on${type}`;
    Object.defineProperty(prototype, name, {
        ...Object.getOwnPropertyDescriptor({
            get [name]() {
                return handlers.get(this)?.handler ?? null;
            },
            set [name](value) {
                const before = handlers.get(this);
                if (before) this.removeEventListener(type, before.wrapped);
                handlers.delete(this);
                if (typeof value !== 'function') return;
                const wrapped = function (event) {
                    return value.call(this, event);
                };
                handlers.set(this, { wrapped, handler: value });
                this.addEventListener(type, wrapped);
            },
        }, name),
        configurable: true, enumerable: true,
    });
}

// ---------------------------------------------------------------- aborting

const secret = Symbol();

class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #sources; // signals that this one follows
    constructor(key) {
        if (key !== secret) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
        super();
    }
    static #of(signal) {
        if (signal === null || typeof signal !== 'object' || !(#aborted in signal)) throw wrongThis('AbortSignal');
        return signal;
    }
    get aborted() {
        return AbortSignal.#of(this).#aborted;
    }
    get reason() {
        return AbortSignal.#of(this).#reason;
    }
    throwIfAborted() {
        if (AbortSignal.#of(this).#aborted) throw this.#reason;
    }
    static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
        const signal = new AbortSignal(secret);
        signal.#aborted = true;
        signal.#reason = reason;
        return signal;
    }
    static timeout(delay) {
        validate.uint32(delay, 'delay', false);
        const signal = new AbortSignal(secret);
        timers.setTimeout(() => fire(secret, signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
        return signal;
    }
    static any(signals) {
        if (signals === null || typeof signals !== 'object' || typeof signals[Symbol.iterator] !== 'function')
            throw argType('signals', 'Array', signals);
        const list = [...signals];
        list.forEach((signal, i) => {
            if (signal === null || typeof signal !== 'object' || !(#aborted in signal)) throw argType(`signals[${i}]`, 'AbortSignal', signal);
        });
        const result = new AbortSignal(secret), aborted = list.find(signal => signal.aborted);
        if (aborted) {
            result.#aborted = true;
            result.#reason = aborted.reason;
            return result;
        }
        result.#sources = new Set(list.flatMap(signal => (signal.#sources ? [...signal.#sources] : [signal])));
        for (const source of result.#sources)
            source.addEventListener('abort', () => fire(secret, result, source.reason), { once: true });
        return result;
    }
    static fire(key, signal, reason = new DOMException('This operation was aborted', 'AbortError')) {
        if (key !== secret || signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason;
        const event = new Event('abort');
        byEngine.add(event);
        signal.dispatchEvent(event);
    }
    [custom](depth, options, inspect) {
        return depth < 0 ? 'AbortSignal' : `AbortSignal ${inspect({ aborted: this.#aborted }, options)}`;
    }
}
const { fire } = AbortSignal;
delete AbortSignal.fire;
defineHandler(AbortSignal.prototype, 'abort');

class AbortController {
    #signal = new AbortSignal(secret);
    get signal() {
        if (!(#signal in this)) throw wrongThis('AbortController');
        return this.#signal;
    }
    abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
        if (!(#signal in this)) throw wrongThis('AbortController');
        fire(secret, this.#signal, reason);
    }
    [custom](depth, options, inspect) {
        return depth < 0 ? 'AbortController' : `AbortController ${inspect({ signal: this.#signal }, options)}`;
    }
}

for (const Class of [Event, CustomEvent, EventTarget, AbortSignal, AbortController]) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
    for (const name of Object.getOwnPropertyNames(Class.prototype))
        if (name !== 'constructor') Object.defineProperty(Class.prototype, name, { enumerable: true });
}

module.exports = { Event, CustomEvent, EventTarget, AbortSignal, AbortController, limits, listenersOf, typesOf, defineHandler };
