// main: options, the forms a program comes in, its value, and how it ends.
'use strict';

const path = require('path');
const { endOfText, names, placeOf, syntaxPlace, systemError } = require('internal/errors');
const modules = require('internal/modules');
const { inspect } = require('internal/inspect');
const { parse, unhandled, usageError } = require('internal/options');

let isModule = false; // the main program is one
let isHandedOver = false; // the main program came from the embedder
let main; // the promise of the main program
const LONGEST_LINE = 2000; // of what is shown of a program, in characters
const sources = new Map(); // program texts by name, for the line and caret of a syntax error

function start(argv) {
    process.argv0 = argv[0] ?? 'js';
    runPrelude();
    if (argv[1] === '--run' && argv.length === 2) return runText({ args: [] });
    const options = parse(argv);
    if (options === undefined) return;
    if (options.text !== undefined) {
        native.process.write(1, options.text);
        return;
    }
    for (const name of options.preload) modules.makeRequire(new modules.Module('internal/preload', null))(name);
    if (options.test) follow(require('internal/test_files').run(options.args, process.execArgv.filter(arg => arg !== '--test')), () => {});
    else if (options.interactive) runRepl(options);
    else if (options.run) runText(options);
    else if (options.code !== undefined) runCode(options);
    else if (options.worker?.code !== undefined) runWorkerCode(options);
    else runFile(options);
}

// What the embedder lets every program of its sandbox run first, in the global scope.
function runPrelude() {
    const fd = native.fs.open('/tools/prelude.js', 0, 0);
    if (fd < 0) return;
    const bytes = native.fs.readAll(fd);
    native.fs.close(fd);
    native.program.script(native.text.utf8Decode(bytes), '[prelude]', false);
}

// ---------------------------------------------------------------- forms of programs

function runText(options) {
    const text = native.process.runText();
    if (typeof text === 'number' && names[-text] === 'ENOMEM') throw new InternalError('out of memory: the program is too large');
    if (typeof text === 'number') return void usageError('--run: no text was handed over');
    process.argv = [process.execPath, ...options.args];
    options.isRun = isHandedOver = true;
    program(text, '[code]', options);
}

// The modules of Node as globals of -e and -p, made when they are first used.
function nameModules() {
    for (const name of modules.builtins) {
        if (name.includes('/') || name === 'process' || name === 'console') continue;
        const define = value => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
        Object.defineProperty(globalThis, name, {
            configurable: true,
            enumerable: false,
            get() {
                const value = modules.builtin(name);
                define(value);
                return value;
            },
            set: define,
        });
    }
}

function runCode(options) {
    nameModules();
    process.argv = [process.execPath, ...options.args];
    if (options.print) return print(options);
    program(options.code, '[eval]', options);
}

function runRepl(options) {
    process.argv = [process.execPath, ...options.args];
    native.process.write(1, `Welcome to Node.js ${process.version}.\nType ".help" for more information.\n`);
    require('repl').start({ input: process.stdin, output: process.stdout, useGlobal: true, _standalone: true }).on('exit', () => process.exit());
}

// A worker that was made of a text.
function runWorkerCode(options) {
    process.argv = [process.execPath, '[worker eval]', ...options.args];
    program(options.worker.code, '[worker eval]', { ...options, type: options.worker.type });
}

function print(options) {
    const text = options.typescript ? require('internal/typescript').erase(options.code, '[eval]') : options.code;
    sources.set('[eval]', text);
    modules.makeMain('[eval]', globalThis);
    globalThis.__filename = '[eval]';
    globalThis.__dirname = '.';
    follow(native.program.script(text, '[eval]', true), result => console.log(result.value));
}

