// http_server: servers of HTTP/1.1 on net's, which are reached from within their own process.
'use strict';

const { coded, argType, argValue } = require('internal/errors');
const validate = require('internal/validators');
const { goOn, IncomingMessage, messageOf } = require('internal/http_incoming');
const { checkOpen, OutgoingMessage, kOutHeaders } = require('internal/http_outgoing');
const { Parser } = require('internal/http_parser');
const { STATUS_CODES } = require('internal/http_status');
const { validateHeaderName, validateHeaderValue } = require('internal/http_headers');
const { Server: NetServer } = require('internal/net_server');

const kConnections = Symbol('connections'), kState = Symbol('state');
const reset = text => Object.assign(new Error(text), { code: 'ECONNRESET' });

// ---------------------------------------------------------------- responses

function ServerResponse(request, options) {
    OutgoingMessage.call(this, options);
    if (request.method === 'HEAD') this._hasBody = false;
    Object.assign(this, { req: request, sendDate: true, _sent100: false, _expect_continue: false });
    if (request.httpVersionMajor < 1 || request.httpVersionMinor < 1) {
        this.useChunkedEncodingByDefault = /(?:^|\W)chunked(?:$|\W)/i.test(request.headers?.te);
        this.shouldKeepAlive = false;
    }
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);
ServerResponse.prototype.statusCode = 200;
ServerResponse.prototype.statusMessage = undefined;

function emitClose(message) {
    if (message._closed) return;
    message.destroyed = message._closed = true;
    message.emit('close');
}
function onServerResponseClose() {
    if (this._httpMessage) emitClose(this._httpMessage);
}

function earlyHints(hints) {
    validate.object(hints, 'hints');
    if (hints.link === null || hints.link === undefined) return '';
    const links = [hints.link].flat();
    for (const link of links) {
        if (typeof link !== 'string' || !/^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(?:"[^"]*"|[^;"\s]*))?)*$/.test(link))
            throw argValue('hints', Array.isArray(hints.link) ? hints.link : link, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
    }
    if (links.length === 0) return '';
    let head = `HTTP/1.1 103 Early Hints\r\nLink: ${links.join(', ')}\r\n`;
    for (const key of Object.keys(hints)) {
        if (key === 'link') continue;
        validateHeaderName(key);
        validateHeaderValue(key, hints[key]);
        head += `${key}: ${hints[key]}\r\n`;
    }
    return `${head}\r\n`;
}

