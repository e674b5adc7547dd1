// worker: Worker of worker_threads: a process of its own, that shares no memory with who made it.
'use strict';

const EventEmitter = require('events');
const { Readable } = require('stream');
const path = require('path');
const children = require('internal/children');
const { argType, argValue, coded, systemError } = require('internal/errors');
const timers = require('internal/timers');
const validate = require('internal/validators');
const { Link } = require('internal/worker_link');

const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const SIGKILL = 9;
const limitNames = ['maxYoungGenerationSizeMb', 'maxOldGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'];

let lastThread = 0;
const running = new Set(); // workers that end with this process

const unavailable = name => coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `${name} is not available in a sandbox: the engine is another one`);

function pathError(filename) {
    const wrap = filename.startsWith('file://') ? ' Wrap file:// URLs with `new URL`.'
        : filename.startsWith('data:text/javascript') ? ' Wrap data: URLs with `new URL`.' : '';
    return coded(TypeError, 'ERR_WORKER_PATH', `The worker script or module filename must be an absolute path or a relative path starting with './' or '../'.${wrap} Received "${filename}"`);
}

// {file} or {code, type}: what a worker runs.
function programOf(filename, options) {
    if (options.eval) {
        if (typeof filename !== 'string') throw argValue('options.eval', options.eval, "must be false when 'filename' is not a string");
        return { code: filename };
    }
    if (filename instanceof URL) {
        if (filename.protocol !== 'data:') return { file: require('url').fileURLToPath(filename) };
        return { code: `import ${JSON.stringify(filename.href)};`, type: 'module' };
    }
    if (typeof filename !== 'string') throw argType('filename', ['string', 'URL'], filename);
    if (!path.isAbsolute(filename) && !/^\.\.?[\\/]/.test(filename)) throw pathError(filename);
    return { file: path.resolve(filename) };
}

function environmentOf(env) {
    if (env === SHARE_ENV) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'SHARE_ENV is not available in a sandbox: a worker is a process, with an environment of its own');
    if (env === null || env === undefined) env = process.env;
    else if (typeof env !== 'object') throw argType('options.env', ['object', 'undefined', 'null', 'worker_threads.SHARE_ENV'], env);
    return Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
}

function execArgvOf(given) {
    if (!given) return process.execArgv.filter((arg, i, all) => require('internal/options').forWorkers(arg) && !/^-(?:[ep]|pe)$|^--(?:eval|print)$/.test(all[i - 1] ?? ''));
    if (!Array.isArray(given)) throw argType('options.execArgv', 'Array', given);
    const wrong = given.filter(arg => !require('internal/options').forWorkers(arg));
    if (wrong.length) throw coded(Error, 'ERR_WORKER_INVALID_EXEC_ARGV', `Initiated Worker with invalid execArgv flags: ${wrong.join(', ')}`);
    return given;
}

function pipe() {
    const ends = native.spawn.pipe();
    if (typeof ends === 'number') throw systemError(ends, 'pipe');
    return ends;
}

