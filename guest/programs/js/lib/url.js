// url: URL and its kin, and the older url.parse() and url.format().
'use strict';

const { URL, URLSearchParams, fileURLToPath, pathToFileURL } = require('internal/url');
const { check } = require('internal/errors');
const querystring = require('querystring');

class Url {
    constructor() {
        Object.assign(this, {
            protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null, hash: null,
            search: null, query: null, pathname: null, path: null, href: '',
        });
    }
    format() {
        return format(this);
    }
    resolve(to) {
        return resolve(this.href, to);
    }
}

const slashed = new Set(['http:', 'https:', 'ftp:', 'file:', 'ws:', 'wss:', 'gopher:']);

function parse(text, parseQuery = false, slashesDenoteHost = false) {
    check.string(text, 'url');
    const url = new Url();
    let rest = text.trim();
    const protocol = /^([a-z0-9.+-]+:)/i.exec(rest);
    if (protocol) {
        url.protocol = protocol[1].toLowerCase();
        rest = rest.slice(protocol[1].length);
    }
    rest = rest.replace(/[ "<>`{}|\\^']/g, c => encodeURIComponent(c).replace("'", '%27'));
    const hash = rest.indexOf('#');
    if (hash !== -1) {
        url.hash = rest.slice(hash);
        rest = rest.slice(0, hash);
    }
    const question = rest.indexOf('?');
    if (question !== -1) {
        url.search = rest.slice(question);
        url.query = url.search.slice(1);
        rest = rest.slice(0, question);
    }
    const slashes = rest.startsWith('//') && (protocol || slashesDenoteHost);
    if (slashes || (protocol && !slashed.has(url.protocol) && url.protocol !== 'javascript:')) {
        if (slashes) url.slashes = true;
        const [, authority, path] = /^(?:\/\/)?([^/]*)(.*)$/s.exec(rest);
        rest = path;
        const at = authority.lastIndexOf('@');
        if (at !== -1) url.auth = decodeURIComponent(authority.slice(0, at));
        const host = authority.slice(at + 1).toLowerCase();
        const port = /:([0-9]*)$/.exec(host);
        url.hostname = port ? host.slice(0, port.index) : host;
        if (port && port[1] !== '') url.port = port[1];
        url.host = url.hostname + (url.port !== null ? `:${url.port}` : '');
        url.hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    }
    url.pathname = rest || null;
    if (url.hostname && slashed.has(url.protocol) && !url.pathname) url.pathname = '/';
    if (url.pathname || url.search) url.path = (url.pathname ?? '') + (url.search ?? '');
    if (parseQuery) {
        url.search ??= '';
        url.query = { __proto__: null, ...querystring.parse(url.query ?? '') };
    }
    url.href = format(url);
    return url;
}

function format(url, options) {
    if (typeof url === 'string') url = parse(url);
    if (url instanceof URL) {
        const { auth = true, fragment = true, search = true } = options ?? {};
        const copy = new URL(url.href);
        if (!auth) copy.username = copy.password = '';
        if (!fragment) copy.hash = '';
        if (!search) copy.search = '';
        return copy.href;
    }
    let protocol = url.protocol ?? '';
    if (protocol && !protocol.endsWith(':')) protocol += ':';
    const auth = url.auth ? `${encodeURIComponent(url.auth).replace('%3A', ':')}@` : '';
    let host = '';
    if (url.host) host = auth + url.host;
    else if (url.hostname) host = auth + (url.hostname.includes(':') ? `[${url.hostname}]` : url.hostname) + (url.port ? `:${url.port}` : '');
    let pathname = (url.pathname ?? '').replaceAll('?', '%3F').replaceAll('#', '%23');
    let search = url.search || (url.query && typeof url.query === 'object' && Object.keys(url.query).length ? `?${querystring.stringify(url.query)}` : '');
    if (search && !search.startsWith('?')) search = `?${search}`;
    if (url.slashes || ((!protocol || slashed.has(protocol)) && host !== '')) {
        host = `//${host}`;
        if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
    }
    const hash = url.hash ? (url.hash.startsWith('#') ? url.hash : `#${url.hash}`) : '';
    return protocol + host + pathname + search.replaceAll('#', '%23') + hash;
}

function resolve(from, to) {
    const absolute = /^[a-z][a-z0-9+.-]*:/i.test(from);
    const base = new URL(from, absolute ? undefined : 'resolve://host/');
    const result = new URL(to, base);
    if (result.protocol !== 'resolve:') return result.href;
    const path = result.pathname + result.search + result.hash;
    return from.startsWith('/') || to.startsWith('/') ? path : path.slice(1);
}

module.exports = {
    Url, URL, URLSearchParams, parse, format, resolve, fileURLToPath, pathToFileURL,
    resolveObject: (from, to) => parse(resolve(from, to)),
    domainToASCII: domain => URL.parse(`http://${domain}`)?.hostname ?? '',
    domainToUnicode: domain => require('punycode').toUnicode(domain),
    urlToHttpOptions: url => ({
        protocol: url.protocol, hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'), hash: url.hash, search: url.search,
        pathname: url.pathname, path: `${url.pathname}${url.search}`, href: url.href,
        ...(url.port && { port: Number(url.port) }), ...(url.username && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
    }),
};
