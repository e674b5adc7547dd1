// fs: files, as Node offers them: …Sync, callbacks, promises.
//
// Every operation is written once, as a synchronous function (`sync`). The kernel's files never make
// a process wait, so the other forms run it at once and deliver the result in a later turn, except
// for descriptors that may wait (pipes, terminals), which the event loop reads.
//
// One thing is added to Node: a callback function called without a callback gives a promise, and
// readFile then gives text.
'use strict';

const { systemError, argType, argValue, outOfRange, coded, check, checked, AbortError } = require('internal/errors');
const { complete } = require('internal/timers');
const EventEmitter = require('events');
const path = require('path');
const validate = require('internal/validators');
const trees = require('internal/trees');
const { split, misuse, withCallback, withoutCallback, called, setStrict } = require('internal/fs_callbacks');
const calls = native.fs;

const constants = {
    F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
    O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_NOCTTY: 0o400, O_TRUNC: 0o1000,
    O_APPEND: 0o2000, O_NONBLOCK: 0o4000, O_SYNC: 0o4010000, O_DIRECTORY: 0o200000, O_NOFOLLOW: 0o400000,
    S_IFMT: 0o170000, S_IFREG: 0o100000, S_IFDIR: 0o040000, S_IFCHR: 0o020000, S_IFBLK: 0o060000,
    S_IFIFO: 0o010000, S_IFLNK: 0o120000, S_IFSOCK: 0o140000,
    S_IRWXU: 0o700, S_IRUSR: 0o400, S_IWUSR: 0o200, S_IXUSR: 0o100, S_IRWXG: 0o070, S_IRGRP: 0o040,
    S_IWGRP: 0o020, S_IXGRP: 0o010, S_IRWXO: 0o007, S_IROTH: 0o004, S_IWOTH: 0o002, S_IXOTH: 0o001,
    UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2, UV_FS_O_FILEMAP: 0, O_NOATIME: 0o1000000, O_DSYNC: 0o10000, O_DIRECT: 0o40000,
    UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5, UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7,
    UV_FS_COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4,
    EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1,
};
for (const name of Object.keys(constants)) Object.defineProperty(constants, name, { writable: false, configurable: false });
Object.setPrototypeOf(constants, null);
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
const EEXIST = -17, ENOENT = -2, EISDIR = -21, ENOTDIR = -20, ENOTEMPTY = -39, EAGAIN = -11;

// ---------------------------------------------------------------- arguments

function toPath(value, name = 'path') {
    if (typeof value === 'string') {
        if (value.includes('\0'))
            throw argValue(name, value, 'must be a string, Uint8Array, or URL without null bytes');
        return value;
    }
    if (value instanceof Uint8Array) {
        if (value.includes(0)) throw argValue(name, value, 'must be a string, Uint8Array, or URL without null bytes');
        return native.text.utf8Decode(value);
    }
    if (value !== null && typeof value === 'object' && typeof value.href === 'string' && typeof value.protocol === 'string')
        return toPath(require('internal/url').fileURLToPath(value), name);
    throw argType(name, ['string', 'Buffer', 'URL'], value);
}

function toFlags(flags) {
    if (flags === undefined || flags === null) return O_RDONLY;
    if (typeof flags === 'number') {
        validate.int32(flags, 'flags');
        return flags;
    }
    switch (flags) {
    case 'r': case 'rs': case 'sr': return O_RDONLY;
    case 'r+': case 'rs+': case 'sr+': return O_RDWR;
    case 'w': return O_WRONLY | O_CREAT | O_TRUNC;
    case 'wx': case 'xw': return O_WRONLY | O_CREAT | O_TRUNC | O_EXCL;
    case 'w+': return O_RDWR | O_CREAT | O_TRUNC;
    case 'wx+': case 'xw+': return O_RDWR | O_CREAT | O_TRUNC | O_EXCL;
    case 'a': case 'as': case 'sa': return O_WRONLY | O_CREAT | O_APPEND;
    case 'ax': case 'xa': return O_WRONLY | O_CREAT | O_APPEND | O_EXCL;
    case 'a+': case 'as+': case 'sa+': return O_RDWR | O_CREAT | O_APPEND;
    case 'ax+': case 'xa+': return O_RDWR | O_CREAT | O_APPEND | O_EXCL;
    }
    throw argValue('flags', flags);
}

function toMode(mode, fallback) {
    if (mode === undefined || mode === null) return fallback;
    if (typeof mode === 'string') {
        if (!/^[0-7]+$/.test(mode))
            throw argValue('mode', mode, "must be a 32-bit unsigned integer or an octal string");
        return parseInt(mode, 8);
    }
    check.integer(mode, 'mode', 0, 2 ** 32 - 1);
    return mode;
}

// What access() and copyFile() are asked for, in the words of the C++ behind Node's.
function toBits(mode) {
    if (mode === undefined || mode === null) return 0;
    if (typeof mode !== 'number') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
    if (!Number.isFinite(mode)) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range');
    if (mode < 0 || mode > 7) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
    return mode | 0;
}

const toOwner = (id, name) => {
    check.integer(id, name, -1, 2 ** 32 - 1);
    return id;
};

