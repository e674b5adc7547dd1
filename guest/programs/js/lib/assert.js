// assert: Node's assertions and their messages.
'use strict';

const { inspect } = require('internal/inspect');
const { isDeepEqual, isDeepStrictEqual } = require('internal/comparisons');
const { argType, coded } = require('internal/errors');

const show = value => inspect(value, {
    compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false,
    sorted: true, getters: true, breakLength: Infinity,
});

const heads = {
    strictEqual: 'Expected values to be strictly equal:',
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values have same structure but are not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

// A comma at the end depends on what follows, which another line shows.
const sameLine = (a, b) => a === b || a === `${b},` || `${a},` === b;

// Lines of both texts: the longest common ones as they are, `+` only in actual, `-` only in expected.
function diff(actual, expected) {
    const a = actual.split('\n'), b = expected.split('\n');
    if (a.length * b.length > 250000) return [...a.map(line => `+ ${line}`), ...b.map(line => `- ${line}`)];
    const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            length[i][j] = sameLine(a[i], b[j]) ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    const lines = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && sameLine(a[i], b[j])) {
            lines.push(`  ${a[i].length > b[j].length ? a[i] : b[j]}`);
            i++;
            j++;
        } else if (i < a.length && (j === b.length || length[i + 1][j] >= length[i][j + 1])) {
            lines.push(`+ ${a[i++]}`);
        } else {
            lines.push(`- ${b[j++]}`);
        }
    }
    return lines;
}

// An error without its stack, which is never the same.
function withoutStack(error) {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
    Object.defineProperty(copy, 'message', { value: error.message });
    return copy;
}

function message(actual, expected, operator, given) {
    if (actual instanceof Error && expected instanceof Error) [actual, expected] = [withoutStack(actual), withoutStack(expected)];
    const object = value => value !== null && typeof value === 'object';
    const alike = (object(actual) && object(expected)) || (typeof actual === 'function' && typeof expected === 'function');
    if (operator === 'strictEqual' || operator === 'deepStrictEqual') {
        let head = given ?? heads[operator];
        if (given === undefined && operator === 'strictEqual' && alike) head = heads.strictEqualObject;
        const left = show(actual), right = show(expected);
        if (!left.includes('\n') && !right.includes('\n') && left !== right) {
            const plain = !object(actual) && !object(expected);
            if (plain && left.length + right.length <= 12 && (actual !== 0 || expected !== 0)) return `${head}\n\n${left} !== ${right}\n`;
            let mark = '';
            if (left.length + right.length > 12 && left.length + right.length < 80 && head !== heads.strictEqualObject) {
                let at = 0;
                while (left[at] === right[at]) at++;
                if (at > 2) mark = `\n  ${' '.repeat(at)}^`;
            }
            return `${head}\n+ actual - expected\n\n+ ${left}\n- ${right}${mark}`;
        }
        if (left === right) return `${given === undefined && operator === 'strictEqual' && (object(actual) || typeof actual === 'function') ? heads.notIdentical : head}\n\n${left}\n`;
        return `${head}\n+ actual - expected\n\n${diff(left, right).join('\n')}`;
    }
    if (operator === 'notStrictEqual' || operator === 'notDeepStrictEqual') {
        const head = operator === 'notStrictEqual' && (object(actual) || typeof actual === 'function') ? heads.notStrictEqualObject : heads[operator];
        const text = show(actual);
        return text.includes('\n') ? `${head}\n\n${text}\n` : `${head} ${text}`;
    }
    let left = show(actual), right = show(expected);
    if (operator === 'notDeepEqual' && left === right) {
        const text = `${heads.notDeepEqual}\n\n${left}`;
        return text.length > 1024 ? `${text.slice(0, 1021)}...` : text;
    }
    if (left.length > 512) left = `${left.slice(0, 509)}...`;
    if (right.length > 512) right = `${right.slice(0, 509)}...`;
    if (operator === 'deepEqual') return `${heads.deepEqual}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
    if (operator === 'notDeepEqual') return `${heads.notDeepEqualUnequal}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
    return `${left} ${operator} ${right}`;
}

