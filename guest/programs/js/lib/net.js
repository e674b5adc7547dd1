// net: addresses and lists of them. A sandbox has no network: a socket that is to connect and a server that is
// to listen say so with an 'error', as where the network is down.
'use strict';

const EventEmitter = require('events');
const { Duplex } = require('stream');
const { argType, argValue, coded, describeReceived, NO_NETWORK, noNetwork } = require('internal/errors');
const validate = require('internal/validators');
const { isIP, isIPv4, isIPv6 } = require('internal/addresses');

function checkPort(port, name = 'Port') {
    const isPort = (typeof port === 'number' || (typeof port === 'string' && port.trim() !== '')) && +port === +port >>> 0 && port <= 0xffff;
    if (!isPort) throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be >= 0 and < 65536.${describeReceived(port)}.`);
}

// [options, callback] of connect() and listen(), whichever way they were called.
function normalized(args) {
    const callback = typeof args.at(-1) === 'function' ? args.at(-1) : null;
    const [first, second] = args;
    if (args.length === 0 || typeof first === 'function') return [{}, callback];
    if (typeof first === 'object' && first !== null) return [first, callback];
    if (typeof first === 'string' && !(Number(first) >= 0)) return [{ path: first }, callback];
    return [{ port: first, ...(typeof second === 'string' ? { host: second } : {}) }, callback];
}

class Socket extends Duplex {
    constructor(options) {
        if (typeof options === 'number') options = { fd: options };
        super({ allowHalfOpen: Boolean(options?.allowHalfOpen), autoDestroy: true, emitClose: true });
        if (options?.fd !== undefined) {
            validate.int32(options.fd, 'fd', 0);
            throw coded(TypeError, 'ERR_INVALID_FD_TYPE', `Unsupported fd type: ${NO_NETWORK}`);
        }
        if (options?.objectMode || options?.readableObjectMode || options?.writableObjectMode)
            throw argValue('options.objectMode', options.objectMode, 'is not supported');
        this.connecting = false;
        this._hadError = false;
        this.bytesRead = this.bytesWritten = 0;
    }
    get pending() {
        return true;
    }
    get readyState() {
        return this.connecting ? 'opening' : this.destroyed ? 'closed' : 'open';
    }
    connect(...args) {
        const [options, callback] = normalized(args);
        if (options.path === undefined && options.port === undefined)
            throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
        if (callback) this.once('connect', callback);
        if (options.path !== undefined) {
            validate.string(options.path, 'options.path');
        } else {
            if (typeof options.port !== 'number' && typeof options.port !== 'string') throw argType('options.port', ['number', 'string'], options.port);
            checkPort(options.port);
        }
        this.connecting = true;
        process.nextTick(() => this.destroy(options.path === undefined
            ? noNetwork('connect', 'ENETUNREACH', -101, options.host ?? 'localhost', +options.port) : noNetwork('connect', 'ENOENT', -2, options.path)));
        return this;
    }
    setTimeout(ms, callback) {
        validate.number(ms, 'msecs', 0);
        if (callback !== undefined) {
            validate.function(callback, 'callback');
            if (ms === 0) this.removeListener('timeout', callback);
            else this.once('timeout', callback);
        }
        this.timeout = ms;
        return this;
    }
    setNoDelay() {
        return this;
    }
    setKeepAlive() {
        return this;
    }
    ref() {
        return this;
    }
    unref() {
        return this;
    }
    address() {
        return {};
    }
    destroySoon() {
        if (this.writable) this.end();
        this.destroy();
    }
    resetAndDestroy() {
        return this.destroy();
    }
    _read() {}
    _write(chunk, encoding, callback) {
        callback(noNetwork('write', 'EPIPE', -32));
    }
}

class Server extends EventEmitter {
    constructor(options, listener) {
        super();
        if (typeof options === 'function') [listener, options] = [options, {}];
        else if (options !== undefined && options !== null) validate.object(options, 'options');
        if (listener) this.on('connection', listener);
        this._connections = 0;
        this.listening = false;
        this.maxConnections = undefined;
    }
    listen(...args) {
        const [options, callback] = normalized(args);
        if (options.port !== undefined && options.port !== null) checkPort(options.port, 'options.port');
        if (options.signal !== undefined) validate.abortSignal(options.signal, 'options.signal');
        if (callback) this.once('listening', callback);
        process.nextTick(() => this.emit('error', noNetwork('listen', 'EACCES', -13, options.path ?? options.host ?? '::', options.path === undefined ? +(options.port ?? 0) : undefined)));
        return this;
    }
    close(callback) {
        const error = coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.');
        process.nextTick(() => {
            callback?.call(this, error);
            this.emit('close');
        });
        return this;
    }
    address() {
        return null;
    }
    getConnections(callback) {
        process.nextTick(callback, null, 0);
        return this;
    }
    ref() {
        return this;
    }
    unref() {
        return this;
    }
}

let auto = true, attempt = 250;
function connect(...args) {
    const [options] = normalized(args);
    return new Socket(options).connect(...args);
}

module.exports = {
    _normalizeArgs: args => normalized(args),
    connect, createConnection: connect,
    createServer: (options, listener) => new Server(options, listener),
    isIP, isIPv4, isIPv6,
    Server, Socket, Stream: Socket,
    getDefaultAutoSelectFamily: () => auto,
    setDefaultAutoSelectFamily(value) {
        validate.boolean(value, 'value');
        auto = value;
    },
    getDefaultAutoSelectFamilyAttemptTimeout: () => attempt,
    setDefaultAutoSelectFamilyAttemptTimeout(value) {
        validate.int32(value, 'value', 1);
        attempt = Math.max(10, value);
    },
};
for (const name of ['BlockList', 'SocketAddress'])
    Object.defineProperty(module.exports, name, { get: () => require('internal/addresses')[name], enumerable: true, configurable: true });
Object.defineProperty(module.exports, '_checkPort', { value: checkPort });
