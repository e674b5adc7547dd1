// net_server: servers, which are reached by sockets of the same process (internal/loopback).
'use strict';

const EventEmitter = require('events');
const { argValue, coded, NO_NETWORK } = require('internal/errors');
const validate = require('internal/validators');
const { isIP } = require('internal/addresses');
const loopback = require('internal/loopback');

function Server(options, listener) {
    if (!(this instanceof Server)) return new Server(options, listener);
    EventEmitter.call(this);
    if (typeof options === 'function') [listener, options] = [options, {}];
    else if (options == null || typeof options === 'object') options = { ...options };
    else throw require('internal/errors').argType('options', 'Object', options);
    if (listener) this.on('connection', listener);
    if (options.keepAliveInitialDelay !== undefined) validate.number(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (options.highWaterMark !== undefined) validate.number(options.highWaterMark, 'options.highWaterMark');
    Object.assign(this, {
        _connections: 0, _handle: null, _usingWorkers: false, _workers: [], _unref: false, _listeningId: 1,
        allowHalfOpen: options.allowHalfOpen || false, pauseOnConnect: Boolean(options.pauseOnConnect), noDelay: Boolean(options.noDelay),
        keepAlive: Boolean(options.keepAlive), keepAliveInitialDelay: ~~(options.keepAliveInitialDelay / 1000), highWaterMark: options.highWaterMark ?? 16384,
    });
    if (options.blockList) this.blockList = options.blockList;
    return undefined;
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// Where a server is to listen: {port, address} or {path}; undefined when the arguments say nothing of the kind.
function placeOf(server, options, args) {
    const nothing = args.length === 0 || typeof args[0] === 'function';
    const { port, path } = options;
    if (nothing || (typeof port === 'undefined' && 'port' in options) || port === null) return { port: 0 };
    if (typeof port === 'number' || typeof port === 'string') {
        require('net')._checkPort(port, 'options.port');
        return { port: port | 0, host: options.host };
    }
    if (typeof path === 'string' && !(Number(path) >= 0)) return { path: require('path').resolve(path), given: path };
    return undefined;
}

function onConnection(server, end) {
    const { local, remote } = end;
    const dropped = local && { localAddress: local.address, localPort: local.port, localFamily: `IPv${isIP(local.address)}`, remoteAddress: remote.address, remotePort: remote.port, remoteFamily: `IPv${isIP(remote.address)}` };
    if (server.maxConnections != null && server._connections >= server.maxConnections) {
        end.close();
        return void server.emit('drop', dropped);
    }
    if (remote && server.blockList?.check(remote.address, `ipv${isIP(remote.address)}`)) return void end.close();
    const { Socket } = require('net');
    const socket = new Socket({
        handle: end, allowHalfOpen: server.allowHalfOpen, pauseOnCreate: server.pauseOnConnect, readable: true, writable: true,
        readableHighWaterMark: server.highWaterMark, writableHighWaterMark: server.highWaterMark,
    });
    server._connections++;
    socket.server = socket._server = server;
    return void server.emit('connection', socket);
}

const methods = {
    listen(...args) {
        const [options, callback] = require('net')._normalizeArgs(args);
        if (this._handle) throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
        if (options.signal !== undefined) validate.abortSignal(options.signal, 'options.signal');
        if (options.ipv6Only !== undefined && options.ipv6Only !== null) validate.boolean(options.ipv6Only, 'options.ipv6Only');
        const place = placeOf(this, options, args);
        if (place === undefined) {
            if (typeof options.fd === 'number' && options.fd >= 0)
                throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `a server cannot listen on a descriptor: ${NO_NETWORK}`);
            throw 'port' in options || 'path' in options ? argValue('options', options) : argValue('options', options, 'must have the property "port" or "path"');
        }
        if (callback !== null) this.once('listening', callback);
        if (options.signal) this._closedBy(options.signal);
        this._start(place);
        return this;
    },
    _start({ port, host, path, given }) {
        const later = error => process.nextTick(() => this.emit('error', error));
        if (host) {
            const id = this._listeningId;
            require('dns').lookup(host === require('os').hostname() ? '127.0.0.1' : host, (error, found) => {
                if (error) this.emit('error', error);
                else if (id === this._listeningId) this._open({ port, address: found }, later);
            });
        } else this._open({ port, address: path === undefined ? '::' : undefined, path, given }, later);
    },
    _open({ port, address, path, given }, later) {
        if (path !== undefined && !require('fs').existsSync(require('path').dirname(path)))
            return void later(loopback.failure('listen', 'EACCES', given, -1));
        const made = path !== undefined && require('fs').existsSync(path) ? 'EADDRINUSE' : loopback.listen({ port, address, path }, end => onConnection(this, end));
        if (typeof made === 'string') return void later(loopback.failure('listen', made, given ?? address, path === undefined ? port : -1));
        this._handle = made;
        this._listeningId++;
        this._pipeName = given;
        if (this._unref) this.unref();
        return void process.nextTick(() => this._handle && this.emit('listening'));
    },
    _closedBy(signal) {
        const close = () => this.close();
        if (signal.aborted) return void process.nextTick(close);
        signal.addEventListener('abort', close);
        this.once('close', () => signal.removeEventListener('abort', close));
        return undefined;
    },
    address() {
        if (!this._handle) return null;
        if (this._pipeName !== undefined) return this._pipeName;
        const { address, key } = this._handle;
        return { address, family: `IPv${isIP(address)}`, port: key };
    },
    getConnections(callback) {
        process.nextTick(callback, null, this._connections);
        return this;
    },
    close(callback) {
        if (typeof callback === 'function') {
            if (this._handle) this.once('close', callback);
            else this.once('close', () => callback.call(this, coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')));
        }
        if (this._handle) {
            this._handle.close();
            this._handle = null;
        }
        this._emitCloseIfDrained();
        return this;
    },
    _emitCloseIfDrained() {
        if (this._handle || this._connections) return;
        process.nextTick(() => {
            if (!this._handle && !this._connections) this.emit('close');
        });
    },
    ref() {
        this._unref = false;
        this._handle?.ref();
        return this;
    },
    unref() {
        this._unref = true;
        this._handle?.unref();
        return this;
    },
    [Symbol.asyncDispose]() {
        if (!this._handle) return Promise.resolve();
        return new Promise((resolve, reject) => this.close(error => (error ? reject(error) : resolve())));
    },
};
for (const name of Reflect.ownKeys(methods)) Object.defineProperty(Server.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });
Object.defineProperty(Server.prototype, 'listening', { get() {
    return Boolean(this._handle);
}, configurable: true, enumerable: true });

module.exports = { Server };
