// child_process: children through posix_spawn. The event loop reads their pipes; SIGCHLD tells of their
// end. The …Sync forms wait in C, with the whole process parked.
'use strict';

const EventEmitter = require('events');
const { systemError, argType, argValue, outOfRange, check, coded, AbortError } = require('internal/errors');
const children = require('internal/children');
const timers = require('internal/timers');
const validate = require('internal/validators');

const { signalName } = children;
const signalNumber = signal => (typeof signal === 'number' ? signal : process.signals[signal]);

// The number of a signal by name or number; 0 for none. Throws for what is no signal.
function toSignal(signal) {
    if (typeof signal === 'number' && signalName(signal) !== null) return signal;
    if (typeof signal === 'string') {
        const number = process.signals[signal.toUpperCase()];
        if (number !== undefined) return number;
    }
    throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', require('internal/inspect').format('Unknown signal: %s', signal));
}
function checkKillSignal(signal) {
    if (typeof signal === 'string' || typeof signal === 'number') return void toSignal(signal);
    if (signal != null) throw argType('options.killSignal', ['string', 'number'], signal);
}
function checkTimeout(timeout) {
    if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0)) throw outOfRange('timeout', 'an unsigned integer', timeout);
}
function checkMaxBuffer(most) {
    if (most != null && !(typeof most === 'number' && most >= 0)) throw outOfRange('options.maxBuffer', 'a positive number', most);
}
const withoutNul = (value, name) => {
    if (typeof value === 'string' && value.includes('\0')) throw argValue(name, value, 'must be a string without null bytes');
};

// Options as Node takes them, or an error that names what is wrong.
function checkOptions(options) {
    const { cwd, env } = options;
    if (cwd != null) options.cwd = require('fs')._toPath(cwd, 'options.cwd');
    for (const name of ['detached', 'windowsHide', 'windowsVerbatimArguments'])
        if (options[name] != null) validate.boolean(options[name], `options.${name}`);
    for (const name of ['uid', 'gid']) {
        const id = options[name];
        if (id != null && id !== (id | 0)) throw argType(`options.${name}`, 'int32', id);
    }
    if (options.shell != null && typeof options.shell !== 'boolean' && typeof options.shell !== 'string')
        throw argType('options.shell', ['boolean', 'string'], options.shell);
    if (options.argv0 != null) {
        validate.string(options.argv0, 'options.argv0');
        withoutNul(options.argv0, 'options.argv0');
    }
    withoutNul(options.shell, 'options.shell');
    if (options.serialization != null) validate.oneOf(options.serialization, 'options.serialization', [undefined, 'json', 'advanced']);
    if (env) for (const [name, value] of Object.entries(env)) {
        withoutNul(name, `options.env['${name}']`);
        withoutNul(value, `options.env['${name}']`);
    }
}

// ---------------------------------------------------------------- starting

function environment(options) {
    if (!options.env) return undefined;
    return Object.entries(options.env).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
}

// {file, args} of what is to run, through the shell when asked for.
function command(file, args, options) {
    check.string(file, 'file');
    if (file === '') throw argValue('file', file, 'cannot be empty');
    withoutNul(file, 'file');
    args.forEach((arg, i) => withoutNul(arg, `args[${i}]`));
    if (options.shell) {
        const shell = typeof options.shell === 'string' ? options.shell : '/bin/sh';
        return { file: shell, args: [shell, '-c', [file, ...args].join(' ')] };
    }
    return { file, args: [options.argv0 ?? file, ...args.map(String)] };
}

function stdioList(stdio, count = 3) {
    if (typeof stdio === 'string' && !['ignore', 'overlapped', 'pipe', 'inherit'].includes(stdio)) throw argValue('stdio', stdio);
    if (stdio != null && typeof stdio !== 'string' && !Array.isArray(stdio)) throw argValue('stdio', stdio);
    const list = typeof stdio === 'string' ? [stdio, stdio, stdio] : [...(stdio ?? [])];
    while (list.length < count) list.push(list.length < 3 ? 'pipe' : 'ignore');
    return list;
}

