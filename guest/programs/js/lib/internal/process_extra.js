// process_extra: what few programs ask of `process`: users and groups, the environment's flags, bindings,
// the object of the environment itself. Loaded when it is first asked for.
'use strict';

const { argType, check, coded, systemError, texts } = require('internal/errors');
const validate = require('internal/validators');

// ---------------------------------------------------------------- users and groups

// The number of a user or group, from its name or number; undefined when there is none of that name.
function identity(value, name, file) {
    if (typeof value === 'number') {
        validate.uint32(value, name);
        return value;
    }
    if (typeof value !== 'string') throw argType(name, ['number', 'string'], value);
    let text = '';
    try {
        text = require('fs').readFileSync(file, 'utf8');
    } catch { /* no such file: nobody has a name */ }
    const line = text.split('\n').find(entry => entry.startsWith(`${value}:`));
    return line === undefined ? undefined : Number(line.split(':')[2]);
}

function known(value, name, file, kind) {
    const found = identity(value, name, file);
    if (found === undefined) throw coded(Error, 'ERR_UNKNOWN_CREDENTIAL', `${kind} identifier does not exist: ${value}`);
    return found;
}

const refused = syscall => Object.assign(systemError(-1, syscall), { message: `EPERM, ${texts.EPERM}, ${syscall}` });

// setuid() and its kin: a process of a sandbox has one user and one group, and may become what it is.
function setter(name, file, kind, own) {
    return function (id) {
        if (known(id, 'id', file, kind) !== native.process[own]()) throw refused(name);
    };
}

function setgroups(groups) {
    validate.array(groups, 'groups');
    const ids = groups.map((group, i) => {
        if (typeof group === 'number') validate.uint32(group, `groups[${i}]`);
        else if (typeof group !== 'string') throw groupType(i, group);
        return known(group, `groups[${i}]`, '/etc/group', 'Group');
    });
    if (ids.some(id => id !== native.process.gid())) throw refused('setgroups');
}
const groupType = (i, value) => argType(`groups[${i}]`, ['number', 'string'], value);

function initgroups(user, extraGroup) {
    for (const [name, value] of [['user', user], ['extraGroup', extraGroup]])
        if (typeof value !== 'string' && typeof value !== 'number') throw argType(name, ['number', 'string'], value);
    known(extraGroup, 'extraGroup', '/etc/group', 'Group');
    known(user, 'user', '/etc/passwd', 'User');
    throw refused('initgroups');
}

const users = {
    initgroups, setgroups,
    setegid: setter('setegid', '/etc/group', 'Group', 'gid'), seteuid: setter('seteuid', '/etc/passwd', 'User', 'uid'),
    setgid: setter('setgid', '/etc/group', 'Group', 'gid'), setuid: setter('setuid', '/etc/passwd', 'User', 'uid'),
};

// ---------------------------------------------------------------- the environment

const isName = name => name !== '' && !name.includes('=');

// The environment as an object: names and values are strings, children inherit changes.
function environment(entries) {
    const target = {};
    const put = (name, value) =>
        Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    for (const entry of entries) {
        const at = entry.indexOf('=', 1);
        if (at > 0) put(entry.slice(0, at), entry.slice(at + 1));
    }
    function set(name, value) {
        if (typeof name === 'symbol' || typeof value === 'symbol')
            throw new TypeError('Cannot convert a Symbol value to a string');
        if (process.pendingDeprecation && !['string', 'number', 'boolean'].includes(typeof value)) {
            process.emitWarning('Assigning any value other than a string, number, or boolean to a process.env property is deprecated. Please make sure to convert the value to a string before setting process.env with it.', 'DeprecationWarning', 'DEP0104');
        }
        value = `${value}`;
        if (!isName(name)) return true;
        put(name, value);
        native.process.setenv(name, value);
        return true;
    }
    return new Proxy(target, {
        set: (object, name, value) => set(name, value),
        defineProperty(object, name, descriptor) {
            if ('get' in descriptor || 'set' in descriptor)
                throw coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', "'process.env' does not accept an accessor(getter/setter) descriptor");
            if (!descriptor.configurable || !descriptor.writable || !descriptor.enumerable)
                throw coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', "'process.env' only accepts a configurable, writable, and enumerable data descriptor");
            return set(name, descriptor.value);
        },
        deleteProperty(object, name) {
            if (typeof name === 'string') native.process.setenv(name, undefined);
            return delete object[name];
        },
    });
}

function loadEnvFile(path = '.env') {
    const file = require('fs')._toPath(path, 'path');
    const text = require('fs').readFileSync(file, 'utf8');
    for (const [name, value] of Object.entries(require('internal/dotenv').parse(text))) process.env[name] ??= value;
}

// ---------------------------------------------------------------- flags

// Options that NODE_OPTIONS may have: what main.js knows, by Node's rules of how they can be written.
class NodeEnvironmentFlagsSet extends Set {
    add() {
        return this;
    }
    delete() {
        return false;
    }
    clear() {}
    has(key) {
        if (typeof key !== 'string') return false;
        const name = key.replace(/_/g, '-').replace(/=.*$/s, '');
        if (super.has(name)) return true;
        return /^[^-]/.test(name) && (super.has(`--${name}`) || super.has(`-${name}`));
    }
}

function environmentFlags() {
    const set = new NodeEnvironmentFlagsSet();
    const flags = require('internal/options').environmentFlags();
    for (const name of flags) Set.prototype.add.call(set, name);
    Object.setPrototypeOf(set, NodeEnvironmentFlagsSet.prototype);
    return Object.freeze(set);
}

// ---------------------------------------------------------------- what Node kept from its early days

const noModule = name => Object.assign(new Error(`No such module: ${name}`), { code: 'ERR_INVALID_MODULE' });

// The few bindings that hold what is public anyway; there is nothing internal to reach.
function binding(name) {
    name = `${name}`;
    if (name === 'constants') {
        const { constants: { errno, signals, priority, dlopen } } = require('os');
        return { os: { errno, signals, priority, dlopen }, fs: require('fs').constants, crypto: require('crypto').constants, zlib: require('zlib').constants };
    }
    if (name === 'natives') return Object.fromEntries([...require('internal/modules').builtins].map(id => [id, '']));
    if (name === 'util') {
        const { types } = require('util');
        return Object.fromEntries(Object.entries(types).filter(([key]) => /^is(?:External|Date|NativeError|RegExp|AsyncFunction|Promise|(?:Map|Set)(?:Iterator)?|ArrayBuffer|DataView|TypedArray|Uint8Array|AnyArrayBuffer)$/.test(key)));
    }
    throw noModule(name);
}

function dlopen(...args) {
    if (args.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'process.dlopen needs at least 2 arguments');
    check.string(args[1], 'filename');
    throw coded(Error, 'ERR_DLOPEN_FAILED', `${args[1]}: native addons are not available in a sandbox`);
}

function linkedBinding(name) {
    throw coded(Error, 'ERR_INVALID_MODULE', `No such binding was linked: ${name}`);
}

module.exports = { users, environment, loadEnvFile, environmentFlags, binding, linkedBinding, dlopen };
