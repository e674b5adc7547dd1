// http_client: the client of Node's http and https by the tool http/request, whose calls the host judges. What is
// written is kept until end(); the answer is there as a whole, and is read as a stream.
'use strict';

const { Readable, Writable } = require('stream');
const { AbortError, argType, coded, noNetwork } = require('internal/errors');
const { incoming, Outgoing, TOKEN } = require('internal/http_headers');
const network = require('internal/network');

const BARE = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']); // usually without a body
const VERIFIED = ['ca', 'cert', 'key', 'pfx', 'checkServerIdentity', 'secureContext'];

// The options that a URL stands for.
function ofUrl(url) {
    const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
    const options = {
        protocol, hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, hash, search, pathname,
        path: `${pathname || ''}${search || ''}`, href,
    };
    if (port !== '') options.port = Number(port);
    if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return options;
}

function optionsOf(input, options, scheme) {
    let given = {};
    if (typeof input === 'string') given = ofUrl(new URL(input));
    else if (input instanceof URL) given = ofUrl(input);
    else options = input;
    const all = { ...given, ...options };
    const protocol = all.protocol ?? all.agent?.protocol ?? `${scheme}:`;
    if (protocol !== `${scheme}:`)
        throw coded(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${scheme}:"`);
    return all;
}

function checkedMethod(method) {
    if (method !== undefined && method !== null && typeof method !== 'string') throw argType('options.method', 'string', method);
    if (!method) return 'GET';
    if (!TOKEN.test(method)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `Method must be a valid HTTP token ["${method}"]`);
    return method.toUpperCase();
}

function checkedPath(given) {
    const path = given ? `${given}` : '/';
    if (/[^\u0021-\u00ff]/.test(path)) throw coded(TypeError, 'ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters');
    return path;
}

function abortBy(request, signal) {
    require('internal/validators').abortSignal(signal, 'options.signal');
    const abort = () => request.destroy(new AbortError(undefined, { cause: signal.reason }));
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
}

// What cannot be from here is refused: certificates and connections are the host's.
function checkReach(options) {
    const { agent } = options, all = { ...agent?.options, ...options };
    if (all.rejectUnauthorized === false || VERIFIED.some(name => all[name] !== undefined && all[name] !== null))
        throw coded(Error, 'ERR_INVALID_ARG_VALUE', `certificates are the host's to verify: leave rejectUnauthorized, ${VERIFIED.slice(0, 4).join(', ')} and the like out`);
    if (all.socketPath || all.createConnection)
        throw coded(Error, 'ERR_INVALID_ARG_VALUE', "connections are the host's: leave socketPath and createConnection out");
}

// The error that Node has for what the tool says.
function failure(error, request) {
    const text = error.message, { hostname, port } = request._origin;
    const made = (message, more) => Object.assign(new Error(message, { cause: error }), more);
    if (error.name === 'CapabilityError') return made(text, { code: 'EACCES', syscall: 'connect' });
    if (text.startsWith('Could not resolve host'))
        return made(`getaddrinfo ENOTFOUND ${hostname}`, { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
    if (text.startsWith('Failed to connect'))
        return made(`connect ECONNREFUSED ${hostname}:${port}`, { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: hostname, port });
    if (error.code === 'timeout') return made(text, { code: 'ETIMEDOUT', syscall: 'connect' });
    if (/^(?:Empty reply|Failure when receiving data|transfer closed)/.test(text)) return made('socket hang up', { code: 'ECONNRESET' });
    if (text.startsWith('SSL certificate problem')) {
        const code = text.includes('self-signed') || text.includes('self signed') ? 'DEPTH_ZERO_SELF_SIGNED_CERT'
            : text.includes('expired') ? 'CERT_HAS_EXPIRED' : 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
        return made(text.replace(/^SSL certificate problem: /, ''), { code });
    }
    return made(text, { code: 'EIO' });
}

class IncomingMessage extends Readable {
    constructor(answer, request) {
        super();
        const { headers, distinct, raw } = incoming(answer.headers);
        Object.assign(this, {
            httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, complete: false, rawHeaders: raw, headers,
            headersDistinct: distinct, rawTrailers: [], trailers: {}, trailersDistinct: { __proto__: null }, aborted: false, url: '', method: null,
            statusCode: answer.status, statusMessage: answer.reason, req: request, socket: request.socket,
        });
        const bare = request.method === 'HEAD' || [204, 304].includes(answer.status);
        this._whole = bare ? Buffer.alloc(0) : Buffer.from(network.bytesOf(answer));
    }
    get connection() {
        return this.socket;
    }
    _read(size) {
        const piece = this._whole.subarray(0, size);
        this._whole = this._whole.subarray(piece.length);
        if (piece.length) this.push(piece);
        if (this._whole.length) return;
        this.complete = true;
        this.push(null);
    }
    _destroy(error, done) {
        if (!this.complete && !this.readableEnded) {
            this.aborted = true;
            this.emit('aborted');
            error ??= this.listenerCount('error') > 0 ? Object.assign(new Error('aborted'), { code: 'ECONNRESET' }) : null;
        }
        process.nextTick(done, error);
    }
    setTimeout(milliseconds, callback) {
        if (callback) this.on('timeout', callback);
        return this;
    }
    _dump() {
        this.resume();
    }
}

// What is asked of the socket of a request.
const socketOf = (host, port, secure) => {
    const { EventEmitter } = require('events');
    const nothing = function () {
        return this;
    };
    return Object.assign(new EventEmitter(), {
        setTimeout: nothing, setNoDelay: nothing, setKeepAlive: nothing, ref: nothing, unref: nothing, destroy: nothing, end: nothing,
        connecting: false, destroyed: false, readable: true, writable: true, encrypted: secure || undefined, authorized: secure || undefined,
        remoteAddress: host, remotePort: port, remoteFamily: host.includes(':') ? 'IPv6' : 'IPv4',
    });
};

class OutgoingMessage extends Writable {
    #headers = new Outgoing();
    headersSent = false;
    #open(what) {
        if (this.headersSent) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${what} headers after they are sent to the client`);
    }
    setHeader(name, value) {
        this.#open('set');
        this.#headers.set(name, value);
        return this;
    }
    appendHeader(name, value) {
        this.#open('append');
        this.#headers.append(name, value);
        return this;
    }
    setHeaders(headers) {
        for (const [name, value] of headers instanceof Map || typeof headers?.entries === 'function' ? headers.entries() : Object.entries(headers)) this.setHeader(name, value);
        return this;
    }
    getHeader(name) {
        return this.#headers.get(name);
    }
    getHeaderNames() {
        return this.#headers.names();
    }
    getRawHeaderNames() {
        return this.#headers.rawNames();
    }
    getHeaders() {
        return this.#headers.all();
    }
    hasHeader(name) {
        return this.#headers.has(name);
    }
    removeHeader(name) {
        this.#open('remove');
        this.#headers.delete(name);
    }
    flushHeaders() {}
    addTrailers() {}
    _sent(origin) {
        return this.#headers.sent(origin);
    }
}

class ClientRequest extends OutgoingMessage {
    #pieces = [];
    #stop = new AbortController();
    #timer;
    #milliseconds = 0;
    constructor(scheme, input, given, callback) {
        super({ autoDestroy: false });
        if (typeof given === 'function') [callback, given] = [given, undefined];
        const options = optionsOf(input, given, scheme);
        checkReach(options);
        this.method = checkedMethod(options.method);
        this.path = checkedPath(options.path);
        this.#place(scheme, options);
        this.#head(options);
        Object.assign(this, { agent: options.agent, aborted: false, reusedSocket: false, res: null, maxHeadersCount: null, finished: false, timeout: options.timeout });
        this.socket = socketOf(this._origin.hostname, this._origin.port, scheme === 'https');
        if (callback) this.once('response', callback);
        if (options.timeout !== undefined) this.setTimeout(options.timeout);
        if (options.signal) abortBy(this, options.signal);
        process.nextTick(() => this.destroyed || this.emit('socket', this.socket));
    }
    get connection() {
        return this.socket;
    }
    #place(scheme, options) {
        const usual = scheme === 'https' ? 443 : 80;
        const hostname = `${options.hostname || options.host || 'localhost'}`.replace(/^\[(.*)\]$/, '$1');
        const port = Number(options.port || options.defaultPort || usual);
        const host = hostname.includes(':') ? `[${hostname}]` : hostname;
        const authority = port === usual ? host : `${host}:${port}`;
        this._origin = { hostname, port, authority, url: `${scheme}://${authority}` };
        this.host = hostname;
        this.protocol = `${scheme}:`;
    }
    #head({ headers, auth, setHost = true }) {
        if (Array.isArray(headers)) {
            const flat = headers.flat();
            for (let i = 0; i < flat.length; i += 2) this.appendHeader(flat[i], flat[i + 1]);
        } else for (const name of Object.keys(headers ?? {})) this.setHeader(name, headers[name]);
        if (setHost && !this.hasHeader('host')) this.setHeader('Host', this._origin.authority);
        if (auth && !this.hasHeader('authorization')) this.setHeader('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
    }
    _write(chunk, encoding, done) {
        this.#pieces.push(chunk);
        this.headersSent = true;
        done();
    }
    _final(done) {
        this.finished = this.headersSent = true;
        const bytes = this.#pieces.length || !BARE.has(this.method) ? Buffer.concat(this.#pieces) : undefined;
        this.#pieces = [];
        this.#restart();
        const url = `${this._origin.url}${this.path.startsWith('/') ? '' : '/'}${this.path}`;
        if (!network.isThere()) {
            const { hostname, port } = this._origin;
            process.nextTick(() => this.destroyed || this.destroy(noNetwork('connect', 'ENETUNREACH', -101, hostname, port)));
            return void done();
        }
        const params = { method: this.method, url, headers: this._sent(this._origin.authority.toLowerCase()), ...network.written(bytes) };
        network.ask(params, this.#stop.signal).then(answer => this.#answered(answer), error => this.destroyed || this.destroy(failure(error, this)));
        done();
    }
    #answered(answer) {
        if (this.destroyed) return;
        clearTimeout(this.#timer);
        const response = this.res = new IncomingMessage(answer, this);
        response.once('end', () => this.destroy());
        response.once('close', () => this.destroy());
        if (!this.emit('response', response)) response._dump();
    }
    #restart() {
        clearTimeout(this.#timer);
        if (this.#milliseconds > 0 && !this.destroyed) this.#timer = setTimeout(() => this.emit('timeout'), this.#milliseconds);
    }
    setTimeout(milliseconds, callback) {
        this.#milliseconds = Number(milliseconds);
        if (callback) this.once('timeout', callback);
        if (this.res === null) this.#restart();
        return this;
    }
    setNoDelay() {}
    setSocketKeepAlive() {}
    abort() {
        if (this.aborted) return;
        this.aborted = true;
        process.nextTick(() => this.emit('abort'));
        this.destroy();
    }
    _destroy(error, done) {
        clearTimeout(this.#timer);
        this.#stop.abort();
        this.socket.destroyed = true;
        if (this.res) {
            if (!this.res.complete) this.res.destroy(error ?? undefined);
        } else error ??= Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        done(error);
    }
}

module.exports = { abortBy, BARE, checkedMethod, checkedPath, ClientRequest, ofUrl };
