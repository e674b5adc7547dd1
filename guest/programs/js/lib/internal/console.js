// console: the global one, on stdout and stderr, and Console for others.
//
// The methods are those of Console.prototype, bound to each console; they call one another as properties,
// so that a program that puts its own `log` in place sees what `table` and `count` print, too.
'use strict';

const { format, formatWithOptions, inspect } = require('internal/inspect');

const kState = Symbol('state'), kIsConsole = Symbol('kIsConsole');
const ignore = () => {};

// ---------------------------------------------------------------- output

// Writes a line. The real outputs are asked directly for as long as no program put its own function in
// place of theirs.
function put(console, toError, text) {
    const state = console[kState];
    if (state.indent !== '') text = state.indent + text.replaceAll('\n', `\n${state.indent}`);
    text += '\n';
    if (state.isGlobal && process.isPlainOutput(toError ? 'stderr' : 'stdout')) return void native.process.write(toError ? 2 : 1, text);
    const stream = toError ? console._stderr : console._stdout;
    if (console._ignoreErrors === false) return void stream.write(text);
    try { // an error that nobody listens for is nobody's
        if (stream.listenerCount('error') === 0) stream.once('error', ignore);
        stream.write(text, error => {
            if (error && !stream._writableState?.errorEmitted && stream.listenerCount('error') === 0) stream.once('error', ignore);
        });
    } catch (error) {
        if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') throw error;
    } finally {
        stream.removeListener('error', ignore);
    }
}

function inspectOptions(console, stream) {
    const { colorMode, options } = console[kState];
    let colors = colorMode;
    if (colors === 'auto')
        colors = stream.isTTY && (typeof stream.getColorDepth === 'function' ? stream.getColorDepth() > 2 : true);
    if (options !== undefined) return options.colors === undefined ? { ...options, colors } : options;
    return colors ? { colors } : undefined;
}

// The arguments as text; `toError` says whose colours they may have.
function text(console, toError, args) {
    if (args.length === 1 && typeof args[0] === 'string') return args[0];
    if (console[kState].isGlobal && process.isPlainOutput(toError ? 'stderr' : 'stdout')) return format(...args);
    const options = inspectOptions(console, toError ? console._stderr : console._stdout);
    return options === undefined ? format(...args) : formatWithOptions(options, ...args);
}

