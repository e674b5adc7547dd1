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

const performance = {
    now: () => native.process.now() - origin,
    timeOrigin: Date.now(),
    mark(name, options) {
        const entry = new PerformanceEntry(`${name}`, 'mark', options?.startTime ?? performance.now(), 0, options?.detail ?? null);
        entries.push(entry);
        return entry;
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
        entries.push(entry);
        return entry;
    },
    getEntries: () => [...entries],
    getEntriesByName: (name, type) => entries.filter(entry => entry.name === name && (type === undefined || entry.entryType === type)),
    getEntriesByType: type => entries.filter(entry => entry.entryType === type),
    clearMarks: name => clear('mark', name),
    clearMeasures: name => clear('measure', name),
    timerify: fn => fn,
    toJSON: () => ({ timeOrigin: performance.timeOrigin }),
};
Object.defineProperty(performance, Symbol.toStringTag, { value: 'Performance', configurable: true });

function clear(type, name) {
    for (let i = entries.length - 1; i >= 0; i--)
        if (entries[i].entryType === type && (name === undefined || entries[i].name === name)) entries.splice(i, 1);
}

module.exports = { performance, PerformanceEntry };
