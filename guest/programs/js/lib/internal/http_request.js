// http_request: the client of Node's http on net's sockets: for servers of the same process, and for connections that
// a program brings itself. Requests that leave the sandbox are internal/http_client's.
'use strict';

const { finished } = require('stream');
const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');
const { goOn, messageOf } = require('internal/http_incoming');
const { checkOpen, OutgoingMessage, kOutHeaders, kUnique } = require('internal/http_outgoing');
const { Parser } = require('internal/http_parser');
const { abortBy, BARE, checkedMethod, checkedPath, ofUrl } = require('internal/http_client');

const kError = Symbol('kError'), kOn = Symbol('listeners'), kParser = Symbol('parser');
const reset = text => Object.assign(new Error(text), { code: 'ECONNRESET' });

// {options, callback} of the arguments of request().
function read(input, options, callback) {
    if (typeof input === 'string') input = ofUrl(new URL(input));
    else if (input instanceof URL) input = ofUrl(input);
    else [callback, options, input] = [options, input, null];
    if (typeof options === 'function') [callback, options] = [options, input || {}];
    else options = Object.assign(input || {}, options);
    return { options: options ?? {}, callback };
}

function hostOf(value, name) {
    if (value !== null && value !== undefined && typeof value !== 'string') throw argType(`options.${name}`, ['string', 'undefined', 'null'], value);
    return value;
}

function agentOf({ agent, createConnection }) {
    const { Agent, globalAgent } = require('internal/http_agent'); // as it is now
    if (agent === false) return new Agent();
    if (agent === null || agent === undefined) return typeof createConnection === 'function' ? undefined : globalAgent;
    if (typeof agent.addRequest !== 'function') throw argType('options.agent', ['Agent-like Object', 'undefined', 'false'], agent);
    return agent;
}

