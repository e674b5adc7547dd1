// trees: what fs does with whole trees: rm, cp, and mkdir with all that is above. Depth takes no stack.
'use strict';

const { checked, coded, argType, check, systemError } = require('internal/errors');
const path = require('path');
const calls = native.fs;

const IFMT = 0o170000, IFREG = 0o100000, IFDIR = 0o040000, IFCHR = 0o020000, IFIFO = 0o010000, IFLNK = 0o120000, IFSOCK = 0o140000;
const ENOENT = -2, EEXIST = -17, EINVAL = -22, EISDIR = 21, ENOTDIR = 20;
const isDirectory = found => typeof found !== 'number' && (found[1] & IFMT) === IFDIR;
const same = (a, b) => a[0] === b[0] && a[7] === b[7]; // device and inode

// Node's SystemError of an operation that fs does itself.
function refusal(code, what, syscall, errno, why, name) {
    const error = coded(Error, code, why === undefined ? what : `${what}: ${syscall} returned ${why} ${name}`);
    error.name = 'SystemError';
    return Object.assign(error, { errno, syscall, path: name });
}

// ---------------------------------------------------------------- rm

// Names below a directory so deep that paths grow too long begin at its descriptor.
const LONG = 3000, DIRECTORY = 0o200000;

function enter(name) {
    const list = checked(calls.readdir(name), 'scandir', name);
    const fd = name.length > LONG ? checked(calls.open(name, DIRECTORY, 0), 'open', name) : -1;
    return { name, base: fd < 0 ? name : `/proc/self/fd/${fd}`, fd, list, at: 0 };
}

function remove(name, options) {
    const found = calls.lstat(name);
    if (typeof found === 'number') {
        if (found === ENOENT && options.force) return;
        throw systemError(found, options.syscall ?? 'lstat', name);
    }
    if (!isDirectory(found)) {
        const result = calls.unlink(name);
        if (!(result === ENOENT && options.force)) checked(result, 'unlink', name);
        return;
    }
    if (!options.recursive)
        throw refusal('ERR_FS_EISDIR', 'Path is a directory', 'rm', EISDIR, 'EISDIR (is a directory)', name);
    const way = [enter(name)];
    try {
        while (way.length > 0) {
            const here = way.at(-1);
            if (here.at < here.list.length) {
                const child = path.join(here.base, here.list[here.at]);
                here.at += 2;
                if (isDirectory(checked(calls.lstat(child), 'lstat', child))) way.push(enter(child));
                else checked(calls.unlink(child), 'unlink', child);
            } else {
                way.pop();
                if (here.fd >= 0) calls.close(here.fd);
                checked(calls.rmdir(here.name), 'rmdir', here.name);
            }
        }
    } finally {
        for (const { fd } of way) if (fd >= 0) calls.close(fd);
    }
}

// ---------------------------------------------------------------- mkdir

// Makes a directory and what is missing above it; answers the first that was made. `a/..` and `a/.` are
// there once `a` is.
function makeDirectories(name, mode) {
    const missing = [];
    for (let at = name; ;) {
        const result = calls.mkdir(at, mode);
        if (result >= 0) {
            for (const below of missing.reverse()) {
                const next = calls.mkdir(below, mode);
                if (next !== EEXIST || !isDirectory(calls.stat(below))) checked(next, 'mkdir', below);
            }
            return at;
        }
        const existing = calls.stat(at);
        if (result === EEXIST || typeof existing !== 'number') {
            if (isDirectory(existing) && missing.length === 0) return undefined;
            if (!isDirectory(existing)) throw systemError(result, 'mkdir', at);
        }
        const parent = path.dirname(at);
        if (result !== ENOENT || parent === at) throw systemError(result, 'mkdir', at);
        missing.push(at);
        at = parent;
    }
}

// ---------------------------------------------------------------- cp

const invalid = (why, name) => refusal('ERR_FS_CP_EINVAL', 'Invalid src or dest', 'cp', 22, `EINVAL (${why})`, name);
const inside = (from, to) => `${path.resolve(to)}/`.startsWith(path.resolve(from) === '/' ? '/' : `${path.resolve(from)}/`);

// What is at both places; undefined when the filter leaves it out.
function look(from, to, options) {
    if (options.filter) {
        const wanted = options.filter(from, to);
        if (typeof wanted?.then === 'function')
            throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected boolean to be returned from the "filter" function but got an instance of Promise.');
        if (!wanted) return undefined;
    }
    const stat = options.dereference ? calls.stat : calls.lstat, syscall = options.dereference ? 'stat' : 'lstat';
    const source = checked(stat(from), syscall, from), found = stat(to);
    if (typeof found === 'number' && found !== ENOENT) throw systemError(found, syscall, to);
    const target = typeof found === 'number' ? undefined : found;
    if (target) {
        if (same(source, target)) throw invalid('src and dest cannot be the same', to);
        if (isDirectory(source) && !isDirectory(target))
            throw refusal('ERR_FS_CP_DIR_TO_NON_DIR', 'Cannot overwrite non-directory with directory', 'cp', EISDIR, `EISDIR (cannot overwrite non-directory ${to} with directory ${from})`, to);
        if (!isDirectory(source) && isDirectory(target))
            throw refusal('ERR_FS_CP_NON_DIR_TO_DIR', 'Cannot overwrite directory with non-directory', 'cp', ENOTDIR, `ENOTDIR (cannot overwrite directory ${to} with non-directory ${from})`, to);
    }
    if (isDirectory(source) && inside(from, to)) throw invalid(`cannot copy ${from} to a subdirectory of self ${to}`, to);
    return { from, to, source, target };
}

