// perf_hooks: performance, its entries and who observes them.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');

const origin = native.process.now();
const now = () => native.process.now() - origin;
const custom = Symbol.for('nodejs.util.inspect.custom');
const made = Symbol('made');
const illegal = () => Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });

const milestones = { nodeStart: 0, v8Start: 0, environment: 0, loopStart: 0, loopExit: -1, bootstrapComplete: 0 };

class PerformanceEntry {
    #about;
    constructor(mark, about) {
        if (mark !== made) throw illegal();
        this.#about = about;
    }
    get name() {
        return this.#about.name;
    }
    get entryType() {
        return this.#about.entryType;
    }
    get startTime() {
        return this.#about.startTime;
    }
    get duration() {
        return this.#about.duration;
    }
    toJSON() {
        const { name, entryType, startTime, duration } = this;
        return { name, entryType, startTime, duration, ...this._more() };
    }
    _more() {
        return this.#about.detail === undefined ? {} : { detail: this.#about.detail };
    }
    static detailOf(entry) {
        return entry.#about.detail;
    }
    [custom](depth, options, inspect) {
        return depth < 0 ? this : `${this.constructor.name} ${inspect(this.toJSON(), { ...options, depth: options.depth === null ? null : options.depth - 1 })}`;
    }
}
const { detailOf } = PerformanceEntry;
delete PerformanceEntry.detailOf;
Object.defineProperty(PerformanceEntry.prototype, '_more', { enumerable: false });

class PerformanceMark extends PerformanceEntry {
    constructor(name, options = undefined) {
        if (arguments.length === 0) throw validate.missing('name');
        name = `${name}`;
        if (Object.hasOwn(milestones, name)) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'name' is invalid. Received '${name}'`);
        if (options !== undefined) validate.object(options, 'options');
        const { startTime = now(), detail } = options ?? {};
        validate.number(startTime, 'startTime');
        if (startTime < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${startTime} is not a valid timestamp`);
        super(made, { name, entryType: 'mark', startTime, duration: 0, detail: detail === undefined || detail === null ? null : structuredClone(detail) });
    }
    get detail() {
        return detailOf(this);
    }
}
class PerformanceMeasure extends PerformanceEntry {
    constructor(mark, about) {
        super(mark, about);
    }
    get detail() {
        return detailOf(this);
    }
}
class PerformanceResourceTiming extends PerformanceEntry {}
class PerformanceNodeEntry extends PerformanceEntry {
    get detail() {
        return detailOf(this);
    }
}

// ---------------------------------------------------------------- what is kept, and observers

let entries = [];
const byTime = list => list.sort((a, b) => a.startTime - b.startTime);
const select = (list, name, type) => list.filter(entry => (name === undefined || entry.name === name) && (type === undefined || entry.entryType === type));

function keep(entry) {
    if (entry.entryType === 'mark' || entry.entryType === 'measure') entries.push(entry);
    for (const observer of observers) observer._take(entry);
    return entry;
}

