// timers/promises: timers that give promises.
'use strict';

const timers = require('internal/timers');
const validate = require('internal/validators');
const { AbortError, coded } = require('internal/errors');

// Throws for options that are none.
function checkOptions(options = {}) {
    validate.object(options, 'options');
    const { signal, ref } = options;
    if (signal !== undefined) validate.abortSignal(signal, 'options.signal');
    if (ref !== undefined) validate.boolean(ref, 'options.ref');
    return options;
}

// A promise that `start(resolve)` settles and that the signal may reject; `stop` undoes the start.
function cancellable({ signal, ref }, start, stop) {
    if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
    return new Promise((resolve, reject) => {
        const handle = start(value => {
            signal?.removeEventListener('abort', abort);
            resolve(value);
        });
        if (ref === false) handle.unref();
        const abort = () => {
            stop(handle);
            reject(new AbortError(undefined, { cause: signal.reason }));
        };
        signal?.addEventListener('abort', abort, { once: true });
    });
}

// What is wrong with an argument rejects the promise.
const refusing = fn => function (...args) {
    try {
        return fn(...args);
    } catch (error) {
        return Promise.reject(error);
    }
};

const setTimeout = refusing((delay, value, options) => {
    if (delay !== undefined) validate.number(delay, 'delay');
    return cancellable(checkOptions(options), done => timers.setTimeout(() => done(value), delay), timers.clearTimeout);
});

const setImmediate = refusing((value, options) =>
    cancellable(checkOptions(options), done => timers.setImmediate(() => done(value)), timers.clearImmediate));

// An interval ticks also while nobody asks.
async function* setInterval(delay, value, options) {
    if (delay !== undefined) validate.number(delay, 'delay');
    const { signal, ref } = checkOptions(options);
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    let due = 0, wake;
    const interval = timers.setInterval(() => {
        due++;
        wake?.();
    }, delay);
    if (ref === false) interval.unref();
    const abort = () => {
        timers.clearInterval(interval);
        wake?.();
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
        while (!signal?.aborted) {
            if (due === 0) await new Promise(resolve => void (wake = resolve));
            for (; due > 0; due--) yield value;
        }
        throw new AbortError(undefined, { cause: signal.reason });
    } finally {
        timers.clearInterval(interval);
        signal?.removeEventListener('abort', abort);
    }
}

class Scheduler {
    constructor() {
        throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }
    yield() {
        return setImmediate();
    }
    wait(delay, options) {
        return setTimeout(delay, undefined, options);
    }
}

module.exports = { setTimeout, setInterval, setImmediate, scheduler: Object.create(Scheduler.prototype) };
for (const name of ['setTimeout', 'setImmediate']) Object.defineProperty(module.exports[name], 'name', { value: name });
