// options: what stands before the program's name, and in NODE_OPTIONS.
'use strict';

const modules = require('internal/modules');

const usage = `Usage: js [options] [FILE | -] [arguments]
       js -e CODE [arguments]
       js -p EXPRESSION [arguments]

Runs JavaScript as Node does, on QuickJS. A program is the body of an async function: await and return
work at its top level, and the returned value is printed. A program with import or export is a module, unless it returns.

  -e, --eval CODE     run CODE
  -p, --print CODE    run CODE and print the value of its last expression
  -i, --interactive   read, evaluate and print, line by line
  -c, --check         only check the syntax of FILE
  -r, --require NAME  require NAME first
      --typescript    the program is TypeScript: erase its types (.ts files: always)
      --input-type=T  what CODE or standard input is: module or commonjs
      --test          run the files that are named, or those that are tests by their names
      --run           run the text that the embedder handed over
  -v, --version       print the version
  -h, --help          print this
`;

// Options of Node that change nothing here.
const ignored = /^--(?:(?:no-)?enable-source-maps|(?:no-)?experimental-[\w-]+(?:=.*)?|trace-[\w-]+(?:=.*)?|(?:max|min)-[\w-]+=.*|stack-size=.*|harmony[\w-]*|use-strict|test-only|frozen-intrinsics|preserve-symlinks(?:-main)?|jitless|icu-data-dir=.*|disallow-code-generation-from-strings|abort-on-uncaught-exception|insecure-http-parser|dns-result-order=.*|tls-[\w-]+(?:=.*)?|use-(?:bundled|openssl)-ca|verify-base-objects|zero-fill-buffers|interpreted-frames-native-stack|allow-natives-syntax|(?:no-)?node-snapshot|(?:no-)?addons|(?:no-)?global-search-paths|(?:no-)?force-[\w-]+|(?:no-)?network-family-autoselection[\w-]*(?:=.*)?|openssl-[\w-]+(?:=.*)?|secure-heap[\w-]*=.*|v8-pool-size=.*|huge-max-old-generation-size|perf-[\w-]+|inspect-port=.*|expose-(?:internals|externalize-string)|(?:no-)?track-heap-objects|diagnostic-dir=.*|report-[\w-]+(?:=.*)?|heapsnapshot-[\w-]+=.*|use-largepages=.*|gc-interval=.*|single-threaded[\w-]*|no-opt|(?:no-)?concurrent-[\w-]+|(?:no-)?verify-base-objects|(?:no-)?deprecation|unhandled-rejections=.*|(?:no-)?extra-info-on-fatal-exception|title=.*)$/;

let unhandled = 'throw'; // what a rejection is that nobody handles

function noProto(how) {
    if (how === 'delete') return void delete Object.prototype.__proto__;
    if (how !== 'throw') return usageError(`invalid mode passed to --disable-proto`);
    const refuse = () => {
        throw require('internal/errors').coded(Error, 'ERR_PROTO_ACCESS', 'Accessing Object.prototype.__proto__ has been disallowed with --disable-proto=throw');
    };
    Object.defineProperty(Object.prototype, '__proto__', { get: refuse, set: refuse, configurable: true, enumerable: false });
    return undefined;
}

// Options with a value that set something, before any program runs.
const settings = {
    '--conditions': value => void modules.conditions.push(value),
    '--disable-proto': noProto,
    '--disable-warning': value => void (process.disabledWarnings ??= new Set()).add(value),
    '--env-file'(value) {
        let text;
        try {
            text = modules.readText(value);
        } catch {
            return usageError(`${value}: not found`);
        }
        for (const [name, item] of Object.entries(require('internal/dotenv').parse(text))) process.env[name] ??= item;
        return undefined;
    },
    '--stack-trace-limit': value => void (Error.stackTraceLimit = Number(value)),
    '--title': value => void (process.title = value),
    '--unhandled-rejections'(value) {
        if (!['throw', 'strict', 'warn', 'none', 'warn-with-error-codes'].includes(value)) return usageError('invalid value for --unhandled-rejections');
        unhandled = value;
        return undefined;
    },
};
const hidden = (name, value) => void Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: false });
const set = name => () => void (process[name] = true);
const switches = {
    '--expose-gc': () => void Object.defineProperty(globalThis, 'gc', { value: function gc() { native.engine.gc(); }, writable: true, configurable: true }),
    '--no-deprecation': set('noDeprecation'),
    '--no-warnings': () => hidden('noWarnings', true),
    '--pending-deprecation': () => hidden('pendingDeprecation', true),
    '--throw-deprecation': set('throwDeprecation'),
    '--trace-deprecation': set('traceDeprecation'),
    '--trace-warnings': () => hidden('traceProcessWarnings', true),
    '--warnings': () => {},
};
// Names that NODE_OPTIONS may have, beside those of `settings` and `switches`.
const alsoInEnvironment = ['--abort-on-uncaught-exception', '--diagnostic-dir', '--dns-result-order', '--enable-source-maps', '--experimental-vm-modules', '--force-context-aware',
    '--frozen-intrinsics', '--icu-data-dir', '--import', '--input-type', '--inspect', '--inspect-brk', '--inspect-port', '--insecure-http-parser', '--interpreted-frames-native-stack',
    '--jitless', '--max-http-header-size', '--max-old-space-size', '--max-semi-space-size', '--no-addons', '--no-node-snapshot', '--node-snapshot', '--perf-basic-prof', '--perf-prof',
    '--preserve-symlinks', '--preserve-symlinks-main', '--report-on-signal', '--require', '--stack-trace-limit', '--test-only', '--trace-exit', '--trace-sigint',
    '--trace-uncaught', '--track-heap-objects', '--use-openssl-ca', '--v8-pool-size', '--verify-base-objects', '--zero-fill-buffers', '-C', '-r'];