class PerformanceObserverEntryList {
    #list;
    constructor(mark, list) {
        if (mark !== made) throw illegal();
        this.#list = byTime([...list]);
    }
    getEntries() {
        return [...this.#list];
    }
    getEntriesByType(type) {
        if (arguments.length === 0) throw validate.missing('type');
        return select(this.#list, undefined, `${type}`);
    }
    getEntriesByName(name, type) {
        if (arguments.length === 0) throw validate.missing('name');
        return select(this.#list, `${name}`, type === undefined ? undefined : `${type}`);
    }
    [custom](depth, options, inspect) {
        return depth < 0 ? this : `PerformanceObserverEntryList ${inspect(this.#list, options)}`;
    }
}

// Entries reach observers in a later turn, as in Node.
const observers = new Set();
const supported = Object.freeze(['dns', 'function', 'gc', 'http', 'http2', 'mark', 'measure', 'net', 'resource']);
class PerformanceObserver {
    #callback;
    #types = new Set();
    #records = [];
    #way; // how it was begun: by entryTypes or by type
    #waits = false;
    constructor(callback) {
        validate.function(callback, 'callback');
        this.#callback = callback;
    }
    observe(options = {}) {
        validate.object(options, 'options');
        const { entryTypes, type, buffered } = options;
        if (entryTypes === undefined && type === undefined) throw validate.missing('options.entryTypes', 'options.type');
        if (entryTypes != null && type != null)
            throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.entryTypes' options.entryTypes can not set with options.type together. Received ${require('internal/inspect').inspect(entryTypes)}`);
        const way = entryTypes !== undefined ? 'several' : 'one';
        if (this.#way !== undefined && this.#way !== way)
            throw new DOMException(`PerformanceObserver can not change to ${way === 'one' ? 'single' : 'multiple'} observation type`, 'InvalidModificationError');
        if (way === 'several') {
            if (!Array.isArray(entryTypes)) throw argType('options.entryTypes', 'string[]', entryTypes);
            this.#types = new Set(entryTypes.filter(name => supported.includes(name)));
            if (this.#types.size === 0) return;
        } else {
            if (!supported.includes(type)) return;
            this.#types.add(type);
            if (buffered) for (const entry of select(byTime([...entries]), undefined, type)) this._take(entry);
        }
        this.#way = way;
        observers.add(this);
    }
    disconnect() {
        observers.delete(this);
        this.#records = [];
        this.#types.clear();
        this.#way = undefined;
    }
    takeRecords() {
        return this.#records.splice(0);
    }
    _take(entry) {
        if (!this.#types.has(entry.entryType)) return;
        this.#records.push(entry);
        if (this.#waits) return;
        this.#waits = true;
        setImmediate(() => {
            this.#waits = false;
            const list = this.takeRecords();
            if (list.length) this.#callback(new PerformanceObserverEntryList(made, list), this);
        });
    }
    static get supportedEntryTypes() {
        return supported;
    }
}
Object.defineProperty(PerformanceObserver.prototype, '_take', { enumerable: false });

// ---------------------------------------------------------------- performance

function timeOf(mark) {
    if (typeof mark === 'number') {
        if (mark < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${mark} is not a valid timestamp`);
        return mark;
    }
    const name = `${mark}`, found = entries.findLast(entry => entry.entryType === 'mark' && entry.name === name);
    if (found) return found.startTime;
    if (Object.hasOwn(milestones, name)) return milestones[name];
    throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
}

const badMeasure = why => coded(TypeError, 'ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS', why);
function span(given, endMark) {
    const options = given !== null && typeof given === 'object' ? given : undefined;
    const { start, end, duration } = options ?? {};
    if (options && Object.keys(options).length) {
        if (endMark !== undefined) throw badMeasure('endMark must not be specified');
        if (start === undefined && end === undefined) throw badMeasure('One of options.start or options.end is required');
        if (start !== undefined && end !== undefined && duration !== undefined) throw badMeasure('Must not have options.start, options.end, and options.duration specified');
    }
    const to = endMark !== undefined ? timeOf(endMark) : end !== undefined ? timeOf(end)
        : start !== undefined && duration !== undefined ? timeOf(start) + timeOf(duration) : now();
    const from = start !== undefined ? timeOf(start) : duration !== undefined && end !== undefined ? timeOf(end) - timeOf(duration)
        : options === undefined && given !== undefined && given !== null ? timeOf(given) : 0;
    return { startTime: from, duration: to - from, detail: options?.detail === undefined || options.detail === null ? null : structuredClone(options.detail) };
}

class PerformanceNodeTiming {
    constructor() {
        Object.assign(this, { name: 'node', entryType: 'node', startTime: 0 });
        Object.defineProperty(this, 'duration', { get: now, enumerable: true, configurable: true });
        Object.assign(this, milestones, { idleTime: 0 });
    }
    toJSON() {
        return { ...this };
    }
}

let timing;
function own(self) {
    if (!(self instanceof Performance)) throw argType('this', 'Performance', self);
}
class Performance extends EventTarget {
    constructor(mark) {
        if (mark !== made) throw illegal();
        super();
    }
    clearMarks(name) {
        own(this);
        entries = entries.filter(entry => entry.entryType !== 'mark' || (name !== undefined && entry.name !== `${name}`));
    }
    clearMeasures(name) {
        own(this);
        entries = entries.filter(entry => entry.entryType !== 'measure' || (name !== undefined && entry.name !== `${name}`));
    }
    clearResourceTimings() {
        own(this);
    }
    eventLoopUtilization() {
        return { idle: 0, active: 0, utilization: 0 };
    }
    getEntries() {
        own(this);
        return byTime([...entries]);
    }
    getEntriesByName(name, type) {
        own(this);
        if (arguments.length === 0) throw validate.missing('name');
        return select(byTime([...entries]), `${name}`, type === undefined ? undefined : `${type}`);
    }
    getEntriesByType(type) {
        own(this);
        if (arguments.length === 0) throw validate.missing('type');
        return select(byTime([...entries]), undefined, `${type}`);
    }
    mark(...args) {
        own(this);
        return keep(new PerformanceMark(...args));
    }
    markResourceTiming() {}
    measure(name, start, end) {
        own(this);
        if (arguments.length === 0) throw validate.missing('name');
        return keep(new PerformanceMeasure(made, { name: `${name}`, entryType: 'measure', ...span(start, end) }));
    }
    get nodeTiming() {
        return timing ??= new PerformanceNodeTiming();
    }
    now() {
        own(this);
        return now();
    }
    setResourceTimingBufferSize() {}
    get timeOrigin() {
        own(this);
        return began;
    }
    timerify(fn, options = {}) {
        validate.function(fn, 'fn');
        validate.object(options, 'options');
        const { histogram } = options;
        if (histogram !== undefined && !(histogram instanceof require('internal/histogram').RecordableHistogram))
            throw argType('options.histogram', 'RecordableHistogram', histogram);
        const tell = (start, args) => {
            const duration = now() - start;
            histogram?.record(Math.max(1, Math.ceil(duration * 1e6)));
            const entry = new PerformanceNodeEntry(made, { name: fn.name, entryType: 'function', startTime: start, duration, detail: args });
            args.forEach((value, i) => void (entry[i] = value));
            keep(entry);
        };
        function timerified(...args) {
            const start = now();
            const result = new.target ? Reflect.construct(fn, args, fn) : Reflect.apply(fn, this, args);
            if (!new.target && typeof result?.finally === 'function') return result.finally(() => tell(start, args));
            tell(start, args);
            return result;
        }
        return Object.defineProperties(timerified, {
            length: { value: fn.length, configurable: true }, name: { value: `timerified ${fn.name}`, configurable: true },
        });
    }
    toJSON() {
        own(this);
        return { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin, eventLoopUtilization: this.eventLoopUtilization() };
    }
    [custom](depth, options, inspect) {
        const { nodeTiming, timeOrigin } = this;
        return depth < 0 ? this : `Performance ${inspect({ nodeTiming, timeOrigin }, options)}`;
    }
}
const began = Date.now();
for (const Class of [Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming]) {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
    for (const name of Object.getOwnPropertyNames(Class.prototype))
        if (name !== 'constructor' && !name.startsWith('_')) Object.defineProperty(Class.prototype, name, { enumerable: true });
}

const perf = {
    Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming,
    createHistogram: (...args) => require('internal/histogram').createHistogram(...args),
    monitorEventLoopDelay: (...args) => require('internal/histogram').monitorEventLoopDelay(...args),
    performance: new Performance(made),
};
Object.defineProperty(perf, 'constants', { value: {
    NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1, NODE_PERFORMANCE_GC_INCREMENTAL: 8, NODE_PERFORMANCE_GC_WEAKCB: 16,
    NODE_PERFORMANCE_GC_FLAGS_NO: 0, NODE_PERFORMANCE_GC_FLAGS_CONSTRUCT_RETAINED: 2, NODE_PERFORMANCE_GC_FLAGS_FORCED: 4,
    NODE_PERFORMANCE_GC_FLAGS_SYNCHRONOUS_PHANTOM_PROCESSING: 8, NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: 16,
    NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY: 32, NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE: 64,
}, enumerable: true });

module.exports = perf;
