// async_track: async_hooks.createHook(): ids of what runs later, and who is told of it. Nothing is tracked before a
// hook is enabled or an id is asked for; then internal/timers and the engine's promises report here.
'use strict';

const { coded } = require('internal/errors');
const timers = require('internal/timers');
const validate = require('internal/validators');

let lastId = 1;
const newId = () => ++lastId;
const ids = new WeakMap(); // resource → {id, trigger}
const top = {}; // the resource of the main program
const stack = []; // [id, trigger, resource] of what runs
let hooks = [];

const executionAsyncId = () => (start(), stack.length ? stack.at(-1)[0] : 1);
const triggerAsyncId = () => (start(), stack.length ? stack.at(-1)[1] : 0);
const executionAsyncResource = () => (start(), stack.length ? stack.at(-1)[2] : top);

// ---------------------------------------------------------------- telling

// What a hook throws ends the program: there is nobody to hand it to.
function tell(event, ...args) {
    for (const hook of hooks) {
        if (hook[event] === undefined) continue;
        try {
            hook[event](...args);
        } catch (error) {
            native.process.write(2, `${error?.stack ?? error}\n`);
            process.reallyExit(1);
        }
    }
}

function init(resource, type, trigger = executionAsyncId()) {
    const id = newId();
    ids.set(resource, { id, trigger });
    if (hooks.length) tell('init', id, type, trigger, resource);
    return id;
}

function enter(id, trigger, resource) {
    stack.push([id, trigger, resource]);
    if (hooks.length) tell('before', id);
}
function leave(id) {
    if (hooks.length) tell('after', id);
    if (stack.at(-1)?.[0] === id) stack.pop();
}

let gone = [];
function destroyed(id) {
    if (!hooks.some(hook => hook.destroy)) return;
    gone.push(id);
    if (gone.length > 1) return;
    timers.later(() => {
        for (const id of gone.splice(0)) tell('destroy', id);
    });
}

// Calls a resource's callback; one that came before the tracking has no id.
function run(resource, callback, self, args) {
    const known = ids.get(resource);
    if (known === undefined) return Reflect.apply(callback, self, args);
    enter(known.id, known.trigger, resource);
    try {
        return Reflect.apply(callback, self, args);
    } finally {
        leave(known.id);
    }
}

// ---------------------------------------------------------------- what is tracked

let silent = false;
const ours = new WeakSet(); // promises of the library
const tracker = {
    init, run,
    quiet(make) {
        silent = true;
        try {
            return make();
        } finally {
            silent = false;
        }
    },
    destroy(resource) {
        const known = ids.get(resource);
        if (known === undefined || known.gone) return;
        known.gone = true;
        destroyed(known.id);
    },
    // A callback that runs once, as a resource of its own.
    once(type, callback) {
        const resource = { callback };
        init(resource, type);
        return function (...args) {
            try {
                return run(resource, callback, this, args);
            } finally {
                tracker.destroy(resource);
            }
        };
    },
};

const idOf = promise => {
    if (!ids.has(promise)) ids.set(promise, { id: newId(), trigger: executionAsyncId() });
    return ids.get(promise);
};
const promiseEvents = [
    (promise, parent) => silent ? ours.add(promise) : void init(promise, 'PROMISE', parent === undefined ? executionAsyncId() : idOf(parent).id),
    promise => {
        const { id, trigger } = idOf(promise);
        enter(id, trigger, promise);
    },
    promise => leave(idOf(promise).id),
    promise => hooks.length && tell('promiseResolve', idOf(promise).id),
];

let started = false;
function start() {
    if (started) return;
    started = true;
    timers.setTracker(tracker);
}

// ---------------------------------------------------------------- hooks

const events = ['init', 'before', 'after', 'destroy', 'promiseResolve'];

class AsyncHook {
    constructor({ init, before, after, destroy, promiseResolve }) {
        const given = { init, before, after, destroy, promiseResolve };
        for (const event of events)
            if (given[event] !== undefined && typeof given[event] !== 'function') throw coded(TypeError, 'ERR_ASYNC_CALLBACK', `hook.${event} must be a function`);
        for (const event of events) Object.defineProperty(this, event, { value: given[event] });
    }
    enable() {
        if (hooks.includes(this)) return this;
        start();
        hooks = [...hooks, this];
        native.engine.setPromiseHook((type, promise, parent) => ours.has(promise) || promiseEvents[type](promise, parent));
        return this;
    }
    disable() {
        hooks = hooks.filter(hook => hook !== this);
        if (hooks.length === 0) native.engine.setPromiseHook(undefined);
        return this;
    }
}

// ---------------------------------------------------------------- resources of the program

function checkResource(type, options) {
    validate.string(type, 'type');
    if (type === '' && hooks.some(hook => hook.init)) throw coded(TypeError, 'ERR_ASYNC_TYPE', `Invalid name for async "type": ${type}`);
    const given = typeof options === 'number' ? options : options?.triggerAsyncId ?? executionAsyncId();
    if (!Number.isSafeInteger(given) || given < -1) throw coded(RangeError, 'ERR_INVALID_ASYNC_ID', `Invalid triggerAsyncId value: ${given}`);
    return given;
}

const forgotten = new FinalizationRegistry(state => {
    if (!state.gone) destroyed(state.id);
});
// The program says that its resource is done with.
function release(object) {
    const state = ids.get(object);
    state.gone = true;
    destroyed(state.id);
}

// Begins to track a resource: {id, trigger, gone}.
function resource(object, type, options) {
    const trigger = checkResource(type, options);
    const id = init(object, type, trigger), state = ids.get(object);
    if (!(typeof options === 'object' && options?.requireManualDestroy) && hooks.some(hook => hook.destroy)) forgotten.register(object, state);
    return { id, trigger };
}

module.exports = {
    createHook: callbacks => new AsyncHook(callbacks), executionAsyncId, triggerAsyncId, executionAsyncResource, resource, run, release,
};
