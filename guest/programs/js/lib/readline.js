// readline: lines of a stream, and questions.
'use strict';

const EventEmitter = require('events');
const { argType, coded, AbortError } = require('internal/errors');

class Interface extends EventEmitter {
    #decoder = new TextDecoder();
    #rest = '';
    #sawReturn = false;
    #paused = false;
    #pending = []; // lines that came while paused
    #question = null;
    #ended = false;
    constructor(input, output) {
        super();
        const options = input?.input ? input : { input, output };
        if (!options.input || typeof options.input.on !== 'function') throw argType('input', 'stream.Readable', options.input);
        this.input = options.input;
        this.output = options.output;
        this.terminal = false;
        this.line = '';
        this.cursor = 0;
        this.closed = false;
        this._prompt = options.prompt ?? '> ';
        this.#listen(options.signal);
    }
    #listen(signal) {
        const data = chunk => this.#feed(typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
        const end = () => {
            this.#ended = true;
            this.#finish();
        };
        const failed = error => this.emit('error', error);
        this.input.on('data', data);
        this.input.on('end', end);
        this.input.on('error', failed);
        this._detach = () => {
            this.input.removeListener('data', data);
            this.input.removeListener('end', end);
            this.input.removeListener('error', failed);
        };
        const abort = () => this.close();
        if (signal?.aborted) process.nextTick(abort);
        else signal?.addEventListener('abort', abort, { once: true });
        this.input.resume?.();
    }
    #feed(text) {
        if (this.#sawReturn && text.startsWith('\n')) text = text.slice(1);
        this.#sawReturn = text.endsWith('\r');
        const parts = (this.#rest + text).split(/\r\n|\n|\r/);
        this.#rest = parts.pop();
        for (const line of parts) this.#line(line);
    }
    #line(line) {
        if (this.#paused) return void this.#pending.push(line);
        if (this.#question) {
            const { callback } = this.#question;
            this.#question = null;
            return void callback(line);
        }
        this.emit('line', line);
    }
    #finish() {
        if (this.#paused && this.#pending.length) return;
        if (this.#rest !== '') {
            const line = this.#rest;
            this.#rest = '';
            this.#line(line);
        }
        this.close();
    }
    setPrompt(prompt) {
        this._prompt = `${prompt}`;
    }
    getPrompt() {
        return this._prompt;
    }
    prompt() {
        if (this.#paused) this.resume();
        this.output?.write(this._prompt);
    }
    question(query, options, callback) {
        if (typeof options === 'function') [callback, options] = [options, {}];
        if (this.closed) throw coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
        this.output?.write(query);
        this.#question = { callback };
        options?.signal?.addEventListener('abort', () => void (this.#question = null), { once: true });
        if (this.#paused) this.resume();
    }
    write(data) {
        if (data !== null && data !== undefined) this.#feed(`${data}`);
    }
    pause() {
        if (!this.#paused) {
            this.input.pause();
            this.#paused = true;
            this.emit('pause');
        }
        return this;
    }
    resume() {
        if (!this.#paused) return this;
        this.#paused = false;
        for (const line of this.#pending.splice(0)) this.#line(line);
        if (this.#ended) this.#finish();
        else this.input.resume();
        this.emit('resume');
        return this;
    }
    close() {
        if (this.closed) return;
        this.closed = true;
        this._detach();
        this.input.pause?.();
        this.emit('close');
    }
    [Symbol.asyncIterator]() {
        const iterator = EventEmitter.on(this, 'line', { close: ['close'] });
        return {
            async next() {
                const { value, done } = await iterator.next();
                return { value: value?.[0], done };
            },
            return: () => {
                this.close();
                return iterator.return();
            },
            [Symbol.asyncIterator]() {
                return this;
            },
        };
    }
    [Symbol.dispose]() {
        this.close();
    }
}
Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), {
    value(query, options) {
        return new Promise((resolve, reject) => {
            options?.signal?.addEventListener('abort', () => reject(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
            this.question(query, options, resolve);
        });
    },
});

const createInterface = (input, output) => new Interface(input, output);
const nothing = (...args) => {
    const callback = args.at(-1);
    if (typeof callback === 'function') process.nextTick(callback);
    return true;
};

module.exports = {
    Interface, createInterface, clearLine: nothing, clearScreenDown: nothing, cursorTo: nothing, moveCursor: nothing,
    emitKeypressEvents() {},
    get promises() {
        return require('readline/promises');
    },
};
