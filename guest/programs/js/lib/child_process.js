// child_process: children through posix_spawn. The event loop reads their pipes; SIGCHLD tells of their
// end. The …Sync forms wait in C, with the whole process parked.
'use strict';

const EventEmitter = require('events');
const { systemError, argType, check, coded, AbortError } = require('internal/errors');
const timers = require('internal/timers');

const SIGCHLD = process.signals.SIGCHLD;
const signalName = number => Object.keys(process.signals).find(name => process.signals[name] === number) ?? null;
const signalNumber = signal => (typeof signal === 'number' ? signal : process.signals[signal]);

// ---------------------------------------------------------------- starting

function environment(options) {
    if (!options.env) return undefined;
    return Object.entries(options.env).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
}

// {file, args} of what is to run, through the shell when asked for.
function command(file, args, options) {
    check.string(file, 'file');
    if (file === '') throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'file' cannot be empty. Received ''");
    if (options.shell) {
        const shell = typeof options.shell === 'string' ? options.shell : '/bin/sh';
        return { file: shell, args: [shell, '-c', [file, ...args].join(' ')] };
    }
    return { file, args: [options.argv0 ?? file, ...args.map(String)] };
}

function stdioList(stdio, count = 3) {
    const list = typeof stdio === 'string' ? [stdio, stdio, stdio] : [...(stdio ?? [])];
    while (list.length < count) list.push(list.length < 3 ? 'pipe' : 'ignore');
    return list;
}

