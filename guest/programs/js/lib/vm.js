// vm: scripts in this context and in others. The global object of another context is a Proxy: what it has
// is what the contextified object has, and below that the builtins of its context.
'use strict';

const { argType, coded, describeReceived } = require('internal/errors');
const validate = require('internal/validators');
const { vm } = native;

const contexts = new WeakMap(); // contextified object -> its context
const TIMED_OUT = 'interrupted';

const nameOf = options => (typeof options === 'string' ? options : options?.filename) ?? 'evalmachine.<anonymous>';

// A variable of a script (what is writable and enumerable, and not to be deleted) can be deleted in the object.
const relaxed = property => (property.writable && property.enumerable ? { ...property, configurable: true } : property);

const handler = object => ({
    get(global, key) {
        return key in object ? object[key] : global[key];
    },
    has: (global, key) => key in object || key in global,
    set(global, key, value) {
        const kept = Object.getOwnPropertyDescriptor(global, key), own = Object.getOwnPropertyDescriptor(object, key);
        if (kept && !kept.writable && !kept.set && !own) return false;
        if (own && !own.writable && !own.set) return false;
        if (kept && kept.writable) global[key] = value;
        if (!own && !Object.isExtensible(object)) return Reflect.set(global, key, value);
        return Reflect.set(object, key, value);
    },
    defineProperty(global, key, property) {
        if (!Reflect.defineProperty(object, key, relaxed(property)) && Object.isExtensible(object)) return false;
        // A Proxy may only call final what is so in its target.
        return !property.configurable || Object.hasOwn(global, key) ? Reflect.defineProperty(global, key, property) : true;
    },
    deleteProperty(global, key) {
        if (Object.hasOwn(object, key) && !Reflect.deleteProperty(object, key)) return false;
        return Object.getOwnPropertyDescriptor(global, key)?.configurable === false ? false : Reflect.deleteProperty(global, key);
    },
    ownKeys: global => [...new Set([...Reflect.ownKeys(object).filter(key => typeof key === 'string'), ...Reflect.ownKeys(global).filter(key => typeof key === 'string')])],
    getOwnPropertyDescriptor(global, key) {
        const own = Object.getOwnPropertyDescriptor(object, key), kept = Object.getOwnPropertyDescriptor(global, key);
        if (!own || (kept && !kept.configurable && !kept.writable)) return kept;
        return { ...own, configurable: kept?.configurable ?? true };
    },
});

let made = 0;
function checkContextOptions(options) {
    validate.object(options, 'options');
    const { name = `VM Context ${++made}`, origin, codeGeneration, microtaskMode } = options;
    validate.string(name, 'options.name');
    if (origin !== undefined) validate.string(origin, 'options.origin');
    if (codeGeneration !== undefined) {
        validate.object(codeGeneration, 'options.codeGeneration');
        const { strings = true, wasm = true } = codeGeneration;
        validate.boolean(strings, 'options.codeGeneration.strings');
        validate.boolean(wasm, 'options.codeGeneration.wasm');
    }
    validate.oneOf(microtaskMode, 'options.microtaskMode', ['afterEvaluate', undefined]);
}

const DONT_CONTEXTIFY = Symbol('vm_context_no_contextify');
const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');

function createContext(object = {}, options = {}) {
    const plain = object === DONT_CONTEXTIFY;
    if (plain) object = {};
    if (!isObject(object)) throw argType('object', 'object', object);
    if (contexts.has(object)) return object;
    checkContextOptions(options);
    const context = vm.create(), global = vm.global(context);
    Object.defineProperty(global, 'console', { value: console, writable: true, configurable: true });
    Object.defineProperty(global, 'Intl', { get: () => Intl, configurable: true });
    Object.defineProperty(global, Symbol.for('nodejs.util.inspect.custom'), { value: () => object, configurable: true });
    const proxy = new Proxy(global, handler(object));
    Object.defineProperty(global, 'globalThis', { value: proxy, writable: true, configurable: true });
    vm.enclose(context, proxy);
    contexts.set(object, context);
    if (!plain) return object;
    contexts.set(proxy, context);
    return proxy;
}