function runFile(options) {
    const name = options.args[0];
    if (name === undefined || name === '-') {
        const bytes = native.fs.readAll(0);
        if (typeof bytes === 'number') throw require('internal/errors').systemError(bytes, 'read');
        process.argv = [process.execPath, ...(name === '-' ? options.args : [])];
        return program(native.text.utf8Decode(bytes), '[stdin]', options);
    }
    const given = path.resolve(name);
    const extension = ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js'].find(end => {
        const stat = native.fs.stat(given + end);
        return typeof stat !== 'number' && (stat[1] & 0o170000) !== 0o040000;
    });
    if (extension === undefined) {
        const error = new Error(`Cannot find module '${given}'`);
        error.code = 'MODULE_NOT_FOUND';
        error.requireStack = [];
        throw error;
    }
    const real = native.fs.realpath(given + extension);
    const file = typeof real === 'string' ? real : given + extension;
    process.argv = [process.execPath, file, ...options.args.slice(1)];
    if (/\.[cm]?ts$/.test(file)) options.typescript = true;
    if (/\.m[jt]s$/.test(file)) options.type = 'module';
    if (/\.c[jt]s$/.test(file)) options.type = 'commonjs';
    if (file.endsWith('.json')) return void JSON.parse(modules.readText(file));
    program(modules.readText(file), file, options);
}

// ---------------------------------------------------------------- running a text

function program(text, name, options) {
    sources.set(name, text);
    if (options.typescript) text = require('internal/typescript').erase(text, name);
    const body = read(text, name, options);
    if (options.check) return;
    if (body === undefined) {
        isModule = true;
        // In a promise job, as in Node: what the module leaves to promises comes before its ticks.
        return follow(Promise.resolve().then(() => native.program.evaluate()), () => {}, 'unhandledRejection');
    }
    const absolute = path.isAbsolute(name);
    const module = modules.makeMain(name, absolute ? undefined : globalThis);
    const require_ = absolute ? modules.makeRequire(module) : globalThis.require;
    follow(body.call(module.exports, module.exports, require_, module, name, absolute ? path.dirname(name) : '.'),
        value => report(value, options));
    module.loaded = true;
}

// The text as an async function; undefined when it is a module, which then waits to be evaluated.
// What does not parse as JavaScript is tried again as TypeScript. Throws the SyntaxError of the
// reading that came furthest.
function read(text, name, options) {
    const first = attempt(text, name, options);
    if (!first.error) return first.body;
    if (!options.typescript) {
        let erased;
        try {
            erased = require('internal/typescript').erase(text, name);
        } catch { /* not TypeScript either: the first error stands */ }
        if (erased !== undefined && erased !== text) {
            const second = attempt(erased, name, options);
            if (!second.error) return second.body;
        }
        sources.set(name, text);
    }
    throw first.error;
}

function attempt(text, name, { type }) {
    sources.set(name, text);
    let error;
    if (type !== 'module') {
        try {
            return { body: native.program.function(text, name, true) };
        } catch (thrown) {
            if (!(thrown instanceof SyntaxError)) throw thrown;
            error = endOfText(thrown, text, name);
            if (error.message === "Unexpected token '@'") error.message += ': decorators are not supported';
        }
        if (type === 'commonjs' || !/\b(?:import|export)\b/.test(text)) return { error };
    }
    try {
        native.program.compile(text, name, metaOf(name));
        return { body: undefined };
    } catch (thrown) {
        if (!(thrown instanceof SyntaxError) || syntaxPlace(thrown)?.file !== name) throw thrown;
        const asBody = code => native.program.function(code, name, true);
        const hoisted = error && require('internal/hoist').hoist(text, error, asBody);
        if (hoisted !== undefined) return { body: asBody(hoisted) };
        endOfText(thrown, text, name);
        return { error: error && !further(thrown, error) ? error : thrown };
    }
}

const further = (a, b) => {
    const first = syntaxPlace(a), second = syntaxPlace(b);
    if (!first || !second) return false;
    return first.line > second.line || (first.line === second.line && first.column > second.column);
};

function metaOf(name) {
    if (path.isAbsolute(name)) return modules.metaOf(name);
    return { ...modules.metaOf(path.join(process.cwd(), name)), dirname: process.cwd() };
}

