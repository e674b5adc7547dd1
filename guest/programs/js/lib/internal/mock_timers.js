// mock_timers: node:test's mock.timers: timers and dates that move only when a test says so.
'use strict';

const { argValue, coded } = require('internal/errors');
const validate = require('internal/validators');

const known = ['setTimeout', 'setInterval', 'setImmediate', 'Date'];
const invalidState = text => coded(Error, 'ERR_INVALID_STATE', `Invalid state: ${text}`);

class Handle {
    constructor(clear) {
        Object.assign(this, { clear });
    }
    ref() {
        return this;
    }
    unref() {
        return this;
    }
    hasRef() {
        return true;
    }
    refresh() {
        return this;
    }
    [Symbol.toPrimitive]() {
        return this.id;
    }
    [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
        this.clear();
    }
}

class MockTimers {
    #enabled = false;
    #now = 0;
    #queue = []; // in the order in which they are due
    #lastId = 0;
    #before = []; // functions that bring back what was replaced
    #need() {
        if (!this.#enabled) throw invalidState('You should enable MockTimers first by calling the .enable function');
    }
    #time(value) {
        if (value < 0) throw argValue('time', 'positive integer', `${value}`);
    }
    #replace(object, name, value) {
        const before = Object.getOwnPropertyDescriptor(object, name);
        if (!before) return;
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: before.enumerable });
        this.#before.push(() => Object.defineProperty(object, name, before));
    }
    #insert(timer) {
        const at = this.#queue.findIndex(other => other.runAt > timer.runAt);
        this.#queue.splice(at === -1 ? this.#queue.length : at, 0, timer);
    }
    #remove(handle) {
        const at = this.#queue.findIndex(timer => timer === handle || timer.id === handle);
        if (at !== -1) this.#queue.splice(at, 1);
    }
    #start(callback, runAt, args, interval) {
        const timer = new Handle(() => this.#remove(timer));
        for (const [key, value] of Object.entries({ id: ++this.#lastId, callback, runAt, args, interval }))
            Object.defineProperty(timer, key, { value, writable: true, enumerable: key === 'id' });
        Object.defineProperty(timer, 'clear', { enumerable: false });
        this.#insert(timer);
        return timer;
    }
    #timer(name) {
        const delay = value => (value >= 1 && value <= 2 ** 31 - 1 ? Math.trunc(value) : 1);
        if (name === 'setTimeout') return (callback, ms, ...args) => this.#start(callback, this.#now + delay(ms), args);
        if (name === 'setInterval') return (callback, ms, ...args) => this.#start(callback, this.#now + delay(ms), args, delay(ms));
        return (callback, ...args) => this.#start(callback, this.#now - 1, args);
    }
    #replaceTimer(name) {
        const start = Object.defineProperty(this.#timer(name), 'name', { value: name });
        const clear = handle => this.#remove(handle), clearName = name.replace('set', 'clear');
        const later = (...args) => new Promise((resolve, reject) => {
            const [ms, value, options] = name === 'setImmediate' ? [undefined, ...args] : args;
            options?.signal?.addEventListener('abort', () => {
                this.#remove(timer);
                reject(new (require('internal/errors').AbortError)(undefined, { cause: options.signal.reason }));
            }, { once: true });
            const timer = name === 'setImmediate' ? start(() => resolve(value)) : start(() => resolve(value), ms);
        });
        for (const object of [globalThis, require('timers')]) {
            this.#replace(object, name, start);
            this.#replace(object, clearName, clear);
        }
        this.#replace(require('timers/promises'), name, name === 'setInterval' ? (...args) => this.#intervals(...args) : later);
    }
    async *#intervals(ms, value) {
        for (;;) yield await new Promise(resolve => this.#start(() => resolve(value), this.#now + (ms >= 1 ? ms : 1), []));
    }
    #replaceDate() {
        const Real = globalThis.Date, now = () => this.#now;
        function MockDate(...args) {
            if (!new.target) return new Real(now()).toString();
            return Reflect.construct(Real, args.length ? args : [now()], new.target === MockDate ? Real : new.target);
        }
        MockDate.prototype = Real.prototype;
        Object.defineProperties(MockDate, {
            name: { value: 'Date' }, length: { value: 7 }, parse: { value: Real.parse }, UTC: { value: Real.UTC }, now: { value: now, writable: true, configurable: true },
        });
        this.#replace(globalThis, 'Date', MockDate);
    }
    enable(options = { apis: known }) {
        const given = Array.isArray(options) ? { apis: options } : { ...options };
        if (this.#enabled) throw invalidState('MockTimers is already enabled!');
        if (given.now instanceof Date) given.now = given.now.getTime();
        if (given.now !== undefined) {
            validate.number(given.now, 'initialTime');
            this.#time(given.now);
        }
        const apis = given.apis ?? known;
        validate.array(apis, 'options.apis');
        for (const api of apis)
            if (!known.includes(api)) throw argValue('options.apis', api, `option ${api} is not supported`);
        this.#now = given.now ?? 0;
        this.#enabled = true;
        for (const api of apis) {
            if (api === 'Date') this.#replaceDate();
            else this.#replaceTimer(api);
        }
    }
    tick(time = 1) {
        this.#need();
        this.#time(time);
        this.#now += time;
        for (let timer; (timer = this.#queue[0]) && timer.runAt <= this.#now;) {
            Reflect.apply(timer.callback, undefined, timer.args);
            const there = this.#queue.includes(timer);
            this.#remove(timer);
            if (there && timer.interval !== undefined) {
                timer.runAt += timer.interval;
                this.#insert(timer);
            }
        }
    }
    runAll() {
        this.#need();
        const last = this.#queue.at(-1);
        if (last) this.tick(Math.max(0, last.runAt - this.#now));
    }
    setTime(time = 0) {
        validate.number(time, 'time');
        this.#time(time);
        this.#need();
        this.#now = time;
    }
    reset() {
        if (!this.#enabled) return;
        for (const restore of this.#before.splice(0).reverse()) restore();
        this.#queue = [];
        this.#enabled = false;
    }
    [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
        this.reset();
    }
}

module.exports = { MockTimers };
