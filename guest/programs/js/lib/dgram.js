// dgram: sockets that cannot be bound: a sandbox has no network.
'use strict';

const EventEmitter = require('events');
const { coded, noNetwork } = require('internal/errors');
const validate = require('internal/validators');

class Socket extends EventEmitter {
    constructor(options, listener) {
        super();
        this.type = typeof options === 'object' && options !== null ? options.type : options;
        if (this.type !== 'udp4' && this.type !== 'udp6') throw coded(TypeError, 'ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6');
        if (typeof listener === 'function') this.on('message', listener);
    }
    #fail(syscall, callback) {
        const error = noNetwork(syscall, 'ENETUNREACH', -101);
        process.nextTick(() => (typeof callback === 'function' ? callback(error) : this.emit('error', error)));
        return this;
    }
    bind() {
        return this.#fail('bind');
    }
    connect(port, address, callback) {
        return this.#fail('connect', typeof address === 'function' ? address : callback);
    }
    send(...args) {
        this.#fail('send', args.at(-1));
    }
    close(callback) {
        if (typeof callback === 'function') this.on('close', callback);
        process.nextTick(() => this.emit('close'));
        return this;
    }
    ref() {
        return this;
    }
    unref() {
        return this;
    }
    address() {
        throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');
    }
}

function createSocket(type, listener) {
    if (listener !== undefined) validate.function(listener, 'listener');
    return new Socket(type, listener);
}

module.exports = { createSocket, Socket };
