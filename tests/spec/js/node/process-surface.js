//// surface-1 cjs
const fs = require('fs'); const util = require('util');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => (Object.keys(process.config)),
    async () => (process.config.target_defaults.default_configuration),
    async () => { 'use strict'; delete process.config.variables; return process.config.variables !== undefined },
    async () => { 'use strict'; process.version = 'x'; return process.version },
    async () => (Object.getOwnPropertyDescriptor(process, 'version')),
    async () => (Object.getOwnPropertyDescriptor(process, 'versions').writable),
    async () => (typeof process.binding),
    async () => (process.binding('natives') !== undefined),
    async () => (process.allowedNodeEnvironmentFlags.size > 50),
    async () => (process.allowedNodeEnvironmentFlags instanceof Set),
    async () => (process.allowedNodeEnvironmentFlags.has('--inspect-brk')),
    async () => (process.allowedNodeEnvironmentFlags.has('--max-old-space-size')),
    async () => (process.allowedNodeEnvironmentFlags.has('max_old_space_size')),
    async () => (process.allowedNodeEnvironmentFlags.add('foo').has('foo')),
    async () => (process.allowedNodeEnvironmentFlags.delete('-r')),
    async () => (process.allowedNodeEnvironmentFlags.clear()),
    async () => (Object.isFrozen(process.allowedNodeEnvironmentFlags)),
    async () => (process.platform),
    async () => (process._kill),
    async () => (process._rawDebug),
    async () => (process._stopProfilerIdleNotifier()),
    async () => (process._linkedBinding('x')),
    async () => (process.dlopen('x')),
    async () => (process.dlopen()),
    async () => (process.setuid()),
    async () => (process.setuid({})),
    async () => (process.setuid('fhqwhgadshgnsdhjsdbkhsdabkfabkveybvf')),
    async () => (process.setegid()),
    async () => (process.setegid('fhqwhgadshgnsdhjsdbkhsdabkfabkveyb')),
    async () => (process.seteuid(-1)),
    async () => (process.chdir()),
    async () => (process.chdir(5)),
    async () => (process.cwd.length),
    async () => (process.kill('SIGTERM')),
    async () => (process.kill(0, 'test')),
    async () => (process.kill(0, 987)),
    async () => (process.hrtime(1)),
    async () => (process.hrtime([])),
    async () => (process.hrtime([1])),
    async () => (process.hrtime([1,2,3])),
    async () => (process.hrtime().length),
    async () => (typeof process.hrtime.bigint()),
    async () => (process.cpuUsage(1)),
    async () => (process.cpuUsage({})),
    async () => (process.cpuUsage({user:'a'})),
    async () => (process.cpuUsage({user:1,system:'a'})),
    async () => (process.cpuUsage({user:-1,system:2})),
    async () => (process.cpuUsage({user:3,system:NaN})),
    async () => (process.cpuUsage({user:1,system:2}) && 1),
    async () => (Object.keys(process.cpuUsage())),
    async () => (Object.keys(process.memoryUsage())),
    async () => (process.setSourceMapsEnabled()),
    async () => (process.setSourceMapsEnabled(1)),
    async () => (process.sourceMapsEnabled),
    async () => (process.permission),
    async () => (process.availableMemory() > 0),
    async () => (process.getBuiltinModule('fs') === fs),
    async () => (process.getBuiltinModule('zz')),
];
(async () => {
    for (const [i, look] of looks.entries()) {
        try {
            console.log(i, show(await look()));
        } catch (e) {
            console.log(i, e?.name, e?.code, e?.message ?? show(e));
        }
    }
})();
//// surface-2 cjs
const assert = require('assert'); const events = require('events'); const util = require('util');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => (process.getBuiltinModule(1)),
    async () => { process.env.FOO = 5; return process.env.FOO },
    async () => { process.env.FOO = undefined; return process.env.FOO },
    async () => { process.env.FOO = null; return process.env.FOO },
    async () => (process.env[Symbol()]),
    async () => { process.env[Symbol()] = 1 },
    async () => { process.env.x = Symbol() },
    async () => (Symbol() in process.env),
    async () => (delete process.env[Symbol()]),
    async () => ('hasOwnProperty' in process.env),
    async () => (process.env.hasOwnProperty === Object.prototype.hasOwnProperty),
    async () => { Object.defineProperty(process.env, 'foo', { value: 'foo1' }) },
    async () => { Object.defineProperty(process.env, 'foo', { value: 'foo1', configurable: true }) },
    async () => { Object.defineProperty(process.env, 'foo', { value: 'foo1', configurable: true, writable: true }) },
    async () => { Object.defineProperty(process.env, 'foo', { value: 'foo1', configurable: true, writable: true, enumerable: true }); return process.env.foo },
    async () => { Object.defineProperty(process.env, 'foo', { get() {}, set() {} }) },
    async () => { Object.defineProperty(process.env, 'foo', { get() {}}) },
    async () => { process.env.__proto__ = 'x'; return Object.keys(process.env).includes('__proto__') },
    async () => { process.env[''] = 'x'; return process.env[''] },
    async () => { process.env['a=b'] = 'x'; return process.env['a=b'] },
    async () => (util.inspect(process.env).startsWith('{')),
    async () => (process.env.toString()),
    async () => (Object.prototype.toString.call(process.env)),
    async () => { delete process.env.NOPE; return 'ok' },
    async () => (Object.prototype.toString.call(process)),
    async () => (process + ''),
    async () => (process.constructor.name),
    async () => (Object.getPrototypeOf(process).constructor.name),
    async () => (Object.getPrototypeOf(process) === process.__proto__ ),
    async () => (Object.getPrototypeOf(process) instanceof events),
    async () => (process instanceof process.constructor),
    async () => (util.inspect(process).length > 100),
    async () => (process.assert),
    async () => (process.assert(false)),
    async () => (process.emit('foo')),
    async () => (process.uptime() > 0),
    async () => (process.abort.prototype),
    async () => (process.chdir.prototype),
    async () => (process.hrtime.prototype),
    async () => (new process.abort()),
    async () => (process.on('SIGKILL', () => {})),
    async () => (process.on('SIGSTOP', () => {})),
    async () => (process.channel),
    async () => (process.connected),
    async () => (process.send),
    async () => (process.disconnect),
    async () => (process.throwDeprecation),
    async () => (process.noDeprecation),
    async () => (process.traceDeprecation),
    async () => (process.getgid.length),
];
(async () => {
    for (const [i, look] of looks.entries()) {
        try {
            console.log(i, show(await look()));
        } catch (e) {
            console.log(i, e?.name, e?.code, e?.message ?? show(e));
        }
    }
})();
