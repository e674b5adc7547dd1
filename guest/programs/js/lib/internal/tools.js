// tools: the embedder's tools as functions.
//
// /tools/tools.json lists them: an array of {name, id, flat, flat_usable, description, parameters}, or an
// object {tools: [that array], namespaces: [first segments]} when any granted method may be called.
// It is read when a program first names something that no global has (global.c), or looks at `tools`.
'use strict';

const { check, setFrames } = require('internal/errors');

const LIST = '/tools/tools.json';

// ---------------------------------------------------------------- errors

class CapabilityError extends Error {
    constructor(message, code = 'denied') {
        super(message);
        this.code = code;
    }
}
class ToolError extends Error {
    constructor(message, code = 'failed') {
        super(message);
        this.code = code;
    }
}
for (const Class of [CapabilityError, ToolError])
    Object.defineProperty(Class.prototype, 'name', { value: Class.name, writable: true, configurable: true });

// enum pf_op_outcome of abi/types.h
const outcomes = [
    undefined, [CapabilityError, 'denied'], [CapabilityError, 'limit'], [ToolError, 'failed'], [ToolError, 'invalid'],
    [ToolError, 'timeout'], [ToolError, 'unknown'], [ToolError, 'cancelled'],
];

// ---------------------------------------------------------------- the list

let loaded; // {tools, byId, namespaces, roots}

function canonical(name) {
    return `${name}`.replace(/^mcp:/, '').replaceAll('.', '/');
}

function load() {
    if (loaded !== undefined) return loaded;
    let listed = [];
    const fd = native.fs.open(LIST, 0, 0);
    if (fd >= 0) {
        const bytes = native.fs.readAll(fd);
        native.fs.close(fd);
        if (typeof bytes !== 'number') listed = native.tool.parse(native.text.utf8Decode(bytes));
    }
    const list = Array.isArray(listed) ? listed : listed.tools ?? [];
    const namespaces = Array.isArray(listed) ? [] : listed.namespaces ?? [];
    const byId = new Map(list.map(tool => [tool.id, tool]));
    const roots = new Map(); // first segment, or whole id of one segment -> branch
    const grow = (branches, parts, tool) => {
        const [part, ...rest] = parts;
        if (!branches.has(part)) branches.set(part, { tool: undefined, children: new Map(), open: false });
        const branch = branches.get(part);
        if (rest.length) grow(branch.children, rest, tool);
        else branch.tool = tool;
        return branch;
    };
    for (const tool of list) grow(roots, tool.id.split('/'), tool);
    for (const name of namespaces) {
        if (!roots.has(name)) roots.set(name, { tool: undefined, children: new Map(), open: true });
        roots.get(name).open = true;
    }
    loaded = { list, byId, roots, anyMethod: !Array.isArray(listed) && listed.namespaces !== undefined };
    for (const tool of list) tool.dotted = tool.id.replaceAll('/', '.');
    return loaded;
}

// ---------------------------------------------------------------- calls

const kindOf = value => value === null ? 'null' : Array.isArray(value) ? 'an array'
    : typeof value === 'object' ? 'an object' : value === undefined ? 'undefined' : `a ${typeof value}`;

function usage(name, tool) {
    const { properties = {}, required = [] } = tool?.parameters ?? {};
    const names = required.length ? required : Object.keys(properties).slice(0, 1);
    return `${name}({${names.map(key => `${key}: …`).join(', ')}})`;
}

function failure(name, outcome, reply, stack) {
    if (outcome === 0) return setFrames(new ToolError(`${name}: the result is not JSON: ${reply}`, 'invalid'), stack);
    const [Class, code] = outcomes[outcome] ?? [ToolError, 'failed'];
    return setFrames(new Class(reply || `${name} failed`, code), stack);
}

// A tool, or a method that is not listed, as a function. The usual call never comes to call().
const callable = (name, tool) => native.tool.make(
    name, `{"tool":${JSON.stringify(tool?.name ?? name)},"params":`, (...args) => call(name, tool, args),
    (outcome, reply, reject, stack) => reject(failure(name, outcome, reply, stack)));

function call(name, tool, args) {
    const [params = {}, ...more] = args;
    // A second argument {signal} ends the waiting; it is not part of the call.
    const signal = more.length === 1 && Object.keys(more[0] ?? {}).join() === 'signal' && typeof more[0].signal?.aborted === 'boolean' ? more.pop().signal : undefined;
    const wrong = more.length ? `${args.length} arguments`
        : params === null || typeof params !== 'object' || Array.isArray(params) ? kindOf(params) : undefined;
    if (wrong !== undefined)
        throw new TypeError(`${name} takes one object argument, e.g. ${usage(name, tool)}; got ${wrong}`);
    let json;
    try {
        json = native.tool.stringify({ tool: tool?.name ?? name, params });
    } catch (error) {
        if (error instanceof InternalError) throw error; // memory or stack is out
        throw new TypeError(`${name}: the argument is not JSON: ${error.message}`, { cause: error });
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
        const abort = () => {
            native.tool.cancel(id);
            reject(signal.reason);
        };
        const id = native.tool.start(json, (outcome, reply, _, stack) => {
            signal?.removeEventListener('abort', abort);
            if (outcome !== 0) return reject(failure(name, outcome, reply, stack));
            try {
                resolve(native.tool.parse(reply));
            } catch (error) {
                reject(failure(name, outcome, error.message, stack));
            }
        });
        if (id > 0) signal?.addEventListener('abort', abort, { once: true });
        if (id < 0) {
            const { systemError } = require('internal/errors');
            const reason = systemError(id, 'tool');
            reject(reason.code === 'E2BIG' // larger than a message to the host can be
                ? new ToolError(`the arguments have ${require('buffer').Buffer.byteLength(json)} bytes, the limit is 2097152`, 'invalid')
                : new ToolError(`${name} could not be called: ${reason.message}`, 'failed'));
        }
    });
}

