// timers: setTimeout and its kin, and the order in which everything that is due runs.
//
// The event loop in C (loop.c) asks turn() for one macrotask at a time and runs ticks and promise jobs
// in between. A round is: due timers, finished I/O, immediates; then the loop waits.
'use strict';

const { check } = require('internal/errors');
const { now } = native.process;
// due(): the engine is to call ticks(). keep(f): f in the context of now (async_hooks).
const { due, keep } = native.engine;

const MAX_DELAY = 2 ** 31 - 1;
let tracker; // internal/async_track, when somebody asked for it
const heap = []; // Timeouts by (due, id), a binary heap
let nextId = 1;
let referenced = 0; // active timers that keep the process alive
const byId = new Map();

const before = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order);

function siftUp(i) {
    const item = heap[i];
    while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!before(item, heap[parent])) break;
        heap[i] = heap[parent];
        heap[i].at = i;
        i = parent;
    }
    heap[i] = item;
    item.at = i;
}

function siftDown(i) {
    const item = heap[i];
    for (;;) {
        let child = i * 2 + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], item)) break;
        heap[i] = heap[child];
        heap[i].at = i;
        i = child;
    }
    heap[i] = item;
    item.at = i;
}

function take(timer) {
    const last = heap.pop();
    if (last !== timer) {
        const i = timer.at;
        heap[i] = last;
        last.at = i;
        siftUp(i);
        siftDown(last.at);
    }
    timer.at = -1;
}