// The program runs from now on; `done` gets its value.
function follow(promise, done, origin = 'uncaughtException') {
    main = promise;
    if (native.program.promiseState(promise) === 2) {
        native.program.markHandled(promise);
        main = undefined;
        throw native.program.promiseResult(promise);
    }
    require('internal/timers').quiet(() => promise.then(value => {
        main = undefined;
        done(value);
    }, error => {
        main = undefined;
        if (!fatal(error, origin)) process.reallyExit(process.finish(true));
    }).catch(error => {
        if (!fatal(error, 'uncaughtException')) process.reallyExit(process.finish(true));
    }));
}

// The returned value is printed: a string as it is, anything else but undefined as JSON, BigInt as the
// integers they are.
function report(value, options) {
    if (value === undefined) return;
    const json = native.tool.stringify(value);
    if (json === undefined) return; // a function or a symbol has no JSON
    native.process.write(1, `${typeof value === 'string' ? value : json}\n`);
    if (options.isRun) handOver(json);
}

function handOver(json) {
    const result = native.process.runValue(json);
    if (result === 0) return;
    const why = names[-result] === 'EFBIG' ? `it has ${Buffer.byteLength(json)} bytes as JSON, more than tool_result_bytes allows`
        : systemError(result, 'write').message;
    native.process.write(2, `js: the value cannot be handed over: ${why}\n`);
    process.exitCode ||= 1;
}

// ---------------------------------------------------------------- errors and the end

// The line of the program that is to blame, and a caret below the place. `thrown`: by a statement, not by
// rejecting a promise; then the place is the statement's.
function sourceLine(error, thrown) {
    const isSyntax = error instanceof SyntaxError;
    const place = (isSyntax ? syntaxPlace(error) : undefined) ?? placeOf(error);
    const lines = place && sourceText(place.file)?.split('\n');
    if (!lines) return '';
    const line = Math.max(1, Math.min(place.line, lines.length)), shown = lines[line - 1].replace(/\r$/, '');
    if (shown.length > LONGEST_LINE) return `${place.file}:${line}\n`;
    let before = shown.slice(0, place.line > lines.length ? shown.length : Math.max(0, place.column - 1));
    if (thrown && !isSyntax) before = before.replace(/\bthrow\s+(?:new\s+)?$/, '');
    const word = isSyntax ? Math.max(1, /^[\w$]*/.exec(shown.slice(before.length))[0].length) : 1;
    return `${place.file}:${line}\n${shown}\n${before.replace(/[^\t]/g, ' ')}${'^'.repeat(word)}\n\n`;
}

