// events_on: events.on(), an async iterator of events, and EventEmitterAsyncResource.
'use strict';

const EventEmitter = require('events');
const { argType, coded, AbortError } = require('internal/errors');
const validate = require('internal/validators');

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

function on(emitter, name, options, attach, detach) {
    const signal = options?.signal;
    if (signal !== undefined) validate.abortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    const high = options?.highWaterMark ?? options?.highWatermark ?? Number.MAX_SAFE_INTEGER;
    validate.integer(high, 'options.highWaterMark', 1);
    const low = options?.lowWaterMark ?? options?.lowWatermark ?? 1;
    validate.integer(low, 'options.lowWaterMark', 1);
    const events = [], waiting = [];
    let error, finished = false, paused = false;
    const added = [];
    const listen = (target, type, listener, flags) => {
        attach(target, type, listener, flags);
        added.push([target, type, listener]);
    };
    const close = () => {
        for (const [target, type, listener] of added.splice(0)) detach(target, type, listener);
        finished = true;
        for (const next of waiting.splice(0)) next.resolve({ value: undefined, done: true });
        return Promise.resolve({ value: undefined, done: true });
    };
    const fail = reason => {
        const next = waiting.shift();
        if (next === undefined) error = reason;
        else next.reject(reason);
        void close();
    };
    const give = (...args) => {
        const next = waiting.shift();
        if (next !== undefined) return void next.resolve({ value: args, done: false });
        events.push(args);
        if (!paused && events.length > high) {
            paused = true;
            emitter.pause?.();
        }
    };
    const iterator = Object.setPrototypeOf({
        next() {
            if (events.length > 0) {
                const value = events.shift();
                if (paused && events.length < low) {
                    emitter.resume?.();
                    paused = false;
                }
                return Promise.resolve({ value, done: false });
            }
            if (error !== undefined) {
                const reason = error;
                error = undefined;
                return Promise.reject(reason);
            }
            if (finished) return close();
            return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
        },
        return: () => close(),
        throw(reason) {
            if (!reason || !(reason instanceof Error)) throw argType('EventEmitter.AsyncIterator', 'Error', reason);
            fail(reason);
        },
        [Symbol.asyncIterator]() {
            return this;
        },
    }, AsyncIteratorPrototype);
    listen(emitter, name, give);
    if (name !== 'error' && typeof emitter.on === 'function') listen(emitter, 'error', fail);
    if (options?.close?.length) for (const type of options.close) listen(emitter, type, close);
    signal?.addEventListener('abort', () => fail(new AbortError(undefined, { cause: signal.reason })), { once: true });
    return iterator;
}

class EventEmitterAsyncResource extends EventEmitter {
    #resource;
    constructor(options = undefined) {
        let name;
        if (typeof options === 'string') [name, options] = [options, undefined];
        else {
            if (new.target === EventEmitterAsyncResource) validate.string(options?.name, 'options.name');
            name = options?.name || new.target.name;
        }
        super(options);
        const { AsyncResource } = require('async_hooks');
        this.#resource = new AsyncResource(name, options);
        Object.defineProperty(this.#resource, 'eventEmitter', { value: this });
    }
    #own() {
        if (!(#resource in this)) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type EventEmitterAsyncResource');
        return this.#resource;
    }
    emit(event, ...args) {
        return this.#own().runInAsyncScope(super.emit, this, event, ...args);
    }
    emitDestroy() {
        this.#own().emitDestroy();
    }
    get asyncId() {
        return this.#own().asyncId();
    }
    get triggerAsyncId() {
        return this.#own().triggerAsyncId();
    }
    get asyncResource() {
        return this.#own();
    }
}

module.exports = { on, EventEmitterAsyncResource };