const responses = {
    _finish() {
        OutgoingMessage.prototype._finish.call(this);
    },
    assignSocket(socket) {
        if (socket._httpMessage) throw coded(Error, 'ERR_HTTP_SOCKET_ASSIGNED', 'ServerResponse has an already assigned socket');
        socket._httpMessage = this;
        socket.on('close', onServerResponseClose);
        this.socket = socket;
        this.emit('socket', socket);
        this._flush();
    },
    detachSocket(socket) {
        socket.removeListener('close', onServerResponseClose);
        socket._httpMessage = null;
        this.socket = null;
    },
    writeContinue(callback) {
        this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'ascii', callback);
        this._sent100 = true;
    },
    writeProcessing(callback) {
        this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'ascii', callback);
    },
    writeEarlyHints(hints, callback) {
        const head = earlyHints(hints);
        if (head !== '') this._writeRaw(head, 'ascii', callback);
    },
    _implicitHeader() {
        this.writeHead(this.statusCode);
    },
    writeHead(statusCode, reason, headers) {
        checkOpen(this, 'write');
        const given = statusCode;
        statusCode |= 0;
        if (statusCode < 100 || statusCode > 999) throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${require('internal/inspect').format('%s', given)}`);
        if (typeof reason === 'string') this.statusMessage = reason;
        else {
            this.statusMessage ||= STATUS_CODES[statusCode] || 'unknown';
            headers ??= reason;
        }
        this.statusCode = statusCode;
        let all = headers;
        if (this[kOutHeaders]) {
            if (Array.isArray(headers)) {
                if (headers.length % 2 !== 0) throw argValue('headers', headers);
                for (let i = 0; i < headers.length; i += 2) this.removeHeader(headers[i]);
                for (let i = 0; i < headers.length; i += 2) if (headers[i]) this.appendHeader(headers[i], headers[i + 1]);
            } else for (const key of Object.keys(headers ?? {})) if (key) this.setHeader(key, headers[key]);
            all = this[kOutHeaders];
        }
        if (/[^\t\x20-\x7e\x80-\xff]/.test(this.statusMessage)) throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
        if (statusCode === 204 || statusCode === 304 || (statusCode >= 100 && statusCode <= 199)) this._hasBody = false;
        if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
        this._storeHeader(`HTTP/1.1 ${statusCode} ${this.statusMessage}\r\n`, all);
        return this;
    },
};
responses.writeHeader = responses.writeHead;
for (const name of Object.keys(responses)) Object.defineProperty(ServerResponse.prototype, name, { value: responses[name], writable: true, enumerable: true, configurable: true });

// ---------------------------------------------------------------- servers

function checkTimes(server, options) {
    const integer = (name, usual) => {
        if (options[name] !== undefined) validate.integer(options[name], name, 0);
        server[name] = options[name] ?? usual;
    };
    if (options.maxHeaderSize !== undefined) validate.integer(options.maxHeaderSize, 'maxHeaderSize', 0);
    server.maxHeaderSize = options.maxHeaderSize;
    for (const name of ['insecureHTTPParser', 'requireHostHeader', 'joinDuplicateHeaders', 'rejectNonStandardBodyWrites'])
        if (options[name] !== undefined && options[name] !== null) validate.boolean(options[name], `options.${name}`);
    server.insecureHTTPParser = options.insecureHTTPParser;
    integer('requestTimeout', 300000);
    integer('headersTimeout', Math.min(60000, server.requestTimeout || 60000));
    if (server.requestTimeout > 0 && server.headersTimeout > 0 && server.headersTimeout > server.requestTimeout)
        throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "headersTimeout" is out of range. It must be <= requestTimeout. Received ${server.headersTimeout}`);
    integer('keepAliveTimeout', 5000);
    integer('connectionsCheckingInterval', 30000);
    server.requireHostHeader = options.requireHostHeader ?? true;
    server.joinDuplicateHeaders = options.joinDuplicateHeaders;
    server.rejectNonStandardBodyWrites = options.rejectNonStandardBodyWrites ?? false;
}

function Server(options, listener) {
    if (!(this instanceof Server)) return new Server(options, listener);
    if (typeof options === 'function') [listener, options] = [options, {}];
    else if (options == null) options = {};
    else validate.object(options, 'options');
    this[Symbol.for('nodejs.http.IncomingMessage')] = options.IncomingMessage ?? IncomingMessage;
    this[Symbol.for('nodejs.http.ServerResponse')] = options.ServerResponse ?? ServerResponse;
    checkTimes(this, options);
    NetServer.call(this, { allowHalfOpen: true, noDelay: options.noDelay ?? true, keepAlive: options.keepAlive, keepAliveInitialDelay: options.keepAliveInitialDelay, highWaterMark: options.highWaterMark });
    if (listener) this.on('request', listener);
    this.on('connection', onConnection);
    Object.assign(this, { httpAllowHalfOpen: false, timeout: 0, maxHeadersCount: null, maxRequestsPerSocket: 0 });
    for (const key of ['nodejs.http.IncomingMessage', 'nodejs.http.ServerResponse']) Object.defineProperty(this, Symbol.for(key), { enumerable: false });
    Object.defineProperty(this, kConnections, { value: new Set() });
    return undefined;
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);

