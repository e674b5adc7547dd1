// diagnostics_channel: named channels within the process.
'use strict';

const { argType } = require('internal/errors');
const validate = require('internal/validators');

const channels = new Map();

// What goes wrong in a subscriber is nobody's fault who publishes: it is an uncaught error, later.
const later = error => process.nextTick(() => {
    throw error;
});

class Channel {
    constructor(name) {
        this._subscribers = undefined;
        this._stores = undefined; // AsyncLocalStorage -> what makes its value of a message
        this.name = name;
    }
    get hasSubscribers() {
        return Boolean(this._subscribers?.length || this._stores?.size);
    }
    subscribe(fn) {
        validate.function(fn, 'subscription');
        this._subscribers = [...this._subscribers ?? [], fn];
    }
    unsubscribe(fn) {
        const at = this._subscribers?.indexOf(fn) ?? -1;
        if (at === -1) return false;
        this._subscribers = this._subscribers.toSpliced(at, 1);
        return true;
    }
    bindStore(store, transform) {
        (this._stores ??= new Map()).set(store, transform);
    }
    unbindStore(store) {
        return this._stores?.delete(store) ?? false;
    }
    publish(message) {
        for (const fn of this._subscribers ?? []) {
            try {
                fn(message, this.name);
            } catch (error) {
                later(error);
            }
        }
    }
    runStores(message, fn, self, ...args) {
        let run = () => {
            this.publish(message);
            return Reflect.apply(fn, self, args);
        };
        for (const [store, transform] of this._stores ?? []) {
            const inner = run;
            run = () => {
                let value = message;
                if (transform) {
                    try {
                        value = transform(message);
                    } catch (error) {
                        later(error);
                        return inner();
                    }
                }
                return store.run(value, inner);
            };
        }
        return run();
    }
}

function channel(name) {
    const known = channels.get(name);
    if (known !== undefined) return known;
    if (typeof name !== 'string' && typeof name !== 'symbol') throw argType('channel', ['string', 'symbol'], name);
    const made = new Channel(name);
    channels.set(name, made);
    return made;
}

// ---------------------------------------------------------------- what happens around a call

const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function part(from, name) {
    if (typeof from === 'string') return channel(`tracing:${from}:${name}`);
    const found = from[name];
    if (!(found instanceof Channel)) throw argType(`nameOrChannels.${name}`, ['Channel'], found);
    return found;
}

class TracingChannel {
    constructor(from) {
        if (typeof from !== 'string' && (from === null || typeof from !== 'object'))
            throw argType('nameOrChannels', ['string', 'object', 'TracingChannel'], from);
        for (const name of events) Object.defineProperty(this, name, { value: part(from, name) });
    }
    get hasSubscribers() {
        return events.some(name => this[name]?.hasSubscribers);
    }
    subscribe(handlers) {
        for (const name of events) if (handlers[name]) this[name]?.subscribe(handlers[name]);
    }
    unsubscribe(handlers) {
        let done = true;
        for (const name of events)
            if (handlers[name] && !this[name]?.unsubscribe(handlers[name])) done = false;
        return done;
    }
    traceSync(fn, context = {}, self = undefined, ...args) {
        if (!this.hasSubscribers) return Reflect.apply(fn, self, args);
        const { start, end, error } = this;
        return start.runStores(context, () => {
            try {
                const result = Reflect.apply(fn, self, args);
                context.result = result;
                return result;
            } catch (thrown) {
                context.error = thrown;
                error.publish(context);
                throw thrown;
            } finally {
                end.publish(context);
            }
        });
    }
    tracePromise(fn, context = {}, self = undefined, ...args) {
        if (!this.hasSubscribers) return Reflect.apply(fn, self, args);
        const { start, end, asyncStart, asyncEnd, error } = this;
        const fails = reason => {
            context.error = reason;
            error.publish(context);
            asyncStart.publish(context);
            asyncEnd.publish(context);
            return Promise.reject(reason);
        };
        const settles = result => {
            context.result = result;
            asyncStart.publish(context);
            asyncEnd.publish(context);
            return result;
        };
        return start.runStores(context, () => {
            try {
                const promise = Reflect.apply(fn, self, args);
                return (promise instanceof Promise ? promise : Promise.resolve(promise)).then(settles, fails);
            } catch (thrown) {
                context.error = thrown;
                error.publish(context);
                throw thrown;
            } finally {
                end.publish(context);
            }
        });
    }
    traceCallback(fn, position = -1, context = {}, self = undefined, ...args) {
        if (!this.hasSubscribers) return Reflect.apply(fn, self, args);
        const { start, end, asyncStart, asyncEnd, error } = this;
        const callback = args.at(position);
        validate.function(callback, 'callback');
        args.splice(position, 1, function wrapped(problem, result) {
            if (problem) {
                context.error = problem;
                error.publish(context);
            } else {
                context.result = result;
            }
            return asyncStart.runStores(context, () => {
                try {
                    return Reflect.apply(callback, this, arguments);
                } finally {
                    asyncEnd.publish(context);
                }
            });
        });
        return start.runStores(context, () => {
            try {
                return Reflect.apply(fn, self, args);
            } catch (thrown) {
                context.error = thrown;
                error.publish(context);
                throw thrown;
            } finally {
                end.publish(context);
            }
        });
    }
}

module.exports = {
    channel,
    hasSubscribers: name => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, fn) => channel(name).subscribe(fn),
    tracingChannel: from => new TracingChannel(from),
    unsubscribe: (name, fn) => channel(name).unsubscribe(fn),
    Channel,
};
