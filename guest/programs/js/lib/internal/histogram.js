// histogram: numbers counted in buckets that grow with them, as HDR histograms do.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');

const made = Symbol('made');
const EMPTY_MIN = 9223372036854775807n;

class Histogram {
    #counts = new Map(); // lowest value of a bucket → how many
    #sub; // log2 of the buckets that are linear
    #exceeds = 0;
    #total = 0;
    #highest;
    constructor(mark, { highest = Number.MAX_SAFE_INTEGER, figures = 3 } = {}) {
        if (mark !== made) throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
        this.#highest = highest;
        this.#sub = Math.ceil(Math.log2(2 * 10 ** figures));
    }
    #range(value) {
        return 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, value))) - this.#sub + 1);
    }
    _add(value, times = 1) {
        if (value > this.#highest) {
            this.#exceeds += times;
            return;
        }
        const range = this.#range(value), lowest = Math.floor(value / range) * range;
        this.#counts.set(lowest, (this.#counts.get(lowest) ?? 0) + times);
        this.#total += times;
    }
    _merge(other) {
        for (const [value, times] of other.#counts) this._add(value, times);
        this.#exceeds += other.#exceeds;
    }
    #sorted() {
        return [...this.#counts].sort((a, b) => a[0] - b[0]);
    }
    get count() {
        return this.#total;
    }
    get countBigInt() {
        return BigInt(this.#total);
    }
    get exceeds() {
        return this.#exceeds;
    }
    get exceedsBigInt() {
        return BigInt(this.#exceeds);
    }
    get min() {
        return Number(this.minBigInt);
    }
    get minBigInt() {
        return this.#total === 0 ? EMPTY_MIN : BigInt(this.#sorted()[0][0]);
    }
    get max() {
        if (this.#total === 0) return 0;
        const [last] = this.#sorted().at(-1);
        return last + this.#range(last) - 1;
    }
    get maxBigInt() {
        return BigInt(this.max);
    }
    get mean() {
        let sum = 0;
        for (const [value, times] of this.#counts) sum += (value + Math.floor(this.#range(value) / 2)) * times;
        return sum / this.#total;
    }
    get stddev() {
        const { mean } = this;
        let sum = 0;
        for (const [value, times] of this.#counts) sum += (value + Math.floor(this.#range(value) / 2) - mean) ** 2 * times;
        return Math.sqrt(sum / this.#total);
    }
    percentile(percentile) {
        validate.number(percentile, 'percentile');
        if (!(percentile > 0 && percentile <= 100)) throw require('internal/errors').outOfRange('percentile', '> 0 && <= 100', percentile);
        const wanted = Math.max(1, Math.floor(percentile / 100 * this.#total + 0.5));
        let seen = 0;
        for (const [value, times] of this.#sorted()) if ((seen += times) >= wanted) return value + this.#range(value) - 1;
        return 0;
    }
    percentileBigInt(percentile) {
        return BigInt(this.percentile(percentile));
    }
    get percentiles() {
        const found = new Map();
        let next = 0, seen = 0, last = 0;
        for (const [value, times] of this.#sorted()) {
            seen += times;
            last = value + this.#range(value) - 1;
            while (next < 100 && seen / this.#total * 100 >= next) {
                found.set(next, last);
                next += 100 / 2 ** (Math.floor(Math.log2(100 / (100 - next))) + 1);
                if (seen === this.#total) break;
            }
        }
        return found.set(100, last);
    }
    get percentilesBigInt() {
        return new Map([...this.percentiles].map(([key, value]) => [key, BigInt(value)]));
    }
    reset() {
        this.#counts.clear();
        this.#total = this.#exceeds = 0;
    }
    toJSON() {
        const { count, min, max, mean, exceeds, stddev } = this;
        return { count, min, max, mean, exceeds, stddev, percentiles: Object.fromEntries(this.percentiles) };
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        const { min, max, mean, exceeds, stddev, count, percentiles } = this;
        return depth < 0 ? this : `Histogram ${inspect({ min, max, mean, exceeds, stddev, count, percentiles }, options)}`;
    }
}

class RecordableHistogram extends Histogram {
    #last;
    record(value) {
        if (typeof value === 'bigint') {
            if (value < 1n) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'value is out of range');
            return this._add(Number(value));
        }
        validate.integer(value, 'val', 1);
        return this._add(value);
    }
    recordDelta() {
        const now = Math.round(native.process.now() * 1e6);
        if (this.#last !== undefined && now > this.#last) this._add(now - this.#last);
        this.#last = now;
    }
    add(other) {
        if (!(other instanceof RecordableHistogram)) throw argType('other', 'RecordableHistogram', other);
        this._merge(other);
    }
}

// How late a timer comes.
class ELDHistogram extends Histogram {
    #timer;
    #resolution;
    constructor(mark, resolution) {
        super(mark);
        this.#resolution = resolution;
    }
    enable() {
        if (this.#timer) return false;
        let last = native.process.now();
        this.#timer = setInterval(() => {
            const now = native.process.now();
            this._add(Math.max(1, Math.round((now - last) * 1e6)));
            last = now;
        }, this.#resolution);
        this.#timer.unref();
        return true;
    }
    disable() {
        if (!this.#timer) return false;
        clearInterval(this.#timer);
        this.#timer = undefined;
        return true;
    }
}

function createHistogram(options = {}) {
    validate.object(options, 'options');
    const { lowest = 1, highest = Number.MAX_SAFE_INTEGER, figures = 3 } = options;
    if (typeof lowest !== 'bigint') validate.integer(lowest, 'options.lowest', 1);
    if (typeof highest !== 'bigint') validate.integer(highest, 'options.highest', 2 * Number(lowest));
    validate.integer(figures, 'options.figures', 1, 5);
    return new RecordableHistogram(made, { highest: Number(highest), figures });
}

function monitorEventLoopDelay(options = {}) {
    validate.object(options, 'options');
    const { resolution = 10 } = options;
    validate.integer(resolution, 'options.resolution', 1);
    return new ELDHistogram(made, resolution);
}

module.exports = { createHistogram, monitorEventLoopDelay, RecordableHistogram };