function check(options, agent) {
    const path = checkedPath(options.path);
    const expected = agent?.protocol, protocol = options.protocol || expected || 'http:';
    if (protocol !== (expected ?? 'http:')) throw coded(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${expected ?? 'http:'}"`);
    const method = checkedMethod(options.method);
    if (options.maxHeaderSize !== undefined) validate.integer(options.maxHeaderSize, 'maxHeaderSize', 0);
    for (const name of ['insecureHTTPParser', 'joinDuplicateHeaders']) if (options[name] !== undefined) validate.boolean(options[name], `options.${name}`);
    return { path, protocol, method };
}

function ClientRequest(input, given, then) {
    OutgoingMessage.call(this);
    const { options, callback } = read(input, given, then);
    const agent = agentOf(options);
    const { path, protocol, method } = check(options, agent);
    const defaultPort = options.defaultPort || agent?.defaultPort, port = options.port = options.port || defaultPort || 80;
    const host = options.host = hostOf(options.hostname, 'hostname') || hostOf(options.host, 'host') || 'localhost';
    const setHost = options.setHost !== undefined ? Boolean(options.setHost) : options.setDefaultHeaders !== false;
    if (options.timeout !== undefined) this.timeout = duration(options.timeout, 'timeout');
    if (options.signal) abortBy(this, options.signal);
    Object.assign(this, {
        agent, socketPath: options.socketPath, method, maxHeaderSize: options.maxHeaderSize, insecureHTTPParser: options.insecureHTTPParser,
        joinDuplicateHeaders: options.joinDuplicateHeaders, path, _ended: false, res: null, aborted: false, timeoutCb: null, upgradeOrConnect: false,
        parser: null, maxHeadersCount: null, reusedSocket: false, host, protocol,
    });
    if (options.uniqueHeaders) this[kUnique] = new Set(options.uniqueHeaders.flat().map(name => name.toLowerCase()));
    if (callback) this.once('response', callback);
    this.shouldKeepAlive = Boolean(agent) && (Boolean(agent.keepAlive) || Number.isFinite(agent.maxSockets));
    this._last = !this.shouldKeepAlive;
    heads(this, options, { host, port, defaultPort, setHost });
    this._begin(options, agent);
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

function duration(value, name) {
    validate.number(value, name);
    if (value < 0 || !Number.isFinite(value)) throw require('internal/errors').outOfRange(name, 'a non-negative finite number', value);
    return value > 2147483647 ? 2147483647 : value;
}

function heads(request, options, { host, port, defaultPort, setHost }) {
    const { method } = request, { headers } = options, isList = Array.isArray(headers);
    request.useChunkedEncodingByDefault = !BARE.has(method);
    if (!isList) {
        for (const key of Object.keys(headers ?? {})) request.setHeader(key, headers[key]);
        if (host && !request.getHeader('host') && setHost) {
            let name = host;
            if (name.includes(':') && name.indexOf(':') !== name.lastIndexOf(':') && !name.startsWith('[')) name = `[${name}]`;
            if (port && +port !== (defaultPort ?? 80)) name += `:${port}`;
            request.setHeader('Host', name);
        }
    }
    const auth = options.auth && !(isList ? headers.flat().some(name => `${name}`.toLowerCase() === 'authorization') : request.getHeader('Authorization'))
        ? `Basic ${Buffer.from(options.auth).toString('base64')}` : undefined;
    if (auth && !isList) request.setHeader('Authorization', auth);
    if (isList) request._storeHeader(`${method} ${request.path} HTTP/1.1\r\n`, auth ? [...headers, ...(Array.isArray(headers[0]) ? [['Authorization', auth]] : ['Authorization', auth])] : headers);
    else if (request.getHeader('expect')) request._storeHeader(`${method} ${request.path} HTTP/1.1\r\n`, request[kOutHeaders]);
}

function socketOf(request, options, done) {
    const { createConnection } = options;
    let called = false;
    const once = (error, socket) => {
        if (called) return;
        called = true;
        if (error) process.nextTick(() => failed(request, error));
        else done(socket);
    };
    if (typeof createConnection !== 'function') return done(require('net').createConnection(options));
    try {
        const made = createConnection(options, once);
        if (made) once(null, made);
    } catch (error) {
        once(error);
    }
    return undefined;
}

function failed(request, error) {
    request.destroyed = true;
    if (error) request.emit('error', error);
    if (request._closed) return;
    request._closed = true;
    request.emit('close');
}

const methods = {
    _begin(options, agent) {
        if (agent) return void agent.addRequest(this, { ...options, agent: undefined, path: undefined, socketPath: options.socketPath });
        return void socketOf(this, { ...options, path: options.socketPath }, socket => this.onSocket(socket));
    },
    _implicitHeader() {
        checkOpen(this, 'render');
        this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kOutHeaders]);
    },
    abort() {
        if (this.aborted) return;
        this.aborted = true;
        process.nextTick(() => this.emit('abort'));
        this.destroy();
    },
    destroy(error) {
        if (this.destroyed) return this;
        this.destroyed = true;
        this.res?._dump();
        this[kError] = error;
        this.socket?.destroy(error);
        return this;
    },
    onSocket(socket, error) {
        process.nextTick(() => {
            if (!this.destroyed && !error) {
                attach(this, socket);
                this._flush();
                return;
            }
            const why = this[kError] ?? error ?? reset('socket hang up');
            if (!socket) return void failed(this, why);
            if (!error && this.agent && !socket.destroyed) {
                socket.emit('free');
                return void failed(this, why);
            }
            return void finished(socket.destroy(error || this[kError]), ended => failed(this, (ended?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? null : ended) ?? why));
        });
    },
    // A connection of the agent's, used before or new.
    _took(socket, options) {
        const wanted = this.timeout || options.timeout;
        if (wanted && socket.timeout !== wanted) socket.setTimeout(wanted);
        else if (!wanted && socket.timeout) socket.setTimeout(0);
        this.onSocket(socket);
    },
    onTimeout() {
        this.emit('timeout');
    },
    setTimeout(milliseconds, callback) {
        if (this._ended) return this;
        milliseconds = duration(milliseconds, 'msecs');
        listenTimeout(this);
        if (callback) this.once('timeout', callback);
        const set = socket => {
            if (socket.connecting) socket.once('connect', () => socket.setTimeout(milliseconds));
            else socket.setTimeout(milliseconds);
        };
        if (this.socket) set(this.socket);
        else this.once('socket', set);
        return this;
    },
    setNoDelay(enable) {
        this._deferred('setNoDelay', [enable]);
    },
    setSocketKeepAlive(enable, delay) {
        this._deferred('setKeepAlive', [enable, delay]);
    },
    clearTimeout(callback) {
        this.setTimeout(0, callback);
    },
    _deferred(method, args) {
        const call = () => this.socket.connecting ? this.socket.once('connect', () => this.socket?.[method](...args)) : this.socket[method](...args);
        if (this.socket) call();
        else this.once('socket', call);
    },
};
for (const name of Object.keys(methods)) Object.defineProperty(ClientRequest.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });

function listenTimeout(request) {
    if (request.timeoutCb) return;
    request.timeoutCb = () => request.emit('timeout');
    if (request.socket) request.socket.once('timeout', request.timeoutCb);
    else request.once('socket', socket => socket.once('timeout', request.timeoutCb));
}

// ---------------------------------------------------------------- the connection

