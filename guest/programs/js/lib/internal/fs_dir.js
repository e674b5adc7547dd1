// fs_dir: an open directory.
'use strict';

const { coded } = require('internal/errors');
const validate = require('internal/validators');
const { complete } = require('internal/timers');

class Dir {
    #path;
    #entries;
    #closed = false;
    #busy = false;
    constructor(entries, path, options) {
        if (entries === undefined || entries === null) throw validate.missing('handle');
        this.#entries = entries;
        this.#path = path;
        validate.uint32(options?.bufferSize ?? 32, 'options.bufferSize', true);
    }
    get path() {
        return this.#path;
    }
    #open() {
        if (this.#closed) throw coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
    }
    #idle() {
        if (this.#busy) throw coded(Error, 'ERR_DIR_CONCURRENT_OPERATION', 'Cannot do synchronous work on directory handle with concurrent asynchronous operations');
    }
    readSync() {
        this.#open();
        this.#idle();
        return this.#entries.shift() ?? null;
    }
    read(callback) {
        if (callback === undefined) return new Promise((resolve, reject) => this.#read((error, entry) => (error ? reject(error) : resolve(entry))));
        this.#open();
        validate.function(callback, 'callback');
        return this.#read(callback);
    }
    #read(callback) {
        this.#open();
        this.#busy = true;
        complete(() => {
            this.#busy = false;
            callback(null, this.#entries.shift() ?? null);
        });
    }
    closeSync() {
        this.#open();
        this.#idle();
        this.#closed = true;
    }
    close(callback) {
        if (callback === undefined) {
            return new Promise((resolve, reject) => {
                if (this.#closed) return reject(coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed'));
                this.#closed = true;
                return complete(resolve);
            });
        }
        if (!this.#closed || typeof callback === 'function') validate.function(callback, 'callback');
        else this.#open();
        if (this.#closed) return void process.nextTick(callback, coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed'));
        this.#closed = true;
        return complete(callback, null);
    }
    async *entries() {
        try {
            for (let entry; (entry = await this.read()) !== null;) yield entry;
        } finally {
            if (!this.#closed) await this.close();
        }
    }
    async [Symbol.asyncDispose]() {
        if (!this.#closed) await this.close();
    }
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, { value: Dir.prototype.entries, writable: true, configurable: true });

module.exports = { Dir };
