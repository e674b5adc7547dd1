// fs_watch: watch(), watchFile(). Nothing tells of changes to files, so they are looked at, many times a second
// for watch(), at its interval for watchFile().
'use strict';

const EventEmitter = require('events');
const { AbortError, argType, coded, systemError } = require('internal/errors');
const validate = require('internal/validators');
const path = require('path');
const calls = native.fs;

const EVERY = 25; // ms
const IFMT = 0o170000, IFDIR = 0o040000;

const isDirectory = found => typeof found !== 'number' && (found[1] & IFMT) === IFDIR;
// What changes when a file does: inode, size, mode and times of change.
const print = found => (typeof found === 'number' ? undefined : [found[7], found[8], found[1], found[11], found[12]].join(' '));

// What is there: name → print. Of a file, its own.
function look(name, recursive, under = '', all = new Map()) {
    const list = calls.readdir(under === '' ? name : path.join(name, under));
    if (typeof list === 'number') return all;
    for (let i = 0; i < list.length; i += 2) {
        const entry = under === '' ? list[i] : `${under}/${list[i]}`;
        const found = calls.lstat(path.join(name, entry));
        if (typeof found === 'number') continue;
        // A directory is told of when it comes and goes, not when its times change.
        all.set(entry, isDirectory(found) ? `directory ${found[7]}` : print(found));
        if (recursive && isDirectory(found)) look(name, recursive, entry, all);
    }
    return all;
}

class FSWatcher extends EventEmitter {
    #name;
    #recursive;
    #encoding;
    #timer;
    #own; // of a file that is watched, else undefined
    #all;
    _start(name, { persistent, recursive, encoding }) {
        const found = calls.stat(name);
        if (typeof found === 'number') {
            const error = systemError(found, 'watch', name || undefined);
            error.filename = name;
            throw error;
        }
        this.#name = name;
        this.#recursive = recursive;
        this.#encoding = encoding;
        if (isDirectory(found)) this.#all = look(name, recursive);
        else this.#own = print(found);
        this.#timer = setInterval(() => this.#compare(), EVERY);
        if (!persistent) this.#timer.unref();
    }
    #tell(type, name) {
        if (this.#encoding && this.#encoding !== 'utf8') name = this.#encoding === 'buffer' ? Buffer.from(name) : Buffer.from(name).toString(this.#encoding);
        if (this.#timer) this.emit('change', type, name);
    }
    #compare() {
        if (this.#all === undefined) {
            const now = print(calls.stat(this.#name));
            if (now === this.#own) return;
            this.#own = now;
            return void this.#tell(now === undefined ? 'rename' : 'change', path.basename(this.#name));
        }
        const before = this.#all, now = this.#all = look(this.#name, this.#recursive);
        for (const name of before.keys()) if (!now.has(name)) this.#tell('rename', name);
        for (const [name, text] of now) {
            if (!before.has(name)) {
                this.#tell('rename', name);
                if (!text.startsWith('directory ') && text.split(' ')[1] !== '0') this.#tell('change', name);
            } else if (before.get(name) !== text) {
                this.#tell('change', name);
            }
        }
    }
    close() {
        if (!this.#timer) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
        process.nextTick(() => this.emit('close'));
    }
    ref() {
        this.#timer?.ref();
        return this;
    }
    unref() {
        this.#timer?.unref();
        return this;
    }
}

const encodings = options => (typeof options === 'string' ? { encoding: options } : { ...options });

function watch(toPath, name, options, listener) {
    if (typeof options === 'function') [listener, options] = [options, undefined];
    if (options !== undefined && options !== null && typeof options !== 'string' && typeof options !== 'object')
        throw argType('options', ['string', 'Object'], options);
    const { persistent = true, recursive = false, encoding, signal } = encodings(options);
    if (encoding && encoding !== 'buffer' && !Buffer.isEncoding(encoding))
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'encoding' is invalid encoding. Received ${require('internal/inspect').inspect(encoding)}`);
    name = toPath(name);
    const watcher = new FSWatcher();
    watcher._start(name, { persistent, recursive, encoding });
    if (listener) {
        validate.Function(listener, 'listener');
        watcher.addListener('change', listener);
    }
    if (signal) {
        if (signal.aborted) process.nextTick(() => watcher.close());
        else signal.addEventListener('abort', () => watcher.close(), { once: true });
    }
    return watcher;
}

// fs.promises.watch: the changes one after the other.
async function* changes(toPath, name, options = {}) {
    validate.object(options, 'options');
    const { signal, persistent = true, recursive = false, encoding } = options;
    validate.boolean(persistent, 'options.persistent');
    validate.boolean(recursive, 'options.recursive');
    if (signal !== undefined) validate.abortSignal(signal, 'options.signal');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    const waiting = [];
    let wake = () => {};
    const watcher = watch(toPath, name, { persistent, recursive, encoding }, (eventType, filename) => {
        waiting.push({ eventType, filename });
        wake();
    });
    const abort = () => wake();
    signal?.addEventListener('abort', abort, { once: true });
    try {
        for (;;) {
            while (waiting.length) yield waiting.shift();
            if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
            await new Promise(resolve => void (wake = resolve));
        }
    } finally {
        watcher.close();
        signal?.removeEventListener('abort', abort);
    }
}

// ---------------------------------------------------------------- watchFile

const stats = new Map(); // absolute name → StatWatcher
const NOTHING = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0n, 0n, 0n];

class StatWatcher extends EventEmitter {
    #name;
    #make;
    #timer;
    #before;
    constructor(make) {
        super();
        this.#make = make;
    }
    _start(name, persistent, interval) {
        this.#name = name;
        const first = calls.stat(name);
        this.#before = typeof first === 'number' ? NOTHING : first;
        if (first === this.#before) { /* there */ } else setImmediate(() => this.#timer && this.emit('change', this.#make(NOTHING), this.#make(NOTHING)));
        this.#timer = setInterval(() => this.#compare(), interval);
        if (!persistent) this.#timer.unref();
    }
    #compare() {
        const found = calls.stat(this.#name), now = typeof found === 'number' ? NOTHING : found, before = this.#before;
        if (print(now) === print(before)) return;
        this.#before = now;
        this.emit('change', this.#make(now), this.#make(before));
    }
    stop() {
        if (!this.#timer) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
        process.nextTick(() => this.emit('stop'));
    }
    ref() {
        this.#timer?.ref();
        return this;
    }
    unref() {
        this.#timer?.unref();
        return this;
    }
}

function watchFile(toPath, toStats, name, options, listener) {
    name = path.resolve(toPath(name));
    if (options === null || typeof options !== 'object') [listener, options] = [options, {}];
    const { interval = 5007, persistent = true, bigint = false } = options;
    validate.Function(listener, 'listener');
    let watcher = stats.get(name);
    if (watcher === undefined) {
        watcher = new StatWatcher(numbers => toStats(numbers, { bigint }));
        require('internal/validators').uint32(interval, 'interval');
        watcher._start(name, persistent, interval);
        stats.set(name, watcher);
    }
    watcher.addListener('change', listener);
    return watcher;
}

function unwatchFile(toPath, name, listener) {
    name = path.resolve(toPath(name));
    const watcher = stats.get(name);
    if (watcher === undefined) return;
    if (typeof listener === 'function') watcher.removeListener('change', listener);
    else watcher.removeAllListeners('change');
    if (watcher.listenerCount('change') > 0) return;
    watcher.stop();
    stats.delete(name);
}

module.exports = { FSWatcher, StatWatcher, watch, changes, watchFile, unwatchFile };