function contextOf(object) {
    if (!isObject(object)) throw argType('object', 'Object', object);
    const found = contexts.get(object);
    if (found === undefined) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "contextifiedObject" argument must be an vm.Context.${describeReceived(object)}`);
    return found;
}

function checkRun(options, isText = true) {
    if (isText && typeof options === 'string') return { filename: options };
    if (options === undefined) return {};
    if (isText) options = { ...options };
    else validate.object(options, 'options');
    const { filename, timeout, breakOnSigint = false, displayErrors = true } = options;
    if (filename !== undefined) validate.string(filename, 'options.filename');
    if (timeout !== undefined) validate.uint32(timeout, 'options.timeout', true);
    validate.boolean(breakOnSigint, 'options.breakOnSigint');
    validate.boolean(displayErrors, 'options.displayErrors');
    return options;
}

// Errors of a time limit are Node's.
function evaluate(context, code, options) {
    const { timeout } = options;
    try {
        return vm.run(context, `${code}`, nameOf(options), timeout ?? 0);
    } catch (error) {
        if (timeout !== undefined && error?.name === 'InternalError' && error.message === TIMED_OUT)
            throw coded(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
        throw error;
    }
}

class Script {
    #code;
    #options;
    constructor(code, options = {}) {
        code = `${code}`;
        if (typeof options === 'string') options = { filename: options };
        else validate.object(options, 'options');
        const { filename = 'evalmachine.<anonymous>', lineOffset = 0, columnOffset = 0, cachedData, produceCachedData = false, importModuleDynamically } = options;
        validate.string(filename, 'options.filename');
        validate.int32(lineOffset, 'options.lineOffset');
        validate.int32(columnOffset, 'options.columnOffset');
        if (cachedData !== undefined) validate.buffer(cachedData, 'options.cachedData');
        validate.boolean(produceCachedData, 'options.produceCachedData');
        if (importModuleDynamically !== undefined && typeof importModuleDynamically !== 'symbol') validate.function(importModuleDynamically, 'options.importModuleDynamically');
        // A syntax error shows here, not when the script runs.
        native.program.check(code, filename);
        this.#code = code;
        this.#options = { filename };
        if (cachedData !== undefined) this.cachedDataRejected = false;
        this.sourceMapURL = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(code)?.[1];
    }
    runInThisContext(options) {
        return evaluate(undefined, this.#code, { ...checkRun(options, false), ...this.#options });
    }
    runInContext(object, options) {
        const context = contextOf(object);
        return evaluate(context, this.#code, { ...checkRun(options, false), ...this.#options });
    }
    runInNewContext(object, options) {
        return this.runInContext(createContext(object, newContext(options)), options);
    }
    createCachedData() {
        return Buffer.alloc(0);
    }
}

// The options of a context among those of a run.
function newContext(options) {
    if (options === undefined || options === null || typeof options !== 'object') return {};
    const { contextName: name, contextOrigin: origin, contextCodeGeneration: codeGeneration, microtaskMode } = options;
    if (name !== undefined) validate.string(name, 'options.contextName');
    if (origin !== undefined) validate.string(origin, 'options.contextOrigin');
    if (codeGeneration !== undefined) validate.object(codeGeneration, 'options.contextCodeGeneration');
    return { ...name === undefined ? {} : { name }, origin, codeGeneration, microtaskMode };
}

function runInContext(code, object, options) {
    const context = contextOf(object);
    return evaluate(context, code, checkRun(options));
}
const runInNewContext = (code, object, options) => {
    const about = newContext(options);
    return runInContext(code, createContext(object, about), options);
};
const runInThisContext = (code, options) => evaluate(undefined, code, checkRun(options));

// The text is the body of a function, and nothing more.
function checkBody(params, code) {
    try {
        new Function(...params, code);
    } catch (error) {
        if (error.message === "Unexpected token '}'") error.message = 'Unexpected end of input';
        throw error;
    }
}

function compileFunction(code, params, options = {}) {
    validate.string(code, 'code');
    if (params !== undefined) {
        validate.array(params, 'params');
        params.forEach((name, i) => validate.string(name, `params[${i}]`));
    }
    validate.object(options, 'options');
    const { filename = '', columnOffset = 0, lineOffset = 0, cachedData, produceCachedData = false, parsingContext, contextExtensions = [] } = options;
    validate.string(filename, 'options.filename');
    validate.int32(columnOffset, 'options.columnOffset');
    validate.int32(lineOffset, 'options.lineOffset');
    if (cachedData !== undefined) validate.buffer(cachedData, 'options.cachedData');
    validate.boolean(produceCachedData, 'options.produceCachedData');
    if (parsingContext !== undefined && (!isObject(parsingContext) || !contexts.has(parsingContext))) throw argType('options.parsingContext', 'Context', parsingContext);
    validate.array(contextExtensions, 'options.contextExtensions');
    contextExtensions.forEach((object, i) => validate.object(object, `options.contextExtensions[${i}]`));
    checkBody(params ?? [], code);
    const names = contextExtensions.map((_, i) => `$extension${i}`);
    const text = `(function (${names}) { ${names.map(name => `with (${name}) `).join('')}{ return (function (${(params ?? []).join(',')}) {${code}\n}); } })`;
    return evaluate(parsingContext === undefined ? undefined : contexts.get(parsingContext), text, { filename: filename || undefined })(...contextExtensions);
}

module.exports = {
    Script, createContext,
    createScript: (code, options) => new Script(code, options),
    runInContext, runInNewContext, runInThisContext,
    isContext(object) {
        if (!isObject(object)) throw argType('object', 'Object', object);
        return contexts.has(object);
    },
    compileFunction,
    measureMemory: () => Promise.reject(coded(Error, 'ERR_CONTEXT_NOT_INITIALIZED', 'vm.measureMemory is not available in a sandbox')),
    constants: Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'), DONT_CONTEXTIFY }),
};
