// timers/promises: timers that give promises.
'use strict';

const timers = require('internal/timers');
const { AbortError } = require('internal/errors');

// A promise that `start(resolve)` settles and that the signal may reject; `stop` undoes the start.
function cancellable(signal, start, stop) {
    if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
    return new Promise((resolve, reject) => {
        const handle = start(value => {
            signal?.removeEventListener('abort', abort);
            resolve(value);
        });
        const abort = () => {
            stop(handle);
            reject(new AbortError(undefined, { cause: signal.reason }));
        };
        signal?.addEventListener('abort', abort, { once: true });
    });
}

const unref = (handle, options) => (options?.ref === false ? handle.unref() : handle);

const setTimeout = (delay, value, options) => cancellable(options?.signal,
    done => unref(timers.setTimeout(() => done(value), delay), options), timers.clearTimeout);

const setImmediate = (value, options) => cancellable(options?.signal,
    done => unref(timers.setImmediate(() => done(value)), options), timers.clearImmediate);

async function* setInterval(delay, value, options) {
    for (;;) yield await setTimeout(delay, value, options);
}

module.exports = {
    setTimeout, setInterval, setImmediate,
    scheduler: { wait: (delay, options) => setTimeout(delay, undefined, options), yield: () => setImmediate() },
};
