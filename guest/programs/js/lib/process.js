// process: the running program. Arguments, environment and directory are filled in when it wakes.
'use strict';

const EventEmitter = require('events');
const { systemError, coded, argType, argValue, outOfRange, check, names } = require('internal/errors');
const timers = require('internal/timers');
const validate = require('internal/validators');

const extra = () => require('internal/process_extra');

const signals = {
    SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGIOT: 6, SIGBUS: 7, SIGFPE: 8,
    SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17,
    SIGSTKFLT: 16, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23,
    SIGXCPU: 24, SIGXFSZ: 25, SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29, SIGPOLL: 29,
    SIGPWR: 30, SIGSYS: 31,
};

// The object is an EventEmitter, made without running a constructor that scripts could notice.
function process() {}
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = new process();
EventEmitter.call(self);
Object.defineProperty(self, Symbol.toStringTag, { value: 'process', configurable: true });

const hidden = (name, value) => Object.defineProperty(self, name, { value, writable: true, configurable: true });
hidden('signals', signals);

let title = 'node';
Object.defineProperty(self, 'title', {
    configurable: true, enumerable: true,
    get: () => title,
    set: value => void (title = `${value}`),
});
const fixed = (name, value) => Object.defineProperty(self, name, { value, enumerable: true, configurable: true });
fixed('version', 'v20.20.2');
fixed('versions', Object.freeze({ node: '20.20.2', quickjs: native.engine.version, modules: '115', uv: '1.46.0', v8: '11.3.244' }));
fixed('arch', 'x64');
fixed('platform', 'linux');
fixed('release', { name: 'node', lts: 'Iron' });
self.argv = [];
self.execArgv = [];
let exitCode;
Object.defineProperty(self, 'exitCode', {
    configurable: true,
    enumerable: true,
    get: () => exitCode,
    set(code) {
        if (code !== undefined && code !== null) {
            const number = typeof code === 'string' && code !== '' ? Number(code) : code;
            if (typeof number !== 'number' || (typeof code === 'string' && Number.isNaN(number))) throw argType('code', 'number', code);
            check.integer(number, 'code');
        }
        exitCode = code;
    },
});
fixed('features', {
    inspector: false, debug: false, uv: true, ipv6: false, tls_alpn: false, tls_sni: false, tls_ocsp: false, tls: false,
    cached_builtins: true, require_module: true,
});
// What the program was built with: no ICU, no OpenSSL, no inspector.
self.config = Object.freeze({
    target_defaults: Object.freeze({ cflags: [], default_configuration: 'Release', defines: [], include_dirs: [], libraries: [] }),
    variables: Object.freeze({
        asan: 0, host_arch: 'x64', napi_build_version: '0', node_builtin_shareable_builtins: [], node_shared: false, node_use_openssl: false, openssl_quic: false,
        single_executable_application: false, target_arch: 'x64', v8_enable_i18n_support: 0, v8_enable_inspector: 0, v8_enable_webassembly: 0,
    }),
});

for (const name of ['pid', 'ppid'])
    Object.defineProperty(self, name, { get: () => native.process[name](), enumerable: true, configurable: true });

Object.assign(self, {
    getuid: () => native.process.uid(), geteuid: () => native.process.uid(),
    getgid: () => native.process.gid(), getegid: () => native.process.gid(),
    getgroups: () => [native.process.gid()],
});
for (const name of ['initgroups', 'setgroups', 'setegid', 'seteuid', 'setgid', 'setuid'])
    self[name] = { [name]: (...args) => extra().users[name](...args) }[name];

self.cwd = function cwd() {
    const path = native.process.cwd();
    if (typeof path === 'number') throw systemError(path, 'uv_cwd');
    return path;
};

self.chdir = function chdir(directory) {
    check.string(directory, 'directory');
    const result = native.process.chdir(directory);
    if (result < 0) throw systemError(result, 'chdir', self.cwd(), directory);
};

