// readline: lines of a stream, and questions; on a terminal the line is edited (internal/readline_edit).
'use strict';

const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const { argValue, coded, AbortError } = require('internal/errors');
const validate = require('internal/validators');
const keys = require('internal/readline_keys');

const closed = () => coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
const END = /\r\n|\n|\r/;

function checkOptions({ completer, historySize, history, tabSize, escapeCodeTimeout, signal }) {
    if (completer !== undefined && typeof completer !== 'function') throw argValue('completer', completer);
    if (history !== undefined) validate.array(history, 'history');
    if (historySize !== undefined) validate.number(historySize, 'historySize', 0);
    if (tabSize !== undefined) validate.uint32(tabSize, 'tabSize', true);
    if (escapeCodeTimeout !== undefined && !Number.isFinite(escapeCodeTimeout)) throw argValue('input.escapeCodeTimeout', 500);
    if (signal !== undefined) validate.abortSignal(signal, 'options.signal');
}

class Interface extends EventEmitter {
    #decoder = new StringDecoder('utf8');
    #rest = '';
    #returned = 0; // when a line ended with \r, at the end of what had come
    #question;
    #oldPrompt;
    #editor;
    #detach;
    #prompt;
    #lines; // of [Symbol.asyncIterator]
    constructor(input, output, completer, terminal) {
        super();
        const options = input?.input ? input : { input, output, completer, terminal };
        checkOptions(options);
        if (typeof options.input.on !== 'function') throw new TypeError('input.on is not a function');
        ({ input } = options);
        this.line = '';
        this.input = input;
        this.output = options.output;
        this.isCompletionEnabled = true;
        this.escapeCodeTimeout = options.escapeCodeTimeout ?? 500;
        this.tabSize = options.tabSize ?? 8;
        this.terminal = Boolean(options.terminal ?? options.output?.isTTY);
        this.history = options.history ?? [];
        this.historySize = options.historySize ?? 30;
        this.removeHistoryDuplicates = Boolean(options.removeHistoryDuplicates);
        this.crlfDelay = options.crlfDelay ? Math.max(100, options.crlfDelay) : 100;
        this.completer = options.completer;
        this.paused = false;
        this.closed = false;
        this.#prompt = options.prompt === undefined ? '> ' : `${options.prompt}`;
        input.on('error', this.#failed);
        if (this.terminal) this.#edit();
        else this.#listen();
        this.#follow(options.signal);
        input.resume();
    }
    #failed = error => void this.emit('error', error);
    #listen() {
        const data = chunk => this.#feed(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
        const end = () => {
            const rest = this.#rest + this.#decoder.end();
            this.#rest = '';
            if (rest !== '') this._line(rest);
            this.close();
        };
        this.input.on('data', data);
        this.input.on('end', end);
        this.#detach = () => {
            this.input.removeListener('data', data);
            this.input.removeListener('end', end);
        };
    }
    #edit() {
        const { Editor } = require('internal/readline_edit');
        this.cursor = 0;
        this.#editor = new Editor(this);
        const { input } = this;
        keys.emitKeypressEvents(input);
        const press = (text, key) => this.#editor.key(text, key), end = () => {
            if (this.line !== '') this._line(this.line);
            this.close();
        };
        input.on('keypress', press);
        input.on('end', end);
        if (typeof input.setRawMode === 'function') input.setRawMode(true);
        this.#detach = () => {
            input.removeListener('keypress', press);
            input.removeListener('end', end);
            if (typeof input.setRawMode === 'function') input.setRawMode(false);
        };
    }
    #follow(signal) {
        if (!signal) return;
        const abort = () => this.close();
        if (signal.aborted) return void process.nextTick(abort);
        signal.addEventListener('abort', abort, { once: true });
        this.once('close', () => signal.removeEventListener('abort', abort));
    }
    #feed(text) {
        if (text === '') return;
        if (this.#returned && Date.now() - this.#returned <= this.crlfDelay && text.startsWith('\n')) text = text.slice(1);
        this.#returned = 0;
        const parts = text.split(END);
        parts[0] = this.#rest + parts[0];
        this.#rest = parts.pop();
        if (parts.length && text.endsWith('\r')) this.#returned = Date.now();
        for (const line of parts) this._line(line);
    }
    _line(line) {
        if (this.#question === undefined) return void this.emit('line', line);
        const callback = this.#question;
        this.#question = undefined;
        this.setPrompt(this.#oldPrompt);
        callback(line);
    }
    get columns() {
        return this.output?.columns ? this.output.columns : Infinity;
    }
    setPrompt(prompt) {
        this.#prompt = prompt;
    }
    getPrompt() {
        return this.#prompt;
    }
    prompt(keepCursor) {
        if (this.paused) this.resume();
        if (this.terminal && process.env.TERM !== 'dumb') {
            if (!keepCursor) this.cursor = 0;
            this.#editor.refresh();
        } else {
            this.output?.write(this.#prompt);
        }
    }
    question(query, options, callback) {
        if (typeof options === 'function') [callback, options] = [options, {}];
        if (options?.signal) {
            validate.abortSignal(options.signal, 'options.signal');
            if (options.signal.aborted) return;
            const abort = () => {
                if (this.#question === undefined) return;
                this.setPrompt(this.#oldPrompt);
                this.#question = undefined;
            };
            options.signal.addEventListener('abort', abort, { once: true });
            const inner = callback;
            callback = typeof inner === 'function' ? answer => {
                options.signal.removeEventListener('abort', abort);
                return inner(answer);
            } : () => options.signal.removeEventListener('abort', abort);
        }
        if (typeof callback === 'function') this._ask(query, callback);
    }
    _ask(query, callback) {
        if (this.closed) throw closed();
        if (this.#question !== undefined) return void this.prompt();
        this.#oldPrompt = this.#prompt;
        this.setPrompt(query);
        this.#question = callback;
        this.prompt();
    }
    _forget() {
        if (this.#question === undefined) return;
        this.#question = undefined;
        this.setPrompt(this.#oldPrompt);
    }
    write(data, key) {
        if (this.paused) this.resume();
        if (this.terminal) this.#editor.key(data, key);
        else this.#feed(`${data ?? ''}`);
    }
    pause() {
        if (this.paused) return undefined;
        this.input.pause();
        this.paused = true;
        this.emit('pause');
        return this;
    }
    resume() {
        if (!this.paused) return undefined;
        this.input.resume();
        this.paused = false;
        this.emit('resume');
        return this;
    }
    close() {
        if (this.closed) return;
        this.pause();
        this.#detach();
        this.input.removeListener('error', this.#failed);
        this.closed = true;
        this.emit('close');
    }
    getCursorPos() {
        const { place } = require('internal/readline_edit');
        return place(this.#prompt + this.line.slice(0, this.cursor), this.columns);
    }
    [Symbol.asyncIterator]() {
        this.#lines ??= EventEmitter.on(this, 'line', { close: ['close'], highWaterMark: 1024 });
        const iterator = this.#lines;
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
for (const name of ['_line', '_ask', '_forget']) Object.defineProperty(Interface.prototype, name, { enumerable: false });
Object.defineProperty(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), {
    value(query, options) {
        if (options?.signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: options.signal.reason }));
        return new Promise((resolve, reject) => {
            let done = resolve;
            if (options?.signal) {
                const abort = () => reject(new AbortError(undefined, { cause: options.signal.reason }));
                options.signal.addEventListener('abort', abort, { once: true });
                done = answer => {
                    options.signal.removeEventListener('abort', abort);
                    return resolve(answer);
                };
            }
            this.question(query, options, done);
        });
    },
});

// May be called without `new`, as Node's.
const callable = new Proxy(Interface, { apply: (target, self, args) => new target(...args) });
function createInterface(input, output, completer, terminal) {
    return new Interface(input, output, completer, terminal);
}

const { cursorTo, moveCursor, clearLine, clearScreenDown, emitKeypressEvents } = keys;
module.exports = {
    Interface: callable, clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, moveCursor,
    get promises() {
        return require('readline/promises');
    },
};