// A mode that has to be there.
const givenMode = mode => {
    if (mode === undefined || mode === null) throw argType('mode', 'number', undefined);
    return toMode(mode);
};

function toFd(fd) {
    if (fd instanceof FileHandle) return fd.fd;
    if (typeof fd !== 'number') throw argType('fd', 'number', fd);
    validate.int32(fd, 'fd', 0);
    return fd;
}

function toOptions(options, defaults) {
    if (options === null || options === undefined || typeof options === 'function') return defaults;
    if (typeof options === 'string') options = { encoding: options };
    if (typeof options !== 'object') throw argType('options', ['string', 'Object'], options);
    checkEncoding(options.encoding);
    if (options.signal !== undefined) validate.abortSignal(options.signal, 'options.signal');
    return { ...defaults, ...options };
}

function checkEncoding(encoding) {
    if (encoding && encoding !== 'buffer' && !Buffer.isEncoding(encoding))
        throw argValue('encoding', encoding, 'is invalid encoding');
}

function toBytes(data, encoding, name = 'data') {
    if (typeof data === 'string')
        return !encoding || /^utf-?8$/i.test(encoding) ? native.text.utf8Encode(data) : Buffer.from(data, encoding);
    if (data instanceof DataView) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (ArrayBuffer.isView(data)) return data;
    throw argType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

function fromBytes(bytes, encoding) {
    if (encoding === 'utf8' || encoding === 'utf-8') return native.text.utf8Decode(bytes);
    const buffer = Buffer.from(bytes);
    return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

const named = (name, encoding) => (encoding === 'buffer' ? Buffer.from(name) : name);

// ---------------------------------------------------------------- stats and directory entries

function toDate(ms) {
    return new Date(Math.floor(ms + 0.5));
}

class StatsBase {
    isFile() {
        return this.#is(constants.S_IFREG);
    }
    isDirectory() {
        return this.#is(constants.S_IFDIR);
    }
    isSymbolicLink() {
        return this.#is(constants.S_IFLNK);
    }
    isFIFO() {
        return this.#is(constants.S_IFIFO);
    }
    isSocket() {
        return this.#is(constants.S_IFSOCK);
    }
    isCharacterDevice() {
        return this.#is(constants.S_IFCHR);
    }
    isBlockDevice() {
        return this.#is(constants.S_IFBLK);
    }
    #is(kind) {
        return (Number(this.mode) & constants.S_IFMT) === kind;
    }
}

class Stats extends StatsBase {
    constructor(numbers = []) {
        const [dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atime, mtime, ctime] = numbers;
        super();
        Object.assign(this, { dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks });
        [this.atimeMs, this.mtimeMs, this.ctimeMs] = [atime, mtime, ctime].map(time => time === undefined ? undefined : Number(time) / 1e6);
        this.birthtimeMs = this.ctimeMs;
        this.atime = toDate(this.atimeMs);
        this.mtime = toDate(this.mtimeMs);
        this.ctime = toDate(this.ctimeMs);
        this.birthtime = toDate(this.birthtimeMs);
    }
}

class BigIntStats extends StatsBase {
    constructor(numbers) {
        super();
        const names = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks'];
        names.forEach((name, i) => void (this[name] = BigInt(numbers[i])));
        const times = { atime: numbers[10], mtime: numbers[11], ctime: numbers[12], birthtime: numbers[12] };
        for (const [name, ns] of Object.entries(times)) this[`${name}Ms`] = ns / 1000000n;
        for (const [name, ns] of Object.entries(times)) this[`${name}Ns`] = ns;
        for (const [name, ns] of Object.entries(times)) this[name] = toDate(Number(ns) / 1e6);
    }
}

const toStats = (numbers, options) => (options?.bigint ? new BigIntStats(numbers) : new Stats(numbers));

const kindSymbol = Symbol('type');
// What a directory says of an entry (DT_…), in libuv's numbers.
const ofEntry = [0, 4, 6, 0, 2, 0, 7, 0, 1, 0, 3, 0, 5];

class Dirent {
    constructor(name, kind, parent) {
        this.name = name;
        this.parentPath = parent;
        this.path = parent;
        this[kindSymbol] = kind;
    }
    isFile() {
        return this[kindSymbol] === constants.UV_DIRENT_FILE;
    }
    isDirectory() {
        return this[kindSymbol] === constants.UV_DIRENT_DIR;
    }
    isSymbolicLink() {
        return this[kindSymbol] === constants.UV_DIRENT_LINK;
    }
    isFIFO() {
        return this[kindSymbol] === constants.UV_DIRENT_FIFO;
    }
    isSocket() {
        return this[kindSymbol] === constants.UV_DIRENT_SOCKET;
    }
    isCharacterDevice() {
        return this[kindSymbol] === constants.UV_DIRENT_CHAR;
    }
    isBlockDevice() {
        return this[kindSymbol] === constants.UV_DIRENT_BLOCK;
    }
}

// ---------------------------------------------------------------- the operations

function openFor(file, flags, mode, syscall = 'open') {
    if (Number.isInteger(file) || file instanceof FileHandle) return { fd: toFd(file), close() {} };
    const name = toPath(file);
    const fd = checked(calls.open(name, flags, mode), syscall, name);
    return { fd, close: () => calls.close(fd) };
}

function writeAll(fd, data) {
    const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    for (let at = 0; at < bytes.length;)
        at += checked(calls.write(fd, bytes, at, bytes.length - at, -1), 'write');
}

function listDirectory(directory, prefix, options, out) {
    const list = checked(calls.readdir(directory), 'scandir', directory);
    const entries = [];
    for (let i = 0; i < list.length; i += 2) entries.push([list[i], list[i + 1]]);
    entries.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    for (const entry of entries) {
        const place = path.join(directory, entry[0]);
        if (entry[1] === 0) {
            const found = calls.lstat(place);
            if (typeof found !== 'number') entry[1] = found[1] >> 12 & 15;
        }
        const name = prefix ? `${prefix}/${entry[0]}` : entry[0];
        out.push(options.withFileTypes ? new Dirent(named(entry[0], options.encoding), ofEntry[entry[1]], directory) : named(name, options.encoding));
    }
    if (options.recursive)
        for (const [name, kind] of entries)
            if (kind === 4) listDirectory(path.join(directory, name), prefix ? `${prefix}/${name}` : name, options, out);
    return out;
}

// read(fd, buffer, offset, length, position) and its other shapes, as {buffer, offset, length, position}
function readArguments(buffer, offset, length, position) {
    if (arguments.length > 1 && Array.isArray(offset)) validate.object(offset, 'options');
    if (buffer !== null && typeof buffer === 'object' && !ArrayBuffer.isView(buffer))
        ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer);
    if (buffer === undefined || buffer === null) buffer = Buffer.alloc(16384);
    validate.buffer(buffer);
    if (arguments.length === 2) {
        validate.object(offset ?? {}, 'options');
        ({ offset, length, position } = offset ?? {});
    } else if (offset !== null && typeof offset === 'object') {
        ({ offset, length, position } = offset);
    }
    const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    if (offset === undefined || offset === null) offset = 0;
    else check.integer(offset, 'offset', 0);
    length = length === undefined || length === null ? bytes.length - offset : length | 0;
    if (length !== 0 && bytes.length === 0) throw argValue('buffer', buffer, 'is empty and cannot be written');
    if (length !== 0) {
        if (length > bytes.length - offset) throw outOfRange('length', `<= ${bytes.length - offset}`, length);
        if (length < 0) throw outOfRange('length', '>= 0', length);
    }
    return { buffer, bytes, offset, length, position: place(position, length) };
}

