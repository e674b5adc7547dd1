// errors: Node's error classes, codes and messages, and stacks that show only the user's own frames.
'use strict';

const names = {
    1: 'EPERM', 2: 'ENOENT', 3: 'ESRCH', 4: 'EINTR', 5: 'EIO', 6: 'ENXIO', 7: 'E2BIG', 8: 'ENOEXEC',
    9: 'EBADF', 10: 'ECHILD', 11: 'EAGAIN', 12: 'ENOMEM', 13: 'EACCES', 14: 'EFAULT', 16: 'EBUSY',
    17: 'EEXIST', 18: 'EXDEV', 19: 'ENODEV', 20: 'ENOTDIR', 21: 'EISDIR', 22: 'EINVAL', 23: 'ENFILE',
    24: 'EMFILE', 25: 'ENOTTY', 26: 'ETXTBSY', 27: 'EFBIG', 28: 'ENOSPC', 29: 'ESPIPE', 30: 'EROFS',
    31: 'EMLINK', 32: 'EPIPE', 34: 'ERANGE', 36: 'ENAMETOOLONG', 38: 'ENOSYS', 39: 'ENOTEMPTY',
    40: 'ELOOP', 75: 'EOVERFLOW', 95: 'ENOTSUP', 110: 'ETIMEDOUT', 122: 'EDQUOT', 125: 'ECANCELED',
};
// libuv's texts, which Node prints; they differ from strerror's.
const texts = {
    EPERM: 'operation not permitted', ENOENT: 'no such file or directory', ESRCH: 'no such process',
    EINTR: 'interrupted system call', EIO: 'i/o error', ENXIO: 'no such device or address',
    E2BIG: 'argument list too long', ENOEXEC: 'exec format error', EBADF: 'bad file descriptor',
    ECHILD: 'no child processes', EAGAIN: 'resource temporarily unavailable', ENOMEM: 'not enough memory',
    EACCES: 'permission denied', EFAULT: 'bad address in system call argument',
    EBUSY: 'resource busy or locked', EEXIST: 'file already exists',
    EXDEV: 'cross-device link not permitted', ENODEV: 'no such device', ENOTDIR: 'not a directory',
    EISDIR: 'illegal operation on a directory', EINVAL: 'invalid argument', ENFILE: 'file table overflow',
    EMFILE: 'too many open files', ENOTTY: 'inappropriate ioctl for device', ETXTBSY: 'text file is busy',
    EFBIG: 'file too large', ENOSPC: 'no space left on device', ESPIPE: 'invalid seek',
    EROFS: 'read-only file system', EMLINK: 'too many links', EPIPE: 'broken pipe',
    ERANGE: 'result too large', ENAMETOOLONG: 'name too long', ENOSYS: 'function not implemented',
    ENOTEMPTY: 'directory not empty', ELOOP: 'too many symbolic links encountered',
    EOVERFLOW: 'value too large for defined data type', ENOTSUP: 'operation not supported on socket',
    ETIMEDOUT: 'connection timed out', EDQUOT: 'disk quota exceeded', ECANCELED: 'operation canceled',
};

// The error of a failed system call: `ENOENT: no such file or directory, open '/x'`.
function systemError(errno, syscall, path, dest) {
    const [code, text] = names[-errno] ? [names[-errno], texts[names[-errno]]] : require('internal/errno').all().get(errno) ?? [`Unknown system error ${errno}`, `Unknown system error ${errno}`];
    let message = `${code}: ${text}, ${syscall}`;
    if (path !== undefined) message += ` '${path}'`;
    if (dest !== undefined) message += ` -> '${dest}'`;
    const error = new Error(message);
    error.errno = errno;
    error.code = code;
    error.syscall = syscall;
    if (path !== undefined) error.path = path;
    if (dest !== undefined) error.dest = dest;
    return error;
}

// The result of a system call that went well.
function checked(result, syscall, path, dest) {
    if (typeof result === 'number' && result < 0) throw systemError(result, syscall, path, dest);
    return result;
}

