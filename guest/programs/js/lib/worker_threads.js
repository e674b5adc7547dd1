// worker_threads: a process has one thread; this says so.
'use strict';

const { coded } = require('internal/errors');

class Worker {
    constructor() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'worker_threads.Worker is not available in a sandbox; start a process with child_process instead');
    }
}

module.exports = { Worker, isMainThread: true, threadId: 0, parentPort: null, workerData: null };
for (const name of ['MessageChannel', 'MessagePort', 'BroadcastChannel', 'receiveMessageOnPort'])
    Object.defineProperty(module.exports, name, { get: () => require('internal/messaging')[name], enumerable: true, configurable: true });