const methods = {
    close(...args) {
        this.closeIdleConnections();
        NetServer.prototype.close.apply(this, args);
        return this;
    },
    closeAllConnections() {
        for (const socket of this[kConnections]) socket.destroy();
    },
    closeIdleConnections() {
        for (const socket of this[kConnections]) {
            const state = socket[kState];
            if (state.requests > 0 && state.incoming.length === 0 && !socket._httpMessage && state.parser.isIdle) socket.destroy();
        }
    },
    setTimeout(milliseconds, callback) {
        this.timeout = milliseconds;
        if (callback) this.on('timeout', callback);
        return this;
    },
    [Symbol.for('nodejs.rejection')](error, event, ...args) {
        if (event !== 'request') return;
        const response = args[1];
        if (response.headersSent || response.finished) return void response.destroy();
        for (const name of response.getHeaderNames()) response.removeHeader(name);
        response.statusCode = 500;
        response.end(STATUS_CODES[500]);
    },
};
for (const name of Reflect.ownKeys(methods)) Object.defineProperty(Server.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });

// ---------------------------------------------------------------- connections

function onConnection(socket) {
    const server = this;
    const state = { outgoing: [], incoming: [], requests: 0, current: null, keepAliveTimeoutSet: false, wait: undefined };
    Object.defineProperty(socket, kState, { value: state, configurable: true });
    server[kConnections].add(socket);
    socket.server ??= server;
    if (server.timeout && typeof socket.setTimeout === 'function') socket.setTimeout(server.timeout);
    const parser = state.parser = socket.parser = new Parser(true, {
        head: head => onHead(server, socket, state, head),
        body(bytes) {
            const request = state.current;
            if (!request._dumped && !request.push(bytes)) {
                socket._paused = true;
                socket.pause();
            }
        },
        complete(trailers) {
            clearTimeout(state.wait);
            const request = state.current;
            request.rawTrailers = trailers.flat();
            request.complete = true;
            request.push(null);
            goOn(socket);
            if (!socket._httpMessage) expect(server, socket, state);
        },
    }, { maxHeaderSize: server.maxHeaderSize ?? require('internal/options').maxHeaderSize ?? 16384, lenient: server.insecureHTTPParser });
    parser.socket = socket;
    const on = state.on = {
        timeout: () => onTimeout(server, socket, state),
        error: error => onError(server, socket, state, error),
        data: bytes => onData(server, socket, state, bytes),
        end: () => onEnd(server, socket, state),
        close: () => onClose(server, socket, state),
        drain: () => socket._httpMessage?._drained(),
    };
    for (const event of Object.keys(on)) socket.on(event, on[event]);
    expect(server, socket, state);
}