// -1: where the descriptor stands
function place(position, length) {
    if (position === undefined || position === null) return -1;
    if (typeof position === 'bigint') {
        if (position < -(2n ** 63n) || position > 2n ** 63n - 1n) throw outOfRange('position', `>= ${-(2n ** 63n)} && <= ${2n ** 63n - 1n}`, position);
        if (position < -1n || position > 2n ** 63n - 1n - BigInt(length)) throw outOfRange('position', `>= -1 && <= ${2n ** 63n - 1n - BigInt(length)}`, position);
        return Number(position);
    }
    if (typeof position !== 'number') throw argType('position', ['integer', 'bigint'], position);
    check.integer(position, 'position', -1);
    return position;
}

const isPlainText = data => typeof data === 'string';

// write(fd, bytes, offset, length, position) and its other shapes
function writeArguments(data, offset, length, position) {
    if (offset !== null && typeof offset === 'object') ({ offset = 0, length, position } = offset);
    if (offset === undefined || offset === null) offset = 0;
    else check.integer(offset, 'offset', 0);
    if (typeof length !== 'number') length = data.byteLength - offset;
    if (offset > data.byteLength) throw outOfRange('offset', `<= ${data.byteLength}`, offset);
    if (length > data.byteLength - offset) throw outOfRange('length', `<= ${data.byteLength - offset}`, length);
    if (length < 0) throw outOfRange('length', '>= 0', length);
    validate.int32(length, 'length', 0);
    return { bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset, length, position: typeof position === 'number' ? position : -1 };
}

function vectors(buffers) {
    if (!Array.isArray(buffers) || !buffers.every(item => ArrayBuffer.isView(item)))
        throw argType('buffers', 'ArrayBufferView[]', buffers);
    return buffers;
}

const toSeconds = (time, name = 'time') => {
    if (typeof time === 'string' && +time == time) return +time;
    if (typeof time === 'number' && !Number.isNaN(time)) return time >= 0 ? (Number.isFinite(time) ? time : Date.now() / 1000) : Date.now() / 1000;
    if (time instanceof Date) return time.getTime() / 1000;
    throw argType(name, ['Date', 'Time in seconds'], time);
};

