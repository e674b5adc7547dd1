// worker_link: what connects a program and a worker of it, which is a process: two pipes, one each way.
//
// A frame is a length and what a Serializer writes of [kind, …]. Ports that are in it go on living over there:
// each is known to both sides by a number, and what is given to one end of it travels as a frame.
'use strict';

const { Serializer, Deserializer } = require('internal/serdes');
const messaging = require('internal/messaging');
const { isPort } = require('internal/clone');

const { kGive, kShut, kPair, CLOSE } = messaging;
const { IN } = native.loop;
const EAGAIN = -11;
const PORT = 0, BLOB = 1;

class Writer extends Serializer {
    #link;
    constructor(link) {
        super();
        this.#link = link;
    }
    _isHostObject(value) {
        return isPort(value) || value instanceof Blob || value instanceof SharedArrayBuffer;
    }
    _writeHostObject(value) {
        if (value instanceof SharedArrayBuffer) throw new DOMException('SharedArrayBuffer could not be shared: a worker of a sandbox is a process, with a memory of its own', 'DataCloneError');
        if (isPort(value)) {
            this.writeUint32(PORT);
            this.writeUint32(this.#link.sendPort(value));
            return;
        }
        const bytes = require('internal/blob').bytesOf(value);
        const head = JSON.stringify(value instanceof File ? [value.type, value.name, value.lastModified] : [value.type]);
        this.writeUint32(BLOB);
        for (const part of [Buffer.from(head), bytes]) {
            this.writeUint32(part.byteLength);
            this.writeRawBytes(part);
        }
    }
}
Object.defineProperty(Writer.prototype, '_getDataCloneError', {
    value: function DataCloneError(message) {
        return new DOMException(message, 'DataCloneError');
    },
});

class Reader extends Deserializer {
    #link;
    constructor(bytes, link) {
        super(bytes);
        this.#link = link;
    }
    _readHostObject() {
        if (this.readUint32() === PORT) return this.#link.receivePort(this.readUint32());
        const [type, name, lastModified] = JSON.parse(this.readRawBytes(this.readUint32()));
        const bytes = this.readRawBytes(this.readUint32());
        return name === undefined ? new Blob([bytes], { type }) : new File([bytes], name, { type, lastModified });
    }
}

// The near end of a port that lies over there. `sink`: who gets what comes from it.
class End {
    #link;
    #id;
    constructor(link, id, sink) {
        this.#link = link;
        this.#id = id;
        this.sink = sink;
    }
    [kGive](data, ports) {
        this.#link.send(['message', this.#id, data, ports]);
    }
    [kShut]() {
        this.#link.send(['close', this.#id]);
        this.#link.forget(this.#id);
    }
    [kPair](sink) {
        this.sink = sink;
    }
}

class Link {
    #ends = new Map(); // number → End
    #next;
    #from;
    #watch;
    #out;
    #left = Buffer.alloc(0);
    #after = []; // what waited in ports that the frame has which is being written
    #handle;
    #open = true;
    // Numbers that this side gives are even or odd.
    constructor(from, to, first, handle) {
        this.#from = from;
        this.#next = first;
        this.#handle = handle;
        this.#out = require('internal/ipc').sender(to);
        messaging.links.add(this);
    }
    send(frame) {
        if (!this.#open) return;
        const writer = new Writer(this);
        writer.writeRawBytes(Buffer.alloc(4));
        writer.writeHeader();
        writer.writeValue(frame);
        const bytes = writer.releaseBuffer();
        bytes.writeUInt32BE(bytes.length - 4);
        this.#out.send(bytes);
        for (const [end, message] of this.#after.splice(0)) {
            if (message === CLOSE) end[kShut]();
            else end[kGive](message.data, message.ports);
        }
    }
    // The number by which the other side knows a port that leaves.
    sendPort(port) {
        const peer = port._end(), id = this.#next, end = new End(this, id, peer);
        this.#next += 2;
        this.#ends.set(id, end);
        for (const message of port._detach()) this.#after.push([end, message]);
        peer?.[kPair](end);
        return id;
    }
    receivePort(id) {
        const port = messaging.makePort(), end = new End(this, id, port);
        port[kPair](end);
        this.#ends.set(id, end);
        return port;
    }
    forget(id) {
        this.#ends.delete(id);
    }
    // From now on frames are handled when they come.
    listen() {
        native.spawn.nonblock(this.#from, true);
        this.#watch = native.loop.watch(this.#from, IN, () => this.#readOnce());
        native.loop.update(this.#watch, IN, false);
        this.#takeAll(); // what came with the first frame
    }
    // The first frame, which is waited for.
    first() {
        for (;;) {
            const frame = this.#frame();
            if (frame) return frame;
            if (this.#fetch() <= 0) return undefined;
        }
    }
    #fetch() {
        const chunk = Buffer.allocUnsafe(65536);
        const got = native.fs.read(this.#from, chunk, 0, chunk.length, -1);
        if (got > 0) this.#left = Buffer.concat([this.#left, chunk.subarray(0, got)]);
        return got;
    }
    #frame() {
        if (this.#left.length < 4) return undefined;
        const end = 4 + this.#left.readUInt32BE();
        if (this.#left.length < end) return undefined;
        const reader = new Reader(this.#left.subarray(4, end), this);
        this.#left = this.#left.subarray(end);
        reader.readHeader();
        return reader.readValue();
    }
    #readOnce() {
        if (!this.#open) return false;
        const got = this.#fetch();
        if (got === EAGAIN) return false;
        if (got <= 0) {
            this.close();
            return false;
        }
        this.#takeAll();
        return true;
    }
    #takeAll() {
        for (let frame; (frame = this.#frame());) this.#take(frame);
    }
    // All that has come so far.
    read() {
        while (this.#readOnce());
    }
    #take([kind, ...rest]) {
        const [id, data, ports] = rest, end = this.#ends.get(id);
        if (kind === 'message') end?.sink?.[kGive](data, ports);
        else if (kind === 'close') {
            this.forget(id);
            end?.sink?.[kShut]();
        } else if (kind === 'broadcast') messaging.broadcast(id, data, this);
        else this.#handle(kind, ...rest);
    }
    flush() {
        if (this.#open) this.#out.flush();
    }
    // The other side is gone.
    close() {
        if (!this.#open) return;
        this.#open = false;
        messaging.links.delete(this);
        if (this.#watch) native.loop.unwatch(this.#watch);
        native.fs.close(this.#from);
        this.#out.end(() => {});
        for (const end of this.#ends.values()) end.sink?.[kShut]();
        this.#handle('gone');
    }
}

module.exports = { Link };
