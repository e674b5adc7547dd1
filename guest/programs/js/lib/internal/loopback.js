// loopback: connections within one process. A sandbox has no network, but a program that is its own server and
// client needs none: both ends lie in its memory. Nothing else is reached by them, no other process either.
'use strict';

const timers = require('internal/timers');
const { isIP } = require('internal/addresses');
const { texts } = require('internal/errors');

const { keep } = native.engine;
const ROOM = 512 * 1024; // what an end holds before a write to it has to wait
const CHUNK = 65536;
const ERRNO = { EADDRINUSE: -98, EADDRNOTAVAIL: -99, ECONNREFUSED: -111, ECONNRESET: -104, ENETUNREACH: -101, ENOENT: -2, EACCES: -13, EPIPE: -32, EINVAL: -22 };
const TEXTS = { EADDRINUSE: 'address already in use', EADDRNOTAVAIL: 'address not available' };

const listeners = new Map(); // port or path → those who listen there
let lastPort = 40000;

const isLocal = address => /^127\./.test(address) || ['::1', '::', '0.0.0.0'].includes(address) || /^::ffff:127\./.test(address);

// `connect ECONNREFUSED 127.0.0.1:80`, as Node says it.
function failure(syscall, code, address, port) {
    const isListening = syscall === 'listen';
    const place = address === undefined ? '' : port > 0 ? ` ${address}:${port}` : ` ${address}`;
    const text = isListening ? `: ${TEXTS[code] ?? texts[code]}` : '';
    const error = Object.assign(new Error(`${syscall} ${code}${text}${place}`), isListening ? { code, errno: ERRNO[code] } : { errno: ERRNO[code], code }, { syscall });
    if (address !== undefined) error.address = address;
    if (port) error.port = port;
    return error;
}