function removeOptions(options, what = 'rm') {
    if (options === undefined) return {};
    check.object(options, 'options');
    const { recursive, force, retryDelay, maxRetries } = { recursive: false, force: false, retryDelay: 100, maxRetries: 0, ...options };
    check.boolean(recursive, 'options.recursive');
    if (what === 'rm') check.boolean(force, 'options.force');
    validate.int32(retryDelay, 'options.retryDelay', 0);
    validate.uint32(maxRetries, 'options.maxRetries');
    return { recursive, force: force && what === 'rm' };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
function randomName() {
    const bytes = new Uint8Array(6);
    native.text.random(bytes);
    return Array.from(bytes, byte => letters[byte % letters.length]).join('');
}

// The bytes of a file; where it has holes, so has its copy.
function copyBytes(input, output, stat, from, to) {
    const buffer = new Uint8Array(65536), hollow = stat[9] * 512 < stat[8];
    let place = 0, got;
    while ((got = checked(calls.read(input, buffer, 0, buffer.length, -1), 'copyfile', from, to)) > 0) {
        if (!hollow || buffer.subarray(0, got).some(byte => byte !== 0)) {
            for (let at = 0; at < got;)
                at += checked(calls.write(output, buffer, at, got - at, hollow ? place + at : -1), 'copyfile', from, to);
        }
        place += got;
    }
    if (hollow) checked(calls.ftruncate(output, place), 'copyfile', from, to);
}

const sync = {
    access(file, mode = 0) {
        const name = toPath(file);
        checked(calls.access(name, toBits(mode)), 'access', name);
    },
    appendFile(file, data, options) {
        options = toOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'a' });
        sync.writeFile(file, data, options.flag ? options : { ...options, flag: 'a' });
    },
    chmod(file, mode) {
        const name = toPath(file);
        checked(calls.chmod(name, givenMode(mode)), 'chmod', name);
    },
    chown(file, uid, gid) {
        const name = toPath(file);
        checked(calls.chown(name, toOwner(uid, 'uid'), toOwner(gid, 'gid')), 'chown', name);
    },
    close(fd) {
        checked(calls.close(toFd(fd)), 'close');
    },
    copyFile(from, to, mode = 0) {
        from = toPath(from, 'src');
        to = toPath(to, 'dest');
        mode = toBits(mode);
        const input = checked(calls.open(from, O_RDONLY, 0), 'copyfile', from, to);
        let output = -1;
        try {
            const stat = checked(calls.fstat(input), 'copyfile', from, to);
            if ((stat[1] & constants.S_IFMT) === constants.S_IFDIR) throw systemError(EISDIR, 'copyfile', from, to);
            const exclusive = mode & constants.COPYFILE_EXCL ? O_EXCL : 0;
            output = checked(calls.open(to, O_WRONLY | O_CREAT | exclusive, stat[1] & 0o777), 'copyfile', from, to);
            const target = checked(calls.fstat(output), 'copyfile', from, to);
            if (target[0] === stat[0] && target[7] === stat[7]) return;
            checked(calls.ftruncate(output, 0), 'copyfile', from, to);
            copyBytes(input, output, stat, from, to);
        } finally {
            calls.close(input);
            if (output >= 0) calls.close(output);
        }
    },
    cp(from, to, options) {
        trees.copy(toPath(from, 'src'), toPath(to, 'dest'), options, sync.copyFile);
    },
    exists(file) {
        try {
            return calls.access(toPath(file), 0) === 0;
        } catch {
            return false;
        }
    },
    fchmod(fd, mode) {
        checked(calls.fchmod(toFd(fd), givenMode(mode)), 'fchmod');
    },
    fdatasync(fd) {
        checked(calls.fsync(toFd(fd)), 'fdatasync');
    },
    fstat(fd, options) {
        return toStats(checked(calls.fstat(toFd(fd)), 'fstat'), options);
    },
    fsync(fd) {
        checked(calls.fsync(toFd(fd)), 'fsync');
    },
    ftruncate(fd, length = 0) {
        fd = toFd(fd);
        check.integer(length, 'len');
        checked(calls.ftruncate(fd, Math.max(0, length)), 'ftruncate');
    },
    futimes(fd, atime, mtime) {
        checked(calls.utimes(toFd(fd), toSeconds(atime, 'atime'), toSeconds(mtime, 'mtime'), true), 'futime');
    },
    fchown(fd, uid, gid) {
        fd = toFd(fd);
        toOwner(uid, 'uid');
        toOwner(gid, 'gid');
        checked(calls.chown(`/proc/self/fd/${fd}`, uid, gid), 'fchown');
    },
    lchown(file, uid, gid) {
        const name = toPath(file);
        checked(calls.lchown(name, toOwner(uid, 'uid'), toOwner(gid, 'gid')), 'lchown', name);
    },
    link(from, to) {
        from = toPath(from, 'existingPath');
        to = toPath(to, 'newPath');
        checked(calls.link(from, to), 'link', from, to);
    },
    lstat(file, options) {
        return statOf(calls.lstat, 'lstat', file, options);
    },
    lutimes(file, atime, mtime) {
        const name = toPath(file);
        checked(calls.utimes(name, toSeconds(atime), toSeconds(mtime), false), 'lutime', name);
    },
    mkdir(directory, options) {
        const name = toPath(directory);
        let mode, recursive = false;
        if (typeof options === 'number' || typeof options === 'string') {
            mode = toMode(options);
        } else if (options) {
            if (options.recursive !== undefined) recursive = options.recursive;
            if (options.mode !== undefined) mode = givenMode(options.mode);
        }
        check.boolean(recursive, 'options.recursive');
        if (recursive) {
            return trees.makeDirectories(name, toMode(mode, 0o777));
        }
        checked(calls.mkdir(name, toMode(mode, 0o777)), 'mkdir', name);
        return undefined;
    },
    mkdtemp(prefix, options) {
        const { encoding } = toOptions(options, {});
        prefix = toPath(prefix, 'prefix');
        for (let tries = 0; ; tries++) {
            const name = prefix + randomName();
            const result = calls.mkdir(name, 0o700);
            if (result >= 0) return named(name, encoding);
            if (result !== EEXIST || tries > 100) throw systemError(result, 'mkdtemp', `${prefix}XXXXXX`);
        }
    },
    open(file, flags, mode) {
        const name = toPath(file);
        return checked(calls.open(name, toFlags(flags), toMode(mode, 0o666)), 'open', name);
    },
    opendir(directory, options) {
        const name = toPath(directory);
        options = toOptions(options, { bufferSize: 32 });
        validate.uint32(options.bufferSize, 'options.bufferSize', true);
        const { Dir } = require('internal/fs_dir');
        return new Dir(sync.readdir(name, { ...options, withFileTypes: true }, 'opendir'), name, options);
    },
    read(fd, ...args) {
        fd = toFd(fd);
        validate.buffer(args[0]);
        const { bytes, offset, length, position } = readArguments(...args);
        return length === 0 ? 0 : checked(calls.read(fd, bytes, offset, length, position), 'read');
    },
    readdir(directory, options, syscall) {
        const name = toPath(directory);
        options = toOptions(options, { encoding: 'utf8' });
        checkEncoding(options.encoding);
        if (syscall === undefined && options.recursive !== undefined && options.recursive !== null) check.boolean(options.recursive, 'options.recursive');
        try {
            return listDirectory(name, '', options, []);
        } catch (error) {
            if (syscall && error.syscall === 'scandir') throw systemError(error.errno, syscall, name);
            throw error;
        }
    },
    readFile(file, options) {
        options = toOptions(options, { flag: 'r' });
        checkEncoding(options.encoding);
        const { fd, close } = openFor(file, toFlags(options.flag), 0o666);
        try {
            return fromBytes(checked(calls.readAll(fd), 'read'), options.encoding);
        } finally {
            close();
        }
    },
    readlink(file, options) {
        const { encoding } = toOptions(options, {});
        const name = toPath(file, 'oldPath');
        return named(checked(calls.readlink(name), 'readlink', name), encoding);
    },
    readv(fd, buffers, position) {
        fd = toFd(fd);
        vectors(buffers);
        if (buffers.length === 0) throw systemError(-22, 'read');
        let total = 0;
        if (!Number.isInteger(position)) position = null;
        for (const buffer of buffers) {
            const at = typeof position === 'number' ? position + total : null;
            const got = sync.read(fd, buffer, 0, buffer.byteLength, at);
            total += got;
            if (got < buffer.byteLength) break;
        }
        return total;
    },
    realpath(file, options) {
        options = toOptions(options, {});
        const name = toPath(typeof file === 'object' && file !== null ? file : `${file}`);
        const result = calls.realpath(path.resolve(name));
        if (typeof result === 'number') throw wayError(path.resolve(name), result);
        return named(result, options.encoding);
    },
    rename(from, to) {
        from = toPath(from, 'oldPath');
        to = toPath(to, 'newPath');
        checked(calls.rename(from, to), 'rename', from, to);
    },
    rm(file, options) {
        const name = toPath(file);
        trees.remove(name, removeOptions(options));
    },
    rmdir(directory, options) {
        const name = toPath(directory);
        options = removeOptions(options, 'rmdir');
        if (options.recursive) {
            process.emitWarning('In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. Use fs.rm(path, { recursive: true }) instead', 'DeprecationWarning', 'DEP0147');
            return trees.remove(name, { recursive: true, syscall: 'lstat' });
        }
        checked(calls.rmdir(name), 'rmdir', name);
    },
    stat(file, options) {
        return statOf(calls.stat, 'stat', file, options);
    },
    statfs(file, options) {
        const name = toPath(file);
        const [bsize, blocks, bfree, files, ffree] = checked(calls.statfs(name), 'statfs', name);
        const found = { type: 0, bsize, blocks, bfree, bavail: bfree, files, ffree };
        if (options?.bigint) for (const key of Object.keys(found)) found[key] = BigInt(found[key]);
        return Object.setPrototypeOf(found, StatFs.prototype);
    },
    symlink(target, file, type) {
        if (typeof type === 'string' && !['dir', 'file', 'junction'].includes(type))
            throw coded(Error, 'ERR_FS_INVALID_SYMLINK_TYPE', `Symlink type must be one of "dir", "file", or "junction". Received ${JSON.stringify(type)}`);
        target = toPath(target, 'target');
        const name = toPath(file);
        checked(calls.symlink(target, name), 'symlink', target, name);
    },
    truncate(file, length = 0) {
        if (typeof file === 'number') return sync.ftruncate(file, length);
        const fd = sync.open(file, 'r+');
        try {
            sync.ftruncate(fd, length);
        } finally {
            calls.close(fd);
        }
    },
    unlink(file) {
        const name = toPath(file);
        checked(calls.unlink(name), 'unlink', name);
    },
    utimes(file, atime, mtime) {
        const name = toPath(file);
        checked(calls.utimes(name, toSeconds(atime), toSeconds(mtime), true), 'utime', name);
    },
    write(fd, data, offset, length, position) {
        fd = toFd(fd);
        if (isPlainText(data)) {
            validate.encoding(data, length);
            if (length !== undefined && !Buffer.isEncoding(length)) length = 'utf8';
            const bytes = new Uint8Array(toBytes(data, length));
            if (offset === undefined) offset = null;
            return checked(calls.write(fd, bytes, 0, bytes.length, typeof offset === 'number' ? offset : -1), 'write');
        }
        if (!ArrayBuffer.isView(data)) throw argType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
        const part = writeArguments(data, offset, length, position);
        return checked(calls.write(fd, part.bytes, part.offset, part.length, part.position), 'write');
    },
    writeFile(file, data, options) {
        options = toOptions(options, { encoding: 'utf8', mode: 0o666, flag: 'w' });
        aborted(options);
        if (options.flush !== undefined && options.flush !== null) check.boolean(options.flush, 'options.flush');
        const bytes = toBytes(data, options.encoding);
        const { fd, close } = openFor(file, toFlags(options.flag ?? 'w'), toMode(options.mode, 0o666));
        try {
            writeAll(fd, bytes);
        } finally {
            close();
        }
    },
    writev(fd, buffers, position) {
        fd = toFd(fd);
        vectors(buffers);
        let total = 0;
        for (const buffer of buffers)
            total += sync.write(fd, buffer, 0, buffer.byteLength, typeof position === 'number' ? position + total : null);
        return total;
    },
};

