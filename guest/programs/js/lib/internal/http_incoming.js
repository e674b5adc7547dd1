// http_incoming: the messages that come in: requests of a server, responses of a client.
'use strict';

const { Readable, finished } = require('stream');
const { incoming } = require('internal/http_headers');

const known = Symbol('headers');

function IncomingMessage(socket) {
    Readable.call(this, { autoDestroy: true, highWaterMark: socket?.readableHighWaterMark });
    Object.assign(this, {
        socket, httpVersionMajor: null, httpVersionMinor: null, httpVersion: null, complete: false, rawHeaders: [], rawTrailers: [],
        joinDuplicateHeaders: false, aborted: false, upgrade: null, url: '', method: null, statusCode: null, statusMessage: null, client: socket,
        _consuming: false, _dumped: false,
    });
    Object.defineProperty(this, known, { value: {}, writable: true });
    if (this._readableState) this._readableState.readingMore = true;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

const paired = list => Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]);

// A property that is made of a list when it is first asked for.
function lazily(name, list, kind) {
    Object.defineProperty(IncomingMessage.prototype, name, {
        configurable: true,
        get() {
            return (this[known][name] ??= incoming(paired(this[list]), this.joinDuplicateHeaders)[kind]);
        },
        set(value) {
            this[known][name] = value;
        },
    });
}
lazily('headers', 'rawHeaders', 'headers');
lazily('headersDistinct', 'rawHeaders', 'distinct');
lazily('trailers', 'rawTrailers', 'headers');
lazily('trailersDistinct', 'rawTrailers', 'distinct');
Object.defineProperty(IncomingMessage.prototype, 'connection', {
    configurable: true,
    get() {
        return this.socket;
    },
    set(value) {
        this.socket = value;
    },
});

const methods = {
    setTimeout(milliseconds, callback) {
        if (callback) this.on('timeout', callback);
        this.socket.setTimeout(milliseconds);
        return this;
    },
    _read() {
        if (!this._consuming) {
            this._readableState.readingMore = false;
            this._consuming = true;
        }
        if (this.socket?.readable) goOn(this.socket);
    },
    _destroy(error, callback) {
        if (!this.readableEnded || !this.complete) {
            this.aborted = true;
            this.emit('aborted');
        }
        const done = failure => process.nextTick(() => callback(this.listenerCount('error') === 0 ? undefined : failure));
        if (!this.socket || this.socket.destroyed || !this.aborted) return void done(error);
        this.socket.destroy(error);
        const cleanup = finished(this.socket, failure => {
            if (failure?.code === 'ERR_STREAM_PREMATURE_CLOSE') failure = null;
            cleanup();
            done(failure || error);
        });
    },
    _addHeaderLine(field, value, target) {
        const { headers } = incoming([...Object.entries(target), [field, value]]);
        Object.assign(target, headers);
    },
    _dump() {
        if (this._dumped) return;
        this._dumped = true;
        this.resume();
    },
};
for (const name of Object.keys(methods)) Object.defineProperty(IncomingMessage.prototype, name, { value: methods[name], writable: true, enumerable: true, configurable: true });

// A connection that was stopped because nobody read its message is read again.
function goOn(socket) {
    if (!socket._paused) return;
    socket._paused = false;
    socket.resume();
}

// The message of a head that a parser has read.
function messageOf(head, socket, Kind = IncomingMessage) {
    const message = new Kind(socket);
    message.httpVersionMajor = head.major;
    message.httpVersionMinor = head.minor;
    message.httpVersion = `${head.major}.${head.minor}`;
    message.rawHeaders = head.fields.flat();
    message.upgrade = head.upgrade;
    if (head.method === undefined) {
        message.statusCode = head.status;
        message.statusMessage = head.reason;
    } else {
        message.method = head.method;
        message.url = head.url;
    }
    return message;
}

module.exports = { goOn, IncomingMessage, messageOf };