self.umask = function umask(mask) {
    if (mask === undefined) return native.process.umask();
    if (typeof mask === 'string') {
        if (!/^[0-7]+$/.test(mask)) throw argValue('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
        mask = parseInt(mask, 8);
    }
    validate.uint32(mask, 'mask');
    return native.process.umask(mask);
};
self.nextTick = timers.nextTick;
self.uptime = function uptime() {
    return native.process.now() / 1000;
};

self.hrtime = function hrtime(since) {
    const now = native.process.hrtime();
    const time = [Number(now / 1000000000n), Number(now % 1000000000n)];
    if (since === undefined) return time;
    validate.array(since, 'time');
    if (since.length !== 2) throw outOfRange('time', 2, since.length);
    let seconds = time[0] - since[0], ns = time[1] - since[1];
    if (ns < 0) {
        seconds--;
        ns += 1e9;
    }
    return [seconds, ns];
};
self.hrtime.bigint = () => native.process.hrtime();

self.memoryUsage = function memoryUsage() {
    const used = native.engine.memory();
    return { rss: used, heapTotal: used, heapUsed: used, external: 0, arrayBuffers: 0 };
};
self.memoryUsage.rss = () => native.engine.memory();
self.cpuUsage = function cpuUsage(before) {
    if (before) {
        validate.object(before, 'prevValue');
        for (const key of ['user', 'system']) {
            validate.number(before[key], `prevValue.${key}`);
            if (!(before[key] >= 0 && before[key] <= Number.MAX_SAFE_INTEGER)) throw argValue(`prevValue.${key}`, before[key], 'is invalid', RangeError);
        }
    }
    return { user: native.process.cpu() - (before?.user ?? 0), system: 0 - (before?.system ?? 0) };
};
self.resourceUsage = function resourceUsage() {
    const none = ['sharedMemorySize', 'unsharedDataSize', 'unsharedStackSize', 'minorPageFault', 'majorPageFault', 'swappedOut', 'fsRead', 'fsWrite',
        'ipcSent', 'ipcReceived', 'signalsCount', 'voluntaryContextSwitches', 'involuntaryContextSwitches'];
    const used = { userCPUTime: native.process.cpu(), systemCPUTime: 0, maxRSS: native.engine.memory() >> 10 };
    for (const name of none) used[name] = 0;
    return used;
};

// ---------------------------------------------------------------- ending

let exiting = false;

// 'exit' handlers, once; then the status of the process.
hidden('finish', failed => {
    if (failed && exitCode === undefined) exitCode = 1;
    if (!exiting) {
        exiting = true;
        if (self._events.exit !== undefined) self.emit('exit', Number(exitCode ?? 0));
    }
    for (const end of atEnd) end();
    return Number(exitCode ?? 0);
});
const atEnd = new Set(); // called last of all: workers end, and what a worker has said leaves
hidden('atEnd', atEnd);

self.exit = function exit(code) {
    if (code !== undefined && code !== null) {
        self.exitCode = code;
    }
    if (!exiting) {
        exiting = true;
        self.emit('exit', Number(self.exitCode ?? 0));
    }
    self.reallyExit(Number(self.exitCode ?? 0));
};
self.reallyExit = function reallyExit(code) {
    for (const end of atEnd) end();
    native.process.exit(code);
};
self.abort = { abort: () => self.kill(self.pid, 'SIGABRT') }.abort;

self.kill = function kill(pid, signal = 'SIGTERM') {
    // eslint-disable-next-line eqeqeq
    if (pid != (pid | 0)) throw argType('pid', 'number', pid);
    signal ||= signal === 0 ? 0 : 'SIGTERM';
    const number = typeof signal === 'number' ? signal : signals[signal];
    if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', require('internal/inspect').format('Unknown signal: %s', signal));
    const result = self._kill(pid | 0, number);
    if (result < 0) throw Object.assign(systemError(result, 'kill'), { message: `kill ${names[-result]}` });
    return true;
};

self._kill = function _kill(pid, number) {
    return native.process.kill(pid, number);
};

// What is written of a warning, after its handlers have seen it.
function showWarning(warning) {
    if (warning.name === 'DeprecationWarning' && self.noDeprecation) return;
    if (self.disabledWarnings?.has(warning.code) || self.disabledWarnings?.has(warning.name)) return;
    const code = warning.code ? `[${warning.code}] ` : '';
    const trace = self.traceProcessWarnings || (warning.name === 'DeprecationWarning' && self.traceDeprecation);
    const text = trace && warning.stack ? warning.stack : typeof warning.toString === 'function' ? `${warning.toString()}` : String(warning);
    const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
    native.process.write(2, `(node:${self.pid}) ${code}${text}${detail}\n`);
}

self.emitWarning = function emitWarning(warning, type, code, above) {
    let detail;
    if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
        above = type.ctor;
        code = type.code;
        if (typeof type.detail === 'string') detail = type.detail;
        type = type.type || 'Warning';
    } else if (typeof type === 'function') {
        [above, code, type] = [type, '', 'Warning'];
    }
    if (type !== undefined) check.string(type, 'type');
    if (typeof code === 'function') [above, code] = [code, ''];
    else if (code !== undefined) check.string(code, 'code');
    if (typeof warning === 'string') {
        const error = new Error(warning);
        error.name = String(type || 'Warning');
        if (code !== undefined) error.code = code;
        if (detail !== undefined) error.detail = detail;
        Error.captureStackTrace(error, above || self.emitWarning);
        warning = error;
    } else if (!(warning instanceof Error)) {
        throw argType('warning', ['Error', 'string'], warning);
    }
    if (warning.name === 'DeprecationWarning') {
        if (self.noDeprecation) return;
        if (self.throwDeprecation) {
            timers.nextTick(() => {
                throw warning;
            });
            return;
        }
    }
    timers.nextTick(() => {
        self.emit('warning', warning);
        if (!self.noWarnings) showWarning(warning);
    });
};