// An error with a code, whose stack begins `Name [CODE]: message` as Node's do.
function coded(Base, code, message) {
    const error = new Base(message);
    error.code = code;
    codedNames.set(error, `${error.name} [${code}]`);
    if (code !== 'ERR_INVALID_URL') Object.defineProperty(error, 'toString', { value: codedText, configurable: true, writable: true });
    return error;
}
function codedText() {
    return `${this.name} [${this.code}]: ${this.message}`;
}
const codedNames = new WeakMap();

// What a program is told that asks for the network, in place of the words of the system.
const NO_NETWORK = 'there is no network in a sandbox; call a tool instead, listTools() names them';

function noNetwork(syscall, code, errno, address, port) {
    const place = address === undefined ? '' : ` ${address}${port === undefined ? '' : `:${port}`}`;
    return Object.assign(new Error(`${syscall} ${code}${place} - ${NO_NETWORK}`), { code, errno, syscall, ...(address === undefined ? {} : { address, port }) });
}

// What an error says it was given.
function specificType(value) {
    switch (typeof value) {
    case 'undefined': return 'undefined';
    case 'function': return `function ${value.name}`;
    case 'object':
        if (value === null) return 'null';
        if (value.constructor && 'name' in value.constructor) return `an instance of ${value.constructor.name}`;
        return require('internal/inspect').inspect(value, { depth: -1 });
    case 'string':
        if (value.length > 28) value = `${value.slice(0, 25)}...`;
        return `type string (${value.includes("'") ? JSON.stringify(value) : `'${value}'`})`;
    case 'bigint': return `type bigint (${value}n)`;
    case 'number': return `type number (${Object.is(value, -0) ? '-0' : value})`;
    default: return `type ${typeof value} (${String(value)})`;
    }
}
const describeReceived = value => ` Received ${specificType(value)}`;

const kinds = new Set(['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol']);
const listed = words => (words.length > 2 ? `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}` : words.join(' or '));

// `expected`: types, names of classes, or other words; one or a list
function argType(name, expected, value) {
    const list = Array.isArray(expected) ? expected : [expected];
    const types = [], classes = [], others = [];
    for (const kind of list) {
        if (kinds.has(kind)) types.push(kind.toLowerCase());
        else if (/^(?:[A-Z][a-z0-9]*)+$/.test(kind)) classes.push(kind);
        else others.push(kind);
    }
    const at = types.indexOf('object');
    if (classes.length && at !== -1) {
        types.splice(at, 1);
        classes.push('Object');
    }
    const parts = [];
    if (types.length) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${listed(types)}`);
    if (classes.length) parts.push(`an instance of ${listed(classes)}`);
    if (others.length > 1) parts.push(`one of ${listed(others)}`);
    else if (others.length) parts.push(others[0].toLowerCase() === others[0] ? others[0] : `an ${others[0]}`);
    const subject = name.endsWith(' argument') ? name : `"${name}" ${name.includes('.') ? 'property' : 'argument'}`;
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The ${subject} must be ${parts.join(' or ')}.${describeReceived(value)}`);
}

function argValue(name, value, reason = 'is invalid', Base = TypeError) {
    const { inspect } = require('internal/inspect');
    let text = inspect(value);
    if (text.length > 128) text = `${text.slice(0, 128)}...`;
    return coded(Base, 'ERR_INVALID_ARG_VALUE',
        `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${text}`);
}

function outOfRange(name, range, value) {
    const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, '_');
    let text;
    if (typeof value === 'bigint') text = `${value > 2n ** 32n || value < -(2n ** 32n) ? grouped(String(value)) : value}n`;
    else if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) text = grouped(String(value));
    else text = require('internal/inspect').inspect(value);
    return coded(RangeError, 'ERR_OUT_OF_RANGE',
        `The value of "${name}" is out of range. It must be ${range}. Received ${text}`);
}

// The validators, by the names that most of the library knows them by; loaded when first used.
const check = {};
for (const name of ['string', 'function', 'object', 'number', 'boolean', 'integer'])
    check[name] = (...args) => require('internal/validators')[name](...args);

class AbortError extends Error {
    constructor(message = 'The operation was aborted', options = undefined) {
        if (options !== undefined && typeof options !== 'object') throw argType('options', 'Object', options);
        super(message, options);
        this.name = 'AbortError';
        this.code = 'ABORT_ERR';
    }
}

// ---------------------------------------------------------------- stacks

