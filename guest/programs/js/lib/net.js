// net: sockets and servers that reach each other within one process (internal/loopback). A sandbox has no network:
// what is not this process itself refuses, as where the network is down.
'use strict';

const { Duplex } = require('stream');
const { argValue, coded, describeReceived, NO_NETWORK, outOfRange } = require('internal/errors');
const validate = require('internal/validators');
const { isIP, isIPv4, isIPv6 } = require('internal/addresses');
const loopback = require('internal/loopback');

const timeout = Symbol('timeout');
const received = Symbol('kBytesRead'), sent = Symbol('kBytesWritten');
const kBuffer = Symbol('kBuffer');
const closed = () => coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed');

function checkPort(port, name = 'Port') {
    const isPort = (typeof port === 'number' || (typeof port === 'string' && port.trim() !== '')) && +port === +port >>> 0 && port <= 0xffff;
    if (!isPort) throw coded(RangeError, 'ERR_SOCKET_BAD_PORT', `${name} should be >= 0 and < 65536.${describeReceived(port)}.`);
}

// [options, callback] of connect() and listen(), whichever way they were called.
function normalized(args) {
    if (args.length === 0) return [{}, null];
    const callback = typeof args.at(-1) === 'function' ? args.at(-1) : null;
    const [first, second] = args;
    if (typeof first === 'object' && first !== null) return [first, callback];
    if (typeof first === 'string' && !(Number(first) >= 0)) return [{ path: first }, callback];
    return [typeof second === 'string' ? { port: first, host: second } : { port: first }, callback];
}

// ---------------------------------------------------------------- sockets

