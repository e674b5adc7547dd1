// cluster: a process of a sandbox is a primary that has no workers: there are no ports that they could share.
'use strict';

const EventEmitter = require('events');
const { coded } = require('internal/errors');

class Worker extends EventEmitter {
    constructor(options) {
        super();
        Object.assign(this, { exitedAfterDisconnect: undefined, state: options?.state || 'none', id: options?.id | 0, process: options?.process });
    }
}

const cluster = new EventEmitter();
Object.assign(cluster, {
    isWorker: false, isMaster: true, isPrimary: true, Worker, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2,
    setupPrimary(options) {
        Object.assign(cluster.settings, { args: process.argv.slice(2), exec: process.argv[1], execArgv: process.execArgv, silent: false, ...options });
        process.nextTick(() => cluster.emit('setup', cluster.settings));
    },
    fork() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'cluster.fork() is not available in a sandbox: there is no network, and workers share ports; use child_process.fork()');
    },
    disconnect(callback) {
        if (callback) process.nextTick(callback);
    },
});
cluster.setupMaster = cluster.setupPrimary;

module.exports = cluster;
