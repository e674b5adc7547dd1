// http_agent: which connections a client's requests use, and which it keeps for the next.
'use strict';

const EventEmitter = require('events');
const validate = require('internal/validators');

const kRequestOptions = Symbol('requestOptions');

function Agent(options) {
    if (!(this instanceof Agent)) return new Agent(options);
    EventEmitter.call(this);
    this.defaultPort = 80;
    this.protocol = 'http:';
    this.options = { __proto__: null, ...options };
    if (this.options.noDelay === undefined) this.options.noDelay = true;
    this.options.path = null;
    Object.assign(this, {
        requests: { __proto__: null }, sockets: { __proto__: null }, freeSockets: { __proto__: null }, keepAliveMsecs: this.options.keepAliveMsecs || 1000,
        keepAlive: this.options.keepAlive || false, maxSockets: this.options.maxSockets || Infinity, maxFreeSockets: this.options.maxFreeSockets || 256,
        scheduling: this.options.scheduling || 'lifo', maxTotalSockets: this.options.maxTotalSockets, totalSocketCount: 0,
    });
    validate.oneOf(this.scheduling, 'scheduling', ['fifo', 'lifo']);
    if (this.maxTotalSockets !== undefined) validate.number(this.maxTotalSockets, 'maxTotalSockets', 1);
    else this.maxTotalSockets = Infinity;
    this.on('free', (socket, asked) => this._freed(socket, asked));
    return undefined;
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

const methods = {
    createConnection(...args) {
        return require('net').createConnection(...args);
    },
    getName(options = {}) {
        let name = `${options.host || 'localhost'}:`;
        if (options.port) name += options.port;
        name += ':';
        if (options.localAddress) name += options.localAddress;
        if (options.family === 4 || options.family === 6) name += `:${options.family}`;
        if (options.socketPath) name += `:${options.socketPath}`;
        return name;
    },
    addRequest(request, options, port, localAddress) {
        if (typeof options === 'string') options = { __proto__: null, host: options, port, localAddress };
        options = { __proto__: null, ...options, ...this.options };
        if (options.socketPath) options.path = options.socketPath;
        const name = this.getName(options);
        this.sockets[name] ??= [];
        const free = this.freeSockets[name];
        let socket;
        if (free) {
            while (free.length && free[0].destroyed) free.shift();
            socket = this.scheduling === 'fifo' ? free.shift() : free.pop();
            if (!free.length) delete this.freeSockets[name];
        }
        if (socket) {
            this.reuseSocket(socket, request);
            this.sockets[name].push(socket);
            request._took(socket, options);
        } else if (this.sockets[name].length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
            this.createSocket(request, options, (error, made) => request.onSocket(made, error), true);
        } else {
            (this.requests[name] ??= []).push(request);
            Object.defineProperty(request, kRequestOptions, { value: options, configurable: true });
        }
    },
    createSocket(request, options, callback) {
        options = { __proto__: null, ...options, ...this.options };
        if (options.socketPath) options.path = options.socketPath;
        if (options.keepAliveInitialDelay === undefined && options.keepAlive) options.keepAliveInitialDelay = this.keepAliveMsecs;
        const name = this.getName(options);
        options._agentKey = name;
        options.encoding = null;
        let called = false;
        const created = (error, socket) => {
            if (called) return;
            called = true;
            if (error) return void callback(error);
            this.sockets[name] ??= [];
            this.sockets[name].push(socket);
            this.totalSocketCount++;
            this._watch(socket, options);
            callback(null, socket);
        };
        if (this.keepAlive) options.keepAlive = this.keepAlive;
        const made = this.createConnection(options, created);
        if (made) created(null, made);
    },
    _watch(socket, options) {
        const onFree = () => this.emit('free', socket, options);
        const onClose = () => this.removeSocket(socket, options);
        const onTimeout = () => {
            if (Object.values(this.freeSockets).some(list => list.includes(socket))) socket.destroy();
        };
        const onRemove = () => {
            this.removeSocket(socket, options);
            for (const [event, listener] of [['close', onClose], ['free', onFree], ['timeout', onTimeout], ['agentRemove', onRemove]]) socket.removeListener(event, listener);
        };
        socket.on('free', onFree);
        socket.on('close', onClose);
        if (this.options.timeout) socket.setTimeout(this.options.timeout);
        socket.on('timeout', onTimeout);
        socket.on('agentRemove', onRemove);
    },
    _freed(socket, options) {
        const name = this.getName(options);
        if (!socket.writable) return void socket.destroy();
        const requests = this.requests[name];
        if (requests?.length) {
            const request = requests.shift();
            if (requests.length === 0) delete this.requests[name];
            request._took(socket, options);
            return undefined;
        }
        const request = socket._httpMessage;
        if (!request?.shouldKeepAlive || !this.keepAlive) return void socket.destroy();
        const count = (this.freeSockets[name]?.length ?? 0) + (this.sockets[name]?.length ?? 0);
        if (this.totalSocketCount > this.maxTotalSockets || count > this.maxSockets || (this.freeSockets[name]?.length ?? 0) >= this.maxFreeSockets || !this.keepSocketAlive(socket)) return void socket.destroy();
        this.freeSockets[name] ??= [];
        socket._httpMessage = null;
        this.removeSocket(socket, options, true);
        socket.once('error', freeError);
        this.freeSockets[name].push(socket);
        return undefined;
    },
    removeSocket(socket, options, keepsCount = false) {
        const name = this.getName(options);
        const lists = socket.writable ? [this.sockets] : [this.sockets, this.freeSockets];
        for (const sockets of lists) {
            const at = sockets[name]?.indexOf(socket) ?? -1;
            if (at === -1) continue;
            sockets[name].splice(at, 1);
            if (sockets[name].length === 0) delete sockets[name];
            if (!keepsCount) this.totalSocketCount--;
        }
        let waiting = this.requests[name]?.length ? name : undefined;
        if (waiting === undefined && !keepsCount) waiting = Object.keys(this.requests).find(other => !this.sockets[other]?.length && this.requests[other].length);
        if (waiting === undefined || keepsCount) return;
        const request = this.requests[waiting][0];
        this.createSocket(request, request[kRequestOptions] ?? options, (error, made) => {
            if (error) return void request.onSocket(null, error);
            const list = this.requests[waiting], at = list?.indexOf(request) ?? -1;
            if (at !== -1) list.splice(at, 1);
            if (list?.length === 0) delete this.requests[waiting];
            return void request.onSocket(made);
        });
    },
    keepSocketAlive(socket) {
        socket.setKeepAlive(true, this.keepAliveMsecs);
        socket.unref();
        let timeout = this.options.timeout || 0;
        const hint = /^timeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
        if (hint) {
            const given = Number(hint) * 1000;
            if (given === 0) return false;
            if (given < timeout || timeout === 0) timeout = given;
        }
        if (socket.timeout !== timeout) socket.setTimeout(timeout);
        return true;
    },
    reuseSocket(socket, request) {
        socket.removeListener('error', freeError);
        request.reusedSocket = true;
        socket.ref();
    },
    destroy() {
        for (const sockets of [this.freeSockets, this.sockets])
            for (const list of Object.values(sockets)) for (const socket of [...list]) socket.destroy();
    },
};
for (const name of Object.keys(methods)) Object.defineProperty(Agent.prototype, name, { value: methods[name], writable: true, enumerable: !name.startsWith('_'), configurable: true });

function freeError() {
    this.destroy();
    this.emit('agentRemove');
}

module.exports = { Agent, globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) };