class AssertionError extends Error {
    constructor(options) {
        require('internal/validators').object(options, 'options');
        const { message: given, actual, expected, operator, stackStartFn } = options;
        const compared = operator === 'strictEqual' || operator === 'deepStrictEqual';
        super(given === undefined || given === null ? message(actual, expected, operator)
            : compared ? message(actual, expected, operator, String(given)) : String(given));
        this.generatedMessage = given === undefined || given === null;
        Object.defineProperty(this, 'name', { value: 'AssertionError [ERR_ASSERTION]', writable: true, configurable: true });
        this.code = 'ERR_ASSERTION';
        this.actual = actual;
        this.expected = expected;
        this.operator = operator;
        if (stackStartFn) Error.captureStackTrace(this, stackStartFn);
        void this.stack; // with the code in its first line
        this.name = 'AssertionError';
    }
    toString() {
        return `${this.name} [${this.code}]: ${this.message}`;
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
        return inspect(this, { ...options, customInspect: false, depth: 0 });
    }
}

function raise(actual, expected, text, operator, start) {
    if (text instanceof Error) throw text;
    throw new AssertionError({ message: text, actual, expected, operator, stackStartFn: start });
}

// A text of several lines as it is shown: its first column is that of the call.
const indented = (text, column) => text.replaceAll(new RegExp(`\n[ \\t]{0,${column}}`, 'g'), '\n  ');

// The text of the call that the first frame of a stack is in: `assert(a === b)`.
function callText(stack) {
    const place = /^    at (?:.* \()?(.*):(\d+):(\d+)\)?$/m.exec(stack);
    const source = place && require('internal/main').sourceText(place[1]);
    if (!source) return undefined;
    const lines = source.split('\n').slice(Number(place[2]) - 1);
    if (lines.length === 0) return undefined;
    const column = Number(place[3]) - 1, before = /[\w$.]*$/.exec(lines[0].slice(0, column))[0];
    const text = lines.slice(0, 20).join('\n').slice(column - before.length);
    let depth = 0, quote = '';
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quote) {
            if (c === '\\') i++;
            else if (c === quote) quote = '';
        } else if (c === '"' || c === "'" || c === '`') quote = c;
        else if ('([{'.includes(c)) depth++;
        else if (')]}'.includes(c) && --depth === 0) return /^[\w$.]+\(/.test(text) ? indented(text.slice(0, i + 1), column - before.length) : undefined;
    }
    return undefined;
}

function ok(...args) {
    truthy(args, ok);
}
function truthy([value, text, ...rest], start, count = arguments[0].length) {
    if (value) return;
    if (text instanceof Error) throw text;
    const generated = count === 0 || text === undefined;
    const error = new AssertionError({
        stackStartFn: start, actual: value, expected: true, operator: '==',
        message: count === 0 ? 'No value argument passed to `assert.ok()`' : text ?? 'The expression evaluated to a falsy value',
    });
    error.generatedMessage = generated;
    const expression = generated && count > 0 && callText(error.stack);
    if (expression) error.message = `The expression evaluated to a falsy value:\n\n  ${expression}\n`;
    throw error;
}

function assert(...args) {
    truthy(args, assert);
}

function need(count, given) {
    if (given < count) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
}

const compare = (name, operator, test) => {
    const fn = {
        [name](actual, expected, text) {
            need(2, arguments.length);
            if (!test(actual, expected)) raise(actual, expected, text, operator, fn);
        },
    }[name];
    assert[name] = fn;
};
// eslint-disable-next-line eqeqeq
compare('equal', '==', (a, b) => a == b || (a !== a && b !== b));
// eslint-disable-next-line eqeqeq
compare('notEqual', '!=', (a, b) => !(a == b || (a !== a && b !== b)));
compare('strictEqual', 'strictEqual', Object.is);
compare('notStrictEqual', 'notStrictEqual', (a, b) => !Object.is(a, b));
compare('deepEqual', 'deepEqual', isDeepEqual);
compare('notDeepEqual', 'notDeepEqual', (a, b) => !isDeepEqual(a, b));
compare('deepStrictEqual', 'deepStrictEqual', isDeepStrictEqual);
compare('notDeepStrictEqual', 'notDeepStrictEqual', (a, b) => !isDeepStrictEqual(a, b));

