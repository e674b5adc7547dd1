// os: the sandbox, as a machine.
'use strict';

const { systemError, names, texts } = require('internal/errors');

function memory(key) {
    try {
        const text = require('fs').readFileSync('/proc/meminfo', 'utf8');
        return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
    } catch {
        return 0;
    }
}

const errno = {};
for (const [number, name] of Object.entries(names)) errno[name] = Number(number);

module.exports = {
    EOL: '\n',
    devNull: '/dev/null',
    arch: () => 'x64',
    availableParallelism: () => 1,
    constants: { signals: process.signals, errno, priority: { PRIORITY_LOW: 19, PRIORITY_NORMAL: 0, PRIORITY_HIGH: -14 }, dlopen: {} },
    cpus: () => [{ model: 'pinfold', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    endianness: () => 'LE',
    freemem: () => memory('MemFree'),
    getPriority: () => 0,
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
    setPriority() {},
    tmpdir: () => (process.env.TMPDIR || '/tmp').replace(/(?<=.)\/$/, ''),
    totalmem: () => memory('MemTotal'),
    type: () => 'Linux',
    uptime: () => native.process.now() / 1000,
    userInfo: () => ({
        uid: native.process.uid(), gid: native.process.gid(), username: process.env.USER ?? 'user',
        homedir: process.env.HOME ?? '/workspace', shell: '/bin/sh',
    }),
    version: () => '#1 pinfold',
};
Object.defineProperty(module.exports, 'errorText', { value: texts });
