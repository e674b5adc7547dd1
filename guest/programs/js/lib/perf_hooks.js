// perf_hooks: performance.
'use strict';

const origin = native.process.now();
const entries = [];

class PerformanceEntry {
    constructor(name, entryType, startTime, duration, detail) {
        Object.assign(this, { name, entryType, startTime, duration, detail });
    }
    toJSON() {
        return { ...this };
    }
}

function keep(entry) {
    entries.push(entry);
    for (const observer of observers) observer._take(entry);
    return entry;
}

const performance = {
    now: () => native.process.now() - origin,
    timeOrigin: Date.now(),
    mark(name, options) {
        const entry = new PerformanceEntry(`${name}`, 'mark', options?.startTime ?? performance.now(), 0, options?.detail ?? null);
        return keep(entry);
    },
    measure(name, start, end) {
        if (start !== null && typeof start === 'object') ({ start, end } = start);
        const at = mark => {
            if (typeof mark === 'number') return mark;
            const found = entries.findLast(entry => entry.entryType === 'mark' && entry.name === mark);
            if (!found) throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError');
            return found.startTime;
        };
        const from = start === undefined ? 0 : at(start), to = end === undefined ? performance.now() : at(end);
        const entry = new PerformanceEntry(`${name}`, 'measure', from, to - from, null);
        return keep(entry);
    },
    getEntries: () => [...entries],
    getEntriesByName: (name, type) => entries.filter(entry => entry.name === name && (type === undefined || entry.entryType === type)),
    getEntriesByType: type => entries.filter(entry => entry.entryType === type),
    clearMarks: name => clear('mark', name),
    clearMeasures: name => clear('measure', name),
    timerify: fn => fn,
    eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
    clearResourceTimings() {},
    get nodeTiming() {
        return { name: 'node', entryType: 'node', startTime: 0, duration: performance.now() };
    },
    toJSON: () => ({ timeOrigin: performance.timeOrigin }),
};
Object.defineProperty(performance, Symbol.toStringTag, { value: 'Performance', configurable: true });

function clear(type, name) {
    for (let i = entries.length - 1; i >= 0; i--)
        if (entries[i].entryType === type && (name === undefined || entries[i].name === name)) entries.splice(i, 1);
}

// Entries reach observers in a later turn, as in Node.
const observers = new Set();
class PerformanceObserver {
    #callback;
    #types = [];
    #records = [];
    constructor(callback) {
        require('internal/errors').check.function(callback, 'callback');
        this.#callback = callback;
    }
    observe({ entryTypes, type }) {
        this.#types = entryTypes ?? [type];
        observers.add(this);
    }
    disconnect() {
        observers.delete(this);
    }
    takeRecords() {
        return this.#records.splice(0);
    }
    _take(entry) {
        if (!this.#types.includes(entry.entryType)) return;
        if (this.#records.push(entry) > 1) return;
        setImmediate(() => {
            const list = this.takeRecords();
            this.#callback({ getEntries: () => list, getEntriesByName: name => list.filter(item => item.name === name), getEntriesByType: kind => list.filter(item => item.entryType === kind) }, this);
        });
    }
    static supportedEntryTypes = ['mark', 'measure'];
}

const monitorEventLoopDelay = () => ({ enable: () => true, disable: () => true, reset() {}, min: 0, max: 0, mean: 0, stddev: 0, exceeds: 0, percentile: () => 0 });

module.exports = { performance, PerformanceEntry, PerformanceObserver, monitorEventLoopDelay, constants: {} };
