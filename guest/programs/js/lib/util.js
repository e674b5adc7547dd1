// util: Node's helpers.
'use strict';

const { inspect, format, formatWithOptions: formatWith, colors } = require('internal/inspect');
const { check, argType, coded, outOfRange, describeReceived, AbortError, names } = require('internal/errors');

const promisifyCustom = Symbol.for('nodejs.util.promisify.custom');

function promisify(original) {
    check.function(original, 'original');
    if (original[promisifyCustom]) {
        const fn = original[promisifyCustom];
        check.function(fn, 'util.promisify.custom');
        return Object.defineProperty(fn, promisifyCustom, { value: fn, configurable: true });
    }
    const names = original[Symbol.for('nodejs.util.promisify.args')];
    function fn(...args) {
        return new Promise((resolve, reject) => {
            original.call(this, ...args, (error, ...values) => {
                if (error) reject(error);
                else if (names && values.length > 1) resolve(Object.fromEntries(names.map((name, i) => [name, values[i]])));
                else resolve(values[0]);
            });
        });
    }
    Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
    Object.defineProperty(fn, promisifyCustom, { value: fn, configurable: true });
    return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = promisifyCustom;

function callbackify(original) {
    check.function(original, 'original');
    function callbackified(...args) {
        const callback = args.pop();
        check.function(callback, 'last argument');
        original.apply(this, args).then(
            value => process.nextTick(callback, null, value),
            error => {
                if (!error) {
                    const wrapped = coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
                    wrapped.reason = error;
                    error = wrapped;
                }
                process.nextTick(callback, error);
            });
    }
    Object.defineProperty(callbackified, 'name', { value: `${original.name}Callbackified`, configurable: true });
    Object.defineProperty(callbackified, 'length', { value: original.length + 1, configurable: true });
    return callbackified;
}

function inherits(constructor, parent) {
    if (constructor === undefined || constructor === null) throw argType('ctor', 'Function', constructor);
    if (parent === undefined || parent === null) throw argType('superCtor', 'Function', parent);
    if (parent.prototype === undefined) throw argType('superCtor.prototype', 'Object', parent.prototype);
    Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

const warned = new Set();
function deprecate(fn, message, code) {
    if (code !== undefined) check.string(code, 'code');
    let done = false;
    function deprecated(...args) {
        if (!done) {
            done = true;
            if (code === undefined || !warned.has(code)) {
                if (code !== undefined) warned.add(code);
                process.emitWarning(message, 'DeprecationWarning', code);
            }
        }
        return new.target ? Reflect.construct(fn, args, new.target) : fn.apply(this, args);
    }
    Object.setPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
    return deprecated;
}

function debuglog(section) {
    let enabled, title = section;
    const start = () => {
        title = `${section}`.toUpperCase();
        enabled = new RegExp(`^(?:${(process.env.NODE_DEBUG ?? '').replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*').replaceAll(',', '|')})$`, 'i').test(title);
        return enabled;
    };
    const log = (...args) => {
        if (enabled ?? start()) native.process.write(2, `${title} ${process.pid}: ${format(...args)}\n`);
    };
    return Object.defineProperty(log, 'enabled', { get: () => enabled ?? start(), configurable: true, enumerable: true });
}

const stripVTControlCharacters = text => {
    check.string(text, 'str');
    return text.replace(/[\u001b\u009b][[\]()#;?]*(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?\u0007|(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g, '');
};

function styleText(style, text, { validateStream = true, stream = process.stdout } = {}) {
    check.string(text, 'text');
    check.boolean(validateStream, 'options.validateStream');
    let before = '', after = '';
    if (validateStream && (stream === null || typeof stream !== 'object' || !(typeof stream.pipe === 'function' || typeof stream.getWriter === 'function' || typeof stream.getReader === 'function' || typeof stream.write === 'function')))
        throw argType('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
    for (const name of Array.isArray(style) ? style : [style]) {
        const color = colors[name];
        if (color === undefined) require('internal/validators').oneOf(name, 'format', Object.keys(colors));
        before += `\u001b[${color[0]}m`;
        after = `\u001b[${color[1]}m${after}`;
    }
    // A single style needs a terminal, a list does not: so Node has it.
    return Array.isArray(style) || !validateStream || takesColor(stream) ? before + text + after : text;
}

function takesColor(stream) {
    const { FORCE_COLOR: forced, NO_COLOR: none, NODE_DISABLE_COLORS: disabled } = process.env;
    if (forced !== undefined) return forced !== '0' && forced !== 'false';
    return Boolean(stream?.isTTY) && none === undefined && disabled === undefined;
}

async function aborted(signal, resource) {
    if (signal === undefined) throw argType('signal', 'AbortSignal', signal);
    require('internal/validators').abortSignal(signal, 'signal');
    require('internal/validators').object(resource, 'resource', { allowFunction: true });
    if (signal.aborted) return Promise.resolve();
    return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function formatWithOptions(options, ...args) {
    if (options === null || typeof options !== 'object') throw argType('inspectOptions', 'object', options);
    return formatWith(options, ...args);
}

function checkErrno(number) {
    check.number(number, 'err');
    if (number >= 0 || !Number.isSafeInteger(number)) throw outOfRange('err', 'a negative integer', number);
}

const util = {
    aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, inherits, inspect,
    promisify, stripVTControlCharacters, styleText,
    getSystemErrorName(number) {
        checkErrno(number);
        return names[-number] ?? require('internal/errno').all().get(number)?.[0] ?? `Unknown system error ${number}`;
    },
    getSystemErrorMap: () => require('internal/errno').all(),
    isArray: Array.isArray,
    isDeepStrictEqual: (a, b) => require('internal/comparisons').isDeepStrictEqual(a, b),
    parseArgs: (...args) => require('internal/parse_args').parseArgs(...args),
    parseEnv(content) {
        check.string(content, 'content');
        return require('internal/dotenv').parse(content);
    },
    toUSVString: text => `${text}`.toWellFormed(),
    transferableAbortSignal(signal) {
        if (!(signal instanceof AbortSignal)) throw argType('signal', 'AbortSignal', signal);
        return signal;
    },
    transferableAbortController: () => new AbortController(),
    types: require('internal/types'),
    get TextDecoder() {
        return globalThis.TextDecoder;
    },
    get TextEncoder() {
        return globalThis.TextEncoder;
    },
    log(...args) {
        const now = new Date(), two = number => `${number}`.padStart(2, '0');
        const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][now.getMonth()];
        console.log('%s - %s', `${now.getDate()} ${month} ${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':')}`, format(...args));
    },
    _extend(target, source) {
        if (source === null || typeof source !== 'object') return target;
        for (const key of Object.keys(source).reverse()) target[key] = source[key];
        return target;
    },
    _errnoException(errno, syscall) {
        checkErrno(errno);
        return require('internal/errors').systemError(errno, syscall);
    },
};
for (const name of ['MIMEType', 'MIMEParams'])
    Object.defineProperty(util, name, { get: () => require('internal/mime')[name], enumerable: true, configurable: true });
Object.defineProperty(util, 'AbortError', { value: AbortError, enumerable: false });
Object.defineProperty(util, 'argType', { value: argType, enumerable: false });
for (const [name, test] of Object.entries({
    isBoolean: value => typeof value === 'boolean', isBuffer: value => Buffer.isBuffer(value), isNull: value => value === null,
    isNullOrUndefined: value => value == null, isNumber: value => typeof value === 'number', isString: value => typeof value === 'string',
    isSymbol: value => typeof value === 'symbol', isUndefined: value => value === undefined, isRegExp: value => util.types.isRegExp(value),
    isObject: value => value !== null && typeof value === 'object', isDate: value => util.types.isDate(value),
    isError: value => Error.isError(value) || value instanceof Error, isFunction: value => typeof value === 'function',
    isPrimitive: value => value === null || (typeof value !== 'object' && typeof value !== 'function'),
})) util[name] = test;

module.exports = util;
