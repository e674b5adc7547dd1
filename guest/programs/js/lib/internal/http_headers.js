// http_headers: the rules of Node's http for header names, values and their lists.
'use strict';

const { coded } = require('internal/errors');

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Of these a second one is left out, of the others values are joined.
const ONCE = new Set(['age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host',
    'if-modified-since', 'if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization',
    'referer', 'retry-after', 'server', 'user-agent']);

function validateHeaderName(name, label = 'Header name') {
    if (typeof name !== 'string' || !TOKEN.test(name))
        throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${name}"]`);
}

function validateHeaderValue(name, value) {
    if (value === undefined) throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
}

// {headers, distinct, raw} of [name, value] pairs.
function incoming(pairs) {
    const headers = {}, distinct = { __proto__: null };
    for (const [given, value] of pairs) {
        const name = given.toLowerCase();
        (distinct[name] ??= []).push(value);
        if (name === 'set-cookie') (headers[name] ??= []).push(value);
        else if (headers[name] === undefined) headers[name] = value;
        else if (!ONCE.has(name)) headers[name] += (name === 'cookie' ? '; ' : ', ') + value;
    }
    return { headers, distinct, raw: pairs.flat() };
}

// The headers of a request: lower-case name -> [name as given, value or values].
class Outgoing {
    #named = new Map();
    set(name, value) {
        validateHeaderName(name);
        for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(name, one);
        this.#named.set(name.toLowerCase(), [name, value]);
    }
    append(name, value) {
        const old = this.#named.get(`${name}`.toLowerCase());
        this.set(old?.[0] ?? name, old === undefined ? value : [old[1], value].flat());
    }
    get(name) {
        return this.#named.get(this.#lower(name))?.[1];
    }
    has(name) {
        return this.#named.has(this.#lower(name));
    }
    delete(name) {
        this.#named.delete(this.#lower(name));
    }
    #lower(name) {
        require('internal/validators').string(name, 'name');
        return name.toLowerCase();
    }
    names() {
        return [...this.#named.keys()];
    }
    rawNames() {
        return [...this.#named.values()].map(([name]) => name);
    }
    all() {
        const all = { __proto__: null };
        for (const [name, [, value]] of this.#named) all[name] = value;
        return all;
    }
    // As the tool takes them, without what belongs to the connection.
    sent(origin) {
        const sent = {};
        for (const [lower, [name, value]] of this.#named) {
            if (['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect', 'te', 'trailer'].includes(lower)) continue;
            if (lower === 'host' && `${value}`.toLowerCase() === origin) continue;
            sent[name] = Array.isArray(value) ? value.map(String) : String(value);
        }
        return sent;
    }
}

module.exports = { TOKEN, incoming, Outgoing, validateHeaderName, validateHeaderValue };
