// fs_callbacks: where a callback stands among the arguments of fs's functions, and what they are without one.
'use strict';

const { argType } = require('internal/errors');
const { complete } = require('internal/timers');

// Where the callback may stand: the first place and the last one. `length` is what Node's function says.
const places = {
    access: [1, 2, 3], appendFile: [2, 3, 4], chmod: [2, 2, 3], chown: [3, 3, 4], close: [1, 1, 1], copyFile: [2, 3, 4], cp: [2, 3, 4],
    exists: [1, 1, 2], fchmod: [2, 2, 3], fchown: [3, 3, 4], fdatasync: [1, 1, 2], fstat: [1, 2, 1], fsync: [1, 1, 2], ftruncate: [1, 2, 1],
    futimes: [3, 3, 4], lchown: [3, 3, 4], link: [2, 2, 3], lstat: [1, 2, 1], lutimes: [3, 3, 4], mkdir: [1, 2, 3], mkdtemp: [1, 2, 3],
    open: [1, 3, 4], opendir: [1, 2, 3], read: [1, 5, 6], readdir: [1, 2, 3], readFile: [1, 2, 3], readlink: [1, 2, 3], readv: [2, 3, 4],
    realpath: [1, 2, 3], rename: [2, 2, 3], rm: [1, 2, 3], rmdir: [1, 2, 3], stat: [1, 2, 1], statfs: [1, 2, 1], symlink: [2, 3, 4],
    truncate: [1, 2, 3], unlink: [1, 1, 2], utimes: [3, 3, 4], write: [2, 5, 6], writeFile: [2, 3, 4], writev: [2, 3, 4],
};
// How many arguments the form without callback says that it has, where it is not one less.
const lengths = { fstat: 1, ftruncate: 1, lstat: 1, read: 5, stat: 1, statfs: 1, write: 5, close: 1 };
// Here whatever stands in the last place that is not empty was meant to be the callback.
const either = new Set(['open', 'appendFile', 'readFile', 'writeFile', 'readv', 'writev', 'symlink']);

// The program asked for fs by name and comes from a file: a missing callback is the error that Node makes of it.
let strict = false;
const setStrict = () => void (strict = true);

// {callback, args: what stands before it}; without a callback its error, or no callback where that gives a promise.
function split(name, args) {
    const [first, last] = places[name];
    for (let at = first; at <= last; at++)
        if (typeof args[at] === 'function') return { callback: args[at], args: args.slice(0, at) };
    const found = args[last] !== undefined ? args[last] : (either.has(name) ? args.slice(first, last).findLast(item => item !== undefined) : undefined);
    if (strict || (found !== undefined && args.length > last)) throw argType(name === 'opendir' ? 'callback' : 'cb', 'function', found);
    return { callback: undefined, args };
}

// What the program did wrong is thrown at once, what the system refused goes to the callback.
const misuse = error => error instanceof TypeError || error instanceof RangeError ||
    (typeof error.code === 'string' && /^ERR_(?:INVALID|FS_INVALID_SYMLINK|OUT_OF|MISSING)/.test(error.code));

const called = (name, length, fn) => Object.defineProperties(fn, {
    name: { value: name, configurable: true }, length: { value: length, configurable: true },
});

// fs.name(…, callback) of an operation that is done at once.
function withCallback(name, operation, promised) {
    return called(name, places[name][2], (...all) => {
        const { callback, args } = split(name, all);
        if (callback === undefined) return promised(...args);
        let result;
        try {
            result = operation(...args);
        } catch (error) {
            if (misuse(error)) throw error;
            return void complete(callback, error);
        }
        if (result === undefined) complete(callback, null);
        else complete(callback, null, result);
    });
}

const withoutCallback = (name, operation) =>
    called(`${name}Sync`, lengths[name] ?? (places[name]?.[2] ?? 2) - 1, (...args) => operation(...args));

module.exports = { setStrict, split, misuse, withCallback, withoutCallback, called };
