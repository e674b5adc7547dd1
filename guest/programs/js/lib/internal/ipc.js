// ipc: the channel between a program and the child that it forked: two pipes, one each way.
//
// A message is a line of JSON, or with `serialization: 'advanced'` what v8.serialize() writes, behind its length.
// The child finds its ends by NODE_CHANNEL_FD.
'use strict';

const EventEmitter = require('events');
const { argType, coded, systemError } = require('internal/errors');
const validate = require('internal/validators');

const { IN, OUT } = native.loop;
const EAGAIN = -11;

// ---------------------------------------------------------------- messages as bytes

const json = {
    write: message => Buffer.from(`${JSON.stringify(message)}\n`),
    // [messages, what is left of the bytes]
    read(bytes) {
        const messages = [];
        for (;;) {
            const end = bytes.indexOf(10);
            if (end === -1) return [messages, bytes];
            if (end > 0) messages.push(JSON.parse(bytes.subarray(0, end).toString()));
            bytes = bytes.subarray(end + 1);
        }
    },
};
const advanced = {
    write(message) {
        const body = require('v8').serialize(message), head = Buffer.alloc(4);
        head.writeUInt32BE(body.length);
        return Buffer.concat([head, body]);
    },
    read(bytes) {
        const messages = [];
        while (bytes.length >= 4) {
            const end = 4 + bytes.readUInt32BE();
            if (bytes.length < end) break;
            messages.push(require('v8').deserialize(bytes.subarray(4, end)));
            bytes = bytes.subarray(end);
        }
        return [messages, bytes];
    },
};

// ---------------------------------------------------------------- the channel

class Control extends EventEmitter {
    #set;
    constructor(set) {
        super();
        this.#set = set;
    }
    ref() {
        this.#set(true);
    }
    unref() {
        this.#set(false);
    }
}

// Bytes that leave in order, as fast as they are read: `send(bytes, done)`, `end(then)`.
function sender(fd) {
    const queue = [];
    let watch = 0, ending;
    native.spawn.nonblock(fd, true);
    function put() {
        while (queue.length > 0) {
            const [bytes, at, done] = queue[0];
            const wrote = native.fs.write(fd, bytes, at, bytes.length - at, -1);
            if (wrote === EAGAIN) {
                if (!watch) watch = native.loop.watch(fd, OUT, put);
                native.loop.update(watch, OUT, true);
                return;
            }
            if (wrote >= 0 && at + wrote < bytes.length) {
                queue[0][1] += wrote;
                continue;
            }
            queue.shift();
            if (done) process.nextTick(done, wrote < 0 ? systemError(wrote, 'write') : null);
        }
        if (watch) native.loop.unwatch(watch);
        watch = 0;
        ending?.();
    }
    return {
        send(bytes, done) {
            queue.push([bytes, 0, done]);
            put();
            return queue.length === 0;
        },
        // Waits until all has left.
        flush() {
            native.spawn.nonblock(fd, false);
            put();
        },
        end(then) {
            ending = () => {
                native.fs.close(fd);
                ending = undefined;
                then();
            };
            if (queue.length === 0) ending();
        },
    };
}

// Gives `target`, a ChildProcess or the child's own `process`, its end of a channel.
function open(target, readFd, writeFd, serialization) {
    const form = serialization === 'advanced' ? advanced : json;
    native.spawn.nonblock(readFd, true);
    const out = sender(writeFd), pending = [];
    let left = Buffer.alloc(0), held = target !== process;
    const watch = native.loop.watch(readFd, IN, ready);
    const hold = on => {
        held = on;
        if (target.channel) native.loop.update(watch, IN, held);
    };
    native.loop.update(watch, IN, held);
    target.channel = new Control(hold);
    target.connected = true;

    function emit(message) {
        const event = message !== null && typeof message === 'object' && typeof message.cmd === 'string' && message.cmd.startsWith('NODE_') ? 'internalMessage' : 'message';
        if (event === 'message' && target.listenerCount('message') === 0) pending.push(message);
        else target.emit(event, message, undefined);
    }
    function ready() {
        const chunk = Buffer.allocUnsafe(65536);
        const got = native.fs.read(readFd, chunk, 0, chunk.length, -1);
        if (got === EAGAIN) return false;
        if (got <= 0) return close();
        const [messages, rest] = form.read(Buffer.concat([left, chunk.subarray(0, got)]));
        left = rest;
        for (const message of messages) process.nextTick(emit, message);
        return true;
    }
    function close() {
        if (!target.channel) return false;
        target.channel = null;
        target.connected = false;
        native.loop.unwatch(watch);
        native.fs.close(readFd);
        out.end(() => process.nextTick(() => target.emit('disconnect')));
        return false;
    }
    target.on('newListener', name => {
        if (name !== 'message') return;
        process.nextTick(() => {
            if (target.listenerCount('message') > 0) for (const message of pending.splice(0)) target.emit('message', message, undefined);
        });
    });
    target.send = function (message, handle, options, callback) {
        if (typeof handle === 'function') [callback, handle, options] = [handle, undefined, undefined];
        else if (typeof options === 'function') [callback, options] = [options, undefined];
        else if (options !== undefined) validate.object(options, 'options');
        if (!target.connected) {
            const error = coded(Error, 'ERR_IPC_CHANNEL_CLOSED', 'Channel closed');
            process.nextTick(() => (typeof callback === 'function' ? callback(error) : target.emit('error', error)));
            return false;
        }
        if (message === undefined) throw validate.missing('message');
        if (!['string', 'object', 'number', 'boolean'].includes(typeof message)) throw argType('message', ['string', 'object', 'number', 'boolean'], message);
        if (handle) throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
        return out.send(form.write(message), error => {
            if (typeof callback === 'function') callback(error);
            else if (error && target !== process) target.emit('error', error);
        });
    };
    target._send = target.send;
    target.disconnect = function () {
        if (!target.connected) return void target.emit('error', coded(Error, 'ERR_IPC_DISCONNECTED', 'IPC channel is already disconnected'));
        target._disconnect();
        return undefined;
    };
    target._disconnect = close;
    // drain(): takes what has come so far, of a child that has ended.
    function drain() {
        while (target.channel && ready() === true);
    }
    return { hold, drain };
}

// The child's own end: what listens on it keeps the process alive.
function child(place, serialization) {
    const [read, write] = place.split(',').map(Number);
    for (const name of ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']) native.process.setenv(name, undefined);
    const { hold } = open(process, read, write, serialization);
    const asks = name => name === 'message' || name === 'disconnect';
    const listeners = () => process.listenerCount('message') + process.listenerCount('disconnect');
    process.on('newListener', name => asks(name) && hold(true));
    process.on('removeListener', name => asks(name) && listeners() === 0 && hold(false));
}

module.exports = { open, child, sender };