// ---------------------------------------------------------------- names

const functions = new Map(); // id -> function

function toolFunction(tool) {
    let made = functions.get(tool.id);
    if (made === undefined) {
        made = callable(tool.dotted, tool);
        functions.set(tool.id, made);
    }
    return made;
}

// Edit distance, for "did you mean".
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        row = next;
    }
    return row[b.length];
}

function nearest(name) {
    const wanted = canonical(name).toLowerCase();
    let best, score = Math.max(2, wanted.length / 3);
    for (const tool of load().list.slice(0, 1000)) {
        for (const known of [tool.id.toLowerCase(), tool.flat?.toLowerCase()]) {
            const found = known === undefined ? Infinity : distance(wanted, known);
            if (found <= score && (best === undefined || found < score)) {
                best = tool;
                score = found;
            }
        }
    }
    return best;
}

function unknown(name) {
    const near = nearest(name);
    return new ToolError(`there is no tool '${name}'${near ? `; did you mean ${near.dotted}?` : ''}`, 'unknown');
}

// A part of a dotted name: callable when a tool, or any method, may stand there.
function branchObject(path, branch, open) {
    const id = path.join('/'), dotted = path.join('.');
    const tool = branch?.tool;
    const target = tool || open ? callable(dotted, tool)
            : branch && (() => {
                throw new TypeError(`${dotted} is not a tool; it has ${[...branch.children.keys()].map(key => `${dotted}.${key}`).join(', ')}`);
            });
    Object.defineProperty(target, 'name', { value: dotted });
    if (tool && branch.children.size === 0 && !open) {
        functions.set(id, target);
        return target;
    }
    const parts = new Map();
    return new Proxy(target, {
        get(object, key) {
            if (typeof key === 'symbol' || (key in object && !branch?.children.has(key) && !(open && key !== 'call' && key !== 'apply' && key !== 'bind' && key !== 'toString' && key !== 'name' && key !== 'length' && key !== 'constructor' && key !== 'prototype' && key !== 'hasOwnProperty' && key !== 'valueOf')))
                return object[key];
            if (key === 'then' && !branch?.children.has('then')) return undefined; // not a promise
            if (!parts.has(key)) {
                const child = branch?.children.get(key);
                const free = open || child?.open;
                if (!child && !free) {
                    const near = nearest(`${dotted}.${key}`);
                    if (near === undefined) return undefined;
                    parts.set(key, () => Promise.reject(unknown(`${dotted}.${key}`)));
                } else {
                    parts.set(key, branchObject([...path, key], child, free));
                }
            }
            return parts.get(key);
        },
        has: (object, key) => branch?.children.has(key) || key in object,
        ownKeys: object => [...new Set([...Reflect.ownKeys(object), ...(branch?.children.keys() ?? [])])],
        getOwnPropertyDescriptor(object, key) {
            if (branch?.children.has(key))
                return { value: this.get(object, key), enumerable: true, configurable: true };
            return Reflect.getOwnPropertyDescriptor(object, key);
        },
    });
}

const globals = new Map(); // names that lookup() has answered

// What a global name stands for, if a tool or the beginning of one; undefined otherwise.
function lookup(name) {
    if (globals.has(name)) return globals.get(name);
    const { roots, list } = load();
    // A name that is also a command's, or two tools', is no global: tools["id"] has it.
    const grown = roots.get(name);
    const branch = grown?.tool?.flat_usable === false && grown.children.size === 0 && !grown.open ? undefined : grown;
    const flat = branch === undefined ? list.find(tool => tool.flat === name && tool.flat_usable !== false) : undefined;
    const found = branch !== undefined ? branchObject([name], branch, branch.open) : flat && toolFunction(flat);
    globals.set(name, found);
    return found;
}

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// tools["stripe/charges/create"](…), tools.stripe.charges.create(…), tools.flat_name(…)
const tools = new Proxy({}, {
    get(object, key) {
        if (key === inspectCustom) return () => Object.fromEntries(load().list.map(tool => [tool.id, toolFunction(tool)]));
        if (typeof key === 'symbol' || key === 'then') return object[key];
        const { byId, list, roots, anyMethod } = load();
        const id = canonical(key);
        const tool = byId.get(id) ?? list.find(item => item.flat === key);
        if (roots.has(key)) return branchObject([key], roots.get(key), roots.get(key).open || anyMethod);
        if (tool) return toolFunction(tool);
        if (anyMethod) return branchObject(id.split('/'), undefined, true);
        if (key in object) return object[key];
        return (...args) => Promise.reject(unknown(key));
    },
    has: (object, key) => typeof key === 'string' && (load().byId.has(canonical(key)) || load().roots.has(key)),
    ownKeys: () => [...load().byId.keys()],
    getOwnPropertyDescriptor(object, key) {
        if (typeof key !== 'string' || !load().byId.has(canonical(key))) return undefined;
        return { value: this.get(object, key), enumerable: true, configurable: true };
    },
});

// ---------------------------------------------------------------- introspection

const describe = ({ name, id, flat, description, parameters }) => ({ name, id, flat, description, parameters });

const listTools = () => load().list.map(describe);

function getToolInfo(name) {
    check.string(name, 'name');
    const { byId, list } = load();
    const tool = byId.get(canonical(name)) ?? list.find(item => item.flat === name);
    if (tool === undefined) throw unknown(name);
    return describe(tool);
}

// For what is built on one tool: the tool of an id, and a call of it.
const byId = id => load().byId.get(id);

module.exports = { CapabilityError, ToolError, tools, listTools, getToolInfo, lookup, byId, callTool: call };
