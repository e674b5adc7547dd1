// children: tells of the end of child processes, which SIGCHLD announces.
'use strict';

const SIGCHLD = process.signals.SIGCHLD;
const signalName = number => Object.keys(process.signals).find(name => process.signals[name] === number) ?? null;

const running = new Map(); // pid -> what is called with code and signal at its end

function reap() {
    for (const [pid, ended] of [...running]) {
        const state = native.spawn.wait(pid, false);
        if (state === 0) continue;
        running.delete(pid);
        const [, code, signal] = typeof state === 'number' ? [pid, null, 0] : state;
        ended(code === -1 ? null : code, signal ? signalName(signal) : null);
    }
    if (running.size === 0) {
        process.childWatchers.delete(reap);
        native.loop.catchSignal(SIGCHLD, 0);
    }
}

// Before a child is started, so that none ends unnoticed.
function watch() {
    if (process.childWatchers.has(reap)) return;
    process.childWatchers.add(reap);
    native.loop.catchSignal(SIGCHLD, 2);
}

module.exports = { watch, follow: (pid, ended) => void running.set(pid, ended), runs: pid => running.has(pid), signalName };