// ---------------------------------------------------------------- signals

const numberOf = name => (typeof name === 'string' && /^SIG[A-Z0-9]+$/.test(name) ? signals[name] : undefined);

self.on('newListener', name => {
    const number = numberOf(name);
    if (number === undefined || self.listenerCount(name) > 0 || self.reportFatal) return; // a worker gets none
    const result = native.loop.catchSignal(number, 2);
    if (result < 0) throw Object.assign(systemError(result, 'uv_signal_start'), { message: `uv_signal_start ${names[-result]}` });
});
self.on('removeListener', name => {
    const number = numberOf(name);
    if (number !== undefined && self.listenerCount(name) === 0 && !self.reportFatal) native.loop.catchSignal(number, 0);
});

const childWatchers = new Set(); // child_process: called when some child has ended
hidden('childWatchers', childWatchers);

hidden('deliver', number => {
    if (number === signals.SIGCHLD) for (const watcher of [...childWatchers]) watcher();
    for (const name of Object.keys(signals)) {
        if (signals[name] !== number) continue;
        if (self.listenerCount(name) > 0) self.emit(name, name, number);
    }
});

// ---------------------------------------------------------------- streams and environment

const lazily = (name, make) => Object.defineProperty(self, name, {
    configurable: true,
    enumerable: true,
    get() {
        const value = make();
        Object.defineProperty(self, name, { value, writable: true, configurable: true, enumerable: true });
        return value;
    },
    set: value => void Object.defineProperty(self, name, { value, writable: true, configurable: true, enumerable: true }),
});
lazily('execPath', () => native.process.executable());
const outputs = {}; // as they were made
lazily('stdout', () => (outputs.stdout = require('internal/stdio').output(1)));
lazily('stderr', () => (outputs.stderr = require('internal/stdio').output(2)));
// What console writes may go past the stream: it is what it was, and nobody listens for its errors.
hidden('isPlainOutput', name => {
    const stream = outputs[name];
    return stream === undefined || (self[name] === stream && stream._events.error === undefined && stream.isPlain());
});
lazily('stdin', () => require('internal/stdio').input());

// The environment: names and values are strings, children inherit changes. Read at the first look.
lazily('env', () => extra().environment(native.process.environment()));
lazily('allowedNodeEnvironmentFlags', () => extra().environmentFlags());

Object.assign(self, {
    binding: function binding(name) {
        return extra().binding(name);
    },
    _linkedBinding: function _linkedBinding(name) {
        return extra().linkedBinding(name);
    },
    dlopen: (...args) => extra().dlopen(...args),
    loadEnvFile: (...args) => void extra().loadEnvFile(...args),
    openStdin() {
        self.stdin.resume();
        return self.stdin;
    },
    _rawDebug: (...args) => void native.process.write(2, `${require('internal/inspect').format(...args)}\n`),
    _getActiveHandles: () => [],
    _getActiveRequests: () => [],
    getActiveResourcesInfo: () => timers.active(),
    _startProfilerIdleNotifier: () => {},
    _stopProfilerIdleNotifier: () => {},
    _tickCallback: function runNextTicks() {
        timers.ticks();
    },
    _preload_modules: [],
    moduleLoadList: [],
});
lazily('assert', () => require('util').deprecate((value, message) => {
    if (!value) throw coded(Error, 'ERR_ASSERTION', message || 'assertion error');
}, 'process.assert() is deprecated. Please use the `assert` module instead.', 'DEP0100'));
self.setUncaughtExceptionCaptureCallback = function setUncaughtExceptionCaptureCallback(fn) {
    if (fn === null) return void hidden('captureUncaught', undefined);
    if (typeof fn !== 'function') throw argType('fn', ['Function', 'null'], fn);
    if (self.usesDomains) throw coded(Error, 'ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE', 'The `domain` module is in use, which is mutually exclusive with calling process.setUncaughtExceptionCaptureCallback()');
    if (self.captureUncaught) throw coded(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
    hidden('captureUncaught', fn);
};
self.hasUncaughtExceptionCaptureCallback = () => Boolean(self.captureUncaught);
let sourceMaps = false;
Object.defineProperty(self, 'sourceMapsEnabled', { get: () => sourceMaps, enumerable: true, configurable: true });
self.setSourceMapsEnabled = function setSourceMapsEnabled(val) {
    validate.boolean(val, 'val');
    sourceMaps = val;
};
self.getBuiltinModule = function getBuiltinModule(id) {
    check.string(id, 'id');
    return require('internal/modules').builtin(id);
};
self.constrainedMemory = () => 0;
self.availableMemory = () => native.engine.memory();
hidden('errnoNames', names);

module.exports = self;