function checkOptions(options) {
    for (const name of ['objectMode', 'readableObjectMode', 'writableObjectMode'])
        if (options?.[name]) throw argValue(`options.${name}`, options[name], 'is not supported');
    if (options.keepAliveInitialDelay !== undefined) validate.number(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (options.fd !== undefined) {
        validate.int32(options.fd, 'fd', 0);
        throw coded(TypeError, 'ERR_INVALID_FD_TYPE', `Unsupported fd type: ${NO_NETWORK}`);
    }
}

function Socket(options) {
    if (!(this instanceof Socket)) return new Socket(options);
    if (typeof options === 'number') options = { fd: options };
    options = { ...options };
    checkOptions(options);
    Duplex.call(this, { ...options, allowHalfOpen: Boolean(options.allowHalfOpen), emitClose: false, autoDestroy: true, decodeStrings: false });
    Object.assign(this, { connecting: false, _hadError: false, _parent: null, _host: null, server: null, _server: null });
    Object.defineProperty(this, '_handle', { value: null, writable: true, configurable: true });
    for (const [name, value] of [[timeout, null], [received, 0], [sent, 0], [kBuffer, options.onread ?? null]]) Object.defineProperty(this, name, { value, writable: true });
    if (options.onread && typeof options.onread === 'object') {
        const { buffer } = options.onread;
        this[kBuffer] = { next: typeof buffer === 'function' ? buffer : () => buffer, callback: options.onread.callback };
    }
    this.on('end', () => {
        if (!this.allowHalfOpen) this.write = writeAfterEnd;
    });
    if (options.handle) adopt(this, options.handle, options);
    if (options.signal) require('stream').addAbortSignal(options.signal, this);
    return undefined;
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

// The socket of a connection that is there.
function adopt(socket, handle, options) {
    socket._handle = handle;
    handle.owner = socket;
    handle.setOnRead?.(got => arrived(socket, got));
    if (options.readable === false || options.manualStart) return;
    if (options.pauseOnCreate) socket.readableFlowing = false;
    else socket.read(0);
}

function writeAfterEnd(chunk, encoding, callback) {
    if (typeof encoding === 'function') callback = encoding;
    const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
    if (typeof callback === 'function') process.nextTick(callback, error);
    this.destroy(error);
    return false;
}

function arrived(socket, got) {
    if (typeof got === 'string') return void socket.destroy(loopback.failure('read', got));
    if (got === null) {
        socket.push(null);
        socket.read(0);
        return undefined;
    }
    socket[received] += got.length;
    socket._unrefTimer();
    if (!socket[kBuffer]) return void (socket.push(got) || socket._handle?.readStop());
    for (let at = 0; at < got.length;) {
        const buffer = socket[kBuffer].next();
        const part = got.subarray(at, at + buffer.length);
        buffer.set(part);
        at += part.length;
        if (socket[kBuffer].callback(part.length, buffer) === false) socket._handle?.readStop();
    }
    return undefined;
}

const readers = {
    pending() {
        return !this._handle || this.connecting;
    },
    readyState() {
        if (this.connecting) return 'opening';
        if (this.readable && this.writable) return 'open';
        return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed';
    },
    bufferSize() {
        return this._handle || this.connecting ? this.writableLength : undefined;
    },
    bytesRead() {
        return this[received];
    },
    bytesWritten() {
        let bytes = this[sent];
        for (const { chunk, encoding } of this._writableState?.getBuffer() ?? [])
            bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
        return bytes + (this._pending ?? 0);
    },
    _connecting() {
        return this.connecting;
    },
    remoteAddress() {
        return this._handle?.remote?.address;
    },
    remotePort() {
        return this._handle?.remote?.port;
    },
    remoteFamily() {
        return familyOf(this._handle?.remote);
    },
    localAddress() {
        return this._handle?.local?.address;
    },
    localPort() {
        return this._handle?.local?.port;
    },
    localFamily() {
        return familyOf(this._handle?.local);
    },
};
for (const [name, get] of Object.entries(readers)) Object.defineProperty(Socket.prototype, name, { get, configurable: true });
const familyOf = place => (place ? `IPv${isIP(place.address)}` : undefined);

const methods = {
    connect(...args) {
        return require('internal/net_connect').connect(this, ...normalized(Array.isArray(args[0]) ? args[0] : args));
    },
    setTimeout(ms, callback) {
        if (this.destroyed) return this;
        this.timeout = ms;
        validate.number(ms, 'msecs');
        if (ms < 0 || !Number.isFinite(ms)) throw outOfRange('msecs', 'a non-negative finite number', ms);
        if (ms > 2147483647) {
            process.emitWarning(`${ms} does not fit into a 32-bit signed integer.\nTimer duration was truncated to 2147483647.`, 'TimeoutOverflowWarning');
            ms = 2147483647;
        }
        clearTimeout(this[timeout]);
        if (callback !== undefined) validate.function(callback, 'callback');
        if (ms === 0) {
            if (callback !== undefined) this.removeListener('timeout', callback);
        } else {
            this[timeout] = setTimeout(() => this._onTimeout(), ms).unref();
            if (callback !== undefined) this.once('timeout', callback);
        }
        return this;
    },
    _onTimeout() {
        this.emit('timeout');
    },
    _unrefTimer() {
        for (let socket = this; socket; socket = socket._parent) if (socket[timeout]) socket[timeout].refresh();
    },
    setNoDelay(enable) {
        if (!this._handle) this.once('connect', () => this.setNoDelay(enable));
        else this._handle.setNoDelay?.(enable === undefined ? true : Boolean(enable));
        return this;
    },
    setKeepAlive(enable, delay) {
        if (!this._handle) this.once('connect', () => this.setKeepAlive(enable, delay));
        else this._handle.setKeepAlive?.(Boolean(enable), ~~(delay / 1000));
        return this;
    },
    ref() {
        if (!this._handle) this.once('connect', this.ref);
        else this._handle.ref?.();
        return this;
    },
    unref() {
        if (!this._handle) this.once('connect', this.unref);
        else this._handle.unref?.();
        return this;
    },
    address() {
        const local = this._handle?.local;
        return local ? { address: local.address, family: familyOf(local), port: local.port } : {};
    },
    destroySoon() {
        if (this.writable) this.end();
        if (this.writableFinished) this.destroy();
        else this.once('finish', this.destroy);
    },
    resetAndDestroy() {
        if (this._handle instanceof loopback.TCP) {
            this._resets = true;
            if (this.connecting) this.once('connect', () => this.destroy());
            else this.destroy();
        } else this.destroy(this._handle ? coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent') : closed());
        return this;
    },
    pause() {
        if (this[kBuffer] && !this.connecting) this._handle?.readStop();
        return Duplex.prototype.pause.call(this);
    },
    resume() {
        if (this[kBuffer] && !this.connecting) this._handle?.readStart();
        return Duplex.prototype.resume.call(this);
    },
    end(...args) {
        Duplex.prototype.end.apply(this, args);
        return this;
    },
    _read() {
        if (this.connecting || !this._handle) this.once('connect', () => this._read());
        else if (!this._handle.reading) this._handle.readStart?.();
    },
    _final(callback) {
        if (this.connecting) return void this.once('connect', () => this._final(callback));
        if (!this._handle) return void callback();
        return this._handle.shutdown(() => callback(this.destroyed ? closed() : undefined));
    },
    _write(chunk, encoding, callback) {
        this._put([{ chunk, encoding }], callback);
    },
    _writev(chunks, callback) {
        this._put(chunks, callback);
    },
    _put(chunks, callback) {
        const list = chunks.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk));
        const bytes = list.length === 1 ? list[0] : Buffer.concat(list);
        if (this.connecting) {
            this._pending = bytes.length;
            const onclose = () => callback(coded(Error, 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'));
            this.once('connect', () => {
                this.off('close', onclose);
                this._pending = 0;
                this._put([{ chunk: bytes }], callback);
            });
            return void this.once('close', onclose);
        }
        if (!this._handle) return void callback(closed());
        this._unrefTimer();
        this[sent] += bytes.length;
        const done = code => {
            if (this.destroyed) return void callback(coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'));
            this._unrefTimer();
            callback(code === undefined ? null : loopback.failure('write', code));
        };
        const result = this._handle.write(bytes, done);
        return result === true ? undefined : void (result === undefined ? callback() : done(result));
    },
    _getpeername() {
        const remote = this._handle?.remote;
        return remote ? { address: remote.address, family: familyOf(remote), port: remote.port } : {};
    },
    _getsockname() {
        return this.address();
    },
    _destroy(error, callback) {
        this.connecting = false;
        for (let socket = this; socket; socket = socket._parent) clearTimeout(socket[timeout]);
        const handle = this._handle, hadError = Boolean(error);
        this._handle = null;
        callback(error);
        if (handle) {
            handle.close(() => this.emit('close', hadError), this._resets);
            handle.onread = () => {};
        } else process.nextTick(() => this.emit('close'));
        if (!this._server) return;
        this._server._connections--;
        this._server._emitCloseIfDrained();
    },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(Socket.prototype, name, { value, writable: true, enumerable: true, configurable: true });

// ---------------------------------------------------------------- the module

let auto = true, attempt = 250;
function connect(...args) {
    const [options] = normalized(args);
    const socket = new Socket(options);
    if (options.timeout) socket.setTimeout(options.timeout);
    return socket.connect(...args);
}

module.exports = {
    _normalizeArgs: args => normalized(args),
    connect, createConnection: connect,
    createServer: (options, listener) => new module.exports.Server(options, listener),
    get BlockList() {
        return require('internal/addresses').BlockList;
    },
    get SocketAddress() {
        return require('internal/addresses').SocketAddress;
    },
    isIP, isIPv4, isIPv6,
    Server: undefined, Socket, Stream: Socket,
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
Object.defineProperty(module.exports, '_checkPort', { value: checkPort });
Object.defineProperty(module.exports, '_arrived', { value: arrived });
module.exports.Server = require('internal/net_server').Server;