// What statfs() answers.
class StatFs {}

// Why a path leads nowhere: what fails first on the way, which Node goes step by step.
function wayError(name, result) {
    for (let links = 0, at = ''; links < 40; ) {
        const [, part, rest] = /^\/([^/]*)(.*)$/.exec(name.slice(at.length)) ?? [];
        if (part === undefined) break;
        const here = `${at}/${part}`, found = calls.lstat(here);
        if (typeof found === 'number') return systemError(found, 'lstat', here);
        if ((found[1] & constants.S_IFMT) !== constants.S_IFLNK) {
            at = here;
            continue;
        }
        const target = calls.stat(here);
        if (typeof target === 'number') return systemError(target, 'stat', here);
        name = path.resolve(at || '/', calls.readlink(here)) + rest;
        at = '';
        links++;
    }
    return systemError(result, 'lstat', name);
}

function statOf(call, syscall, file, options) {
    const name = toPath(file);
    const result = call(name);
    if (typeof result === 'number') {
        if (options?.throwIfNoEntry === false && (result === ENOENT || result === ENOTDIR)) return undefined;
        throw systemError(result, syscall, name);
    }
    return toStats(result, options);
}

// ---------------------------------------------------------------- reading what may have to wait

const waits = fd => {
    const stat = calls.fstat(fd);
    const kind = typeof stat === 'number' ? 0 : stat[1] & constants.S_IFMT;
    return kind === constants.S_IFIFO || kind === constants.S_IFSOCK || (kind === constants.S_IFCHR && native.process.isatty(fd));
};