function describe(error, thrown) {
    if (!(error instanceof Error) && !Error.isError(error)) return `Uncaught ${inspect(error)}\n`;
    // Whoever handed a program over reads the error first, and has the text.
    const text = isHandedOver && !(error instanceof SyntaxError) ? '' : sourceLine(error, thrown);
    const missing = error instanceof ReferenceError && /^(require|module|exports|__filename|__dirname) is not defined$/.exec(error.message);
    if (missing && isModule) error.message += ` in ES module scope${missing[1] === 'require' ? ', you can use import instead' : ''}`;
    let stack;
    try {
        stack = inspect(error);
    } catch {
        stack = String(error.stack ?? error);
    }
    stack = stack.replace(/^\[([^]*?)\](?=$| \{\n)/, '$1');
    // Node does the same, but there no tool gives a BigInt unasked.
    const hint = error.message === 'Do not know how to serialize a BigInt'
        ? '\nhint: JSON.stringify(value, (key, item) => typeof item === "bigint" ? JSON.rawJSON(item) : item) writes it exactly' : '';
    return `${text}${stack}${hint}\n`;
}

// An error that nobody caught. True when a handler of the program took it.
function fatal(error, origin) {
    if (process.usesDomains) {
        try {
            if (process.domainCaught(error)) return true;
        } catch (second) { // what the domain's handler threw
            native.process.write(2, describe(second, true));
            process.reallyExit(7);
        }
    }
    if (process.captureUncaught) {
        process.captureUncaught(error);
        return true;
    }
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (process.listenerCount('uncaughtException') > 0) {
        process.emit('uncaughtException', error, origin);
        return true;
    }
    if (process.reportFatal) process.reportFatal(error);
    else native.process.write(2, describe(error, origin !== 'unhandledRejection'));
    process.exitCode = 1; // whatever the program had set
    return false;
}

// ---------------------------------------------------------------- rejections that nobody handles

let rejections = 0; // how many were reported
const reported = new WeakMap(); // promise → its number

// `late`: one that was reported has got its handler.
function rejected(promise, reason, late) {
    if (late) return handled(promise);
    reported.set(promise, ++rejections);
    const mode = unhandled(), emit = () => process.emit('unhandledRejection', reason, promise);
    if (mode === 'strict') {
        if (!fatal(errorOf(reason), 'unhandledRejection')) return false;
        if (!emit()) warnOf(reason, rejections);
        return true;
    }
    if (emit() || mode === 'none') {
        if (mode === 'warn') warnOf(reason, rejections);
        return true;
    }
    if (mode === 'throw') return fatal(errorOf(reason), 'unhandledRejection');
    warnOf(reason, rejections);
    if (mode === 'warn-with-error-codes') process.exitCode = 1;
    return true;
}

function handled(promise) {
    const id = reported.get(promise);
    if (id === undefined || process.emit('rejectionHandled', promise)) return true;
    const warning = Object.assign(new Error(`Promise rejection was handled asynchronously (rejection id: ${id})`), { name: 'PromiseRejectionHandledWarning', id });
    process.emitWarning(warning);
    return true;
}

function errorOf(reason) {
    if (reason instanceof Error || Error.isError(reason)) return reason;
    const error = new Error('This error originated either by throwing inside of an async function without a catch block, ' +
        `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${inspect(reason)}".`);
    error.name = 'UnhandledPromiseRejection';
    error.code = 'ERR_UNHANDLED_REJECTION';
    return error;
}

function warnOf(reason, id) {
    const name = 'UnhandledPromiseRejectionWarning', isError = reason instanceof Error || Error.isError(reason);
    const warning = Object.assign(new Error('Unhandled promise rejection. This error originated either by throwing inside of an async function without a catch block, ' +
        'or by rejecting a promise which was not handled with .catch(). To terminate the node process on unhandled promise rejection, use the CLI flag ' +
        '`--unhandled-rejections=strict` (see https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). ' +
        `(rejection id: ${id})`), { name });
    if (isError) Object.defineProperty(warning, 'stack', { value: reason.stack, writable: true, configurable: true });
    process.emitWarning(isError ? `${reason.stack}` : reason !== null && typeof reason === 'object' ? `#<${reason.constructor?.name || 'Object'}>` : String(reason), name);
    process.emitWarning(warning);
}

// Nothing is left to do. True when 'beforeExit' made new work.
function finish() {
    const timers = require('internal/timers');
    if (timers.stands()) return waitsForItself(timers);
    if (process._events.beforeExit === undefined) return false;
    process.emit('beforeExit', Number(process.exitCode ?? 0));
    return timers.alive();
}

// Servers and connections within the process are all that is left, so only a signal could wake the program.
function waitsForItself(timers) {
    if (process.eventNames().some(name => /^SIG[A-Z]/.test(name))) {
        timers.keepStanding();
        return true;
    }
    native.process.write(2, 'Error: the program waits for connections that only it could make itself: other processes do not reach its servers, ' +
        `${require('internal/errors').NO_NETWORK}\n`);
    process.exitCode = 1;
    return false;
}

function exit(failed) {
    if (!failed && main !== undefined && process.exitCode === undefined) {
        native.process.write(2, 'Warning: Detected unsettled top-level await: the program ended before its promise settled\n');
        process.exitCode = 13;
    }
    return process.finish(failed);
}

// The text of a program or module by its name in stacks; undefined when it is not known.
function sourceText(name) {
    if (sources.has(name)) return sources.get(name);
    try {
        return path.isAbsolute(name) ? modules.readText(name) : undefined;
    } catch {
        return undefined; // the file is gone
    }
}

module.exports = { start, sourceText, fatal, rejected, finish, exit };
