// repl: reads what is typed, evaluates it, and prints what came out.
'use strict';

const { Interface } = require('readline');
const domain = require('domain');
const { coded } = require('internal/errors');
const validate = require('internal/validators');
const { inspect } = require('internal/inspect');
const modules = require('internal/modules');

const SLOPPY = Symbol('repl-sloppy'), STRICT = Symbol('repl-strict');
const builtinModules = [...modules.builtins].filter(name => !name.startsWith('_'));

class Recoverable extends SyntaxError {
    constructor(err) {
        super();
        this.err = err;
    }
}
delete Recoverable.prototype.name;

const writer = value => inspect(value, writer.options);
writer.options = { ...inspect.defaultOptions, showProxy: true };

let evaluated = 0; // texts that have had a name

function commonOptions(prompt, stream, evaluate, useGlobal, ignoreUndefined, mode) {
    const options = prompt !== null && typeof prompt === 'object' ? { ...prompt } : { prompt, input: stream, output: stream, eval: evaluate, useGlobal, ignoreUndefined, replMode: mode };
    if (options.breakEvalOnSigint && options.eval) throw coded(TypeError, 'ERR_INVALID_REPL_EVAL_CONFIG', 'Cannot specify both "breakEvalOnSigint" and "eval" for REPL');
    if (!options.input && !options.output) {
        options.input = process.stdin;
        options.output = process.stdout;
    } else if (stream && !stream.write && stream.stdin) {
        options.input = stream.stdin;
        options.output = stream.stdout;
    }
    options.terminal ??= Boolean(options.output.isTTY);
    options.useColors ??= options.terminal && typeof options.output.hasColors === 'function' && options.output.hasColors();
    return options;
}