function usageError(message) {
    native.process.write(2, `js: ${message}\nTry 'js --help' for more information.\n`);
    process.exitCode = 9;
    return undefined;
}

function inputType(options, type) {
    options.type = type;
    if (process.exitCode !== 9 && !['module', 'commonjs'].includes(type)) usageError('--input-type must be "module" or "commonjs"');
}

// One option, already written in words: true when it is known.
function apply(arg, options, value) {
    const name = arg.replace(/=.*/s, '');
    if (/^(?:-r|--require|--import)$/.test(name)) options.preload.push(value(arg, '--require'));
    else if (name === '-C' || Object.hasOwn(settings, name)) {
        const given = value(arg, arg);
        if (given !== undefined) settings[name === '-C' ? '--conditions' : name](given);
    } else if (Object.hasOwn(switches, arg)) switches[arg]();
    else if (name === '--input-type') inputType(options, value(arg, '--input-type'));
    else return ignored.test(arg);
    return true;
}

// Options whose name has `_` for `-`, as V8's may.
const spelled = arg => (arg.startsWith('--') ? arg.replace(/^[^=]*/, name => name.replaceAll('_', '-')) : arg);

// What the environment says comes first. False when it is wrong.
function fromEnvironment(options) {
    const entries = native.process.environment('NODE_');
    if (entries.length === 0) return true;
    const { NODE_OPTIONS: text = '', NODE_NO_WARNINGS, NODE_PENDING_DEPRECATION, NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, NODE_WORKER_FD } =
        Object.fromEntries(entries.map(entry => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]));
    if (NODE_CHANNEL_FD !== undefined) require('internal/ipc').child(NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE);
    if (NODE_WORKER_FD !== undefined) options.worker = require('internal/worker_child').open(NODE_WORKER_FD);
    if (NODE_NO_WARNINGS === '1') switches['--no-warnings']();
    if (NODE_PENDING_DEPRECATION === '1') switches['--pending-deprecation']();
    const words = (text.match(/(?:"(?:\\[^]|[^"\\])*"|\\[^]|[^\s"])+/g) ?? []).map(word => word.replace(/"((?:\\[^]|[^"\\])*)"|\\([^])/g, (all, quoted, one) => quoted?.replace(/\\([^])/g, '$1') ?? one));
    for (let i = 0; i < words.length;) {
        const arg = spelled(words[i++]);
        const value = (whole, name) => {
            if (whole.includes('=')) return whole.slice(whole.indexOf('=') + 1);
            return i < words.length ? words[i++] : void usageError(`${name} requires an argument`);
        };
        if (!apply(arg, options, value)) return void usageError(`${arg} is not allowed in NODE_OPTIONS`) ?? false;
        if (process.exitCode === 9) return false;
    }
    return true;
}

// {preload, args, execArgv, code, print, …} of a command line; undefined when it is wrong and has been answered.
function parse(argv) {
    const options = { preload: [], args: [] };
    if (!fromEnvironment(options)) return undefined;
    let i = 1;
    const value = (arg, name) => {
        const at = arg.indexOf('=');
        if (arg.startsWith('--') && at !== -1) return arg.slice(at + 1);
        if (i >= argv.length) return void usageError(`${name} requires an argument`);
        return argv[i++];
    };
    for (; i < argv.length;) {
        const arg = spelled(argv[i]);
        if (arg === '-' || !arg.startsWith('-')) break;
        i++;
        if (arg === '--') break;
        if (/^(?:-e|--eval(?:=.*)?)$/s.test(arg)) options.code = value(arg, arg);
        else if (/^(?:-p|-pe|--print(?:=.*)?)$/s.test(arg)) {
            options.print = true;
            options.code = i >= argv.length && !arg.includes('=') ? 'undefined' : value(arg, '--print');
        } else if (arg === '--test') options.test = true;
        else if (arg === '--typescript') options.typescript = true;
        else if (arg === '--run') options.run = true;
        else if (arg === '--dump-tree') options.text = require('internal/tree').dump(native.text.utf8Decode(native.fs.readAll(0)));
        else if (arg === '-c' || arg === '--check') options.check = true;
        else if (arg === '-v' || arg === '--version') options.text = `${process.version}\n`;
        else if (arg === '-h' || arg === '--help') options.text = usage;
        else if (arg === '-i' || arg === '--interactive') options.interactive = true;
        else if (!apply(arg, options, value)) return usageError(`bad option: ${argv[i - 1]}`);
        if (process.exitCode === 9) return undefined;
        options.execArgv = i - 1;
    }
    process.execArgv = argv.slice(1, 1 + (options.execArgv ?? 0));
    options.args = argv.slice(i);
    return options;
}

// Whether an option is one that a worker can be given.
const forWorkers = arg => {
    const name = spelled(arg).replace(/=.*/s, '');
    if (['--title', '--expose-gc', '--stack-trace-limit'].includes(name) || /^--(?:max|min)-|^-[ep]|^--eval|^--print|^--test$/.test(name)) return false;
    return !name.startsWith('-') || ['-r', '-C', '--import', '--require', '--input-type'].includes(name) || Object.hasOwn(settings, name) || Object.hasOwn(switches, name) || ignored.test(spelled(arg));
};

module.exports = {
    parse, usageError, forWorkers,
    environmentFlags: () => [...alsoInEnvironment, ...Object.keys(settings), ...Object.keys(switches)],
    unhandled: () => unhandled,
};
