// worker_threads: a process has one thread; this says so. Ports and channels are there.
'use strict';

const { argType, coded } = require('internal/errors');

class Worker {
    constructor(filename) {
        if (typeof filename !== 'string' && !(filename instanceof URL)) throw argType('filename', ['string', 'URL'], filename);
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'worker_threads.Worker is not available in a sandbox; start a process with child_process.fork() instead');
    }
}

const environment = new Map();
const untransferable = new WeakSet();

module.exports = {
    isMainThread: true, threadId: 0, parentPort: null, workerData: null, resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'), Worker,
    getEnvironmentData: key => environment.get(key),
    setEnvironmentData(key, value) {
        if (value === undefined) environment.delete(key);
        else environment.set(key, value);
    },
    markAsUntransferable: object => void (object !== null && typeof object === 'object' && untransferable.add(object)),
    isMarkedAsUntransferable: object => untransferable.has(object),
    moveMessagePortToContext() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'worker_threads.moveMessagePortToContext() is not available in a sandbox');
    },
    async postMessageToThread(threadId) {
        throw coded(Error, 'ERR_WORKER_MESSAGING_FAILED', `Cannot find the destination thread or listener: ${threadId}`);
    },
};
for (const name of ['MessageChannel', 'MessagePort', 'BroadcastChannel', 'receiveMessageOnPort'])
    Object.defineProperty(module.exports, name, { get: () => require('internal/messaging')[name], enumerable: true, configurable: true });
