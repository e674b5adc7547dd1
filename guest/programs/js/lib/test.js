// test (node:test): tests, suites, hooks and mocks, reported as TAP on standard output, as Node does
// where it is not on a terminal. Tests run one after the other, whatever `concurrency` says.
'use strict';

const { argType, coded } = require('internal/errors');
const { inspect } = require('internal/inspect');

const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
const hookNames = ['before', 'after', 'beforeEach', 'afterEach'];
const write = text => process.stdout.write(text);
const escape = text => `${text}`.replaceAll('\\', '\\\\').replaceAll('#', '\\#').replaceAll('\n', '\\n');

// Name, options and function in any of the forms that Node takes.
function parameters(name, options, fn) {
    if (typeof name === 'function') [name, options, fn] = [undefined, {}, name];
    else if (name !== null && typeof name === 'object') [name, options, fn] = [undefined, name, options];
    else if (typeof options === 'function') [options, fn] = [{}, options];
    options ??= {};
    if (fn !== undefined && typeof fn !== 'function') throw argType('fn', 'function', fn);
    return { name: `${name ?? (fn?.name || '<anonymous>')}`, options, fn: fn ?? (() => {}) };
}

class Node {
    constructor(parent, { name, options, fn }, suite) {
        Object.assign(this, { parent, name, options, fn, suite, depth: parent ? parent.depth + 1 : -1 });
        this.children = [];
        this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
        this.skip = options.skip || parent?.skip;
        this.todo = options.todo;
        this.diagnostics = [];
        this.reported = 0;
        this.failed = 0;
        this.mocks = [];
    }
    get indent() {
        return '    '.repeat(Math.max(0, this.depth));
    }
}

const root = new Node(null, { name: '', options: {}, fn: undefined }, true);
let collecting = root; // the suite whose function runs
let running; // the queue of the root's tests, while it is worked off
let current; // the test that runs
const began = performance.now();

// ---------------------------------------------------------------- running

// Calls a test's function, which may take a callback, within its time.
function call(fn, context, { timeout, signal } = {}, self = undefined) {
    return new Promise((resolve, reject) => {
        let timer;
        const done = error => {
            clearTimeout(timer);
            if (error) reject(error);
            else resolve();
        };
        if (timeout > 0 && timeout !== Infinity)
            timer = setTimeout(() => reject(coded(Error, 'ERR_TEST_FAILURE', `test timed out after ${timeout}ms`)), timeout);
        signal?.addEventListener('abort', () => done(signal.reason), { once: true });
        try {
            const value = fn.length > 1 ? fn.call(self, context, done) : fn.call(self, context);
            if (fn.length <= 1) Promise.resolve(value).then(() => done(), error => done(error ?? new Error(`${error}`)));
        } catch (error) {
            done(error ?? new Error(`${error}`));
        }
    });
}

async function runHooks(node, name, context) {
    for (const { fn, options } of node.hooks[name]) await call(fn, context, options);
}

function ancestors(node) {
    const line = [];
    for (let at = node.parent; at; at = at.parent) line.unshift(at);
    return line;
}

async function runChildren(node) {
    const only = node.children.some(child => child.options.only) && process.execArgv.includes('--test-only');
    while (node.children.length) {
        const child = node.children.shift();
        if (!only || child.options.only) await runNode(child);
    }
}

function checkPlan({ plan }) {
    if (!plan || plan.actual === plan.expected) return;
    throw Object.assign(coded(Error, 'ERR_TEST_FAILURE', `plan expected ${plan.expected} assertions but received ${plan.actual}`), { failureType: 'testCodeFailure' });
}

async function runNode(node) {
    const outer = current;
    current = node;
    const start = performance.now();
    let error;
    write(`${node.indent}# Subtest: ${escape(node.name)}\n`);
    if (!node.skip) {
        const context = new TestContext(node);
        try {
            if (node.suite) {
                await node.collected;
                await runHooks(node, 'before', context);
                await runChildren(node);
                await runHooks(node, 'after', context);
            } else {
                const line = ancestors(node);
                for (const above of line) await runHooks(above, 'beforeEach', context);
                try {
                    await call(node.fn, context, node.options);
                    await runChildren(node);
                    checkPlan(node);
                    await runHooks(node, 'after', context);
                } finally {
                    for (const above of line.toReversed()) await runHooks(above, 'afterEach', context);
                }
            }
        } catch (thrown) {
            error = thrown;
        }
        context.mock.reset();
    }
    if (!error && node.failed && !node.skip)
        error = Object.assign(coded(Error, 'ERR_TEST_FAILURE', `${node.failed} subtest${node.failed > 1 ? 's' : ''} failed`), { failureType: 'subtestsFailed' });
    end(node, error, performance.now() - start);
    current = outer;
}

// ---------------------------------------------------------------- the report

