// events: Event, EventTarget, AbortController and AbortSignal, as the DOM Standard has them.
'use strict';

const { argType, coded } = require('internal/errors');
const timers = require('internal/timers');

class Event {
    #type;
    #options;
    #prevented = false;
    #time = native.process.now();
    _target = null;
    _stop = false;
    constructor(type, options = {}) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
        this.#type = `${type}`;
        this.#options = options ?? {};
        for (const key of ['_target', '_stop']) Object.defineProperty(this, key, { enumerable: false });
    }
    get type() {
        return this.#type;
    }
    get target() {
        return this._target;
    }
    get currentTarget() {
        return this._target;
    }
    get srcElement() {
        return this._target;
    }
    get bubbles() {
        return Boolean(this.#options.bubbles);
    }
    get cancelable() {
        return Boolean(this.#options.cancelable);
    }
    get composed() {
        return Boolean(this.#options.composed);
    }
    get defaultPrevented() {
        return this.#prevented;
    }
    get timeStamp() {
        return this.#time;
    }
    get eventPhase() {
        return this._target ? 2 : 0;
    }
    get isTrusted() {
        return false;
    }
    composedPath() {
        return this._target ? [this._target] : [];
    }
    preventDefault() {
        if (this.cancelable) this.#prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
        this._stop = true;
    }
}

class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
        super(type, options);
        this.#detail = options?.detail ?? null;
    }
    get detail() {
        return this.#detail;
    }
}

class EventTarget {
    #listeners = new Map();
    addEventListener(type, callback, options) {
        if (callback === null || callback === undefined) return;
        if (typeof callback !== 'function' && typeof callback !== 'object') throw argType('listener', 'EventListener', callback);
        const { capture = false, once = false, signal } = typeof options === 'object' && options !== null ? options : { capture: Boolean(options) };
        if (signal?.aborted) return;
        type = `${type}`;
        const list = this.#listeners.get(type) ?? [];
        if (list.some(item => item.callback === callback && item.capture === Boolean(capture))) return;
        this.#listeners.set(type, [...list, { callback, once, capture: Boolean(capture) }]);
        signal?.addEventListener('abort', () => this.removeEventListener(type, callback, options), { once: true });
    }
    removeEventListener(type, callback, options) {
        type = `${type}`;
        const capture = typeof options === 'object' && options !== null ? Boolean(options.capture) : Boolean(options);
        const list = this.#listeners.get(type);
        if (list) this.#listeners.set(type, list.filter(item => item.callback !== callback || item.capture !== capture));
    }
    dispatchEvent(event) {
        if (!(event instanceof Event)) throw argType('event', 'Event', event);
        Object.defineProperty(event, '_target', { value: this, writable: true, configurable: true });
        for (const item of this.#listeners.get(event.type) ?? []) {
            if (!this.#listeners.get(event.type).includes(item)) continue;
            if (item.once) this.removeEventListener(event.type, item.callback, item.capture);
            try {
                if (typeof item.callback === 'function') item.callback.call(this, event);
                else item.callback.handleEvent(event);
            } catch (error) {
                process.nextTick(() => {
                    throw error;
                });
            }
            if (event._stop) break;
        }
        return !event.defaultPrevented;
    }
}

// ---------------------------------------------------------------- aborting

const secret = Symbol();

class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #handler = null;
    constructor(key) {
        if (key !== secret) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
        super();
    }
    get aborted() {
        return this.#aborted;
    }
    get reason() {
        return this.#reason;
    }
    get onabort() {
        return this.#handler;
    }
    set onabort(handler) {
        if (this.#handler) this.removeEventListener('abort', this.#handler);
        this.#handler = typeof handler === 'function' ? handler : null;
        if (this.#handler) this.addEventListener('abort', this.#handler);
    }
    throwIfAborted() {
        if (this.#aborted) throw this.#reason;
    }
    _abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
        if (this.#aborted) return;
        this.#aborted = true;
        this.#reason = reason;
        this.dispatchEvent(new Event('abort'));
    }
    static abort(reason) {
        const signal = new AbortSignal(secret);
        signal._abort(reason);
        return signal;
    }
    static timeout(delay) {
        const signal = new AbortSignal(secret);
        timers.setTimeout(() => signal._abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
        return signal;
    }
    static any(signals) {
        const signal = new AbortSignal(secret);
        for (const other of signals) {
            if (other.aborted) {
                signal._abort(other.reason);
                break;
            }
            other.addEventListener('abort', () => signal._abort(other.reason), { once: true });
        }
        return signal;
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        return `AbortSignal ${inspect({ aborted: this.#aborted }, options)}`;
    }
}
Object.defineProperty(AbortSignal.prototype, '_abort', { enumerable: false });

class AbortController {
    #signal = new AbortSignal(secret);
    get signal() {
        return this.#signal;
    }
    abort(reason) {
        this.#signal._abort(reason);
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        return `AbortController ${inspect({ signal: this.#signal }, options)}`;
    }
}

for (const Class of [Event, CustomEvent, EventTarget, AbortSignal, AbortController])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

module.exports = { Event, CustomEvent, EventTarget, AbortSignal, AbortController };