assert.ok = ok;
assert.AssertionError = AssertionError;

let warned = false;
assert.fail = function fail(actual, expected, text, operator, start) {
    const few = arguments.length <= 1;
    let generated;
    if (few) {
        generated = actual === null || actual === undefined;
        text = generated ? 'Failed' : actual;
        actual = undefined;
        operator = 'fail';
    } else {
        if (!warned) process.emitWarning('assert.fail() with more than one argument is deprecated. Please use assert.strictEqual() instead or only pass a message.', 'DeprecationWarning', 'DEP0094');
        warned = true;
        if (arguments.length === 2) operator = '!=';
    }
    if (text instanceof Error) throw text;
    const error = new AssertionError({ message: text, actual, expected, operator: operator ?? 'fail', stackStartFn: start ?? fail });
    if (!few) error.operator = operator;
    if (generated) error.generatedMessage = true;
    throw error;
};

assert.match = function match(text, pattern, given) {
    pattern_(text, pattern, given, match, true);
};
assert.doesNotMatch = function doesNotMatch(text, pattern, given) {
    pattern_(text, pattern, given, doesNotMatch, false);
};
function pattern_(text, pattern, given, start, wanted) {
    if (!(pattern instanceof RegExp)) throw argType('regexp', 'RegExp', pattern);
    if (typeof text === 'string' && pattern.test(text) === wanted) return;
    const what = typeof text !== 'string' ? `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`
        : wanted ? `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
            : `The input was expected to not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
    if (given instanceof Error) throw given;
    const error = new AssertionError({ message: given ?? what, actual: text, expected: pattern, operator: start.name, stackStartFn: start });
    error.generatedMessage = given === undefined;
    throw error;
}

// ---------------------------------------------------------------- exceptions

class Comparison {
    constructor(source, keys) {
        for (const key of keys) if (key in source) this[key] = source[key];
    }
}

// Does the thrown error satisfy `expected`? Throws when it does not.
function accept(error, expected, text, start) {
    if (expected === undefined) return;
    if (typeof expected === 'function') {
        if (expected.prototype !== undefined && error instanceof expected) return;
        if (Object.prototype.isPrototypeOf.call(Error, expected)) {
            if (text !== undefined) raise(error, expected, text, start.name, start);
            const got = error?.constructor?.name ? `"${error.constructor.name}"` : `"${inspect(error, { depth: -1 })}"`;
            const detail = error?.message ? `\n\nError message:\n\n${error.message}` : '';
            raise(error, expected, `The error is expected to be an instance of "${expected.name}". Received ${got}${detail}`, start.name, start);
        }
        const result = Reflect.apply(expected, {}, [error]);
        if (result === true) return;
        raise(error, expected, text ?? `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return "true". Received ${inspect(result)}${error?.message !== undefined ? `\n\nCaught error:\n\n${error.stack ?? error}` : ''}`, start.name, start);
    }
    if (expected instanceof RegExp) {
        if (expected.test(String(error))) return;
        if (text !== undefined) raise(error, expected, text, start.name, start);
        const mismatch = new AssertionError({
            message: `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`,
            actual: error, expected, operator: start.name, stackStartFn: start,
        });
        throw Object.assign(mismatch, { generatedMessage: true });
    }
    if (error === null || typeof error !== 'object') {
        const failure = new AssertionError({ message: text, actual: error, expected, operator: 'deepStrictEqual', stackStartFn: start });
        throw Object.assign(failure, { operator: start.name });
    }
    const keys = Object.keys(expected);
    if (expected instanceof Error) keys.push('name', 'message');
    else if (keys.length === 0) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'error' may not be an empty object. Received {}");
    for (const key of keys) {
        if (typeof error[key] === 'string' && expected[key] instanceof RegExp && expected[key].test(error[key])) continue;
        if (key in error && isDeepStrictEqual(error[key], expected[key])) continue;
        const pick = source => new Comparison(source, keys);
        if (text !== undefined) raise(error, expected, text, start.name, start);
        const shown = new AssertionError({ actual: pick(error), expected: pick(expected), operator: 'deepStrictEqual', stackStartFn: start });
        Object.assign(shown, { actual: error, expected, operator: start.name });
        throw shown;
    }
}