function yaml(key, value, pad) {
    const text = typeof value === 'string' ? value : inspect(value);
    if (text.includes('\n')) return `${pad}${key}: |-\n${text.split('\n').map(line => `${pad}  ${line}\n`).join('')}`;
    return `${pad}${key}: ${typeof value === 'string' ? `'${text.replaceAll("'", "\\'")}'` : text}\n`;
}

function report(node, error, took) {
    const { indent } = node, pad = `${indent}  `;
    if (node.reported) write(`${indent}    1..${node.reported}\n`);
    const number = ++node.parent.reported;
    const directive = node.skip ? ` # SKIP${typeof node.skip === 'string' ? ` ${escape(node.skip)}` : ''}`
        : node.todo ? ` # TODO${typeof node.todo === 'string' ? ` ${escape(node.todo)}` : ''}` : '';
    write(`${indent}${error ? 'not ok' : 'ok'} ${number} - ${escape(node.name)}${directive}\n${pad}---\n${pad}duration_ms: ${took.toFixed(6)}\n`);
    if (node.suite) write(`${pad}type: 'suite'\n`);
    if (error) {
        const { failureType = 'testCodeFailure' } = error;
        write(yaml('failureType', failureType, pad) + yaml('error', error.message ?? inspect(error), pad) + yaml('code', error.code ?? 'ERR_TEST_FAILURE', pad));
        if (error.name !== undefined && error.name !== 'Error') write(yaml('name', error.name, pad));
        if (error.code === 'ERR_ASSERTION') write(yaml('expected', error.expected, pad) + yaml('actual', error.actual, pad) + yaml('operator', error.operator, pad));
        const frames = failureType === 'testCodeFailure' && typeof error.stack === 'string' ? error.stack.split('\n').filter(line => line.startsWith('    at ')).map(line => line.slice(7)) : [];
        if (frames.length) write(yaml('stack', frames.join('\n'), pad));
    }
    write(`${pad}...\n${node.diagnostics.map(text => `${indent}# ${escape(text)}\n`).join('')}`);
    if (node.suite) counts.suites++;
    else {
        counts.tests++;
        counts[node.skip ? 'skipped' : node.todo ? 'todo' : error ? 'fail' : 'pass']++;
    }
    if (error && !node.todo) {
        node.parent.failed++;
        if (process.exitCode === undefined) process.exitCode = 1;
    }
}

function end(node, error, took) {
    report(node, error, took);
    node.resolve?.();
}

function finish() {
    for (let node = current; node?.parent; node = node.parent)
        report(node, Object.assign(coded(Error, 'ERR_TEST_FAILURE', 'Promise resolution is still pending but the event loop has already resolved'), { failureType: 'cancelledByParent' }), 0);
    write(`1..${root.reported}\n${Object.entries(counts).map(([name, count]) => `# ${name} ${count}\n`).join('')}# duration_ms ${(performance.now() - began).toFixed(6)}\n`);
}

function start() {
    if (running) return;
    write('TAP version 13\n');
    process.once('exit', finish);
    running = (async () => {
        await null; // the program declares the rest of its tests first
        await runHooks(root, 'before');
        for (;;) {
            await runChildren(root);
            await new Promise(resolve => setImmediate(resolve));
            if (root.children.length === 0) break;
        }
        await runHooks(root, 'after');
        running = undefined;
    })();
}

// ---------------------------------------------------------------- declaring

function add(parent, given, suite) {
    const node = new Node(parent, given, suite);
    parent.children.push(node);
    if (suite && !node.skip) {
        const outer = collecting;
        collecting = node;
        try {
            node.collected = given.fn.call(undefined, new TestContext(node));
        } catch (error) {
            node.collected = Promise.reject(error);
            node.collected.catch(() => {});
        } finally {
            collecting = outer;
        }
    }
    if (parent === root) start();
    node.done = new Promise(resolve => (node.resolve = resolve));
    return node;
}

function declare(suite) {
    const make = extra => (name, options, fn) => {
        const given = parameters(name, options, fn);
        given.options = { ...given.options, ...extra };
        return add(collecting, given, suite).done;
    };
    return Object.assign(make({}), { skip: make({ skip: true }), todo: make({ todo: true }), only: make({ only: true }) });
}

const hook = name => (fn, options) => void collecting.hooks[name].push({ fn, options });

class TestContext {
    #node;
    constructor(node) {
        this.#node = node;
        this.mock = new MockTracker(node);
        this.signal = new AbortController().signal;
    }
    get name() {
        return this.#node.name;
    }
    get fullName() {
        return [...ancestors(this.#node).slice(1), this.#node].map(node => node.name).join(' > ');
    }
    diagnostic(text) {
        this.#node.diagnostics.push(text);
    }
    skip(why) {
        this.#node.skip = why || true;
    }
    todo(why) {
        this.#node.todo = why || true;
    }
    plan(count) {
        if (this.#node.plan) throw coded(Error, 'ERR_TEST_FAILURE', 'cannot set plan more than once');
        require('internal/validators').uint32(count, 'count');
        this.#node.plan = { expected: count, actual: 0 };
    }
    // The functions of assert, which count for plan().
    get assert() {
        const node = this.#node, assert = require('assert'), counting = {};
        for (const name of Object.keys(assert)) {
            if (typeof assert[name] !== 'function' || /^(?:AssertionError|CallTracker|strict)$/.test(name)) continue;
            counting[name] = { [name](...args) {
                if (node.plan) node.plan.actual++;
                return Reflect.apply(assert[name], this, args);
            } }[name];
        }
        Object.defineProperty(this, 'assert', { value: counting, configurable: true });
        return counting;
    }
    runOnly() {}
    async test(name, options, fn) {
        if (this.#node.plan) this.#node.plan.actual++;
        await runNode(new Node(this.#node, parameters(name, options, fn), false));
    }
}
for (const name of hookNames) {
    TestContext.prototype[name] = { [name](fn, options) {
        const node = current;
        node.hooks[name].push({ fn, options });
    } }[name];
}

// ---------------------------------------------------------------- mocks

class MockFunctionContext {
    #calls = [];
    #state;
    constructor(state) {
        this.#state = state;
    }
    get calls() {
        return this.#calls.slice();
    }
    callCount() {
        return this.#calls.length;
    }
    resetCalls() {
        this.#calls = [];
    }
    mockImplementation(implementation) {
        this.#state.implementation = implementation;
    }
    mockImplementationOnce(implementation, at = this.#calls.length) {
        this.#state.once.set(at, implementation);
    }
    restore() {
        this.#state.restore?.();
        this.#state.implementation = this.#state.original;
    }
    static made(context, record) {
        context.#calls.push(record);
    }
}
const { made } = MockFunctionContext;
delete MockFunctionContext.made;

function mockFunction(original, implementation, { times = Infinity } = {}) {
    const state = { original, implementation, once: new Map() };
    const context = new MockFunctionContext(state);
    const mocked = function (...args) {
        const at = context.callCount();
        const chosen = state.once.get(at) ?? (at < times ? state.implementation : state.original);
        state.once.delete(at);
        const record = { arguments: args, error: undefined, result: undefined, stack: new Error(), target: new.target, this: this };
        try {
            record.result = new.target ? Reflect.construct(chosen, args, new.target) : Reflect.apply(chosen, this, args);
            return record.result;
        } catch (error) {
            record.error = error;
            throw error;
        } finally {
            made(context, record);
        }
    };
    Object.defineProperty(mocked, 'name', { value: original.name });
    Object.defineProperty(mocked, 'length', { value: original.length });
    Object.defineProperty(mocked, 'mock', { value: context });
    return { mocked, state, context };
}

class MockTracker {
    #all;
    #timers;
    constructor(node) {
        this.#all = node.mocks;
    }
    fn(original = () => {}, implementation = original, options = {}) {
        if (typeof implementation !== 'function') [options, implementation] = [implementation, original];
        const { mocked, context } = mockFunction(original, implementation, options);
        this.#all.push(context);
        return mocked;
    }
    method(object, name, implementation = undefined, options = {}) {
        if (implementation !== undefined && typeof implementation !== 'function') [options, implementation] = [implementation, undefined];
        let owner = object;
        while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
        const before = owner && Object.getOwnPropertyDescriptor(owner, name);
        const key = options.getter ? 'get' : options.setter ? 'set' : 'value';
        if (typeof before?.[key] !== 'function') throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'methodName' must be a method. Received ${inspect(before?.[key])}`);
        const { mocked, state, context } = mockFunction(before[key], implementation ?? before[key], options);
        state.restore = () => {
            if (owner === object) Object.defineProperty(object, name, before);
            else delete object[name];
        };
        Object.defineProperty(object, name, { ...before, [key]: mocked });
        this.#all.push(context);
        return mocked;
    }
    getter(object, name, implementation, options) {
        return this.method(object, name, implementation, { ...options, getter: true });
    }
    setter(object, name, implementation, options) {
        return this.method(object, name, implementation, { ...options, setter: true });
    }
    reset() {
        this.restoreAll();
        this.#timers?.reset();
        this.#all.length = 0;
    }
    restoreAll() {
        for (const mock of this.#all) mock.restore();
    }
    get timers() {
        return this.#timers ??= new (require('internal/mock_timers').MockTimers)();
    }
}

const test = declare(false), suite = declare(true);
module.exports = Object.assign(test, {
    test, it: test, describe: suite, suite, mock: new MockTracker(root),
    ...Object.fromEntries(hookNames.map(name => [name, hook(name)])),
});
