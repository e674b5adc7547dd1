// call_tracker: assert.CallTracker, which counts how often functions were called.
'use strict';

const { argValue, coded } = require('internal/errors');
const validate = require('internal/validators');

class CallTracker {
    #checks = new Set();
    #of = new WeakMap(); // tracked function → its check
    #find(fn) {
        const found = this.#of.get(fn);
        if (found === undefined) throw argValue('fn', fn, 'is not a tracked function');
        return found;
    }
    calls(fn, expected = 1) {
        if (process._exiting) throw coded(Error, 'ERR_UNAVAILABLE_DURING_EXIT', 'Cannot call function in process exit handler');
        if (typeof fn === 'number') [fn, expected] = [() => {}, fn];
        else if (fn === undefined) fn = () => {};
        validate.uint32(expected, 'expected', true);
        const check = { name: fn.name || 'calls', expected, calls: [], stack: new Error() };
        const tracked = new Proxy(fn, {
            apply(target, self, args) {
                check.calls.push(Object.freeze({ thisArg: self, arguments: Object.freeze([...args]) }));
                return Reflect.apply(target, self, args);
            },
        });
        this.#checks.add(check);
        this.#of.set(tracked, check);
        return tracked;
    }
    getCalls(fn) {
        return Object.freeze([...this.#find(fn).calls]);
    }
    reset(fn) {
        for (const check of fn === undefined ? this.#checks : [this.#find(fn)]) check.calls = [];
    }
    report() {
        return [...this.#checks].filter(check => check.calls.length !== check.expected).map(({ name, expected, calls, stack }) => ({
            message: `Expected the ${name} function to be executed ${expected} time(s) but was executed ${calls.length} time(s).`,
            actual: calls.length, expected, operator: name, stack,
        }));
    }
    verify() {
        const errors = this.report();
        if (errors.length === 0) return;
        const message = errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times';
        throw new (require('assert').AssertionError)({ message, details: errors });
    }
}

module.exports = { CallTracker };