// Everything from fd up to its end; done(error, bytes).
function gather(fd, done) {
    const parts = [];
    const watch = native.loop.watch(fd, native.loop.IN, () => {
        const part = new Uint8Array(65536);
        const got = calls.read(fd, part, 0, part.length, -1);
        if (got === EAGAIN) return;
        if (got > 0) return void parts.push(part.subarray(0, got));
        native.loop.unwatch(watch);
        if (got < 0) done(systemError(got, 'read'));
        else done(null, Buffer.concat(parts).buffer);
    });
}

function readLater(file, options, done) {
    let handle;
    try {
        options = toOptions(options, { flag: 'r' });
        checkEncoding(options.encoding);
        if (options.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
        handle = openFor(file, toFlags(options.flag), 0o666);
        if (waits(handle.fd)) {
            return gather(handle.fd, (error, bytes) => {
                handle.close();
                error ? done(error) : done(null, fromBytes(bytes, options.encoding));
            });
        }
        const bytes = checked(calls.readAll(handle.fd), 'read');
        handle.close();
        const { signal, encoding } = options;
        if (signal) return void complete(() => (signal.aborted ? done(new AbortError(undefined, { cause: signal.reason })) : done(null, fromBytes(bytes, encoding))));
        complete(done, null, fromBytes(bytes, encoding));
    } catch (error) {
        handle?.close();
        if (typeof error.code === 'string' && error.code.startsWith('ERR_INVALID')) throw error;
        complete(done, error);
    }
}

// Throws when the program gave up waiting.
function aborted(options) {
    if (options?.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
}

// ---------------------------------------------------------------- promises

function promised(operation) {
    return function (...args) {
        return new Promise((resolve, reject) => {
            let result;
            try {
                result = operation(...args);
            } catch (error) {
                return complete(reject, error);
            }
            complete(resolve, result);
        });
    };
}

class FileHandle extends EventEmitter {
    #fd;
    constructor(fd) {
        super();
        this.#fd = fd;
    }
    get fd() {
        return this.#fd;
    }
    // After close() calls fail as Node's do.
    #open(syscall) {
        if (this.#fd >= 0) return this.#fd;
        const error = new Error('file closed');
        error.code = 'EBADF';
        error.syscall = syscall;
        throw error;
    }
    close = () => {
        const fd = this.#fd;
        this.#fd = -1;
        if (fd < 0) return Promise.resolve();
        this.emit('close');
        return promises_.close(fd);
    };
    getAsyncId() {
        return -1;
    }
    async read(...args) {
        const { buffer, offset, length, position } = readArguments(...args);
        return promised(() => ({ __proto__: null, bytesRead: sync.read(this.#open('read'), buffer, offset, length, position < 0 ? null : position), buffer }))();
    }
    write(data, ...rest) {
        return promised(() => ({ __proto__: null, bytesWritten: sync.write(this.#open('write'), data, ...rest), buffer: data }))();
    }
    readv(buffers, position) {
        return promised(() => ({ __proto__: null, bytesRead: sync.readv(this.#open('read'), buffers, position), buffers }))();
    }
    writev(buffers, position) {
        return promised(() => ({ __proto__: null, bytesWritten: sync.writev(this.#open('write'), buffers, position), buffers }))();
    }
    readFile(options) {
        return promises_.readFile(this.#fd, options);
    }
    writeFile(data, options) {
        return promises_.writeFile(this.#fd, data, options);
    }
    appendFile(data, options) {
        return promises_.writeFile(this.#fd, data, options);
    }
    // The file as a stream of the Web's; it stays open.
    readableWebStream() {
        const handle = this;
        return new ReadableStream({
            async pull(controller) {
                const { bytesRead, buffer } = await handle.read(Buffer.alloc(16384), 0, 16384, null);
                if (bytesRead === 0) controller.close();
                else controller.enqueue(new Uint8Array(buffer.subarray(0, bytesRead)));
            },
        });
    }
    stat(options) {
        return promised(() => sync.fstat(this.#open('fstat'), options))();
    }
    truncate(length) {
        return promised(() => sync.ftruncate(this.#open('ftruncate'), length))();
    }
    chown(uid, gid) {
        return promised(() => sync.fchown(this.#open('fchown'), uid, gid))();
    }
    chmod(mode) {
        return promised(() => sync.fchmod(this.#open('fchmod'), mode))();
    }
    sync() {
        return promised(() => sync.fsync(this.#open('fsync')))();
    }
    datasync() {
        return promised(() => sync.fsync(this.#open('fsync')))();
    }
    utimes(atime, mtime) {
        return promised(() => sync.futimes(this.#open('futimes'), atime, mtime))();
    }
    readLines(options) {
        return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
    }
    createReadStream(options) {
        return module.exports.createReadStream(undefined, { ...options, fd: this });
    }
    createWriteStream(options) {
        return module.exports.createWriteStream(undefined, { ...options, fd: this });
    }
    [Symbol.asyncDispose]() {
        return this.close();
    }
}

const promises_ = {};
for (const name of Object.keys(sync)) promises_[name] = promised(sync[name]);
promises_.open = promised((...args) => new FileHandle(sync.open(...args)));
promises_.readFile = (file, options) => new Promise((resolve, reject) => {
    try {
        readLater(file, options, (error, data) => (error ? reject(error) : resolve(data)));
    } catch (error) {
        reject(error);
    }
});
promises_.writeFile = async function writeFile(file, data, options) {
    if (data !== null && typeof data === 'object' && !ArrayBuffer.isView(data) &&
        (data[Symbol.asyncIterator] || data[Symbol.iterator])) {
        const parts = [];
        const encoding = typeof options === 'string' ? options : options?.encoding ?? 'utf8';
        for await (const part of data) {
            parts.push(ArrayBuffer.isView(part) ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : Buffer.from(part, encoding));
            aborted(options);
        }
        data = Buffer.concat(parts);
    }
    aborted(options);
    if (options?.signal) await new Promise(resolve => void complete(resolve));
    aborted(options);
    return writeLater(file, data, options);
};
const writeLater = promised(sync.writeFile);

const promiseNames = [
    'access', 'appendFile', 'chmod', 'chown', 'copyFile', 'cp', 'lchown', 'link', 'lstat', 'lutimes', 'mkdir',
    'mkdtemp', 'open', 'opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'rename', 'rm', 'rmdir', 'stat',
    'statfs', 'symlink', 'truncate', 'unlink', 'utimes', 'writeFile',
];
const promises = { constants };
for (const name of promiseNames) promises[name] = called(name, promises_[name].length, promises_[name]);
promises.lchmod = async function lchmod() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The lchmod() method is not implemented');
};

// ---------------------------------------------------------------- callbacks

const fs = { Stats, Dirent, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, lchmod: undefined, lchmodSync: undefined };
Object.defineProperty(fs, 'constants', { value: constants, enumerable: true });
Object.defineProperty(fs, 'promises', { get: () => promises, enumerable: true, configurable: true });
Object.defineProperty(fs, 'Dir', { get: () => require('internal/fs_dir').Dir, enumerable: true, configurable: true });
for (const name of ['Stats', 'Dirent']) Object.defineProperty(fs[name], 'name', { value: name });

for (const name of Object.keys(sync)) {
    if (name !== 'exists') fs[name] = withCallback(name, sync[name], promises_[name]);
    fs[`${name}Sync`] = withoutCallback(name, sync[name]);
}

// Later, also where it has to wait; without a callback and an encoding a text.
fs.readFile = called('readFile', 3, (...all) => {
    const { callback, args: [file, options] } = split('readFile', all);
    if (callback !== undefined) return void readLater(file, options, callback);
    const encoded = options !== null && typeof options === 'object' && options.encoding === undefined;
    return promises.readFile(file, options === undefined ? 'utf8' : encoded ? { ...options, encoding: 'utf8' } : options);
});
fs.exists = called('exists', 2, (...all) => {
    const { callback, args: [file] } = split('exists', all);
    const found = sync.exists(file);
    if (callback) return void complete(callback, found);
    return new Promise(resolve => complete(resolve, found));
});
fs.read = called('read', 6, (fd, ...all) => {
    const { callback, args } = split('read', [fd, ...all]);
    if (callback === undefined) return new FileHandle(toFd(fd)).read(...args.slice(1));
    fd = toFd(fd);
    const { buffer, bytes, offset, length, position } = readArguments(...args.slice(1));
    if (length === 0) return complete(callback, null, 0, buffer);
    const finish = () => {
        const got = calls.read(fd, bytes, offset, length, position);
        if (got < 0) complete(callback, systemError(got, 'read'));
        else complete(callback, null, got, buffer);
    };
    if (!waits(fd)) return finish();
    const watch = native.loop.watch(fd, native.loop.IN, () => {
        native.loop.unwatch(watch);
        finish();
    });
    return undefined;
});
// What was read into or written comes to the callback, too.
for (const name of ['write', 'readv', 'writev']) {
    fs[name] = called(name, name === 'write' ? 6 : 4, (...all) => {
        const { callback, args } = split(name, all);
        if (callback === undefined) return promises_[name](...args);
        return withCallback(name, sync[name], undefined)(...args, (error, done) =>
            (error ? callback(error) : callback(null, done, args[1])));
    });
}
const closing = fs.close;
fs.close = called('close', 1, (fd, callback = error => {
    if (error) throw error;
}) => {
    if (callback !== undefined) check.function(callback, 'cb');
    return closing(fd, callback);
});
// The system's own realpath() blames itself, Node's the place that it came to.
const nativePath = (file, options) => {
    if (file === '') throw systemError(ENOENT, 'realpath', '');
    try {
        return sync.realpath(file, options);
    } catch (error) {
        if (error.syscall !== 'lstat' && error.syscall !== 'stat') throw error;
        throw systemError(error.errno, 'realpath', toPath(file));
    }
};
promises_.realpath = promises.realpath = called('realpath', 2, promised(nativePath));
fs.realpath.native = withCallback('realpath', nativePath, promises_.realpath);
fs.realpathSync.native = withoutCallback('realpath', nativePath);
// As promises these give what the callback has more of, by name.
for (const [name, names] of Object.entries({ read: ['bytesRead', 'buffer'], write: ['bytesWritten', 'buffer'], readv: ['bytesRead', 'buffers'], writev: ['bytesWritten', 'buffers'] }))
    Object.defineProperty(fs[name], Symbol.for('nodejs.util.promisify.args'), { value: names, enumerable: false });
Object.defineProperty(fs.exists, Symbol.for('nodejs.util.promisify.custom'), { value: { exists: path => new Promise(resolve => fs.exists(path, resolve)) }.exists });

const lazyStreams = name => function (...args) {
    return require('internal/fs_streams')[name](...args);
};
fs.createReadStream = lazyStreams('createReadStream');
fs.createWriteStream = lazyStreams('createWriteStream');
for (const name of ['ReadStream', 'WriteStream', 'FileReadStream', 'FileWriteStream']) {
    const define = value => Object.defineProperty(fs, name, { value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(fs, name, { get: () => require('internal/fs_streams')[name.replace('File', '')], set: define, enumerable: true, configurable: true });
}
const watching = () => require('internal/fs_watch');
fs.watch = function watch(filename, options, listener) {
    return watching().watch(toPath, filename, options, listener);
};
fs.watchFile = function watchFile(filename, options, listener) {
    return watching().watchFile(toPath, toStats, filename, options, listener);
};
fs.unwatchFile = function unwatchFile(filename, listener) {
    return watching().unwatchFile(toPath, filename, listener);
};
promises.watch = (filename, options) => watching().changes(toPath, filename, options);
fs.openAsBlob = function openAsBlob(path, options = {}) {
    validate.object(options, 'options');
    const { type = '' } = options;
    check.string(type, 'options.type');
    if (!sync.exists(toPath(path))) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'Unable to open file as blob');
    return promises_.readFile(path).then(bytes => new Blob([bytes], { type }));
};
fs._toUnixTimestamp = toSeconds;
Object.defineProperty(fs, '_toPath', { value: toPath });
Object.defineProperty(fs, '_toFlags', { value: toFlags });
Object.defineProperty(fs, '_checkEncoding', { value: checkEncoding });
Object.defineProperty(fs, '_isFileHandle', { value: value => value instanceof FileHandle });
Object.defineProperty(fs, '_setStrict', { value: setStrict });

module.exports = fs;
