// http_outgoing: the messages that go out: responses of a server, requests of a client.
'use strict';

const { Stream } = require('stream');
const { argType, argValue, coded } = require('internal/errors');
const { validateHeaderName, validateHeaderValue } = require('internal/http_headers');
const validate = require('internal/validators');

const kOutHeaders = Symbol('kOutHeaders'), kCorked = Symbol('corked'), kErrored = Symbol('errored'), kBytes = Symbol('kBytesWritten');
const kEndCalled = Symbol('kEndCalled'), kNeedDrain = Symbol('kNeedDrain'), kUnique = Symbol('kUniqueHeaders'), kRejects = Symbol('rejects');
const HIGH = 16384;
const nothing = () => {};

function OutgoingMessage(options) {
    Stream.call(this);
    Object.assign(this, {
        outputData: [], outputSize: 0, writable: true, destroyed: false, _last: false, chunkedEncoding: false, shouldKeepAlive: true,
        maxRequestsOnConnectionReached: false, _defaultKeepAlive: true, useChunkedEncodingByDefault: true, sendDate: false, _removedConnection: false,
        _removedContLen: false, _removedTE: false, strictContentLength: false, _contentLength: null, _hasBody: true, _trailer: '',
        finished: false, _headerSent: false, _closed: false, socket: null, _header: null, _keepAliveTimeout: 0, _onPendingData: nothing,
    });
    const hidden = { [kOutHeaders]: null, [kCorked]: 0, [kErrored]: null, [kBytes]: 0, [kEndCalled]: false, [kNeedDrain]: false, [kUnique]: null, [kRejects]: options?.rejectNonStandardBodyWrites ?? false };
    for (const key of Object.getOwnPropertySymbols(hidden)) Object.defineProperty(this, key, { value: hidden[key], writable: true });
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

const getters = {
    errored() {
        return this[kErrored];
    },
    closed() {
        return this._closed;
    },
    writableFinished() {
        return this.finished && this.outputSize === 0 && (!this.socket || this.socket.writableLength === 0);
    },
    writableObjectMode: () => false,
    writableLength() {
        return this.outputSize + (this.socket ? this.socket.writableLength : 0);
    },
    writableHighWaterMark() {
        return this.socket ? this.socket.writableHighWaterMark : HIGH;
    },
    writableCorked() {
        return this[kCorked];
    },
    writableEnded() {
        return this.finished;
    },
    writableNeedDrain() {
        return !this.destroyed && !this.finished && this[kNeedDrain];
    },
    headersSent() {
        return Boolean(this._header);
    },
};
for (const name of Object.keys(getters)) Object.defineProperty(OutgoingMessage.prototype, name, { get: getters[name], configurable: true, enumerable: name === 'headersSent' });
Object.defineProperty(OutgoingMessage.prototype, 'connection', {
    configurable: true,
    get() {
        return this.socket;
    },
    set(value) {
        this.socket = value;
    },
});

// ---------------------------------------------------------------- the head

const isContentDisposition = (name, length) => length === 19 && name.toLowerCase() === 'content-disposition';

function storeOne(message, state, name, value, checks) {
    if (checks) validateHeaderValue(name, value);
    state.header += `${name}: ${value}\r\n`;
    switch (name.toLowerCase()) {
    case 'connection':
        state.connection = true;
        message._removedConnection = false;
        if (/(?:^|\W)close(?:$|\W)/i.test(value)) message._last = true;
        else message.shouldKeepAlive = true;
        break;
    case 'transfer-encoding':
        state.te = true;
        message._removedTE = false;
        if (/(?:^|\W)chunked(?:$|\W)/i.test(value)) message.chunkedEncoding = true;
        break;
    case 'content-length':
        state.contLen = true;
        message._contentLength = +value;
        message._removedContLen = false;
        break;
    case 'date': case 'expect': case 'trailer':
        state[name.toLowerCase()] = true;
        break;
    case 'keep-alive':
        message._defaultKeepAlive = false;
    }
}

function store(message, state, name, value, checks) {
    if (checks) validateHeaderName(name);
    if (isContentDisposition(name, name.length) && message._contentLength) value = Array.isArray(value) ? value.map(one => Buffer.from(`${one}`).latin1Slice()) : Buffer.from(`${value}`).latin1Slice();
    if (!Array.isArray(value)) return storeOne(message, state, name, value, checks);
    const unique = message[kUnique]?.has(name.toLowerCase()) || (name.toLowerCase() === 'cookie');
    if (value.length < 2 || !unique) for (const one of value) storeOne(message, state, name, one, checks);
    else storeOne(message, state, name, value.join('; '), checks);
    return undefined;
}

function storeHeader(firstLine, headers) {
    const state = { header: firstLine };
    if (headers) {
        if (headers === this[kOutHeaders]) for (const key in headers) store(this, state, headers[key][0], headers[key][1], false);
        else if (!Array.isArray(headers)) for (const key of Object.keys(headers)) store(this, state, key, headers[key], true);
        else if (headers.length && Array.isArray(headers[0])) for (const [name, value] of headers) store(this, state, name, value, true);
        else {
            if (headers.length % 2 !== 0) throw argValue('headers', headers);
            for (let i = 0; i < headers.length; i += 2) store(this, state, headers[i], headers[i + 1], true);
        }
    }
    if (this.sendDate && !state.date) state.header += `Date: ${new Date().toUTCString()}\r\n`;
    if (this.chunkedEncoding && (this.statusCode === 204 || this.statusCode === 304)) this.chunkedEncoding = this.shouldKeepAlive = false;
    connectionLine(this, state);
    lengthLine(this, state);
    if (this.chunkedEncoding !== true && state.trailer) throw coded(Error, 'ERR_HTTP_TRAILER_INVALID', 'Trailers are invalid with this transfer encoding');
    this._header = `${state.header}\r\n`;
    this._headerSent = false;
    if (state.expect) this._send('');
}

function connectionLine(message, state) {
    if (message._removedConnection) {
        message._last = !message.shouldKeepAlive;
        return;
    }
    if (state.connection) return;
    const keeps = message.shouldKeepAlive && (state.contLen || message.useChunkedEncodingByDefault || message.agent);
    if (message.maxRequestsOnConnectionReached) state.header += 'Connection: close\r\n';
    else if (keeps) {
        state.header += 'Connection: keep-alive\r\n';
        if (!message._keepAliveTimeout || !message._defaultKeepAlive) return;
        const most = ~~message._maxRequestsPerSocket > 0 ? `, max=${message._maxRequestsPerSocket}` : '';
        state.header += `Keep-Alive: timeout=${Math.floor(message._keepAliveTimeout / 1000)}${most}\r\n`;
    } else {
        message._last = true;
        state.header += 'Connection: close\r\n';
    }
}

function lengthLine(message, state) {
    if (state.contLen || state.te) return;
    if (!message._hasBody) message.chunkedEncoding = false;
    else if (!message.useChunkedEncodingByDefault) message._last = true;
    else if (!state.trailer && !message._removedContLen && typeof message._contentLength === 'number') state.header += `Content-Length: ${message._contentLength}\r\n`;
    else if (!message._removedTE) {
        state.header += 'Transfer-Encoding: chunked\r\n';
        message.chunkedEncoding = true;
    }
}

function checkOpen(message, what) {
    if (message._header) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', `Cannot ${what} headers after they are sent to the client`);
}

const heads = {
    _renderHeaders() {
        checkOpen(this, 'render');
        const headers = {};
        for (const [name, value] of Object.values(this[kOutHeaders] ?? {})) headers[name] = value;
        return headers;
    },
    _storeHeader: storeHeader,
    setHeader(name, value) {
        checkOpen(this, 'set');
        validateHeaderName(name);
        validateHeaderValue(name, value);
        (this[kOutHeaders] ??= { __proto__: null })[name.toLowerCase()] = [name, value];
        return this;
    },
    setHeaders(headers) {
        checkOpen(this, 'set');
        if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function') throw argType('headers', ['Headers', 'Map'], headers);
        const cookies = [];
        for (const [name, value] of headers) {
            if (name === 'set-cookie') cookies.push(...[value].flat());
            else this.setHeader(name, value);
        }
        if (cookies.length) this.setHeader('set-cookie', cookies);
        return this;
    },
    appendHeader(name, value) {
        checkOpen(this, 'append');
        validateHeaderName(name);
        validateHeaderValue(name, value);
        const old = this[kOutHeaders]?.[name.toLowerCase()];
        if (old) old[1] = [old[1], value].flat();
        else (this[kOutHeaders] ??= { __proto__: null })[name.toLowerCase()] = [name, value];
        return this;
    },
    getHeader(name) {
        validate.string(name, 'name');
        return this[kOutHeaders]?.[name.toLowerCase()]?.[1];
    },
    getHeaderNames() {
        return this[kOutHeaders] ? Object.keys(this[kOutHeaders]) : [];
    },
    getRawHeaderNames() {
        return Object.values(this[kOutHeaders] ?? {}).map(([name]) => name);
    },
    getHeaders() {
        const all = { __proto__: null };
        for (const key of Object.keys(this[kOutHeaders] ?? {})) all[key] = this[kOutHeaders][key][1];
        return all;
    },
    hasHeader(name) {
        validate.string(name, 'name');
        return this[kOutHeaders]?.[name.toLowerCase()] !== undefined;
    },
    removeHeader(name) {
        validate.string(name, 'name');
        checkOpen(this, 'remove');
        const key = name.toLowerCase();
        if (key === 'connection') this._removedConnection = true;
        else if (key === 'content-length') this._removedContLen = true;
        else if (key === 'transfer-encoding') this._removedTE = true;
        else if (key === 'date') this.sendDate = false;
        if (this[kOutHeaders]) delete this[kOutHeaders][key];
    },
    addTrailers(headers) {
        this._trailer = '';
        const pairs = Array.isArray(headers) ? headers : Object.keys(headers).map(key => [key, headers[key]]);
        for (const [name, value] of pairs) {
            validateHeaderName(name, 'Trailer name');
            for (const one of [value].flat()) {
                if (/[^\t\x20-\x7e\x80-\xff]/.test(one)) throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in trailer content ["${name}"]`);
                this._trailer += `${name}: ${one}\r\n`;
            }
        }
    },
    flushHeaders() {
        if (!this._header) this._implicitHeader();
        this._send('');
    },
    _implicitHeader() {
        throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _implicitHeader() method is not implemented');
    },
};

// ---------------------------------------------------------------- the body

function fail(message, error, callback) {
    if (message.destroyed) return;
    const { socket } = message;
    process.nextTick(() => {
        callback(error);
        if (typeof message.emit === 'function' && !message.destroyed) message.emit('error', error);
    }, socket);
}

function write(message, chunk, encoding, callback, isLast) {
    if (typeof callback !== 'function') callback = nothing;
    if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw argType('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
    const error = message.finished ? coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end')
        : message.destroyed ? coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed') : undefined;
    if (error) {
        if (message.destroyed) process.nextTick(callback, error);
        else fail(message, error, callback);
        return false;
    }
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.byteLength;
    if (!message._header) {
        if (isLast) message._contentLength ??= length;
        message._implicitHeader();
    }
    if (!message._hasBody) {
        if (message[kRejects]) throw coded(Error, 'ERR_HTTP_BODY_NOT_ALLOWED', 'Adding content for this request method or response status is not allowed.');
        process.nextTick(callback);
        return true;
    }
    if (message.strictContentLength && message._contentLength != null && !message._removedContLen) count(message, length, isLast);
    if (!isLast && message.socket && !message.socket.writableCorked) {
        message.socket.cork();
        process.nextTick(socket => socket.uncork(), message.socket);
    }
    let room;
    if (message.chunkedEncoding && length !== 0) {
        message._send(length.toString(16), 'latin1', null);
        message._send('\r\n', 'latin1', null);
        message._send(chunk, encoding, null);
        room = message._send('\r\n', null, callback);
    } else room = message._send(chunk, encoding, callback);
    if (!room) message[kNeedDrain] = true;
    return room;
}

function count(message, length, isLast) {
    message[kBytes] += length;
    const limit = message._contentLength, written = message[kBytes];
    if (isLast ? written !== limit : written > limit) throw coded(Error, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH', `Response body's content-length of ${written} byte(s) does not match the content-length of ${limit} byte(s) set in header`);
}

const bodies = {
    cork() {
        this[kCorked]++;
        this.socket?.cork();
    },
    uncork() {
        if (this[kCorked] > 0) this[kCorked]--;
        this.socket?.uncork();
    },
    setTimeout(milliseconds, callback) {
        if (callback) this.on('timeout', callback);
        if (this.socket) this.socket.setTimeout(milliseconds);
        else this.once('socket', socket => socket.setTimeout(milliseconds));
        return this;
    },
    destroy(error) {
        if (this.destroyed) return this;
        this.destroyed = true;
        this[kErrored] = error;
        if (this.socket) this.socket.destroy(error);
        else this.once('socket', socket => socket.destroy(error));
        return this;
    },
    _send(data, encoding, callback) {
        if (!this._headerSent) {
            const head = this._header;
            if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding) && (!data || !/[\x80-\uffff]/.test(head))) data = head + data;
            else {
                this.outputData.unshift({ data: head, encoding: 'latin1', callback: null });
                this.outputSize += head.length;
                this._onPendingData(head.length);
            }
            this._headerSent = true;
        }
        return this._writeRaw(data, encoding, callback);
    },
    _writeRaw(data, encoding, callback) {
        const { socket } = this;
        if (socket?.destroyed) return false;
        if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
        if (socket && socket._httpMessage === this && socket.writable) {
            if (this.outputData.length) this._flushOutput(socket);
            return socket.write(data, encoding, callback);
        }
        this.outputData.push({ data, encoding, callback });
        this.outputSize += data.length;
        this._onPendingData(data.length);
        return this.outputSize < HIGH;
    },
    write(chunk, encoding, callback) {
        if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
        return write(this, chunk, encoding, callback, false);
    },
    end(chunk, encoding, callback) {
        if (typeof chunk === 'function') [callback, chunk, encoding] = [chunk, null, null];
        else if (typeof encoding === 'function') [callback, encoding] = [encoding, null];
        if (chunk) {
            if (this.finished) {
                fail(this, coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end'), typeof callback === 'function' ? callback : nothing);
                return this;
            }
            this.socket?.cork();
            write(this, chunk, encoding, null, true);
        } else if (this.finished) {
            if (typeof callback !== 'function') return this;
            if (this.writableFinished) callback(coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'));
            else this.on('finish', callback);
            return this;
        } else if (!this._header) {
            this.socket?.cork();
            this._contentLength ??= 0;
            this._implicitHeader();
        }
        if (typeof callback === 'function') this.once('finish', callback);
        if (this.strictContentLength && !chunk && this._hasBody && this._contentLength && !this._removedContLen && !this.chunkedEncoding) count(this, 0, true);
        const done = error => {
            if (error?.code !== undefined && error.syscall) return;
            if (!this.socket?._hadError) this.emit('finish');
        };
        if (this._hasBody && this.chunkedEncoding) this._send(`0\r\n${this._trailer}\r\n`, 'latin1', done);
        else if (!this._headerSent || this.writableLength || chunk) this._send('', 'latin1', done);
        else process.nextTick(done);
        if (this.socket) {
            this.socket._writableState.corked = 1;
            this.socket.uncork();
        }
        this[kCorked] = 0;
        this.finished = true;
        if (this.outputData.length === 0 && this.socket && this.socket._httpMessage === this) this._finish();
        return this;
    },
    _finish() {
        this.emit('prefinish');
    },
    _flush() {
        const { socket } = this;
        if (!socket?.writable) return;
        const room = this._flushOutput(socket);
        if (this.finished) this._finish();
        else if (room && this[kNeedDrain]) {
            this[kNeedDrain] = false;
            this.emit('drain');
        }
    },
    _flushOutput(socket) {
        while (this[kCorked]) {
            this[kCorked]--;
            socket.cork();
        }
        const list = this.outputData;
        if (list.length === 0) return undefined;
        let room;
        socket.cork();
        for (const { data, encoding, callback } of list) room = socket.write(data, encoding, callback);
        socket.uncork();
        this.outputData = [];
        this._onPendingData(-this.outputSize);
        this.outputSize = 0;
        return room;
    },
    _drained() {
        if (!this[kNeedDrain] || this.destroyed || this.finished) return;
        this[kNeedDrain] = false;
        this.emit('drain');
    },
    pipe() {
        this.emit('error', coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
    },
};
for (const methods of [heads, bodies])
    for (const name of Object.keys(methods)) Object.defineProperty(OutgoingMessage.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });
OutgoingMessage.prototype[Symbol.for('nodejs.rejection')] = function (error) {
    this.destroy(error);
};
// What is asked of any writable stream.
for (const name of ['setDefaultEncoding']) Object.defineProperty(OutgoingMessage.prototype, name, { value: undefined, writable: true, configurable: true });

module.exports = { checkOpen, OutgoingMessage, kOutHeaders, kErrored, kUnique, kNeedDrain };
