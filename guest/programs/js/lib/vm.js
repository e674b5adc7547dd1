// vm: scripts in this context and in others. A contextified object and the global object of its
// context are kept equal by copying: before a script runs, and after it.
'use strict';

const { coded, check, describeReceived } = require('internal/errors');
const { vm } = native;

const contexts = new WeakMap(); // contextified object -> {context, global, builtins}
const TIMED_OUT = 'interrupted';

const nameOf = options => (typeof options === 'string' ? options : options?.filename) ?? 'evalmachine.<anonymous>';

function createContext(object = {}, options = undefined) {
    check.object(object, 'contextObject');
    if (contexts.has(object)) return object;
    const context = vm.create(), global = vm.global(context);
    Object.defineProperty(global, 'console', { value: console, writable: true, configurable: true });
    contexts.set(object, { context, global, builtins: new Set(Reflect.ownKeys(global)) });
    return object;
}

function contextOf(object) {
    const found = object !== null && typeof object === 'object' ? contexts.get(object) : undefined;
    if (found === undefined) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "contextifiedObject" argument must be an vm.Context.${describeReceived(object)}`);
    return found;
}

function enter(object, { global }) {
    for (const key of Reflect.ownKeys(object)) {
        const property = Object.getOwnPropertyDescriptor(object, key);
        if (Object.getOwnPropertyDescriptor(global, key)?.configurable === false) { // made by `var`
            global[key] = object[key];
            continue;
        }
        const value = property.get ? { ...property, configurable: true } : { value: object[key], writable: true, enumerable: property.enumerable, configurable: true };
        Object.defineProperty(global, key, value);
    }
}

function leave(object, { global, builtins }) {
    for (const key of Reflect.ownKeys(global)) {
        if (builtins.has(key) && !Object.hasOwn(object, key)) continue;
        const property = Object.getOwnPropertyDescriptor(global, key);
        if (property.get || Object.is(object[key], property.value)) continue;
        object[key] = property.value;
    }
    for (const key of Reflect.ownKeys(object)) if (!Object.hasOwn(global, key)) delete object[key];
}

// Errors of a time limit are Node's.
function evaluate(context, code, options) {
    const timeout = options?.timeout;
    if (timeout !== undefined) check.integer(timeout, 'options.timeout', 1);
    try {
        return vm.run(context, `${code}`, nameOf(options), timeout ?? 0);
    } catch (error) {
        if (timeout !== undefined && error?.name === 'InternalError' && error.message === TIMED_OUT)
            throw coded(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
        throw error;
    }
}

function runInContext(code, object, options) {
    const found = contextOf(object);
    enter(object, found);
    try {
        return evaluate(found.context, code, options);
    } finally {
        leave(object, found);
    }
}

function runInThisContext(code, options) {
    check.string(code, 'code');
    return evaluate(undefined, code, options);
}

const runInNewContext = (code, object = {}, options = undefined) => runInContext(code, createContext(object), options);

class Script {
    #code;
    #options;
    constructor(code, options) {
        this.#code = `${code}`;
        this.#options = typeof options === 'string' ? { filename: options } : { ...options };
        // A syntax error shows here, not when the script runs.
        native.program.check(this.#code, nameOf(this.#options));
    }
    runInThisContext(options) {
        return runInThisContext(this.#code, { ...this.#options, ...options });
    }
    runInContext(object, options) {
        return runInContext(this.#code, object, { ...this.#options, ...options });
    }
    runInNewContext(object, options) {
        return runInNewContext(this.#code, object, { ...this.#options, ...options });
    }
    createCachedData() {
        return Buffer.alloc(0);
    }
}

module.exports = {
    Script, createContext, runInContext, runInNewContext, runInThisContext,
    createScript: (code, options) => new Script(code, options),
    isContext(object) {
        check.object(object, 'object');
        return contexts.has(object);
    },
    compileFunction: (code, params = [], options = undefined) => new Function(...params, code),
    measureMemory: () => Promise.reject(coded(Error, 'ERR_CONTEXT_NOT_INITIALIZED', 'vm.measureMemory is not available in a sandbox')),
};
