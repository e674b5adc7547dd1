// url_resolve: what url.resolve() makes of a parsed base and a parsed reference.
'use strict';

const slashed = protocol => /^(?:https?|ftp|gopher|file|wss?):?$/.test(protocol ?? '');
const parts = path => (path ? path.split('/') : []);

function finished(result) {
    if (result.pathname !== null || result.search !== null) result.path = (result.pathname || '') + (result.search || '');
    return formatted(result);
}

function formatted(result) {
    result.href = result.format();
    return result;
}

function putFirst(path, host) {
    if (path[0] === '') path[0] = host;
    else path.unshift(host);
}

// The first part of a path was the host (`mailto:` and its like).
function takeHost(result, host) {
    result.hostname = result.host = host;
    const at = host ? host.indexOf('@') : -1;
    if (at <= 0) return;
    const pieces = host.split('@');
    result.auth = pieces[0];
    result.host = result.hostname = pieces[1];
}

// A reference with another protocol replaces all.
function otherProtocol(result, relative) {
    if (!slashed(relative.protocol)) return formatted(Object.assign(result, relative));
    result.protocol = relative.protocol;
    if (!relative.host && !/^file:?$/.test(relative.protocol)) {
        const path = (relative.pathname || '').split('/');
        while (path.length && !(relative.host = path.shift()));
        relative.host ||= '';
        relative.hostname ||= '';
        if (path[0] !== '') path.unshift('');
        if (path.length < 2) path.unshift('');
        result.pathname = path.join('/');
    } else {
        result.pathname = relative.pathname;
    }
    const { search, query, auth, port } = relative;
    Object.assign(result, { search, query, host: relative.host || '', auth, hostname: relative.hostname || relative.host, port });
    if (result.pathname || result.search) result.path = (result.pathname || '') + (result.search || '');
    result.slashes ||= relative.slashes;
    return formatted(result);
}

// Without `.` and `..`; how many `..` lead out of it.
function withoutDots(path) {
    let up = 0;
    for (let i = path.length - 1; i >= 0; i--) {
        if (path[i] === '.') {
            path.splice(i, 1);
        } else if (path[i] === '..') {
            path.splice(i, 1);
            up++;
        } else if (up) {
            path.splice(i, 1);
            up--;
        }
    }
    return up;
}

function resolveObject(base, relative, Url) {
    const result = Object.assign(new Url(), base, { hash: relative.hash });
    if (relative.href === '') return formatted(result);
    if (relative.slashes && !relative.protocol) {
        const { protocol } = result;
        Object.assign(result, relative, { protocol });
        if (slashed(protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
        return formatted(result);
    }
    if (relative.protocol && relative.protocol !== result.protocol) return otherProtocol(result, relative);

    const fromRoot = result.pathname && result.pathname[0] === '/';
    const toRoot = relative.host || (relative.pathname && relative.pathname[0] === '/');
    let rooted = toRoot || fromRoot || (result.host && relative.pathname);
    const dropsDots = rooted, hostInPath = result.protocol && !slashed(result.protocol);
    let path = parts(result.pathname);
    const other = parts(relative.pathname);
    if (hostInPath) {
        result.hostname = '';
        result.port = null;
        if (result.host) putFirst(path, result.host);
        result.host = '';
        if (relative.protocol) {
            relative.hostname = relative.port = result.auth = null;
            if (relative.host) putFirst(other, relative.host);
            relative.host = null;
        }
        rooted &&= other[0] === '' || path[0] === '';
    }
    if (toRoot) {
        if (relative.host || relative.host === '') {
            if (result.host !== relative.host) result.auth = null;
            result.host = relative.host;
            result.port = relative.port;
        }
        if (relative.hostname || relative.hostname === '') {
            if (result.hostname !== relative.hostname) result.auth = null;
            result.hostname = relative.hostname;
        }
        Object.assign(result, { search: relative.search, query: relative.query });
        path = other;
    } else if (other.length) {
        path = [...path.slice(0, -1), ...other];
        Object.assign(result, { search: relative.search, query: relative.query });
    } else if (relative.search !== null && relative.search !== undefined) {
        if (hostInPath) takeHost(result, path.shift());
        Object.assign(result, { search: relative.search, query: relative.query });
        return finished(result);
    }
    if (!path.length) {
        result.pathname = null;
        result.path = result.search ? `/${result.search}` : null;
        return formatted(result);
    }
    const last = path.at(-1);
    const ends = ((result.host || relative.host || path.length > 1) && (last === '.' || last === '..')) || last === '';
    let up = withoutDots(path);
    if (!rooted && !dropsDots) while (up--) path.unshift('..');
    if (rooted && path[0] !== '' && (!path[0] || path[0][0] !== '/')) path.unshift('');
    if (ends && !path.join('/').endsWith('/')) path.push('');
    const absolute = path[0] === '' || (path[0] && path[0][0] === '/');
    if (hostInPath) takeHost(result, absolute ? '' : path.length ? path.shift() : '');
    rooted ||= result.host && path.length;
    if (rooted && !absolute) path.unshift('');
    if (path.length) result.pathname = path.join('/');
    else result.pathname = result.path = null;
    result.auth = relative.auth || result.auth;
    result.slashes ||= relative.slashes;
    return finished(result);
}

module.exports = { resolveObject };
