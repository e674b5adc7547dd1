// url_legacy: url.parse(), url.format() and url.resolve(), which are older than URL and lenient where URL is strict.
'use strict';

const { argType, coded } = require('internal/errors');
const validate = require('internal/validators');
const querystring = require('querystring');

const slashed = protocol => /^(?:https?|ftp|gopher|file|wss?):?$/.test(protocol ?? '');
const scripted = protocol => /^javascript:?$/.test(protocol ?? '');
const bracketed = host => host.startsWith('[') && host.endsWith(']');

const invalid = input => Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input });
const escaped = text => text.replace(/[\t\n\r "'<>\\^`{|}]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

// Without the blanks around it; backslashes before the query count as slashes.
function cleaned(text) {
    const bare = text.replace(/^[\t\n\f\r \u00a0\ufeff]+|[\t\n\f\r \u00a0\ufeff]+$/g, '');
    const end = bare.search(/[?#]/);
    return end === -1 ? bare.replaceAll('\\', '/') : bare.slice(0, end).replaceAll('\\', '/') + bare.slice(end);
}

function setQuery(url, search, asObject) {
    if (search) {
        url.search = search;
        url.query = asObject ? querystring.parse(search.slice(1)) : search.slice(1);
    } else if (asObject) {
        url.search = null;
        url.query = { __proto__: null };
    }
}

// What stands between `//` and the path: {auth, host, rest}. The host ends where a character is that none has;
// a later @ says that all before it was the user.
function authority(text) {
    let rest = text, at = -1, stop = -1;
    for (let i = 0; i < rest.length; i++) {
        const c = rest[i];
        if (c === '\t' || c === '\n' || c === '\r') {
            rest = rest.slice(0, i) + rest.slice(i + 1);
            i--;
        } else if (c === '@') {
            at = i;
            stop = -1;
        } else if (' "%\';<>\\^`{|}#/?'.includes(c)) {
            if (stop === -1) stop = i;
            if ('#/?'.includes(c)) break;
        }
    }
    const end = stop === -1 ? rest.length : stop;
    return { auth: at === -1 ? null : decodeURIComponent(rest.slice(0, at)), host: rest.slice(at + 1, end), rest: rest.slice(end) };
}

function setHost(url, host, rest, input) {
    const port = /:([0-9]*)$/.exec(host);
    if (port?.[1]) url.port = port[1];
    let name = port ? host.slice(0, port.index) : host;
    const literal = bracketed(name);
    if (!literal) {
        const bad = name.search(/[/\\#?:]/);
        if (bad !== -1) {
            rest = `/${name.slice(bad)}${rest}`;
            name = name.slice(0, bad);
        }
    }
    name = name.length > 255 ? '' : name.toLowerCase();
    if (name !== '') {
        if (!literal) name = /[^\0-\x7f]/.test(name) ? require('internal/url').domainToASCII(name) || name : name;
        if ((literal ? /[\0\t\n\r #%/<>?@\\^|]/ : /[\0\t\n\r #%/:<>?@[\\\]^|]/).test(name)) throw invalid(input);
    }
    url.host = name + (url.port ? `:${url.port}` : '');
    url.hostname = literal ? name.slice(1, -1) : name;
    return literal && !rest.startsWith('/') ? `/${rest}` : rest;
}

class LegacyUrl {
    constructor() {
        Object.assign(this, {
            protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null, hash: null,
            search: null, query: null, pathname: null, path: null, href: null,
        });
    }
    parse(input, asObject, slashesDenoteHost) {
        validate.string(input, 'url');
        let rest = cleaned(input);
        const simple = !slashesDenoteHost && !/[#@]/.test(input) && /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
        if (simple) {
            this.path = this.href = rest;
            this.pathname = simple[1];
            setQuery(this, simple[2], asObject);
            return this;
        }
        const protocol = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
        if (protocol) {
            this.protocol = protocol.toLowerCase();
            rest = rest.slice(protocol.length);
        }
        let slashes = false;
        if (slashesDenoteHost || protocol || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
            slashes = rest.startsWith('//');
            if (slashes && !scripted(this.protocol)) {
                rest = rest.slice(2);
                this.slashes = true;
            }
        }
        if (!scripted(this.protocol) && (slashes || (protocol && !slashed(this.protocol)))) {
            const found = authority(rest);
            if (found.auth !== null) this.auth = found.auth;
            rest = setHost(this, found.host, found.rest, input);
        }
        if (!scripted(this.protocol)) rest = escaped(rest);
        this.#setPath(rest, asObject);
        this.href = this.format();
        return this;
    }
    #setPath(rest, asObject) {
        const hash = rest.indexOf('#');
        if (hash !== -1) this.hash = rest.slice(hash);
        const before = hash === -1 ? rest : rest.slice(0, hash), question = before.indexOf('?');
        setQuery(this, question === -1 ? '' : before.slice(question), asObject);
        const path = question === -1 ? before : before.slice(0, question);
        if (path) this.pathname = path;
        if (slashed(this.protocol) && this.hostname && !this.pathname) this.pathname = '/';
        if (this.pathname || this.search) this.path = (this.pathname ?? '') + (this.search ?? '');
    }
    format() {
        const { auth, query } = this;
        const user = auth ? `${encodeURIComponent(auth).replaceAll('%3A', ':')}@` : '';
        let protocol = this.protocol || '', pathname = this.pathname || '', hash = this.hash || '', host = '';
        if (this.host) host = user + this.host;
        else if (this.hostname)
            host = user + (this.hostname.includes(':') && !bracketed(this.hostname) ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : '');
        const asked = query !== null && typeof query === 'object' ? querystring.stringify(query) : '';
        let search = this.search || (asked && `?${asked}`) || '';
        if (protocol && !protocol.endsWith(':')) protocol += ':';
        pathname = pathname.replaceAll('#', '%23').replaceAll('?', '%3F');
        if (this.slashes || slashed(protocol)) {
            if (this.slashes || host) {
                if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
                host = `//${host}`;
            } else if (protocol === 'file:') {
                host = '//';
            }
        }
        search = search.replaceAll('#', '%23');
        if (hash && !hash.startsWith('#')) hash = `#${hash}`;
        if (search && !search.startsWith('?')) search = `?${search}`;
        return protocol + host + pathname + search + hash;
    }
    resolve(relative) {
        return this.resolveObject(parse(relative, false, true)).format();
    }
    resolveObject(relative) {
        return require('internal/url_resolve').resolveObject(this, typeof relative === 'string' ? parse(relative, false, true) : relative, Url);
    }
}
// Node's is a function, which is also called without `new`.
function Url() {
    for (const [name, value] of Object.entries(new LegacyUrl())) this[name] = value;
}
for (const name of ['parse', 'format', 'resolve', 'resolveObject'])
    Url.prototype[name] = LegacyUrl.prototype[name];

const parse = (url, parseQueryString, slashesDenoteHost) =>
    url instanceof Url ? url : Object.setPrototypeOf(new LegacyUrl().parse(url, parseQueryString, slashesDenoteHost), Url.prototype);

function formatUrl(url, options) {
    const { fragment = true, unicode = false, search = true, auth = true } = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value != null));
    const copy = new URL(url.href);
    if (!auth) copy.username = copy.password = '';
    if (!fragment) copy.hash = '';
    if (!search) copy.search = '';
    return unicode && copy.hostname ? copy.href.replace(copy.hostname, () => require('internal/url').domainToUnicode(copy.hostname)) : copy.href;
}

function format(url, options) {
    if (typeof url === 'string') return parse(url).format();
    if (url === null || typeof url !== 'object') throw argType('urlObject', ['Object', 'string'], url);
    if (!(url instanceof URL)) return Url.prototype.format.call(url);
    if (options) validate.object(options, 'options');
    return formatUrl(url, options);
}

module.exports = {
    Url, parse, format,
    resolve: (from, to) => parse(from, false, true).resolve(to),
    resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
};
