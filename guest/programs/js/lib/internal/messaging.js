// messaging: MessageChannel and BroadcastChannel. The other end of a port is a port, or lies in another
// process (internal/worker_link).
'use strict';

const { coded } = require('internal/errors');
const { defineHandler, listenersOf, typesOf } = require('internal/events');
const timers = require('internal/timers');

// What every end of a channel has: give(data, ports), shut(), and pair(end), which says whom it answers.
const kGive = Symbol('give'), kShut = Symbol('shut'), kPair = Symbol('pair'), kMove = Symbol('move');
const CLOSE = Symbol('close'); // in a queue: the other end was closed

class MessageEvent extends Event {
    #init;
    constructor(type, init = {}) {
        super(type, init);
        this.#init = { data: null, origin: '', lastEventId: '', source: null, ports: [], ...init };
    }
    get data() {
        return this.#init.data;
    }
    get origin() {
        return this.#init.origin;
    }
    get lastEventId() {
        return this.#init.lastEventId;
    }
    get source() {
        return this.#init.source;
    }
    get ports() {
        return this.#init.ports;
    }
}

// What a port and a broadcast channel have in common: messages that wait until somebody listens, and
// listeners that keep the process alive.
class Receiver extends EventTarget {
    #queue = [];
    #started = false;
    #held = false;
    #referenced = false;
    #closed = false;
    #hold() {
        const held = this.#referenced && !this.#closed;
        if (held === this.#held) return;
        this.#held = held;
        timers.hold(held ? 1 : -1);
    }
    #drain() {
        const message = this.#queue[0];
        if (message === undefined || this.#closed || (!this.#started && message !== CLOSE)) return;
        this.#queue.shift();
        if (message === CLOSE) return void this._shut();
        const event = new MessageEvent('message', message);
        values.set(event, message.data);
        this.dispatchEvent(event);
        this.#later();
    }
    #later() {
        if (this.#queue.length) timers.complete(() => this.#drain());
    }
    [kGive](data, ports = []) {
        this.#put({ data, ports });
    }
    #put(message) {
        if (this.#closed) return;
        this.#queue.push(message);
        if (this.#queue.length === 1) this.#later();
    }
    [kShut]() {
        this.#put(CLOSE);
    }
    // The next message, past the listeners; undefined when none waits.
    _take() {
        if (this.#queue[0] !== CLOSE) return this.#queue.shift();
        this._shut();
        return undefined;
    }
    // All that waits, for the port that comes in the place of this one.
    _rest() {
        return this.#queue.splice(0);
    }
    _continue(messages) {
        for (const message of messages) this.#put(message);
    }
    start() {
        if (this.#started) return;
        this.#started = true;
        this.#later();
    }
    _close() {
        if (this.#closed) return false;
        this.#closed = true;
        this.#hold();
        return true;
    }
    _shut() {
        if (this._close()) timers.complete(() => this.dispatchEvent(new Event('close')));
    }
    get _isClosed() {
        return this.#closed;
    }
    // Who listens for messages keeps the process alive.
    addEventListener(type, ...rest) {
        const before = listenersOf(this, 'message').length;
        super.addEventListener(type, ...rest);
        if (before > 0 || listenersOf(this, 'message').length === 0) return;
        this.ref();
        this.start();
    }
    removeEventListener(type, ...rest) {
        const before = listenersOf(this, 'message').length;
        super.removeEventListener(type, ...rest);
        if (before > 0 && listenersOf(this, 'message').length === 0) this.unref();
    }
    ref() {
        this.#referenced = true;
        this.#hold();
        return this;
    }
    unref() {
        this.#referenced = false;
        this.#hold();
        return this;
    }
    hasRef() {
        return this.#held;
    }
}
for (const type of ['message', 'messageerror', 'close']) defineHandler(Receiver.prototype, type);

const values = new WeakMap(); // event -> what a listener of Node's kind gets of it
const wrappers = new WeakMap(); // port -> Map of listener -> what listens in its place

let making = false;
class MessagePort extends Receiver {
    #peer; // the other end
    constructor() {
        if (!making) throw coded(TypeError, 'ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called');
        super();
    }
    [kPair](peer) {
        this.#peer = peer;
    }
    // Takes the place of `old`, which is of no use from then on.
    [kMove](old) {
        this.#peer = old.#peer;
        this.#peer?.[kPair](this);
        this._continue(old._detach());
    }
    // Answers what waited.
    _detach() {
        const rest = this._rest();
        this.#peer = undefined;
        this._close();
        return rest;
    }
    _end() {
        return this.#peer;
    }
    postMessage(value, transfer) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
        if (transfer !== undefined && transfer !== null && typeof transfer !== 'object')
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
        const list = transfer === null || transfer === undefined ? [] : transfer[Symbol.iterator] ? transfer : transfer.transfer ?? [];
        const { data, ports } = require('internal/clone').cloneMessage(value, list, this);
        if (!this._isClosed) this.#peer?.[kGive](data, ports);
    }
    close(callback) {
        if (typeof callback === 'function') this.once('close', callback);
        if (this._isClosed) return;
        this._shut();
        this.#peer?.[kShut]();
    }
    // As an EventEmitter: the listener gets the value.
    on(type, listener) {
        return this.#listen(type, listener, false);
    }
    once(type, listener) {
        return this.#listen(type, listener, true);
    }
    #listen(type, listener, once) {
        if (!wrappers.has(this)) wrappers.set(this, new Map());
        const wrapped = event => listener.call(this, values.has(event) ? values.get(event) : event);
        wrappers.get(this).set(listener, wrapped);
        this.addEventListener(type, wrapped, { once });
        return this;
    }
    off(type, listener, options) {
        this.removeEventListener(type, wrappers.get(this)?.get(listener) ?? listener, options);
        return this;
    }
    emit(type, value) {
        const any = listenersOf(this, type).length > 0;
        const event = value instanceof Event ? value : /^message/.test(type) ? new MessageEvent(type, { data: value }) : new Event(type);
        if (event !== value) values.set(event, value);
        this.dispatchEvent(event);
        return any;
    }
    removeAllListeners(type) {
        for (const name of type === undefined ? this.eventNames() : [type])
            for (const listener of listenersOf(this, name)) this.removeEventListener(name, listener);
        return this;
    }
    listenerCount(type) {
        return listenersOf(this, type).length;
    }
    eventNames() {
        return typesOf(this);
    }
    setMaxListeners(n) {
        require('events').setMaxListeners(n, this);
    }
    getMaxListeners() {
        return require('events').getMaxListeners(this);
    }
}
MessagePort.prototype.addListener = MessagePort.prototype.on;
MessagePort.prototype.removeListener = MessagePort.prototype.off;

function makePort() {
    making = true;
    try {
        return new MessagePort();
    } finally {
        making = false;
    }
}

class MessageChannel {
    constructor() {
        this.port1 = makePort();
        this.port2 = makePort();
        this.port1[kPair](this.port2);
        this.port2[kPair](this.port1);
    }
}

const channels = new Map(); // name → open channels
const links = new Set(); // to other processes, which get what is broadcast

function broadcast(name, value, from) {
    for (const other of channels.get(name) ?? []) if (other !== from) other[kGive](structuredClone(value));
    for (const link of links) if (link !== from) link.send(['broadcast', name, value]);
}

class BroadcastChannel extends Receiver {
    #name;
    constructor(name) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
        super();
        this.#name = `${name}`;
        if (!channels.has(this.#name)) channels.set(this.#name, new Set());
        channels.get(this.#name).add(this);
        this.start();
        this.ref();
    }
    get name() {
        return this.#name;
    }
    postMessage(value) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
        if (this._isClosed) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
        broadcast(this.#name, structuredClone(value), this);
    }
    close() {
        if (this._close()) channels.get(this.#name).delete(this);
    }
}

function receiveMessageOnPort(port) {
    if (!(port instanceof Receiver)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance');
    for (const link of links) link.read(); // what has come so far
    const message = port._take();
    return message === undefined ? undefined : { message: message.data };
}

for (const Class of [MessageEvent, MessagePort, MessageChannel, BroadcastChannel])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

module.exports = { kGive, kShut, kPair, kMove, CLOSE, makePort, broadcast, links, MessageEvent, MessagePort, MessageChannel, BroadcastChannel, receiveMessageOnPort };