// One end of a connection. `onread` is called with bytes, with null at their end, or with the code of an error.
class End {
    #inbox = [];
    #size = 0;
    #writers = []; // who waits for room here
    #ended = false; // nothing comes any more
    #told = false;
    #error;
    #scheduled = false;
    #referenced = true;
    #stands = false;
    reading = false;
    closed = false;
    onread = () => {};
    fd = -1;
    setOnRead(callback) {
        this.onread = keep(callback);
    }
    #stand() {
        const stands = this.#referenced && this.reading && !this.closed && !this.#told;
        if (stands !== this.#stands) timers.stand(stands ? 1 : -1);
        this.#stands = stands;
    }
    #pump() {
        if (this.#scheduled || !this.reading || this.closed || !(this.#size || this.#error || (this.#ended && !this.#told))) return;
        this.#scheduled = true;
        timers.arrive(() => {
            this.#scheduled = false;
            if (!this.reading || this.closed) return;
            this.#read();
            this.#pump();
        });
    }
    #read() {
        if (this.#size > 0) {
            const parts = [];
            let room = CHUNK;
            while (room > 0 && this.#inbox.length) {
                const first = this.#inbox[0], part = first.subarray(0, room);
                if (part.length === first.length) this.#inbox.shift();
                else this.#inbox[0] = first.subarray(part.length);
                room -= part.length;
                parts.push(part);
            }
            const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
            this.#size -= bytes.length;
            if (this.#size < ROOM) for (const done of this.#writers.splice(0)) timers.arrive(done);
            this.onread(bytes);
        } else if (this.#error !== undefined) {
            const error = this.#error;
            this.#error = undefined;
            this.#ended = this.#told = true;
            this.#stand();
            this.onread(error);
        } else {
            this.#told = true;
            this.#stand();
            this.onread(null);
        }
    }
    readStart() {
        this.reading = true;
        this.#stand();
        this.#pump();
    }
    readStop() {
        this.reading = false;
        this.#stand();
    }
    // What the other end does to this one.
    take(bytes) {
        this.#inbox.push(bytes);
        this.#size += bytes.length;
        this.#pump();
    }
    finish(error) {
        this.#ended = true;
        if (error !== undefined) this.#error ??= error;
        this.#pump();
    }
    // undefined, or the code of an error. `done` is called later when this answers true.
    write(bytes, done) {
        if (this.peer.closed) return 'EPIPE';
        this.peer.take(Buffer.from(bytes));
        if (this.peer.#size < ROOM) return undefined;
        this.peer.#writers.push(done);
        return true;
    }
    shutdown(done) {
        this.peer.finish();
        timers.arrive(done);
    }
    close(done, reset = false) {
        if (this.closed) return;
        const error = reset || this.#size > 0 ? 'ECONNRESET' : undefined;
        this.closed = true;
        this.#stand();
        this.#inbox = [];
        this.#size = 0;
        if (!this.peer.closed) this.peer.finish(error);
        for (const waits of this.#writers.splice(0)) timers.arrive(waits, 'EPIPE');
        if (done) timers.arrive(keep(done));
    }
    ref() {
        this.#referenced = true;
        this.#stand();
    }
    unref() {
        this.#referenced = false;
        this.#stand();
    }
    hasRef() {
        return this.#referenced;
    }
    setNoDelay() {
        return 0;
    }
    setKeepAlive() {
        return 0;
    }
}

// The names of the classes are those that Node's programs look at.
const TCP = class TCP extends End {};
const Pipe = class Pipe extends End {};

function pair(Kind) {
    const near = new Kind(), far = new Kind();
    near.peer = far;
    far.peer = near;
    return [near, far];
}

class Listener {
    #referenced = true;
    #open = true;
    constructor(key, address, onconnection) {
        this.key = key;
        this.address = address;
        this.onconnection = keep(onconnection);
        timers.stand(1);
    }
    close(done) {
        if (!this.#open) return;
        this.#open = false;
        if (this.#referenced) timers.stand(-1);
        const there = listeners.get(this.key).filter(one => one !== this);
        if (there.length) listeners.set(this.key, there);
        else listeners.delete(this.key);
        if (done) timers.arrive(keep(done));
    }
    get isOpen() {
        return this.#open;
    }
    ref() {
        if (!this.#referenced && this.#open) timers.stand(1);
        this.#referenced = true;
    }
    unref() {
        if (this.#referenced && this.#open) timers.stand(-1);
        this.#referenced = false;
    }
    hasRef() {
        return this.#referenced;
    }
}

const overlap = (a, b) => a === b || a === '::' || b === '::' || (isIP(a) === isIP(b) && (a === '0.0.0.0' || b === '0.0.0.0'));

// A Listener, or the code of an error. Port 0 is any that is free.
function listen({ port, address, path }, onconnection) {
    if (path === undefined && !isLocal(address)) return 'EADDRNOTAVAIL';
    if (path === undefined && port === 0) {
        do lastPort = lastPort >= 60000 ? 40001 : lastPort + 1;
        while (listeners.has(lastPort));
        port = lastPort;
    }
    const key = path ?? port, there = listeners.get(key) ?? [];
    if (path === undefined ? there.some(one => overlap(one.address, address)) : there.length > 0) return 'EADDRINUSE';
    const made = new Listener(key, address, onconnection);
    listeners.set(key, [...there, made]);
    return made;
}

const hears = (listener, address) => listener.address === address || listener.address === '::' || address === '::' || address === '0.0.0.0' ||
    (listener.address === '0.0.0.0' && isIP(address) === 4);
const find = ({ port, address, path }) => listeners.get(path ?? port)?.find(one => path !== undefined || hears(one, address));

// Whether a server of this process listens at a port of a name or address, which may stand in brackets.
function isHeard(host, port) {
    const name = host.replace(/^\[(.*)\]$/, '$1');
    return (name === 'localhost' ? ['127.0.0.1', '::1'] : [name]).some(address => isLocal(address) && find({ port: Number(port), address }) !== undefined);
}

// {end} that `done` is called for when it is connected, or {code} of an error.
function connect(place, localPort, done) {
    const listener = find(place);
    if (!listener) return { code: place.path !== undefined ? 'ENOENT' : isLocal(place.address) ? 'ECONNREFUSED' : 'ENETUNREACH' };
    const [near, far] = pair(place.path === undefined ? TCP : Pipe);
    if (place.path === undefined) {
        const mapped = listener.address === '::' && isIP(place.address) === 4 ? `::ffff:${place.address}` : place.address;
        const at = { '::': '::1', '0.0.0.0': '127.0.0.1' };
        const from = localPort || (lastPort = lastPort >= 60000 ? 40001 : lastPort + 1), own = at[place.address] ?? place.address, theirs = at[mapped] ?? mapped;
        near.local = { address: own, port: from };
        near.remote = { address: own, port: place.port };
        far.local = { address: theirs, port: place.port };
        far.remote = { address: theirs, port: from };
    }
    timers.arrive(() => {
        if (listener.isOpen) listener.onconnection(far);
        else far.close(undefined, true);
    });
    timers.arrive(keep(() => near.closed || done()));
    return { end: near };
}

module.exports = { connect, listen, failure, isLocal, isHeard, TCP, Pipe };