// Who gives a text as the error that is expected meant that error, and it is the message.
function ambiguous(error, text) {
    const why = typeof error === 'object' && error !== null ? error.message === text && `error message "${text}"` : error === text && `error "${text}"`;
    if (why) throw coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', `The "error/message" argument is ambiguous. The ${why} is identical to the message.`);
}

function expectThrow(caught, expected, text, start) {
    if (typeof expected === 'string') {
        if (text !== undefined) throw argType('error', ['Object', 'Error', 'Function', 'RegExp'], expected);
        if (caught) ambiguous(caught.error, expected);
        [text, expected] = [expected, undefined];
    } else if (expected !== undefined && expected !== null && typeof expected !== 'object' && typeof expected !== 'function') {
        throw argType('error', ['Object', 'Error', 'Function', 'RegExp'], expected);
    }
    if (!caught) {
        const kind = expected?.name ? ` (${expected.name})` : '';
        raise(undefined, expected, `Missing expected ${start.name === 'rejects' ? 'rejection' : 'exception'}${kind}${text ? `: ${text instanceof Error ? text.message : text}` : '.'}`, start.name, start);
    }
    accept(caught.error, expected, text, start);
}

function expectNothing(caught, expected, text, start) {
    if (!caught) return;
    if (typeof expected === 'string') [text, expected] = [expected, undefined];
    if (expected !== undefined && !(typeof expected === 'function' && caught.error instanceof expected)) throw caught.error;
    raise(caught.error, expected, `Got unwanted ${start.name === 'doesNotReject' ? 'rejection' : 'exception'}${text ? `: ${text}` : '.'}\nActual message: "${caught.error?.message}"`, start.name, start);
}

function run(fn) {
    if (typeof fn !== 'function') throw argType('fn', 'function', fn);
    try {
        fn();
        return undefined;
    } catch (error) {
        return { error };
    }
}

async function settle(promise) {
    if (typeof promise === 'function') {
        promise = promise();
        if (typeof promise?.then !== 'function' || typeof promise.catch !== 'function') {
            const { specificType } = require('internal/errors');
            throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${specificType(promise)}.`);
        }
    }
    if (promise === null || typeof promise !== 'object' || typeof promise.then !== 'function') throw argType('promiseFn', ['function', 'Promise'], promise);
    try {
        await promise;
        return undefined;
    } catch (error) {
        return { error };
    }
}

assert.throws = function throws(fn, expected, text) {
    expectThrow(run(fn), expected, text, throws);
};
assert.doesNotThrow = function doesNotThrow(fn, expected, text) {
    expectNothing(run(fn), expected, text, doesNotThrow);
};
assert.rejects = async function rejects(promise, expected, text) {
    expectThrow(await settle(promise), expected, text, rejects);
};
assert.doesNotReject = async function doesNotReject(promise, expected, text) {
    expectNothing(await settle(promise), expected, text, doesNotReject);
};
assert.ifError = function ifError(value) {
    if (value === null || value === undefined) return;
    const shown = value?.message !== undefined && typeof value === 'object' ? (value.message || value.constructor?.name) : inspect(value);
    throw new AssertionError({ message: `ifError got unwanted exception: ${shown}`, actual: value, expected: null, operator: 'ifError', stackStartFn: ifError });
};

assert.strict = Object.assign((...args) => truthy(args, assert.strict), assert, {
    equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;
let tracker;
for (const face of [assert, assert.strict])
    Object.defineProperty(face, 'CallTracker', {
        get: () => (tracker ??= require('util').deprecate(require('internal/call_tracker').CallTracker, 'assert.CallTracker is deprecated.', 'DEP0173')),
        enumerable: true, configurable: true,
    });

module.exports = assert;