class REPLServer extends Interface {
    #buffered = '';
    #loading = false;
    #initialPrompt;
    #controlD = false;
    #queue = []; // lines that come while an evaluation waits
    #busy = false;
    #kept = false; // the lines of what is evaluated are in `lines` already
    #standalone;
    constructor(prompt, stream, evaluate, useGlobal, ignoreUndefined, mode) {
        const options = commonOptions(prompt, stream, evaluate, useGlobal, ignoreUndefined, mode);
        const complete = (text, callback) => this.completer(text, callback);
        super({ ...options, prompt: options.prompt ?? '> ', completer: options.completer ?? complete });
        this.inputStream = options.input;
        this.outputStream = options.output;
        this.useColors = Boolean(options.useColors);
        this.useGlobal = Boolean(options.useGlobal);
        this.ignoreUndefined = Boolean(options.ignoreUndefined);
        this.replMode = options.replMode || SLOPPY;
        this.breakEvalOnSigint = Boolean(options.breakEvalOnSigint);
        this.editorMode = false;
        this.underscoreAssigned = this.underscoreErrAssigned = false;
        this.last = this.lastError = undefined;
        this.lines = [];
        this.lines.level = [];
        this.#standalone = options._standalone;
        this.#initialPrompt = options.prompt ?? '> ';
        const { complete: byLine } = require('internal/repl_complete');
        this.completer = options.completer ?? ((text, callback) => byLine(this, text, callback));
        this._domain = options.domain || domain.create();
        this._domain.on('error', error => this.#report(error));
        const chosen = options.eval || ((code, context, file, callback) => require('internal/repl_eval').evaluate(this, code, context, file, callback));
        if (typeof chosen !== 'function') validate.function(chosen, 'options.eval');
        this.eval = this._domain.bind(chosen);
        this.writer = options.writer || module.exports.writer;
        if (this.writer === writer) {
            if (this.useColors) writer.options.colors = true;
            this.writer = Object.assign(value => inspect(value, this.writer.options), { options: { ...writer.options, colors: this.useColors } });
        }
        this.resetContext(true);
        this.commands = Object.create(null);
        require('internal/repl_commands').define(this, { clearBuffer: () => this.clearBufferedCommand(), loading: on => void (this.#loading = on), evaluateEditor: () => this.#editorDone() });
        this.on('close', () => this.emit('exit'));
        this.on('SIGINT', () => this.#interrupt());
        this.on('line', line => this.#line(line));
        this.displayPrompt();
    }
    #interrupt() {
        const empty = this.line.length === 0;
        if (this.terminal) {
            this.output.write('\r\n');
            this.line = '';
            this.cursor = 0;
        }
        this.editorMode = false;
        if (!this.#buffered && empty) {
            if (this.sawInterrupt) return void this.close();
            this.output.write('(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n');
            this.sawInterrupt = true;
        } else this.sawInterrupt = false;
        this.clearBufferedCommand();
        this.lines.level = [];
        this.displayPrompt();
    }
    #line(line) {
        if (this.#busy) return void this.#queue.push(line);
        line ||= '';
        this.sawInterrupt = false;
        if (this.editorMode) {
            this.#buffered += `${line}\n`;
            this.lines.push(line);
            return undefined;
        }
        const trimmed = line.trim();
        if (trimmed.startsWith('.') && trimmed[1] !== '.' && Number.isNaN(Number.parseFloat(trimmed))) {
            const [, keyword, rest] = /^\.([^\s]+)\s*(.*)$/.exec(trimmed) ?? [];
            const command = this.commands[keyword];
            if (command) return void command.action.call(this, rest);
            if (!this.#buffered) {
                this.output.write('Invalid REPL keyword\n');
                return this.#finish(line, null);
            }
        }
        this.#busy = true;
        const file = `REPL${++evaluated}`;
        this.eval(`${this.#buffered}${line}\n`, this.context, file, (...result) => {
            this.#busy = false;
            this.#finish(line, ...result);
            while (this.#queue.length && !this.#busy) this.#line(this.#queue.shift());
        });
        return undefined;
    }
    #finish(line, ...result) {
        const [error, value] = result;
        if (!this.#kept) this.lines.push(line);
        this.#kept = false;
        if (error && !this.#buffered && line.trim().startsWith('npm ') && !(error instanceof Recoverable)) {
            this.output.write('npm should be run outside of the Node.js REPL, in your normal shell.\n(Press Ctrl+D to exit.)\n');
            return this.displayPrompt();
        }
        if (error) {
            if (error instanceof Recoverable && !this.#controlD) {
                this.#buffered += `${line}\n`;
                return this.displayPrompt();
            }
            this.#buffered = '';
            this._domain.emit('error', error.err || error);
            return undefined;
        }
        this.clearBufferedCommand();
        this.#controlD = false;
        if (result.length === 2 && (!this.ignoreUndefined || value !== undefined)) {
            if (!this.underscoreAssigned) this.last = value;
            this.output.write(`${this.writer(value)}\n`);
        }
        if (!this.closed) this.displayPrompt();
        return undefined;
    }
    // What was thrown, also later, by what was typed.
    #report(error) {
        if (!this.underscoreErrAssigned) this.lastError = error;
        const wasBusy = this.#busy;
        this.#busy = this.#kept = false;
        if (this.#standalone && process.listenerCount('uncaughtException') !== 0)
            process.nextTick(() => {
                process.emit('uncaughtException', error);
                this.clearBufferedCommand();
                this.displayPrompt();
            });
        else {
            this.output.write(require('internal/repl_eval').describe(this, error));
            this.clearBufferedCommand();
            this.lines.level = [];
            this.displayPrompt();
        }
        if (wasBusy) while (this.#queue.length && !this.#busy) this.#line(this.#queue.shift());
    }
    #editorDone() {
        this.editorMode = false;
        const code = this.#buffered;
        this.#buffered = '';
        this.setPrompt(this.#initialPrompt);
        if (code === '') return this.displayPrompt();
        this.#kept = true;
        return this.#line(code.replace(/\n$/, ''));
    }
    clearBufferedCommand() {
        this.#buffered = '';
    }
    close() {
        if (this.terminal && this.editorMode) {
            this.output.write('\r\n');
            return void this.#editorDone();
        }
        // What does not end is told so.
        if (this.#buffered && !this.closed) this.#controlD = true;
        super.close();
        return undefined;
    }
    displayPrompt(keepCursor) {
        super.setPrompt(this.#buffered ? '... ' : this.#initialPrompt);
        if (!this.#loading) this.prompt(keepCursor);
    }
    setPrompt(prompt) {
        this.#initialPrompt = prompt;
        super.setPrompt(prompt);
    }
    defineCommand(keyword, command) {
        if (typeof command === 'function') command = { action: command };
        else validate.function(command?.action, 'cmd.action');
        this.commands[keyword] = command;
    }
    createContext() {
        return require('internal/repl_eval').createContext(this);
    }
    resetContext(first) {
        this.context = this.createContext();
        this.underscoreAssigned = this.underscoreErrAssigned = false;
        this.lines = [];
        this.lines.level = [];
        const define = (name, assigned, value) => Object.defineProperty(this.context, name, {
            configurable: true,
            get: () => this[value],
            set: given => {
                this[value] = given;
                if (this[assigned]) return;
                this[assigned] = true;
                this.output.write(`Expression assignment to ${name} now disabled.\n`);
            },
        });
        define('_', 'underscoreAssigned', 'last');
        define('_error', 'underscoreErrAssigned', 'lastError');
        if (first !== true) this.emit('reset', this.context);
    }
    setupHistory(file, callback) {
        validate.function(callback, 'callback');
        if (file && typeof file === 'string') {
            try {
                this.history.push(...require('fs').readFileSync(file, 'utf8').split(/[\n\r]+/).filter(Boolean).slice(0, this.historySize));
            } catch { /* it is made at the end */ }
            this.on('close', () => {
                try {
                    require('fs').writeFileSync(file, `${this.history.join('\n')}\n`, { mode: 0o600 });
                } catch { /* nobody waits for it */ }
            });
        }
        process.nextTick(callback, null, this);
    }
    complete(...args) {
        return this.completer(...args);
    }
}

const Callable = new Proxy(REPLServer, { apply: (target, self, args) => new target(...args) });

module.exports = {
    start: (...args) => new REPLServer(...args), writer, REPLServer: Callable,
    REPL_MODE_SLOPPY: SLOPPY, REPL_MODE_STRICT: STRICT, Recoverable, isValidSyntax: code => require('internal/repl_eval').isValid(code), builtinModules,
};
Object.defineProperty(module.exports, '_builtinLibs', { value: builtinModules, writable: true, configurable: true });