// How long the head of a request, and the whole of it, may take.
function expect(server, socket, state) {
    clearTimeout(state.wait);
    const limit = server.headersTimeout || server.requestTimeout;
    if (!limit) return;
    state.wait = setTimeout(() => {
        if (!state.parser.isAtHead || state.parser.isIdle && state.requests > 0) return;
        onError(server, socket, state, coded(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout'));
    }, Math.max(limit, Math.min(server.connectionsCheckingInterval, limit)));
    state.wait.unref();
}

function onTimeout(server, socket, state) {
    const request = state.current;
    const told = [request && !request.complete && request.emit('timeout', socket), socket._httpMessage?.emit('timeout', socket), server.emit('timeout', socket)];
    if (!told.some(Boolean)) socket.destroy();
}

function onData(server, socket, state, bytes) {
    const error = state.parser.execute(bytes);
    if (error) {
        error.rawPacket = bytes;
        return void onError(server, socket, state, error);
    }
    if (state.parser.upgraded === undefined) return undefined;
    const request = state.current, event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
    release(server, socket, state);
    socket.parser = null;
    socket.readableFlowing = null;
    server.emit(event, request, socket, state.parser.upgraded);
    return undefined;
}

function release(server, socket, state) {
    clearTimeout(state.wait);
    server[kConnections].delete(socket);
    for (const event of Object.keys(state.on)) socket.removeListener(event, state.on[event]);
}

const REFUSALS = { HPE_HEADER_OVERFLOW: 431, HPE_CHUNK_EXTENSIONS_OVERFLOW: 413, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function onError(server, socket, state, error) {
    socket.removeListener('error', state.on.error);
    if (socket.listenerCount('error') === 0) socket.on('error', () => {});
    if (server.emit('clientError', error, socket)) return;
    if (socket.writable && !socket._httpMessage?._headerSent) {
        const status = REFUSALS[error.code] ?? 400;
        socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, 'latin1');
        socket.destroySoon?.();
    }
    socket.destroy(error);
}

function abort(state) {
    for (const request of state.incoming.splice(0)) request.destroy(reset('aborted'));
}

function onEnd(server, socket, state) {
    const error = state.parser.finish();
    if (error) return void onError(server, socket, state, error);
    if (!server.httpAllowHalfOpen) {
        socket.end();
    } else if (state.outgoing.length) state.outgoing.at(-1)._last = true;
    else if (socket._httpMessage) socket._httpMessage._last = true;
    else socket.end();
    return undefined;
}

function onClose(server, socket, state) {
    clearTimeout(state.wait);
    server[kConnections].delete(socket);
    abort(state);
}

function onHead(server, socket, state, head) {
    const request = messageOf(head, socket, server[Symbol.for('nodejs.http.IncomingMessage')]);
    request.joinDuplicateHeaders = server.joinDuplicateHeaders;
    if (server.maxHeadersCount) request.rawHeaders.length = Math.min(request.rawHeaders.length, server.maxHeadersCount * 2);
    state.current = request;
    clearTimeout(state.wait);
    if (state.keepAliveTimeoutSet) {
        socket.setTimeout(server.timeout || 0);
        state.keepAliveTimeoutSet = false;
    }
    if (request.upgrade) {
        request.upgrade = request.method === 'CONNECT' || server.listenerCount('upgrade') > 0;
        if (request.upgrade && (request.method !== 'CONNECT' || server.listenerCount('connect') > 0)) return 'upgrade';
        if (request.upgrade) {
            socket.destroy();
            return 'skip';
        }
    }
    state.incoming.push(request);
    const response = new server[Symbol.for('nodejs.http.ServerResponse')](request, { rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites });
    response._keepAliveTimeout = server.keepAliveTimeout;
    response._maxRequestsPerSocket = server.maxRequestsPerSocket;
    response.shouldKeepAlive = head.keepAliveAsked;
    if (socket._httpMessage) state.outgoing.push(response);
    else response.assignSocket(socket);
    response.on('finish', () => onFinish(server, socket, state, request, response));
    state.requests++;
    answer(server, socket, state, request, response);
    return undefined;
}

function answer(server, socket, state, request, response) {
    if (request.httpVersionMajor === 1 && request.httpVersionMinor === 1) {
        if (server.requireHostHeader && request.headers.host === undefined) {
            response.writeHead(400, ['Connection', 'close']);
            return void response.end();
        }
        const most = server.maxRequestsPerSocket;
        if (typeof most === 'number' && most > 0) {
            response.maxRequestsOnConnectionReached = most <= state.requests;
            if (most < state.requests) {
                server.emit('dropRequest', request, socket);
                response.writeHead(503);
                return void response.end();
            }
        }
        if (request.headers.expect !== undefined) return void expected(server, request, response);
    }
    return void server.emit('request', request, response);
}

function expected(server, request, response) {
    if (/(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect)) {
        response._expect_continue = true;
        if (server.listenerCount('checkContinue') > 0) server.emit('checkContinue', request, response);
        else {
            response.writeContinue();
            server.emit('request', request, response);
        }
    } else if (server.listenerCount('checkExpectation') > 0) server.emit('checkExpectation', request, response);
    else {
        response.writeHead(417);
        response.end();
    }
}

function onFinish(server, socket, state, request, response) {
    state.incoming.shift();
    if (!request._consuming) request._dump();
    response.detachSocket(socket);
    process.nextTick(emitClose, response);
    if (response._last) {
        if (typeof socket.destroySoon === 'function') socket.destroySoon();
        else socket.end();
    } else if (state.outgoing.length > 0) state.outgoing.shift().assignSocket(socket);
    else if (server.keepAliveTimeout && typeof socket.setTimeout === 'function') {
        socket.setTimeout(server.keepAliveTimeout);
        state.keepAliveTimeoutSet = true;
        if (!server.listening && state.parser.isIdle) socket.destroySoon?.();
    }
}

module.exports = { Server, ServerResponse, _connectionListener: onConnection, argType };