// No directory above the target may be the source, also by another name.
function checkParents(from, source, to) {
    const top = path.resolve(path.dirname(from));
    for (let at = path.resolve(path.dirname(to)), below = to; at !== top && at !== '/'; below = at, at = path.dirname(at)) {
        const found = calls.stat(at);
        if (typeof found === 'number') return;
        if (same(source, found)) throw invalid(`cannot copy ${from} to a subdirectory of self ${below}`, below);
    }
}

function copyLink({ from, to, target }, options) {
    const absolute = (link, name) => (path.isAbsolute(link) ? link : path.resolve(path.dirname(name), link));
    const text = checked(calls.readlink(from), 'readlink', from);
    const link = options.verbatimSymlinks ? text : absolute(text, from);
    if (target) {
        const other = calls.readlink(to);
        if (other !== EINVAL) {
            const there = absolute(checked(other, 'readlink', to), to);
            if (inside(link, there)) throw invalid(`cannot copy ${link} to a subdirectory of self ${there}`, to);
            if (isDirectory(calls.stat(to)) && inside(there, link))
                throw refusal('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY', 'Cannot overwrite symlink in subdirectory of self', 'cp', 22, `EINVAL (cannot overwrite ${there} with ${link})`, to);
            checked(calls.unlink(to), 'unlink', to);
        }
    }
    checked(calls.symlink(link, to), 'symlink', link, to);
}

function copyFile({ from, to, source, target }, options, copyBytes) {
    if (target) {
        if (!options.force && options.errorOnExist)
            throw refusal('ERR_FS_CP_EEXIST', 'Target already exists', 'cp', 17, `EEXIST (${to} already exists)`, to);
        if (!options.force) return;
        checked(calls.unlink(to), 'unlink', to);
    }
    copyBytes(from, to, options.mode);
    if (options.preserveTimestamps) checked(calls.utimes(to, Number(source[10]) / 1e9, Number(source[11]) / 1e9, true), 'utime', to);
}

// Copies what is no directory; a directory is made and its entries are put before what is still to do.
function copyOne(place, options, copyBytes, todo) {
    const { from, to, source, target } = place;
    switch (source[1] & IFMT) {
    case IFDIR: {
        if (!options.recursive)
            throw refusal('ERR_FS_EISDIR', 'Path is a directory', 'cp', 22, `EISDIR (${from} is a directory (not copied))`, from);
        const list = checked(calls.readdir(from), 'scandir', from);
        if (!target) checked(calls.mkdir(to, 0o777), 'mkdir', to);
        if (!target) todo.push(() => void checked(calls.chmod(to, source[1] & 0o7777), 'chmod', to));
        for (let i = list.length - 2; i >= 0; i -= 2) {
            const name = list[i];
            todo.push(() => look(path.join(from, name), path.join(to, name), options));
        }
        return;
    }
    case IFLNK: return copyLink(place, options);
    case IFREG: case IFCHR: return copyFile(place, options, copyBytes);
    case IFIFO: throw refusal('ERR_FS_CP_FIFO_PIPE', 'Cannot copy a FIFO pipe', 'cp', 22, `EINVAL (cannot copy a FIFO pipe: ${to})`, to);
    case IFSOCK: throw refusal('ERR_FS_CP_SOCKET', 'Cannot copy a socket file', 'cp', 22, `EINVAL (cannot copy a socket file: ${to})`, to);
    default: throw refusal('ERR_FS_CP_UNKNOWN', 'Cannot copy an unknown file type', 'cp', 22, `EINVAL (cannot copy an unknown file type: ${to})`, to);
    }
}

const flags = ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks'];

function copy(from, to, given, copyBytes) {
    if (given !== undefined) check.object(given, 'options');
    const options = { force: true, ...given };
    for (const name of flags)
        if (options[name] !== undefined && typeof options[name] !== 'boolean') throw argType(`options.${name}`, 'boolean', options[name]);
    if (options.filter !== undefined) check.function(options.filter, 'options.filter');
    const first = look(from, to, options);
    if (!first) return;
    checkParents(from, first.source, to);
    makeDirectories(path.dirname(to), 0o777);
    for (const todo = [() => first]; todo.length > 0;) {
        const place = todo.pop()();
        if (place) copyOne(place, options, copyBytes, todo);
    }
}

module.exports = { remove, makeDirectories, copy };
