// worker_child: a process that is a worker, from its own side.
'use strict';

const { coded } = require('internal/errors');

let self = { isMainThread: true, threadId: 0, parentPort: null, workerData: null, resourceLimits: {} };

const unsupported = name => {
    const refuse = () => {
        throw coded(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION', `${name} is not supported in workers`);
    };
    refuse.disabled = true;
    return refuse;
};

// What a worker's `process` has of its own: one process, as it seems, is many threads.
function adapt(link, init) {
    const hidden = (name, value) => Object.defineProperty(process, name, { value, writable: true, configurable: true });
    const visible = (name, value) => Object.defineProperty(process, name, { value, writable: true, enumerable: true, configurable: true });
    for (const [name, value] of [['pid', init.pid], ['ppid', init.ppid], ['title', init.title]]) visible(name, value);
    for (const name of ['abort', 'chdir', 'setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups', 'send', 'disconnect'])
        if (typeof process[name] === 'function') visible(name, unsupported(`process.${name}()`));
    const { umask } = process;
    visible('umask', mask => (mask === undefined ? umask() : unsupported('Setting process.umask()')()));
    ['stdout', 'stderr'].forEach((name, i) => {
        const put = chunk => void link.send(['output', i + 1, typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)]);
        process[name] = require('internal/stdio').output(i + 1, put);
        delete process[name].fd;
    });
    hidden('isPlainOutput', () => false);
    hidden('reportFatal', error => link.send(['error', require('internal/worker_errors').pack(error)]));
    process.atEnd.add(() => link.flush());
}

// The channel, and what the program was given through it: {code, type} of what is run instead of a file.
function open(place) {
    const [from, to] = place.split(',').map(Number);
    native.process.setenv('NODE_WORKER_FD', undefined);
    const { Link } = require('internal/worker_link');
    const link = new Link(from, to, 1, kind => {
        if (kind === 'gone') process.reallyExit(1); // nobody is there for whom to work
    });
    const [, init] = link.first() ?? native.process.exit(1);
    self = { isMainThread: false, threadId: init.threadId, parentPort: init.port, workerData: init.workerData, resourceLimits: init.resourceLimits };
    for (const [key, value] of init.environment) require('worker_threads').setEnvironmentData(key, value);
    adapt(link, init);
    link.send(['online']);
    link.listen();
    return { code: init.code, type: init.type };
}

module.exports = { open, self: () => self };