function attach(request, socket) {
    const parser = request[kParser] = request.parser = socket.parser = new Parser(false, {
        head: head => onHead(request, socket, head),
        body(bytes) {
            const { res } = request;
            if (res && !res._dumped && !res.push(bytes)) {
                socket._paused = true;
                socket.pause();
            }
        },
        complete(trailers) {
            const { res } = request;
            if (!res) return;
            res.rawTrailers = trailers.flat();
            res.complete = true;
            res.push(null);
            goOn(socket);
        },
    }, { maxHeaderSize: request.maxHeaderSize ?? 16384, lenient: request.insecureHTTPParser });
    parser.socket = socket;
    request.socket = socket;
    socket._httpMessage = request;
    const on = request[kOn] = {
        data: bytes => onData(request, socket, bytes),
        end: () => onEnd(request, socket),
        close: () => onClose(request, socket),
        error: error => onError(request, socket, error),
        drain: () => request._drained(),
    };
    for (const event of Object.keys(on)) socket.on(event, on[event]);
    if (request.timeout !== undefined) {
        listenTimeout(request);
        if (!request.agent?.options?.timeout && socket.timeout !== request.timeout) socket.setTimeout(request.timeout);
    }
    request.once('finish', () => {
        if (request.shouldKeepAlive && request._ended) keep(request);
    });
    request.emit('socket', socket);
}

function detach(request, socket) {
    for (const event of Object.keys(request[kOn])) socket.removeListener(event, request[kOn][event]);
    socket.parser = null;
}

function onError(request, socket, error) {
    socket._hadError = true;
    request.emit('error', error);
    socket.destroy();
}

function onData(request, socket, bytes) {
    const error = request[kParser].execute(bytes);
    if (error) {
        detachError(request, socket);
        error.rawPacket = bytes;
        socket._hadError = true;
        socket.destroy();
        return void request.emit('error', error);
    }
    const head = request[kParser].upgraded;
    if (head === undefined) return undefined;
    const { res } = request, event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
    detach(request, socket);
    if (request.timeoutCb) socket.removeListener('timeout', request.timeoutCb);
    if (request.listenerCount(event) === 0) return void socket.destroy();
    request.upgradeOrConnect = true;
    socket.emit('agentRemove');
    socket.readableFlowing = null;
    request.emit(event, res, socket, head);
    request.destroyed = request._closed = true;
    request.emit('close');
    return undefined;
}
const detachError = (request, socket) => {
    socket.removeListener('error', request[kOn].error);
    socket.on('error', () => {});
};

function onEnd(request, socket) {
    if (!request.res && !socket._hadError) {
        socket._hadError = true;
        request.emit('error', request[kParser].isIdle ? reset('socket hang up') : request[kParser].finish() ?? reset('socket hang up'));
    }
    request[kParser].finish();
    socket.end();
}

function onClose(request, socket) {
    request[kParser].finish();
    const { res } = request;
    request.destroyed = true;
    if (res) {
        if (!res.complete) res.destroy(reset('aborted'));
        request._closed = true;
        request.emit('close');
        if (!res.aborted && res.readable) res.push(null);
        return;
    }
    if (!socket._hadError) {
        socket._hadError = true;
        request.emit('error', reset('socket hang up'));
    }
    request._closed = true;
    request.emit('close');
}

function onHead(request, socket, head) {
    const response = messageOf(head, socket);
    response.joinDuplicateHeaders = request.joinDuplicateHeaders;
    if (request.maxHeadersCount) response.rawHeaders.length = Math.min(response.rawHeaders.length, request.maxHeadersCount * 2);
    if (request.res) { // it answers twice
        socket.destroy();
        return 'skip';
    }
    request.res = response;
    if (request.method === 'CONNECT' || (head.upgrade && head.status === 101)) {
        response.upgrade = true;
        return 'upgrade';
    }
    if (head.status < 200 && head.status !== 101) {
        request.res = null;
        if (head.status === 100) request.emit('continue');
        const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = response;
        request.emit('information', { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders });
        return 'skip';
    }
    if (request.shouldKeepAlive && !head.persists && !(request.method === 'HEAD' && head.keepAliveAsked)) request.shouldKeepAlive = false;
    response.req = request;
    response.on('end', () => onResponseEnd(request, response));
    if (request.aborted || !request.emit('response', response)) response._dump();
    return request.method === 'HEAD' ? 'skip' : undefined;
}

function onResponseEnd(request, response) {
    const { socket } = request;
    request._ended = true;
    if (!request.shouldKeepAlive) {
        if (socket.writable) socket.destroySoon?.();
    } else if (request.writableFinished && !response.aborted) keep(request);
}

// The connection is free for another request.
function keep(request) {
    const { socket } = request;
    if (request.timeoutCb) {
        socket.setTimeout(0, request.timeoutCb);
        request.timeoutCb = null;
    }
    if (request._freeing) return;
    Object.defineProperty(request, '_freeing', { value: true });
    detach(request, socket);
    process.nextTick(() => {
        request._closed = true;
        request.emit('close');
        socket.emit('free');
    });
    request.destroyed = true;
}

module.exports = { ClientRequest, read };