function overflow(delay) {
    process.emitWarning(`${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
}

class Timeout {
    #alive = true;
    constructor(callback, delay, args, repeat) {
        delay = Number(delay);
        if (delay > MAX_DELAY) overflow(delay);
        if (!(delay >= 1 && delay <= MAX_DELAY)) delay = 1;
        this._idleTimeout = Math.trunc(delay);
        this._onTimeout = callback;
        this._repeat = repeat ? this._idleTimeout : null;
        this._destroyed = false;
        hide(this, 'args', args);
        hide(this, 'id', 0);
        hide(this, 'due', 0);
        hide(this, 'order', 0);
        hide(this, 'at', -1);
        tracker?.init(this, 'Timeout');
        start(this);
    }
    get alive() {
        return this.#alive;
    }
    ref() {
        if (!this.#alive && this.at >= 0) referenced++;
        this.#alive = true;
        return this;
    }
    unref() {
        if (this.#alive && this.at >= 0) referenced--;
        this.#alive = false;
        return this;
    }
    hasRef() {
        return this.#alive;
    }
    refresh() {
        if (!this._destroyed) {
            stop(this);
            start(this);
        }
        return this;
    }
    close() {
        clearTimeout(this);
        return this;
    }
    [Symbol.toPrimitive]() {
        if (this.id === 0) {
            this.id = nextId++;
            byId.set(this.id, this);
        }
        return this.id;
    }
    [Symbol.dispose]() {
        clearTimeout(this);
    }
}

const hide = (object, key, value) => Object.defineProperty(object, key, { value, writable: true, enumerable: false });

let order = 0;
function start(timer) {
    timer.due = now() + timer._idleTimeout;
    timer.order = order++;
    heap.push(timer);
    siftUp(heap.length - 1);
    if (timer.alive) referenced++;
}

function stop(timer) {
    if (timer.at < 0) return;
    take(timer);
    if (timer.alive) referenced--;
}

function setTimeout(callback, delay, ...args) {
    check.function(callback, 'callback');
    return new Timeout(keep(callback), delay, args, false);
}

function setInterval(callback, delay, ...args) {
    check.function(callback, 'callback');
    return new Timeout(keep(callback), delay, args, true);
}

function clearTimeout(timer) {
    if (typeof timer === 'number' || typeof timer === 'string') timer = byId.get(Number(timer));
    if (!(timer instanceof Timeout)) return;
    stop(timer);
    timer._destroyed = true;
    timer._onTimeout = null;
    timer._idleTimeout = -1;
    tracker?.destroy(timer);
    if (timer.id) byId.delete(timer.id);
}

// ---------------------------------------------------------------- immediates and finished work

let immediates = [], finished = [];
let waiting = 0; // referenced immediates

class Immediate {
    #alive = true;
    constructor(callback, args) {
        this._onImmediate = callback;
        this._destroyed = false;
        hide(this, 'args', args);
        waiting++;
        tracker?.init(this, 'Immediate');
        immediates.push(this);
    }
    ref() {
        if (!this.#alive && this._onImmediate) waiting++;
        this.#alive = true;
        return this;
    }
    unref() {
        if (this.#alive && this._onImmediate) waiting--;
        this.#alive = false;
        return this;
    }
    hasRef() {
        return this.#alive && !this._destroyed;
    }
    [Symbol.dispose]() {
        clearImmediate(this);
    }
}

function setImmediate(callback, ...args) {
    check.function(callback, 'callback');
    return new Immediate(keep(callback), args);
}

function clearImmediate(immediate) {
    if (!(immediate instanceof Immediate) || !immediate._onImmediate) return;
    if (immediate.hasRef()) waiting--;
    immediate._onImmediate = null;
    immediate._destroyed = true;
    tracker?.destroy(immediate);
}

// Runs callback(...args) as I/O that has finished: not before the next round of the loop.
function complete(callback, ...args) {
    finished.push(tracker ? tracker.once('FSREQCALLBACK', keep(callback)) : keep(callback), args);
}

// The same, of what has brought its own context and is no file's.
function arrive(callback, ...args) {
    finished.push(callback, args);
}

// ---------------------------------------------------------------- one round of the loop

let phase = 0, clock = 0, batch = [], at = 0;

function dueTimer() {
    const timer = heap[0];
    if (timer === undefined || timer.due > clock) return false;
    take(timer);
    if (timer.alive) referenced--;
    const callback = timer._onTimeout;
    if (timer._repeat === null) {
        timer._destroyed = true;
        if (timer.id) byId.delete(timer.id);
    }
    try {
        if (tracker) tracker.run(timer, callback, timer, timer.args);
        else callback.apply(timer, timer.args);
    } finally {
        if (tracker && timer._repeat === null && timer.at < 0) tracker.destroy(timer);
        if (timer._repeat !== null && timer._onTimeout && timer.at < 0) start(timer);
    }
    return true;
}

// Runs one macrotask and answers NaN. When none is left in this round it says how long the loop may
// wait: milliseconds or Infinity, negative and one less when nothing here keeps the process alive.
function turn() {
    if (phase === 0) {
        if (heap.length === 0 && finished.length === 0 && immediates.length === 0)
            return others > 0 ? Infinity : -Infinity;
        clock = now();
        phase = 1;
    }
    if (phase === 1) {
        if (dueTimer()) return NaN;
        phase = 2;
        batch = finished;
        finished = [];
        at = 0;
    }
    if (phase === 2) {
        if (at < batch.length) {
            const callback = batch[at], args = batch[at + 1];
            at += 2;
            callback(...args);
            return NaN;
        }
        phase = 3;
        batch = immediates;
        immediates = [];
        at = 0;
    }
    while (at < batch.length) {
        const immediate = batch[at++];
        const callback = immediate._onImmediate;
        if (!callback) continue;
        if (immediate.hasRef()) waiting--;
        immediate._onImmediate = null;
        immediate._destroyed = true;
        if (!tracker) callback.apply(immediate, immediate.args);
        else try {
            tracker.run(immediate, callback, immediate, immediate.args);
        } finally {
            tracker.destroy(immediate);
        }
        return NaN;
    }
    batch = [];
    phase = 0;
    const wait = deadline();
    return alive() ? wait : -1 - wait;
}

function deadline() {
    if (finished.length || immediates.some(immediate => immediate._onImmediate)) return 0;
    return heap.length ? Math.max(0, heap[0].due - now()) : Infinity;
}

let others = 0; // children and the like that keep the process alive
const hold = change => void (others += change);
// Servers and connections within the process (internal/loopback): they wait for what the process itself does, so they
// keep it alive together with timers of any kind only.
let standing = 0, kept = false;
function stand(change) {
    standing += change;
    if (!kept || standing > 0) return;
    kept = false;
    others--;
}
function keepStanding() { // a signal may come
    if (!kept) others++;
    kept = true;
}
const stands = () => standing > 0;
const alive = () => referenced > 0 || waiting > 0 || finished.length > 0 || others > 0 || (standing > 0 && heap.length > 0);

// ---------------------------------------------------------------- process.nextTick

let queue = [];

function nextTick(callback, ...args) {
    check.function(callback, 'callback');
    if (queue.length === 0) due();
    queue.push(tracker ? tracker.once('TickObject', keep(callback)) : keep(callback), args);
}

// An immediate that nobody tracks, and that keeps nothing alive.
function later(callback) {
    const before = tracker;
    tracker = undefined;
    new Immediate(callback, []).unref();
    tracker = before;
}

// Promises that `make` makes are the library's own.
const quiet = make => (tracker ? tracker.quiet(make) : make());

const setTracker = given => void (tracker = given);

function ticks() {
    for (let i = 0; i < queue.length; i += 2) {
        const callback = queue[i], args = queue[i + 1];
        try {
            callback(...args);
        } catch (error) {
            queue = queue.slice(i + 2);
            if (queue.length) due();
            throw error;
        }
    }
    if (queue.length) queue = [];
}

for (const start of [setTimeout, setImmediate])
    Object.defineProperty(start, Symbol.for('nodejs.util.promisify.custom'), {
        get: () => require('timers/promises')[start.name],
        enumerable: true,
        configurable: true,
    });

// The kinds of what is being waited for, as process.getActiveResourcesInfo() names them.
const active = () => [
    ...Array(finished.length / 2).fill('FSReqCallback'), ...heap.filter(timer => timer.alive).map(() => 'Timeout'),
    ...[...batch.slice(at), ...immediates].filter(item => item instanceof Immediate && item._onImmediate && item.hasRef()).map(() => 'Immediate'),
];

module.exports = {
    active, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate,
    nextTick, later, quiet, ticks, turn, alive, hold, stand, stands, keepStanding, complete, arrive, Timeout, Immediate, setTracker,
};