class Worker extends EventEmitter {
    #pid;
    #link;
    #port; // the other end is its parentPort
    #held = false;
    #terminated = false;
    #stopped; // the promise of terminate()
    #code = null;
    #stdio;
    #threadId;
    constructor(filename, options = {}) {
        super();
        if (options.execArgv && !Array.isArray(options.execArgv)) throw argType('options.execArgv', 'Array', options.execArgv);
        if (options.argv && !Array.isArray(options.argv)) throw argType('options.argv', 'Array', options.argv);
        const program = programOf(filename, options), env = environmentOf(options.env);
        if (options.name) validate.string(options.name, 'options.name');
        const words = [process.execPath, ...execArgvOf(options.execArgv), ...program.file === undefined ? ['--'] : [program.file], ...(options.argv ?? []).map(String)];
        this.resourceLimits = Object.fromEntries(limitNames.map(name => [name, typeof options.resourceLimits?.[name] === 'number' ? options.resourceLimits[name] : 0]));
        this.#start(words, env, program, options);
    }
    #start(words, env, program, options) {
        const down = pipe(), up = pipe(), input = options.stdin ? pipe() : undefined;
        this.#link = new Link(up[0], down[1], 2, (...frame) => this.#take(...frame));
        const { port1, port2 } = new MessageChannel(), { untransferable } = require('internal/clone');
        this.#port = port1;
        port1.on('message', message => this.emit('message', message));
        port1.on('messageerror', error => this.emit('messageerror', error));
        port1.unref();
        try {
            const { data } = require('internal/clone').cloneMessage([options.workerData, require('worker_threads')._environment()], options.transferList ?? []);
            this.#link.send(['start', {
                threadId: ++lastThread, port: port2, workerData: data[0], environment: data[1], resourceLimits: this.resourceLimits,
                pid: process.pid, ppid: process.ppid, title: process.title, ...program,
            }]);
        } catch (error) {
            this.#link.close();
            for (const fd of [down[0], up[1], ...input ?? []]) native.fs.close(fd);
            throw error;
        }
        this.#threadId = lastThread;
        const nothing = input ? input[0] : native.fs.open('/dev/null', 0, 0);
        children.watch();
        const pid = native.spawn.start(words[0], words, [...env, 'NODE_WORKER_FD=3,4'], undefined, [nothing, 1, 2, down[0], up[1]], 0);
        for (const fd of [down[0], up[1], nothing]) native.fs.close(fd);
        this.#openStdio(input?.[1], options);
        if (pid < 0) {
            this.#link.close();
            throw coded(Error, 'ERR_WORKER_INIT_FAILED', `Worker initialization failure: ${systemError(pid, 'spawn').code}`);
        }
        this.#pid = pid;
        children.follow(pid, code => this.#ended(code));
        this.#link.listen();
        running.add(this);
        process.atEnd.add(stopAll);
        this.ref();
        process.nextTick(() => process.emit('worker', this));
    }
    #openStdio(input, options) {
        const stdin = input === undefined ? null : require('internal/fdstream').writable(input);
        const [stdout, stderr] = ['stdout', 'stderr'].map(name => {
            const stream = new Readable({ read() {} });
            if (!options[name]) stream.on('data', chunk => process[name].write(chunk));
            return stream;
        });
        this.#stdio = { stdin, stdout, stderr };
    }
    #take(kind, first, second) {
        if (kind === 'online') this.emit('online');
        else if (kind === 'output') this.#stdio[first === 1 ? 'stdout' : 'stderr'].push(second);
        else if (kind === 'error') {
            this.#terminated = false;
            this.#deliver();
            this.emit('error', require('internal/worker_errors').unpack(first));
        }
    }
    // Messages that came before something else that is told now.
    #deliver() {
        for (let message; (message = this.#port._take()) !== undefined;) this.emit('message', message.data);
    }
    #ended(code) {
        running.delete(this);
        this.#link.read();
        this.#deliver();
        this.#link.close();
        this.#port.close();
        this.#code = this.#terminated || code === null ? 1 : code;
        this.#threadId = -1;
        const { stdin, stdout, stderr } = this.#stdio;
        stdin?.destroy();
        for (const stream of [stdout, stderr]) stream.push(null);
        process.nextTick(() => {
            this.unref();
            this.emit('exit', this.#code);
            this.removeAllListeners();
        });
    }
    get threadId() {
        return this.#threadId;
    }
    get stdin() {
        return this.#stdio.stdin;
    }
    get stdout() {
        return this.#stdio.stdout;
    }
    get stderr() {
        return this.#stdio.stderr;
    }
    get performance() {
        return { eventLoopUtilization: () => { throw unavailable('worker.performance.eventLoopUtilization()'); } };
    }
    postMessage(...args) {
        if (this.#code === null) this.#port.postMessage(...args);
    }
    terminate(callback) {
        if (typeof callback === 'function') {
            process.emitWarning('Passing a callback to worker.terminate() is deprecated. It returns a Promise instead.', 'DeprecationWarning', 'DEP0132');
            if (this.#code === null) this.once('exit', code => callback(null, code));
        }
        this.ref();
        if (this.#code !== null) return Promise.resolve();
        this.#stopped ??= new Promise(resolve => this.once('exit', resolve));
        this._stop();
        return this.#stopped;
    }
    _stop() {
        this.#terminated = true;
        native.process.kill(this.#pid, SIGKILL);
    }
    ref() {
        if (this.#held || this.#code !== null || !children.runs(this.#pid)) return;
        this.#held = true;
        timers.hold(1);
    }
    unref() {
        if (this.#held) timers.hold(-1);
        this.#held = false;
    }
    getHeapSnapshot() {
        if (this.#code !== null) return Promise.reject(coded(Error, 'ERR_WORKER_NOT_RUNNING', 'Worker instance not running'));
        return Promise.reject(unavailable('worker.getHeapSnapshot()'));
    }
}
for (const name of ['threadId', 'stdin', 'stdout', 'stderr', 'performance']) Object.defineProperty(Worker.prototype, name, { enumerable: true });
Object.defineProperty(Worker.prototype, '_stop', { enumerable: false });

function stopAll() {
    for (const worker of running) worker._stop();
    running.clear();
}

module.exports = { Worker, SHARE_ENV };