// Opens the descriptors of a child: {child: fds for it, ours: our ends, close: fds of no use afterwards}.
function openStdio(list, sync = false) {
    const child = [], ours = [], close = [];
    let ipc;
    const pipe = () => {
        const ends = native.spawn.pipe();
        if (typeof ends === 'number') throw systemError(ends, 'pipe');
        return ends;
    };
    list.forEach((item, i) => {
        if (item === undefined || item === null) item = i < 3 ? 'pipe' : 'ignore';
        if (item === 'inherit') item = i;
        if (item !== null && typeof item === 'object') item = item.fd ?? item;
        if (typeof item === 'number' && item >= 0) {
            child.push(item);
            ours.push(undefined);
        } else if (item === 'ignore') {
            const fd = native.fs.open('/dev/null', i === 0 ? 0 : 1, 0);
            child.push(fd);
            close.push(fd);
            ours.push(undefined);
        } else if (item === 'pipe' || item === 'overlapped') {
            const [read, write] = pipe();
            child.push(i === 0 ? read : write);
            close.push(i === 0 ? read : write);
            ours.push(i === 0 ? write : read);
        } else if (item === 'ipc') {
            if (sync) throw coded(Error, 'ERR_IPC_SYNC_FORK', 'IPC cannot be used with synchronous forks');
            if (ipc) throw coded(Error, 'ERR_IPC_ONE_PIPE', 'Child process can have only one IPC pipe');
            const [down, up] = [pipe(), pipe()];
            ipc = { read: up[0], write: down[1], place: `${i},${list.length}`, theirs: up[1] };
            child.push(down[0]);
            close.push(down[0], up[1]);
            ours.push(undefined);
        } else if (sync && item !== null && (ArrayBuffer.isView(item) || (typeof item === 'string' && item !== ''))) {
            throw coded(TypeError, 'ERR_INVALID_SYNC_FORK_INPUT', `Asynchronous forks do not support Buffer, TypedArray, DataView or string input: ${require('internal/inspect').inspect(item)}`);
        } else {
            throw argValue('stdio', item);
        }
    });
    if (ipc) child.push(ipc.theirs);
    return { child, ours, close, ipc };
}

function startChild({ file, args }, options, stdio) {
    let env = environment(options);
    if (stdio.ipc) {
        env ??= Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
        env = [...env, `NODE_CHANNEL_FD=${stdio.ipc.place}`, `NODE_CHANNEL_SERIALIZATION_MODE=${options.serialization ?? 'json'}`];
    }
    const pid = native.spawn.start(file, args, env, options.cwd && `${options.cwd.pathname ?? options.cwd}`, stdio.child, options.detached ? 1 : 0);
    for (const fd of stdio.close) native.fs.close(fd);
    return pid;
}

// ---------------------------------------------------------------- asynchronous

