// domain: errors of callbacks and emitters that belong together have one handler.
//
// The domain that was entered last is one store of the engine's context (async_hooks.js), so that timers, ticks
// and promises bring it back. An uncaught error comes here from internal/main.
'use strict';

const EventEmitter = require('events');
const { coded } = require('internal/errors');
require('async_hooks'); // queueMicrotask() that keeps the context

const { context, setContext, thrownContext } = native.engine;
const KEY = Symbol('domain');
const NONE = Object.freeze([]);

// Those that were entered and not yet left, outermost first. A callback begins with the one it was made in.
let entered = NONE;
function stack() {
    const domain = context()?.get(KEY);
    if (domain === undefined) entered = NONE;
    else if (entered.at(-1) !== domain) entered = [domain];
    return entered;
}
function setStack(domains) {
    entered = domains;
    if (domains.length === 0 && context() === undefined) return;
    setContext(new Map(context()).set(KEY, domains.at(-1)));
}
const active = () => stack().at(-1);

const mark = (object, domain) => Object.defineProperty(object, 'domain', { configurable: true, enumerable: false, value: domain, writable: true });
const isObject = value => (typeof value === 'object' && value !== null) || typeof value === 'function';

class Domain extends EventEmitter {
    constructor() {
        super();
        this.members = [];
    }
    enter() {
        setStack([...stack(), this]);
    }
    exit() {
        const domains = stack(), at = domains.lastIndexOf(this);
        if (at !== -1) setStack(domains.slice(0, at));
    }
    add(emitter) {
        if (emitter.domain === this) return;
        if (emitter.domain) emitter.domain.remove(emitter);
        // Domains that contain each other would hand an error round and round.
        if (this.domain && emitter instanceof Domain)
            for (let outer = this.domain; outer; outer = outer.domain) if (emitter === outer) return;
        mark(emitter, this);
        this.members.push(emitter);
    }
    remove(emitter) {
        emitter.domain = null;
        const at = this.members.indexOf(emitter);
        if (at !== -1) this.members.splice(at, 1);
    }
    run(fn, ...args) {
        this.enter();
        const result = Reflect.apply(fn, this, args);
        this.exit();
        return result;
    }
    intercept(callback) {
        const self = this;
        return mark(function runIntercepted(error, ...args) {
            if (error instanceof Error) {
                error.domainBound = callback;
                error.domainThrown = false;
                mark(error, self);
                self.emit('error', error);
                return undefined;
            }
            return called(self, callback, this, args);
        }, this);
    }
    bind(callback) {
        const self = this;
        return mark(function runBound(...args) {
            return called(self, callback, this, args);
        }, this);
    }
    // An uncaught error; true when a handler took it.
    _errorHandler(error) {
        if (isObject(error)) {
            mark(error, this);
            error.domainThrown = true;
        }
        while (active() === this) this.exit();
        let caught = false;
        if (stack().length === 0) {
            // Without a handler an 'error' event would throw, and 'uncaughtException' never come.
            if (this.listenerCount('error') > 0) caught = this.emit('error', error);
        } else {
            try {
                caught = this.emit('error', error);
            } catch (second) { // the handler threw: the next domain's turn
                if (stack().length === 0) throw second;
                caught = active()._errorHandler(second);
            }
        }
        setStack(NONE);
        return caught;
    }
}

function called(domain, callback, self, args) {
    domain.enter();
    const result = Reflect.apply(callback, self, args);
    domain.exit();
    return result;
}

// ---------------------------------------------------------------- emitters

const { init } = EventEmitter, { emit } = EventEmitter.prototype;
EventEmitter.usingDomains = true;
EventEmitter.init = function (options) {
    mark(this, null);
    if (active() && !(this instanceof Domain)) this.domain = active();
    return init.call(this, options);
};

// An 'error' that nobody listens for goes to the domain of its emitter.
function fail(emitter, domain, args) {
    const error = args.length > 0 && args[0] ? args[0] : coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${require('internal/inspect').inspect(args[0])})`);
    if (typeof error === 'object') {
        error.domainEmitter = emitter;
        mark(error, domain);
        error.domainThrown = false;
    }
    const before = stack(), at = before.lastIndexOf(domain);
    // The handler runs outside of the domain, and of those above it.
    setStack(at === -1 ? before : before.slice(0, at));
    domain.emit('error', error);
    setStack(before);
    return false;
}

EventEmitter.prototype.emit = function (type, ...args) {
    const { domain } = this;
    if ((type === 'error' && this.listenerCount(type) > 0) || domain === null || domain === undefined || this === process)
        return emit.call(this, type, ...args);
    if (type === 'error') return fail(this, domain, args);
    domain.enter();
    const result = emit.call(this, type, ...args);
    domain.exit();
    return result;
};

// ---------------------------------------------------------------- what the process has

if (process.captureUncaught) throw coded(Error, 'ERR_DOMAIN_CALLBACK_NOT_AVAILABLE', 'A callback was registered through process.setUncaughtExceptionCaptureCallback(), which is mutually exclusive with using the `domain` module');
const property = { get: active, set: value => setStack(value ? [value] : NONE), enumerable: true, configurable: true };
Object.defineProperty(process, 'domain', property);
Object.defineProperty(process, 'usesDomains', { value: true, configurable: true });

// An error that nobody caught: true when a domain's handler took it. Throws what that handler throws.
Object.defineProperty(process, 'domainCaught', {
    value(error) {
        const last = thrownContext()?.get(KEY) ?? context()?.get(KEY);
        const domains = last === undefined ? NONE : entered.at(-1) === last ? entered : [last];
        if (!domains.some(domain => domain.listenerCount('error') > 0)) return false;
        setStack(domains);
        return domains.at(-1)._errorHandler(error);
    },
    configurable: true,
});

const create = function createDomain() {
    return new Domain();
};
module.exports = { Domain, createDomain: create, create };
Object.defineProperty(module.exports, '_stack', { get: stack, enumerable: true, configurable: true });
Object.defineProperty(module.exports, 'active', property);
