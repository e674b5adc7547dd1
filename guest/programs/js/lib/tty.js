// tty: is a descriptor a terminal, and what colours does it have?
'use strict';

const { coded } = require('internal/errors');
const validate = require('internal/validators');

const isatty = fd => Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && native.process.isatty(fd);

function checkFd(fd) {
    if (fd >> 0 !== fd || fd < 0) throw coded(RangeError, 'ERR_INVALID_FD', `"fd" must be a positive integer: ${fd}`);
    if (native.process.isatty(fd)) return;
    const made = coded(Error, 'ERR_TTY_INIT_FAILED', 'TTY initialization failed: uv_tty_init returned EINVAL (invalid argument)');
    throw Object.assign(made, { name: 'SystemError', info: { errno: -22, code: 'EINVAL', message: 'invalid argument', syscall: 'uv_tty_init' }, errno: -22, syscall: 'uv_tty_init' });
}

function ReadStream(fd) {
    checkFd(fd);
    const stream = require('internal/fdstream').readable(fd);
    return Object.assign(Object.setPrototypeOf(stream, ReadStream.prototype), { fd, isTTY: true, isRaw: false });
}
Object.setPrototypeOf(ReadStream.prototype, require('stream').Readable.prototype);
ReadStream.prototype.setRawMode = function (flag) {
    this.isRaw = Boolean(flag);
    return this;
};

const MONO = 1, SIXTEEN = 4, MANY = 8, ALL = 24;
const terminals = {
    eterm: SIXTEEN, cons25: SIXTEEN, console: SIXTEEN, cygwin: SIXTEEN, dtterm: SIXTEEN, gnome: SIXTEEN, hurd: SIXTEEN, jfbterm: SIXTEEN, konsole: SIXTEEN,
    kterm: SIXTEEN, mlterm: SIXTEEN, mosh: ALL, putty: SIXTEEN, st: SIXTEEN, 'rxvt-unicode-24bit': ALL, terminator: ALL, 'xterm-kitty': ALL,
};
const patterns = [/ansi/, /color/, /linux/, /direct/, /^con[0-9]*x[0-9]/, /^rxvt/, /^screen/, /^xterm/, /^vt100/, /^vt220/];
const ciWithColors = { APPVEYOR: MANY, BUILDKITE: MANY, CIRCLECI: ALL, DRONE: MANY, GITEA_ACTIONS: ALL, GITHUB_ACTIONS: ALL, GITLAB_CI: MANY, TRAVIS: MANY };

function forced(env) {
    switch (env.FORCE_COLOR) {
    case '': case '1': case 'true': return SIXTEEN;
    case '2': return MANY;
    case '3': return ALL;
    default: return MONO;
    }
}

// How many bits of colour a terminal has, by what the environment says of it.
function getColorDepth(env = process.env) {
    if (env.FORCE_COLOR !== undefined) {
        if (env.NODE_DISABLE_COLORS || env.NO_COLOR) process.emitWarning(`The '${env.NO_COLOR ? 'NO_COLOR' : 'NODE_DISABLE_COLORS'}' env is ignored due to the 'FORCE_COLOR' env being set.`, 'Warning');
        return forced(env);
    }
    if (env.NODE_DISABLE_COLORS || env.NO_COLOR || env.TERM === 'dumb') return MONO;
    if (env.TMUX) return ALL;
    if ('TF_BUILD' in env && 'AGENT_NAME' in env) return SIXTEEN;
    if ('CI' in env) {
        for (const [name, depth] of Object.entries(ciWithColors)) if (name in env) return depth;
        return env.CI_NAME === 'codeship' ? MANY : MONO;
    }
    if ('TEAMCITY_VERSION' in env) return /^(?:9\.(?:0*[1-9]\d*)\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION) ? SIXTEEN : MONO;
    switch (env.TERM_PROGRAM) {
    case 'iTerm.app': return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION) ? MANY : ALL;
    case 'HyperTerm': case 'MacTerm': return ALL;
    case 'Apple_Terminal': return MANY;
    }
    if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return ALL;
    if (env.TERM) {
        if (/truecolor/.test(env.TERM)) return ALL;
        if (/^xterm-256/.test(env.TERM)) return MANY;
        const term = env.TERM.toLowerCase();
        if (terminals[term]) return terminals[term];
        if (patterns.some(pattern => pattern.test(term))) return SIXTEEN;
    }
    return env.COLORTERM ? SIXTEEN : MONO;
}

function hasColors(count, env) {
    if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null))) [env, count] = [count, 16];
    else validate.integer(count, 'count', 2);
    return count <= 2 ** (this.getColorDepth ?? getColorDepth)(env);
}

function WriteStream(fd) {
    checkFd(fd);
    return Object.setPrototypeOf(require('internal/stdio').output(fd), WriteStream.prototype);
}
Object.setPrototypeOf(WriteStream.prototype, require('internal/stdio').Output.prototype);
Object.assign(WriteStream.prototype, { getColorDepth, hasColors, isTTY: true });

module.exports = { isatty, ReadStream, WriteStream };
