// messaging: MessageChannel and BroadcastChannel within the one thread of a process.
'use strict';

const { coded } = require('internal/errors');
const timers = require('internal/timers');

const kGive = Symbol('give'), kPair = Symbol('pair');

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
    #referenced = true;
    #closed = false;
    #handlers = new Map();
    #hold() {
        const held = this.#started && this.#referenced && !this.#closed;
        if (held === this.#held) return;
        this.#held = held;
        timers.hold(held ? 1 : -1);
    }
    #drain() {
        if (!this.#started || this.#closed || this.#queue.length === 0) return;
        const message = this.#queue.shift();
        this.dispatchEvent(new MessageEvent('message', message));
        this.#later();
    }
    #later() {
        if (this.#queue.length) timers.complete(() => this.#drain());
    }
    [kGive](data) {
        if (this.#closed) return;
        this.#queue.push({ data });
        if (this.#queue.length === 1 && this.#started) this.#later();
    }
    // The next message, past the listeners; undefined when none waits.
    _take() {
        return this.#queue.shift();
    }
    _handler(type) {
        return this.#handlers.get(type) ?? null;
    }
    _setHandler(type, listener) {
        const before = this.#handlers.get(type);
        if (before) this.removeEventListener(type, before);
        const usable = typeof listener === 'function';
        this.#handlers.set(type, usable ? listener : null);
        if (usable) this.addEventListener(type, listener);
        if (type !== 'message') return;
        if (usable) this.start();
        else this.unref();
    }
    start() {
        if (this.#started) return;
        this.#started = true;
        this.#hold();
        this.#later();
    }
    _close() {
        if (this.#closed) return false;
        this.#closed = true;
        this.#hold();
        return true;
    }
    get _isClosed() {
        return this.#closed;
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
for (const type of ['message', 'messageerror', 'close'])
    Object.defineProperty(Receiver.prototype, `on${type}`, {
        get() {
            return this._handler(type);
        },
        set(listener) {
            this._setHandler(type, listener);
        },
        configurable: true,
    });

let making = false;
class MessagePort extends Receiver {
    constructor() {
        if (!making) throw coded(TypeError, 'ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called');
        super();
    }
    #listeners = new Map();
    postMessage(value, transfer) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
        if (transfer !== undefined && transfer !== null && typeof transfer !== 'object')
            throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
        const list = Array.isArray(transfer) ? { transfer } : transfer;
        const copy = structuredClone(value, list);
        if (!this._isClosed) this[kPair][kGive](copy);
    }
    close(callback) {
        if (callback) this.once('close', callback);
        for (const port of [this, this[kPair]])
            if (port._close()) timers.complete(() => port.dispatchEvent(new Event('close')));
    }
    // As an EventEmitter: the listener gets the value.
    on(type, listener) {
        const wrapped = event => listener.call(this, type === 'message' ? event.data : event);
        this.#listeners.set(listener, wrapped);
        this.addEventListener(type, wrapped);
        if (type === 'message') this.start();
        return this;
    }
    once(type, listener) {
        return this.on(type, function once(...args) {
            this.off(type, once);
            listener.apply(this, args);
        });
    }
    off(type, listener) {
        this.removeEventListener(type, this.#listeners.get(listener) ?? listener);
        return this;
    }
}
MessagePort.prototype.addListener = MessagePort.prototype.on;
MessagePort.prototype.removeListener = MessagePort.prototype.off;

class MessageChannel {
    constructor() {
        making = true;
        try {
            this.port1 = new MessagePort();
            this.port2 = new MessagePort();
        } finally {
            making = false;
        }
        Object.defineProperty(this.port1, kPair, { value: this.port2 });
        Object.defineProperty(this.port2, kPair, { value: this.port1 });
    }
}

const channels = new Map(); // name → open channels

class BroadcastChannel extends Receiver {
    #name;
    constructor(name) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
        super();
        this.#name = `${name}`;
        if (!channels.has(this.#name)) channels.set(this.#name, new Set());
        channels.get(this.#name).add(this);
        this.start();
    }
    get name() {
        return this.#name;
    }
    postMessage(value) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
        if (this._isClosed) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
        for (const other of channels.get(this.#name)) if (other !== this) other[kGive](structuredClone(value));
    }
    close() {
        if (this._close()) channels.get(this.#name).delete(this);
    }
}

function receiveMessageOnPort(port) {
    if (!(port instanceof Receiver)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance');
    const message = port._take();
    return message === undefined ? undefined : { message: message.data };
}

for (const Class of [MessageEvent, MessagePort, MessageChannel, BroadcastChannel])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

module.exports = { MessageEvent, MessagePort, MessageChannel, BroadcastChannel, receiveMessageOnPort };