// Opens the descriptors of a child: {child: fds for it, ours: our ends, close: fds of no use afterwards}.
function openStdio(list) {
    const child = [], ours = [], close = [];
    list.forEach((item, i) => {
        if (item === undefined || item === null) item = i < 3 ? 'pipe' : 'ignore';
        if (item === 'inherit') item = i;
        if (item !== null && typeof item === 'object') item = item.fd;
        if (typeof item === 'number') {
            child.push(item);
            ours.push(undefined);
        } else if (item === 'ignore') {
            const fd = native.fs.open('/dev/null', i === 0 ? 0 : 1, 0);
            child.push(fd);
            close.push(fd);
            ours.push(undefined);
        } else if (item === 'pipe' || item === 'overlapped') {
            const pipe = native.spawn.pipe();
            if (typeof pipe === 'number') throw systemError(pipe, 'pipe');
            const [read, write] = pipe;
            child.push(i === 0 ? read : write);
            close.push(i === 0 ? read : write);
            ours.push(i === 0 ? write : read);
        } else {
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'stdio' is invalid. Received '${item}'`);
        }
    });
    return { child, ours, close };
}

function startChild({ file, args }, options, stdio) {
    const pid = native.spawn.start(file, args, environment(options), options.cwd && `${options.cwd.pathname ?? options.cwd}`, stdio.child, options.detached ? 1 : 0);
    for (const fd of stdio.close) native.fs.close(fd);
    return pid;
}

// ---------------------------------------------------------------- asynchronous

const running = new Map(); // pid -> ChildProcess

function reap() {
    for (const [pid, child] of [...running]) {
        const ended = native.spawn.wait(pid, false);
        if (ended === 0) continue;
        running.delete(pid);
        const [, code, signal] = typeof ended === 'number' ? [pid, null, 0] : ended;
        child._ended(code === -1 ? null : code, signal ? signalName(signal) : null);
    }
    if (running.size === 0) {
        process.childWatchers.delete(reap);
        native.loop.catchSignal(SIGCHLD, 0);
    }
}

function watchChildren() {
    if (process.childWatchers.has(reap)) return;
    process.childWatchers.add(reap);
    native.loop.catchSignal(SIGCHLD, 2);
}

class ChildProcess extends EventEmitter {
    #open = 1; // the process itself and its streams: 'close' when all are done
    #held = false;
    constructor() {
        super();
        this.pid = undefined;
        this.exitCode = null;
        this.signalCode = null;
        this.killed = false;
        this.connected = false;
        this.stdin = this.stdout = this.stderr = null;
        this.stdio = [];
    }
    spawn(what, options) {
        this.spawnfile = what.file;
        this.spawnargs = what.args;
        const list = stdioList(options.stdio);
        const stdio = openStdio(list);
        watchChildren();
        const pid = startChild(what, options, stdio);
        const { readable, writable } = require('internal/fdstream');
        stdio.ours.forEach((fd, i) => {
            let stream = null;
            if (fd !== undefined) {
                stream = i === 0 ? writable(fd) : readable(fd, { close: true });
                if (i > 0) {
                    this.#open++;
                    stream.once('close', () => this.#done());
                }
            }
            this.stdio.push(stream);
        });
        [this.stdin, this.stdout, this.stderr] = this.stdio;
        if (pid < 0) {
            const error = systemError(pid, `spawn ${what.file}`);
            error.path = what.file;
            error.spawnargs = what.args.slice(1);
            error.message = `spawn ${what.file} ${error.code}`;
            for (const stream of this.stdio) stream?.destroy();
            process.nextTick(() => {
                this.emit('error', error);
                this.exitCode = pid;
                this.#done();
            });
            return;
        }
        this.pid = pid;
        running.set(pid, this);
        this.ref();
        process.nextTick(() => this.emit('spawn'));
    }
    _ended(code, signal) {
        this.exitCode = code;
        this.signalCode = signal;
        this.unref();
        this.stdin?.destroy();
        for (const stream of [this.stdout, this.stderr]) if (stream?.readable) stream.resume();
        this.emit('exit', code, signal);
        this.#done();
    }
    #done() {
        if (--this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
    }
    kill(signal = 'SIGTERM') {
        if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false;
        const number = signalNumber(signal);
        if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
        if (native.process.kill(this.pid, number) < 0) return false;
        this.killed = true;
        return true;
    }
    ref() {
        if (!this.#held && running.has(this.pid)) {
            this.#held = true;
            timers.hold(1);
        }
    }
    unref() {
        if (this.#held) timers.hold(-1);
        this.#held = false;
    }
    [Symbol.dispose]() {
        this.kill();
    }
}

function normalize(args, options) {
    if (!Array.isArray(args)) {
        if (args !== undefined && args !== null && typeof args !== 'object') throw argType('args', 'object', args);
        options = args;
        args = [];
    }
    return { args, options: { ...options } };
}

function spawn(file, args, options) {
    ({ args, options } = normalize(args, options));
    const child = new ChildProcess();
    child.spawn(command(file, args, options), options);
    const { signal, timeout, killSignal = 'SIGTERM' } = options;
    const abort = () => {
        if (child.kill(killSignal)) child.emit('error', new AbortError(undefined, { cause: signal.reason }));
    };
    if (signal?.aborted) process.nextTick(abort);
    else signal?.addEventListener('abort', abort, { once: true });
    if (timeout > 0) {
        const timer = timers.setTimeout(() => child.kill(killSignal), timeout);
        child.once('exit', () => timers.clearTimeout(timer));
    }
    child.once('exit', () => signal?.removeEventListener('abort', abort));
    return child;
}

function execFile(file, args, options, callback) {
    if (typeof args === 'function') [callback, args] = [args, undefined];
    if (typeof options === 'function') [callback, options] = [options, undefined];
    ({ args, options } = normalize(args, options));
    const { encoding = 'utf8', maxBuffer = 1024 * 1024, killSignal = 'SIGTERM' } = options;
    const child = spawn(file, args, { ...options, stdio: undefined });
    const parts = { stdout: [], stderr: [] }, sizes = { stdout: 0, stderr: 0 };
    let failure = null;
    for (const name of ['stdout', 'stderr']) {
        child[name]?.on('data', chunk => {
            sizes[name] += chunk.length;
            if (sizes[name] > maxBuffer && !failure) {
                failure = coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
                chunk = chunk.subarray(0, chunk.length - (sizes[name] - maxBuffer));
                child.kill(killSignal);
            } else if (sizes[name] > maxBuffer) {
                return;
            }
            parts[name].push(chunk);
        });
    }
    const text = name => {
        const bytes = Buffer.concat(parts[name]);
        return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
    };
    child.on('error', error => void (failure ??= error));
    child.on('close', (code, signal) => {
        const stdout = text('stdout'), stderr = text('stderr');
        let error = failure;
        const cmd = options.shell ? [file, ...args].join(' ') : [file, ...args].join(' ');
        if (!error && (code !== 0 || signal !== null)) {
            error = new Error(`Command failed: ${cmd}\n${stderr}`);
            error.code = code;
            error.killed = child.killed;
            error.signal = signal;
        }
        if (error) Object.assign(error, { cmd });
        callback?.(error ?? null, stdout, stderr);
    });
    return child;
}

function exec(cmd, options, callback) {
    if (typeof options === 'function') [callback, options] = [options, undefined];
    return execFile(cmd, [], { ...options, shell: options?.shell ?? true }, callback);
}

const promisify = Symbol.for('nodejs.util.promisify.custom');
for (const fn of [exec, execFile]) {
    fn[promisify] = (...args) => {
        let child;
        const promise = new Promise((resolve, reject) => {
            child = fn(...args, (error, stdout, stderr) => {
                if (error) reject(Object.assign(error, { stdout, stderr }));
                else resolve({ stdout, stderr });
            });
        });
        promise.child = child;
        return promise;
    };
}

// ---------------------------------------------------------------- synchronous

function inputBytes(input, encoding) {
    if (input === undefined || input === null) return undefined;
    return typeof input === 'string' ? Buffer.from(input, encoding === 'buffer' ? 'utf8' : encoding) : input;
}

function spawnSync(file, args, options) {
    ({ args, options } = normalize(args, options));
    const what = command(file, args, options);
    const list = stdioList(options.stdio);
    const stdio = openStdio(list);
    const { encoding = 'buffer', maxBuffer = 1024 * 1024, timeout, killSignal = 'SIGTERM' } = options;
    const pid = startChild(what, options, stdio);
    const [stdin = -1, stdout = -1, stderr = -1] = stdio.ours;
    const result = { pid: 0, output: null, stdout: null, stderr: null, status: null, signal: null };
    if (pid < 0) {
        for (const fd of stdio.ours) if (fd !== undefined) native.fs.close(fd);
        result.error = systemError(pid, `spawnSync ${what.file}`);
        Object.assign(result.error, { path: what.file, spawnargs: what.args.slice(1), message: `spawnSync ${what.file} ${result.error.code}` });
        return result;
    }
    const [out, err, reason] = native.spawn.communicate(stdin, inputBytes(options.input, encoding), stdout, stderr,
        timeout > 0 ? timeout : -1, maxBuffer ?? Infinity);
    if (reason !== 0) native.process.kill(pid, signalNumber(killSignal));
    const ended = native.spawn.wait(pid, true);
    const show = bytes => (encoding && encoding !== 'buffer' ? Buffer.from(bytes).toString(encoding) : Buffer.from(bytes));
    result.pid = pid;
    result.stdout = stdout >= 0 ? show(out) : null;
    result.stderr = stderr >= 0 ? show(err) : null;
    result.output = [null, result.stdout, result.stderr];
    if (typeof ended !== 'number') {
        result.status = ended[1] === -1 ? null : ended[1];
        result.signal = ended[2] ? signalName(ended[2]) : null;
    }
    if (reason !== 0) {
        const code = reason === 1 ? -110 : reason === 2 ? -105 : reason;
        const error = systemError(code, `spawnSync ${what.file}`);
        if (reason === 2) error.code = 'ENOBUFS';
        error.message = `spawnSync ${what.file} ${error.code}`;
        result.error = Object.assign(error, { path: what.file, spawnargs: what.args.slice(1) });
    }
    return result;
}

// The error of a …Sync call whose child failed.
function failed(result, cmd) {
    if (result.error) return Object.assign(result.error, result);
    if (result.status === 0) return undefined;
    const stderr = result.stderr === null ? '' : String(result.stderr);
    return Object.assign(new Error(`Command failed: ${cmd}${stderr ? `\n${stderr}` : ''}`), result);
}

function runSync(file, args, options, cmd) {
    const inherit = !options.stdio;
    const result = spawnSync(file, args, options);
    if (inherit && result.stderr?.length) process.stderr.write(result.stderr);
    const error = failed(result, cmd);
    if (error) throw error;
    return result.stdout;
}

function execFileSync(file, args, options) {
    ({ args, options } = normalize(args, options));
    return runSync(file, args, options, [file, ...args].join(' '));
}

function execSync(cmd, options) {
    return runSync(cmd, [], { ...options, shell: options?.shell ?? true }, cmd);
}

function fork() {
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'child_process.fork() is not available in a sandbox: there is no IPC channel; use spawn() with pipes');
}

module.exports = { ChildProcess, spawn, exec, execFile, spawnSync, execSync, execFileSync, fork };