function duration(ms) {
    if (ms >= 3600000) {
        const hours = Math.floor(ms / 3600000), minutes = Math.floor(ms / 60000) % 60;
        const seconds = Math.floor(ms / 1000) % 60, two = n => String(n).padStart(2, '0');
        return `${hours}:${two(minutes)}:${two(seconds)} (h:mm:ss)`;
    }
    if (ms >= 60000) {
        const rest = (ms % 60000) / 1000;
        return `${Math.floor(ms / 60000)}:${rest.toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
    }
    if (ms >= 1000) return `${(ms / 1000).toFixed(3)}s`;
    return `${Number(ms.toFixed(3))}ms`;
}

function elapsed(console, label, method, rest) {
    const began = console._times.get(label);
    if (began === undefined) return void process.emitWarning(`No such label '${label}' for console.${method}()`);
    put(console, false, text(console, false, [`${label}: ${duration(native.process.now() - began)}`.replaceAll('%', '%%'), ...rest]));
}

// ---------------------------------------------------------------- methods

const methods = {
    log(...args) {
        put(this, false, text(this, false, args));
    },
    warn(...args) {
        put(this, true, text(this, true, args));
    },
    dir(value, options) {
        put(this, false, inspect(value, { customInspect: false, ...inspectOptions(this, this._stdout), ...options }));
    },
    time(label = 'default') {
        label = `${label}`;
        if (this._times.has(label)) process.emitWarning(`Label '${label}' already exists for console.time()`);
        else this._times.set(label, native.process.now());
    },
    timeEnd(label = 'default') {
        label = `${label}`;
        elapsed(this, label, 'timeEnd', []);
        this._times.delete(label);
    },
    timeLog(label = 'default', ...rest) {
        elapsed(this, `${label}`, 'timeLog', rest);
    },
    trace: function trace(...args) {
        const at = { name: 'Trace', message: text(this, true, args) };
        Error.captureStackTrace(at, trace);
        this.error(at.stack);
    },
    assert(value, ...args) {
        if (value) return;
        if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
        else args.unshift(args.length ? 'Assertion failed:' : 'Assertion failed');
        this.warn(...args);
    },
    clear() {
        const stream = this._stdout;
        if (!stream.isTTY || process.env.TERM === 'dumb') return;
        stream.write('\x1b[1;1H');
        stream.write('\x1b[0J');
    },
    count(label = 'default') {
        label = `${label}`;
        const { counts } = this[kState];
        counts.set(label, (counts.get(label) ?? 0) + 1);
        this.log(`${label}: ${counts.get(label)}`);
    },
    countReset(label = 'default') {
        label = `${label}`;
        if (!this[kState].counts.delete(label)) process.emitWarning(`Count for '${label}' does not exist`);
    },
    group(...args) {
        if (args.length) this.log(...args);
        this[kState].indent += ' '.repeat(this[kState].step);
    },
    groupEnd() {
        const state = this[kState];
        state.indent = state.indent.slice(0, Math.max(0, state.indent.length - state.step));
    },
    table(data, only = undefined) {
        if (only !== undefined) require('internal/validators').array(only, 'properties');
        if (data === null || typeof data !== 'object') return this.log(data);
        this.log(require('internal/console_table')(data, only, inspectOptions(this, this._stdout)));
    },
};
methods.debug = methods.log;
methods.info = methods.log;
methods.dirxml = methods.log;
methods.error = methods.warn;
methods.groupCollapsed = methods.group;

// ---------------------------------------------------------------- consoles

const hide = (object, name, value) => Object.defineProperty(object, name, { value, writable: true, configurable: true });

// Makes a console of an object: its state, and the methods bound to it.
function equip(console, state, ignoreErrors) {
    hide(console, kState, { indent: '', step: 2, counts: new Map(), colorMode: 'auto', ...state });
    hide(console, kIsConsole, true);
    hide(console, '_ignoreErrors', ignoreErrors);
    hide(console, '_times', new Map());
    for (const name of Object.keys(methods)) {
        const value = console[name].bind(console);
        Object.defineProperty(value, 'name', { value: name, configurable: true });
        Object.defineProperty(console, name, { value, writable: true, enumerable: true, configurable: true });
    }
    return console;
}

function Console(options, ...rest) {
    if (new.target === undefined) return Reflect.construct(Console, arguments);
    const errors = require('internal/errors'), validate = require('internal/validators');
    if (!options || typeof options.write === 'function') options = { stdout: options, stderr: rest[0], ignoreErrors: rest[1] };
    const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions: given, groupIndentation } = options;
    for (const [name, stream] of [['stdout', stdout], ['stderr', stderr]])
        if (!stream || typeof stream.write !== 'function')
            throw errors.coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', `Console expects a writable stream instance for ${name}`);
    validate.oneOf(colorMode, 'colorMode', ['auto', true, false]);
    if (groupIndentation !== undefined) validate.integer(groupIndentation, 'groupIndentation', 0, 1000);
    if (given !== undefined) {
        validate.object(given, 'options.inspectOptions');
        if (given.colors !== undefined && options.colorMode !== undefined)
            throw errors.coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR',
                'Option "options.inspectOptions.color" cannot be used in combination with option "colorMode"');
    }
    hide(this, '_stdout', stdout);
    hide(this, '_stderr', stderr);
    equip(this, { colorMode, options: given, step: groupIndentation ?? 2 }, Boolean(ignoreErrors));
}
for (const [name, method] of Object.entries(methods)) hide(Console.prototype, name, method);
Object.defineProperty(Console.prototype, Symbol.toStringTag, { value: 'console', configurable: true });
Object.defineProperty(Console, Symbol.hasInstance, {
    value(object) {
        return this === Console ? Boolean(object?.[kIsConsole]) : Function.prototype[Symbol.hasInstance].call(this, object);
    },
});

const console = Object.create({}, { [Symbol.toStringTag]: { value: 'console', configurable: true } });
for (const name of ['stdout', 'stderr'])
    Object.defineProperty(console, `_${name}`, { get: () => process[name], configurable: true });
Object.assign(console, methods);
equip(console, { isGlobal: true }, true);
console.Console = Console;
// Without an inspector they do nothing in Node either.
for (const name of ['profile', 'profileEnd', 'timeStamp'])
    console[name] = { [name]() {} }[name];

module.exports = console;
