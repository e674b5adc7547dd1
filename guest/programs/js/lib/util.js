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
    function fn(...args) {
        return new Promise((resolve, reject) => {
            original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
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
    Object.defineProperty(callbackified, 'name', { value: `${original.name}Callbackified` });
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
    let before = '', after = '';
    for (const name of Array.isArray(style) ? style : [style]) {
        const color = colors[name];
        if (color === undefined) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'format' must be one of: ${Object.keys(colors).map(key => `'${key}'`).join(', ')}. Received ${inspect(name)}`);
        before += `\u001b[${color[0]}m`;
        after = `\u001b[${color[1]}m${after}`;
    }
    return validateStream && !stream.isTTY ? text : before + text + after;
}

async function aborted(signal, resource) {
    if (signal === undefined) throw argType('signal', 'AbortSignal', signal);
    require('internal/validators').abortSignal(signal, 'signal');
    require('internal/validators').object(resource, 'resource', { allowFunction: true });
    if (signal.aborted) return Promise.resolve();
    return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

// ---------------------------------------------------------------- parseArgs

function parseArgs(config = {}) {
    const { args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict, tokens: wantTokens = false, allowNegative = false } = config;
    const values = { __proto__: null }, positionals = [], tokens = [];
    const byShort = letter => Object.keys(options).find(name => options[name].short === letter) ?? letter;
    const fail = (code, message) => {
        throw coded(TypeError, code, message);
    };
    for (const [name, { type }] of Object.entries(options))
        if (type !== 'string' && type !== 'boolean') fail('ERR_INVALID_ARG_TYPE', `The "options.${name}.type" property must be ('string|boolean').${describeReceived(type)}`);
    const store = (name, value, raw, next) => {
        const option = options[name];
        const shown = option?.short ? `-${option.short}, --${name}` : `--${name}`;
        if (strict) {
            if (option === undefined) fail('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${raw}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(raw).slice(1, -1)}` : ''}`);
            if (option.type === 'string' && value === undefined && next?.startsWith('-') && next.length > 1)
                fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${raw}' argument is ambiguous.\nDid you forget to specify the option argument for '${raw}'?\nTo specify an option argument starting with a dash use '${raw.startsWith('--') ? `${raw}=-XYZ` : `--${name}=-XYZ' or '${raw}-XYZ`}'.`);
            if (option.type === 'string' && typeof value !== 'string') fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
            if (option.type === 'boolean' && typeof value === 'string') fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
        }
        const found = value ?? true;
        if (option?.multiple) (values[name] ??= []).push(found);
        else values[name] = found;
    };
    for (let i = 0; i < args.length; i++) {
        const arg = args[i];
        if (arg === '--') {
            tokens.push({ kind: 'option-terminator', index: i });
            positionals.push(...args.slice(i + 1));
            args.slice(i + 1).forEach((value, j) => tokens.push({ kind: 'positional', index: i + 1 + j, value }));
            if (strict && !allowPositionals && i + 1 < args.length) fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${args[i + 1]}'. This command does not take positional arguments`);
            break;
        }
        const long = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
        if (long) {
            let [, name, value] = long;
            const inline = value !== undefined;
            if (allowNegative && name.startsWith('no-') && options[name] === undefined) {
                values[name.slice(3)] = false;
                tokens.push({ kind: 'option', name: name.slice(3), rawName: arg, index: i, value: undefined, inlineValue: undefined });
                continue;
            }
            const index = i;
            if (!inline && options[name]?.type === 'string' && i + 1 < args.length && !(args[i + 1].startsWith('-') && args[i + 1].length > 1)) value = args[++i];
            tokens.push({ kind: 'option', name, rawName: `--${name}`, index, value, inlineValue: value === undefined ? undefined : inline });
            store(name, value, `--${name}`, args[i + 1]);
        } else if (arg.startsWith('-') && arg.length > 1) {
            for (let j = 1; j < arg.length; j++) {
                const name = byShort(arg[j]);
                let value, inline;
                const index = i;
                if (options[name]?.type === 'string') {
                    if (j + 1 < arg.length) {
                        value = arg.slice(j + 1);
                        inline = true;
                    } else if (i + 1 < args.length && !(args[i + 1].startsWith('-') && args[i + 1].length > 1)) {
                        value = args[++i];
                        inline = false;
                    }
                    j = arg.length;
                }
                tokens.push({ kind: 'option', name, rawName: `-${arg[index === i ? 1 : 1]}`, index, value, inlineValue: inline });
                store(name, value, `-${options[name]?.short ?? name}`, args[i + 1]);
            }
        } else {
            if (strict && !allowPositionals) fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${arg}'. This command does not take positional arguments`);
            tokens.push({ kind: 'positional', index: i, value: arg });
            positionals.push(arg);
        }
    }
    for (const [name, option] of Object.entries(options))
        if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
    return wantTokens ? { values, positionals, tokens } : { values, positionals };
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
    aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, inherits, inspect, parseArgs,
    promisify, stripVTControlCharacters, styleText,
    getSystemErrorName(number) {
        checkErrno(number);
        return names[-number] ?? `Unknown system error ${number}`;
    },
    getSystemErrorMap: () => new Map(Object.entries(names).map(([number, name]) => [-Number(number), [name, require('internal/errors').texts[name]]])),
    isArray: Array.isArray,
    isDeepStrictEqual: (a, b) => require('internal/comparisons').isDeepStrictEqual(a, b),
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
