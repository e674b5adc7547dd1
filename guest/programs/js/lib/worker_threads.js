// worker_threads: workers, each of which is a process, and the ports and channels between them.
'use strict';

const { coded } = require('internal/errors');

const environment = new Map();
const clone = () => require('internal/clone');

module.exports = {
    ...require('internal/worker_child').self(),
    getEnvironmentData: key => environment.get(key),
    setEnvironmentData(key, value) {
        if (value === undefined) environment.delete(key);
        else environment.set(key, value);
    },
    markAsUntransferable: object => void (object !== null && typeof object === 'object' && clone().untransferable.add(object)),
    isMarkedAsUntransferable: object => clone().untransferable.has(object),
    moveMessagePortToContext() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'worker_threads.moveMessagePortToContext() is not available in a sandbox');
    },
    async postMessageToThread(threadId) {
        throw coded(Error, 'ERR_WORKER_MESSAGING_FAILED', `Cannot find the destination thread or listener: ${threadId}`);
    },
};
const lazily = (names, file) => {
    for (const name of names) Object.defineProperty(module.exports, name, { get: () => require(file)[name], enumerable: true, configurable: true });
};
lazily(['Worker', 'SHARE_ENV'], 'internal/worker');
lazily(['MessageChannel', 'MessagePort', 'BroadcastChannel', 'receiveMessageOnPort'], 'internal/messaging');
Object.defineProperty(module.exports, '_environment', { value: () => [...environment] });
