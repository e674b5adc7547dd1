// readline/promises: readline whose questions give promises, and a cursor whose movements are gathered.
'use strict';

const readline = require('readline');
const validate = require('internal/validators');
const { AbortError, argType, coded } = require('internal/errors');
const { sequences } = require('internal/readline_keys');

class Interface extends readline.Interface {
    question(query, options = {}) {
        return new Promise((resolve, reject) => {
            const { signal } = options ?? {};
            let done = resolve;
            if (signal !== undefined && signal !== null) {
                validate.abortSignal(signal, 'options.signal');
                if (signal.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
                const abort = () => {
                    this._forget();
                    reject(new AbortError(undefined, { cause: signal.reason }));
                };
                signal.addEventListener('abort', abort, { once: true });
                done = answer => {
                    signal.removeEventListener('abort', abort);
                    resolve(answer);
                };
            }
            if (this.closed) return reject(coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed'));
            return this._ask(query, done);
        });
    }
}

class Readline {
    #stream;
    #now;
    #todo = [];
    constructor(stream, options = undefined) {
        if (stream === null || typeof stream !== 'object' || typeof stream.write !== 'function' || typeof stream.on !== 'function') throw argType('stream', 'Writable', stream);
        this.#stream = stream;
        if (options?.autoCommit !== undefined && options.autoCommit !== null) {
            validate.boolean(options.autoCommit, 'options.autoCommit');
            this.#now = options.autoCommit;
        }
    }
    #add(text) {
        if (this.#now) process.nextTick(() => this.#stream.write(text));
        else this.#todo.push(text);
        return this;
    }
    cursorTo(x, y = undefined) {
        validate.integer(x, 'x');
        if (y !== undefined && y !== null) validate.integer(y, 'y');
        return this.#add(sequences.to(x, y));
    }
    moveCursor(dx, dy) {
        if (dx || dy) {
            validate.integer(dx, 'dx');
            validate.integer(dy, 'dy');
            return this.#add(sequences.move(dx, dy));
        }
        return this;
    }
    clearLine(direction) {
        validate.integer(direction, 'dir', -1, 1);
        return this.#add(sequences.line(direction));
    }
    clearScreenDown() {
        return this.#add(sequences.below());
    }
    commit() {
        return new Promise(resolve => {
            this.#stream.write(this.#todo.join(''), () => resolve());
            this.#todo = [];
        });
    }
    rollback() {
        this.#todo = [];
        return this;
    }
}

module.exports = { Interface, Readline, createInterface: (input, output, completer, terminal) => new Interface(input, output, completer, terminal) };
