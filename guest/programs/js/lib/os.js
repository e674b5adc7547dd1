// os: the sandbox, as a machine.
'use strict';

const { coded, systemError, texts } = require('internal/errors');
const validate = require('internal/validators');

function memory(key) {
    try {
        const text = require('fs').readFileSync('/proc/meminfo', 'utf8');
        return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
    } catch {
        return 0;
    }
}

// {name: number} that nobody can change.
const frozen = numbers => Object.freeze(Object.assign(Object.create(null), numbers));

// Throws when there is no such process.
function find(pid, syscall) {
    const result = pid === 0 ? 0 : native.process.kill(pid, 0);
    if (result === 0) return;
    const error = systemError(result, syscall);
    const made = coded(Error, 'ERR_SYSTEM_ERROR', `A system error occurred: ${syscall} returned ${error.code} (${texts[error.code]})`);
    throw Object.assign(made, { name: 'SystemError', info: { errno: result, code: error.code, message: texts[error.code], syscall }, errno: result, syscall });
}

module.exports = {
    EOL: '\n',
    devNull: '/dev/null',
    arch: () => 'x64',
    availableParallelism: () => 1,
    constants: frozen({
        UV_UDP_REUSEADDR: 4,
        dlopen: frozen({ RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 }),
        errno: frozen(require('internal/errno').constants()),
        signals: frozen(process.signals),
        priority: frozen({ PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 }),
    }),
    cpus: () => [{ model: 'pinfold', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    endianness: () => 'LE',
    freemem: () => memory('MemFree'),
    getPriority(pid = 0) {
        validate.int32(pid, 'pid');
        find(pid, 'uv_os_getpriority');
        return 0;
    },
    homedir: () => process.env.HOME ?? '/workspace',
    hostname() {
        const name = native.process.hostname();
        if (typeof name === 'number') throw systemError(name, 'uv_os_gethostname');
        return name;
    },
    loadavg: () => [0, 0, 0],
    machine: () => 'x86_64',
    networkInterfaces: () => ({}),
    platform: () => 'linux',
    release: () => '6.1.0',
    setPriority(pid, priority) {
        if (priority === undefined) [pid, priority] = [0, pid];
        validate.int32(pid, 'pid');
        validate.int32(priority, 'priority', -20, 19);
        find(pid, 'uv_os_setpriority');
    },
    tmpdir: () => (process.env.TMPDIR || '/tmp').replace(/(?<=.)\/$/, ''),
    totalmem: () => memory('MemTotal'),
    type: () => 'Linux',
    uptime: () => native.process.now() / 1000,
    userInfo(options) {
        const text = options?.encoding === 'buffer' ? value => Buffer.from(value) : value => value;
        return {
            __proto__: null, uid: native.process.uid(), gid: native.process.gid(), username: text(process.env.USER ?? 'user'),
            homedir: text(process.env.HOME ?? '/workspace'), shell: text('/bin/sh'),
        };
    },
    version: () => '#1 pinfold',
};
// What has no argument is a text, too: `${os.platform}`.
for (const name of ['arch', 'availableParallelism', 'endianness', 'freemem', 'homedir', 'hostname', 'machine', 'platform', 'release', 'tmpdir', 'totalmem', 'type', 'uptime', 'version'])
    Object.defineProperty(module.exports[name], Symbol.toPrimitive, { value: () => module.exports[name](), configurable: true });
for (const name of ['EOL', 'devNull', 'constants'])
    Object.defineProperty(module.exports, name, { writable: false, configurable: name !== 'constants' });
Object.defineProperty(module.exports, 'errorText', { value: texts });