// QuickJS gives the frames only, also those of this library; Node gives `Name: message` and then the
// frames, in its own notation.
const rawStack = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
const captureRaw = Error.captureStackTrace;

function frames(raw) {
    const shown = [];
    for (const line of raw.split('\n')) {
        if (line === '') continue;
        if (line.includes('(<null>') || line.includes('(missing)')) {
            // what the library called natively on its way to the user's code is the library's, too
            while (shown.length && shown.at(-1).endsWith(' (<anonymous>)')) shown.pop();
            continue;
        }
        const anonymous = /^    at (?:<anonymous>|<eval>) \((.*)\)$/.exec(line);
        if (anonymous) shown.push(`    at ${anonymous[1]}`);
        else shown.push(line.endsWith(' (native)') ? `${line.slice(0, -8)}(<anonymous>)` : line);
    }
    return shown.length ? `\n${shown.join('\n')}` : '';
}

function header(error) {
    try {
        const { name, message } = error;
        const first = codedNames.get(error) ?? (name === undefined ? 'Error' : String(name));
        const text = message === undefined ? '' : String(message);
        return first === '' ? text : text === '' ? first : `${first}: ${text}`;
    } catch (failure) {
        return failure instanceof InternalError ? 'InternalError: out of memory' : 'Error';
    }
}

// What an error's own `stack` is when somebody first looks at it.
native.engine.setStackMaker((error, raw = '') =>
    (typeof raw === 'string' && (raw === '' || raw.startsWith('    at ')) ? header(error) + frames(raw) : raw));
delete Error.prototype.stack;

Error.captureStackTrace = function captureStackTrace(object, above) {
    captureRaw(object, above);
    const own = Object.getOwnPropertyDescriptor(object, 'stack');
    if (own && typeof own.value === 'string' && typeof Error.prepareStackTrace !== 'function')
        Object.defineProperty(object, 'stack', { ...own, value: header(object) + frames(own.value) });
};

// For errors that are made when the functions that are to blame run no more: their frames, as the engine
// writes them, kept while they run and given to the error later.
function frameText(above) {
    const at = {};
    captureRaw(at, above);
    return at.stack;
}

function setFrames(error, raw) {
    if (typeof raw === 'string' && raw !== '') error.stack = header(error) + frames(raw);
    return error;
}

// Where a SyntaxError happened: {file, line, column}, from the engine's own first frame.
const places = new WeakMap(); // of errors that another parser than the engine's found
const setPlace = (error, place) => (places.set(error, place), error);

function syntaxPlace(error) {
    if (places.has(error)) return places.get(error);
    const raw = rawStack.get.call(error);
    const place = typeof raw === 'string' && /^    at (.*):(\d+):(\d+)$/m.exec(raw.split('\n', 1)[0]);
    return place ? { file: place[1], line: Number(place[2]), column: Number(place[3]) } : undefined;
}

// Where an error was made: {file, line, column} of the first frame that is the program's own.
function placeOf(error) {
    let raw;
    try {
        raw = rawStack.get.call(error);
    } catch { /* no error of this engine */ }
    const place = typeof raw === 'string' && /^    at (?:.* \()?(.*):(\d+):(\d+)\)?$/m.exec(frames(raw));
    return place ? { file: place[1], line: Number(place[2]), column: Number(place[3]) } : undefined;
}

// A program is compiled inside the braces of a function, so one that is unfinished fails behind its
// end; the place is put where its text ends.
function endOfText(error, text, file) {
    const place = syntaxPlace(error);
    const lines = text.trimEnd().split('\n');
    if (place?.file !== file || place.line <= lines.length) return error;
    const { length: line } = lines, column = lines.at(-1).length + 1;
    const rest = error.stack.slice(header(error).length).replace(/^\n.*/, '');
    if (!error.message.endsWith('has already been declared')) error.message = 'Unexpected end of input';
    error.stack = `${header(error)}\n    at ${file}:${line}:${column}${rest}`;
    return setPlace(error, { file, line, column });
}

module.exports = { endOfText, systemError, NO_NETWORK, noNetwork, describeReceived, specificType, coded, argType, argValue, outOfRange, check, checked, AbortError, syntaxPlace, placeOf, setPlace, frameText, setFrames, names, texts };