class ChildProcess extends EventEmitter {
    #open = 1; // the process itself and its streams: 'close' when all are done
    #held = false;
    #drain; // of its channel
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
        if (options === undefined) { // as a program calls it that has made the object itself
            validate.object(what, 'options');
            options = what;
            if (options.envPairs !== undefined) validate.array(options.envPairs, 'options.envPairs');
            validate.string(options.file, 'options.file');
            if (options.args !== undefined) validate.array(options.args, 'options.args');
            what = { file: options.file, args: options.args ?? [] };
        }
        this.spawnfile = what.file;
        this.spawnargs = what.args;
        const list = stdioList(options.stdio);
        const stdio = openStdio(list);
        children.watch();
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
            if (stdio.ipc) for (const fd of [stdio.ipc.read, stdio.ipc.write]) native.fs.close(fd);
            process.nextTick(() => {
                this.emit('error', error);
                this.exitCode = pid;
                this.#done();
            });
            return;
        }
        this.pid = pid;
        children.follow(pid, (code, signal) => this._ended(code, signal));
        this.ref();
        if (stdio.ipc) this.#drain = require('internal/ipc').open(this, stdio.ipc.read, stdio.ipc.write, options.serialization).drain;
        process.nextTick(() => this.emit('spawn'));
    }
    _ended(code, signal) {
        this.exitCode = code;
        this.signalCode = signal;
        this.unref();
        this.stdin?.destroy();
        for (const stream of [this.stdout, this.stderr]) if (stream?.readable) stream.resume();
        const tell = () => {
            this.emit('exit', code, signal);
            this.#done();
        };
        if (!this.#drain) return tell();
        this.#drain(); // its last messages come first
        process.nextTick(tell);
        return undefined;
    }
    #done() {
        if (--this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
    }
    kill(signal = 'SIGTERM') {
        const number = signal === 0 ? 0 : toSignal(signal === undefined || signal === null ? 'SIGTERM' : signal);
        if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false;
        if (native.process.kill(this.pid, number) < 0) return false;
        this.killed = true;
        return true;
    }
    ref() {
        if (!this.#held && children.runs(this.pid)) {
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
    if (args === undefined || args === null) args = [];
    else if (!Array.isArray(args)) {
        if (typeof args !== 'object') throw argType('args', 'object', args);
        options = args;
        args = [];
    }
    if (options !== undefined) validate.object(options, 'options');
    options = { ...options };
    checkOptions(options);
    return { args, options };
}

function spawn(file, args, options) {
    check.string(file, 'file');
    ({ args, options } = normalize(args, options));
    const { signal, timeout } = options, killSignal = options.killSignal ?? 'SIGTERM';
    checkTimeout(timeout);
    if (signal !== undefined && signal !== null) validate.abortSignal(signal, 'options.signal');
    checkKillSignal(options.killSignal);
    const child = new ChildProcess();
    child.spawn(command(file, args, options), options);
    const abort = () => {
        const error = new AbortError(undefined, { cause: signal.reason });
        if (child.kill(killSignal)) child.emit('error', error);
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
    check.string(file, 'file');
    if (args !== null && typeof args === 'object' && !Array.isArray(args)) [callback, options, args] = [callback ?? options, args, undefined];
    ({ args, options } = normalize(args, options ?? undefined));
    if (callback != null) validate.function(callback, 'callback');
    checkMaxBuffer(options.maxBuffer);
    const { encoding = 'utf8', maxBuffer = 1024 * 1024, killSignal = 'SIGTERM' } = options;
    checkTimeout(options.timeout);
    const child = spawn(file, args, { ...options, stdio: undefined, timeout: undefined });
    // What others hold the streams open for is not waited for.
    const kill = () => {
        for (const stream of [child.stdout, child.stderr]) stream?.destroy();
        child.kill(killSignal);
    };
    if (options.timeout > 0) {
        const timer = timers.setTimeout(kill, options.timeout);
        child.once('exit', () => timers.clearTimeout(timer));
    }
    // Listeners of the program's own get text, too.
    const asText = encoding && encoding !== 'buffer' && Buffer.isEncoding(encoding);
    if (asText) for (const name of ['stdout', 'stderr']) child[name]?.setEncoding(encoding);
    const parts = { stdout: [], stderr: [] }, sizes = { stdout: 0, stderr: 0 };
    let failure = null;
    for (const name of ['stdout', 'stderr']) {
        child[name]?.on('data', chunk => {
            const length = asText ? Buffer.byteLength(chunk, encoding) : chunk.length;
            sizes[name] += length;
            if (sizes[name] > maxBuffer && !failure) {
                failure = coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
                chunk = chunk.slice(0, maxBuffer - (sizes[name] - length));
                kill();
            } else if (sizes[name] > maxBuffer) {
                return;
            }
            parts[name].push(chunk);
        });
    }
    const text = name => {
        return asText ? parts[name].join('') : Buffer.concat(parts[name]);
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
    check.string(cmd, 'command');
    withoutNul(cmd, 'command');
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
    if (!input) return undefined;
    if (typeof input === 'string') return Buffer.from(input, encoding === 'buffer' ? 'utf8' : encoding);
    return ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : input;
}

function spawnSync(file, args, options) {
    ({ args, options } = normalize(args, options));
    checkTimeout(options.timeout);
    checkMaxBuffer(options.maxBuffer);
    checkKillSignal(options.killSignal);
    const { input } = options;
    if (input && typeof input !== 'string' && !ArrayBuffer.isView(input) && !(input instanceof ArrayBuffer))
        throw argType('options.stdio[0]', ['string', 'Buffer', 'TypedArray', 'DataView'], input);
    const what = command(file, args, options);
    const list = stdioList(options.stdio);
    const stdio = openStdio(list, true);
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
    check.string(cmd, 'command');
    withoutNul(cmd, 'command');
    return runSync(cmd, [], { ...options, shell: options?.shell ?? true }, cmd);
}

// ---------------------------------------------------------------- with a channel

function forkStdio({ stdio, silent }) {
    if (typeof stdio === 'string') {
        if (!['ignore', 'overlapped', 'pipe', 'inherit'].includes(stdio)) throw argValue('stdio', stdio);
        return [stdio, stdio, stdio, 'ipc'];
    }
    if (!stdio) return silent ? ['pipe', 'pipe', 'pipe', 'ipc'] : ['inherit', 'inherit', 'inherit', 'ipc'];
    if (!stdio.includes('ipc')) throw coded(Error, 'ERR_CHILD_PROCESS_IPC_REQUIRED', "Forked processes must have an IPC channel, missing value 'ipc' in options.stdio");
    return stdio;
}

function fork(modulePath, args, options) {
    const file = require('fs')._toPath(modulePath, 'modulePath');
    if (args === undefined || args === null) args = [];
    else if (typeof args === 'object' && !Array.isArray(args)) [options, args] = [args, []];
    else validate.array(args, 'args');
    if (options !== undefined && options !== null) validate.object(options, 'options');
    options = { ...options, shell: false };
    const execPath = options.execPath || process.execPath;
    withoutNul(execPath, 'options.execPath');
    let { execArgv } = options;
    if (execArgv === undefined || execArgv === null) {
        const at = process.execArgv.findIndex(arg => /^(?:-e|-p|-pe|--eval|--print)$/.test(arg));
        execArgv = at === -1 ? process.execArgv : process.execArgv.filter((_, i) => i !== at && i !== at + 1);
    }
    execArgv.forEach((arg, i) => withoutNul(arg, `options.execArgv[${i}]`));
    return spawn(execPath, [...execArgv, `${file.pathname ?? file}`, ...args], { ...options, stdio: forkStdio(options) });
}

module.exports = { ChildProcess, spawn, exec, execFile, spawnSync, execSync, execFileSync, fork };
