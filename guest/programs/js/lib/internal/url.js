// url: URL and URLSearchParams as the URL Standard has them, and the file: conversions of Node.
'use strict';

const { coded, argType } = require('internal/errors');

const special = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const encodeBytes = string => new Uint8Array(native.text.utf8Encode(string));

// ---------------------------------------------------------------- percent encoding

const set = characters => new Set([...characters].map(c => c.charCodeAt(0)));
const fragmentSet = set(' "<>`'), querySet = set(' "#<>'), specialQuerySet = set(' "#<>\'');
const pathSet = set(' "#<>?`{}'), userinfoSet = set(' "#<>?`{}/:;=@[\\]^|');
const componentKept = set('*-._');

const percent = byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

function encode(string, escaped) {
    let out = '';
    for (const byte of encodeBytes(string))
        out += byte < 0x21 || byte > 0x7e || escaped.has(byte) ? percent(byte) : String.fromCharCode(byte);
    return out;
}

function decode(string) {
    const bytes = encodeBytes(string), out = [];
    for (let i = 0; i < bytes.length; i++) {
        if (bytes[i] === 0x25 && i + 2 < bytes.length) {
            const hex = String.fromCharCode(bytes[i + 1], bytes[i + 2]);
            if (/^[0-9a-f]{2}$/i.test(hex)) {
                out.push(parseInt(hex, 16));
                i += 2;
                continue;
            }
        }
        out.push(bytes[i]);
    }
    return native.text.utf8Decode(new Uint8Array(out));
}

// ---------------------------------------------------------------- hosts

function parseIPv4Number(part) {
    if (part === '') return NaN;
    let radix = 10;
    if (/^0x/i.test(part)) {
        part = part.slice(2);
        radix = 16;
    } else if (part.length > 1 && part[0] === '0') {
        part = part.slice(1);
        radix = 8;
    }
    if (part === '') return 0;
    const digits = { 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-f]+$/i };
    return digits[radix].test(part) ? parseInt(part, radix) : NaN;
}

// null: not an address; undefined: a wrong one
function parseIPv4(host) {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    const last = parts.at(-1);
    if (!/^[0-9]+$/.test(last) && Number.isNaN(parseIPv4Number(last))) return null;
    if (parts.length > 4) return undefined;
    const numbers = parts.map(parseIPv4Number);
    if (numbers.some(Number.isNaN)) return undefined;
    if (numbers.slice(0, -1).some(number => number > 255)) return undefined;
    if (numbers.at(-1) >= 256 ** (5 - numbers.length)) return undefined;
    let address = numbers.at(-1);
    numbers.slice(0, -1).forEach((number, i) => void (address += number * 256 ** (3 - i)));
    return [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
}

function parseIPv6(text) {
    const halves = text.split('::');
    if (halves.length > 2) return undefined;
    const group = half => {
        if (half === '') return [];
        const out = [];
        const parts = half.split(':');
        for (let i = 0; i < parts.length; i++) {
            if (i === parts.length - 1 && parts[i].includes('.')) {
                if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(parts[i])) return undefined;
                const bytes = parts[i].split('.').map(Number);
                if (bytes.some(byte => byte > 255)) return undefined;
                out.push(bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]);
            } else if (/^[0-9a-f]{1,4}$/i.test(parts[i])) {
                out.push(parseInt(parts[i], 16));
            } else {
                return undefined;
            }
        }
        return out;
    };
    const head = group(halves[0]), tail = halves.length === 2 ? group(halves[1]) : [];
    if (head === undefined || tail === undefined) return undefined;
    const missing = 8 - head.length - tail.length;
    if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
    const groups = [...head, ...Array(missing).fill(0), ...tail];
    let best = -1, bestLength = 1;
    for (let i = 0; i < 8; i++) {
        let n = 0;
        while (i + n < 8 && groups[i + n] === 0) n++;
        if (n > bestLength) {
            best = i;
            bestLength = n;
        }
    }
    let out = '';
    for (let i = 0; i < 8; i++) {
        if (i === best) {
            out += i === 0 ? '::' : ':';
            i += bestLength - 1;
            continue;
        }
        out += groups[i].toString(16) + (i < 7 ? ':' : '');
    }
    return `[${out}]`;
}

const forbiddenHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const forbiddenDomain = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

// A label that says it is encoded must be so.
function isLabel(label) {
    if (!label.startsWith('xn--')) return true;
    try {
        return /^[\0-\x7f]+$/.test(label) && /[^\0-\x7f]/.test(require('punycode').decode(label.slice(4)));
    } catch {
        return false;
    }
}

function toAscii(domain) {
    const labels = domain.normalize('NFKC').toLowerCase().replace(/[\u3002\uff0e\uff61]/g, '.').replace(/\u00ad/g, '').split('.');
    if (!labels.every(isLabel)) return '';
    return labels.map(label => (/^[\0-\x7f]*$/.test(label) ? label : `xn--${require('punycode').encode(label)}`)).join('.');
}

function parseHost(text, isSpecial) {
    if (text.startsWith('[')) return text.endsWith(']') ? parseIPv6(text.slice(1, -1)) : undefined;
    if (!isSpecial) return forbiddenHost.test(text) ? undefined : encode(text, new Set());
    const domain = toAscii(decode(text));
    if (domain === '' || forbiddenDomain.test(domain)) return undefined;
    const address = parseIPv4(domain);
    return address === null ? domain : address;
}

// ---------------------------------------------------------------- the parser

const windowsDrive = part => /^[a-z][:|]$/i.test(part);

function shorten(url) {
    if (url.protocol === 'file:' && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0])) return;
    url.path.pop();
}

const isDot = part => /^(?:\.|%2e)$/i.test(part);
const isDoubleDot = part => /^(?:\.|%2e){2}$/i.test(part);

// A record {protocol, username, password, host, port, path (array or opaque string), query, fragment};
// undefined when the text is no URL. `only` names the part a setter replaces.
function parse(text, base) {
    text = text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const url = { protocol: '', username: '', password: '', host: null, port: '', path: [], query: null, fragment: null };
    const hash = text.indexOf('#');
    let rest = text;
    if (hash !== -1) {
        url.fragment = encode(text.slice(hash + 1), fragmentSet);
        rest = text.slice(0, hash);
    }
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(rest);
    if (scheme) {
        url.protocol = scheme[0].toLowerCase();
        rest = rest.slice(scheme[0].length);
        if (url.protocol === 'file:') return parseFile(url, rest, base?.protocol === 'file:' ? base : undefined);
        if (special[url.protocol] !== undefined) {
            if (base?.protocol === url.protocol && !/^[/\\]{2}/.test(rest)) return parseRelative(url, rest, base);
            return parseAuthority(url, rest.replace(/^[/\\]*/, ''));
        }
        if (rest.startsWith('//')) return parseAuthority(url, rest.slice(2));
        if (rest.startsWith('/')) return parsePath(url, rest);
        return parseOpaque(url, rest);
    }
    if (base === undefined) return undefined;
    if (typeof base.path === 'string') {
        if (rest !== '' || hash === -1) return undefined;
        return { ...base, fragment: url.fragment };
    }
    url.protocol = base.protocol;
    return base.protocol === 'file:' ? parseFile(url, rest, base) : parseRelative(url, rest, base);
}

const slash = (url, c) => c === '/' || (c === '\\' && special[url.protocol] !== undefined);

function copyAuthority(url, base) {
    const { username, password, host, port } = base;
    return Object.assign(url, { username, password, host, port });
}

function parseRelative(url, rest, base) {
    if (slash(url, rest[0]) && slash(url, rest[1])) return parseAuthority(url, rest.slice(2).replace(special[url.protocol] !== undefined ? /^[/\\]*/ : /^/, ''));
    copyAuthority(url, base);
    if (slash(url, rest[0])) return parsePath(url, rest);
    url.path = [...base.path];
    if (rest === '') {
        url.query = base.query;
        return url;
    }
    if (rest[0] === '?') return parseQuery(url, rest);
    shorten(url);
    return parsePath(url, rest, url.path);
}

function parseFile(url, rest, base) {
    url.host = '';
    if (slash(url, rest[0])) {
        if (slash(url, rest[1])) {
            const [, host, path] = /^([^/\\?]*)(.*)$/s.exec(rest.slice(2));
            if (windowsDrive(host)) return parsePath(url, `/${host}${path}`);
            if (host !== '') {
                const parsed = parseHost(host, true);
                if (parsed === undefined) return undefined;
                url.host = parsed === 'localhost' ? '' : parsed;
            }
            return parsePath(url, path);
        }
        if (base) url.host = base.host;
        return parsePath(url, rest);
    }
    if (!base) return parsePath(url, rest);
    url.host = base.host;
    url.path = [...base.path];
    if (rest === '') {
        url.query = base.query;
        return url;
    }
    if (rest[0] === '?') return parseQuery(url, rest);
    shorten(url);
    return parsePath(url, rest, url.path);
}

function parseAuthority(url, rest) {
    const isSpecial = special[url.protocol] !== undefined;
    const end = rest.search(isSpecial ? /[/\\?]/ : /[/?]/);
    let authority = end === -1 ? rest : rest.slice(0, end);
    rest = end === -1 ? '' : rest.slice(end);
    const at = authority.lastIndexOf('@');
    if (at !== -1) {
        const credentials = authority.slice(0, at), colon = credentials.indexOf(':');
        url.username = encode(colon === -1 ? credentials : credentials.slice(0, colon), userinfoSet);
        url.password = colon === -1 ? '' : encode(credentials.slice(colon + 1), userinfoSet);
        authority = authority.slice(at + 1);
        if (authority === '') return undefined;
    }
    if (!setHostAndPort(url, authority, isSpecial)) return undefined;
    return parsePath(url, rest);
}

function setHostAndPort(url, authority, isSpecial) {
    const port = /:([^\]:]*)$/.exec(authority);
    const host = port ? authority.slice(0, port.index) : authority;
    if (host === '' && (isSpecial || port)) return false;
    if (port && !setPort(url, port[1])) return false;
    const parsed = host === '' ? '' : parseHost(host, isSpecial);
    if (parsed === undefined) return false;
    url.host = parsed;
    return true;
}

function setPort(url, text) {
    if (text === '') url.port = '';
    else if (!/^[0-9]+$/.test(text) || Number(text) > 65535) return false;
    else url.port = special[url.protocol] === String(Number(text)) ? '' : String(Number(text));
    return true;
}

function parseQuery(url, rest) {
    url.query = encode(rest.slice(1), special[url.protocol] !== undefined ? specialQuerySet : querySet);
    return url;
}

function parseOpaque(url, rest) {
    const question = rest.indexOf('?');
    const path = question === -1 ? rest : rest.slice(0, question);
    url.path = encode(path, new Set()).replaceAll('%20', ' ');
    if (question !== -1) parseQuery(url, rest.slice(question));
    else url.path = url.path.replace(/ +$/, spaces => spaces.slice(0, -1) + '%20');
    return url;
}

function parsePath(url, rest, parts = []) {
    const isSpecial = special[url.protocol] !== undefined;
    const question = rest.indexOf('?');
    const text = question === -1 ? rest : rest.slice(0, question);
    url.path = parts;
    if (text !== '' || isSpecial) {
        const body = slash(url, text[0]) ? text.slice(1) : text;
        const list = body.split(isSpecial ? /[/\\]/ : '/');
        list.forEach((part, i) => {
            const last = i === list.length - 1;
            if (isDoubleDot(part)) {
                shorten(url);
                if (last) url.path.push('');
            } else if (isDot(part)) {
                if (last) url.path.push('');
            } else {
                if (url.protocol === 'file:' && url.path.length === 0 && windowsDrive(part)) part = `${part[0]}:`;
                url.path.push(encode(part, pathSet));
            }
        });
    }
    return question === -1 ? url : parseQuery(url, rest.slice(question));
}

const pathOf = url => (typeof url.path === 'string' ? url.path : url.path.length ? `/${url.path.join('/')}` : '');

function serialize(url, withFragment = true) {
    let text = url.protocol;
    if (url.host !== null) {
        text += '//';
        if (url.username !== '' || url.password !== '')
            text += `${url.username}${url.password !== '' ? `:${url.password}` : ''}@`;
        text += url.host + (url.port !== '' ? `:${url.port}` : '');
    } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') {
        text += '/.';
    }
    text += pathOf(url);
    if (url.query !== null) text += `?${url.query}`;
    return withFragment && url.fragment !== null ? `${text}#${url.fragment}` : text;
}

// ---------------------------------------------------------------- URLSearchParams

function encodeComponent(string) {
    let out = '';
    for (const byte of encodeBytes(string)) {
        if (byte === 0x20) out += '+';
        else if ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || componentKept.has(byte))
            out += String.fromCharCode(byte);
        else out += percent(byte);
    }
    return out;
}

function parseParams(text) {
    const list = [];
    for (const part of text.split('&')) {
        if (part === '') continue;
        const equals = part.indexOf('=');
        const [name, value] = equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
        list.push([decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))]);
    }
    return list;
}

const text = value => `${value}`.toWellFormed();

// What entries(), keys() and values() give: list() as it is at each step.
class SearchIterator {
    #list;
    #pick;
    #at = 0;
    constructor(list, pick) {
        this.#list = list;
        this.#pick = pick;
    }
    next() {
        const pair = this.#list()[this.#at];
        if (pair === undefined) return { value: undefined, done: true };
        this.#at++;
        return { value: this.#pick(pair), done: false };
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        const rest = this.#list().slice(this.#at).map(this.#pick);
        return `URLSearchParams Iterator { ${rest.map(value => inspect(value, options)).join(', ')} }`;
    }
}
Object.setPrototypeOf(SearchIterator.prototype, Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));
Object.defineProperty(SearchIterator.prototype, Symbol.toStringTag, { value: 'URLSearchParams Iterator', configurable: true });

class URLSearchParams {
    #list = [];
    #url = null;
    constructor(init = undefined) {
        if (init === undefined || init === null) return;
        if (typeof init === 'object' || typeof init === 'function') {
            const iterate = init[Symbol.iterator];
            if (iterate !== undefined && iterate !== null) {
                if (typeof iterate !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
                for (const pair of init) {
                    const item = pair !== null && typeof pair === 'object' && typeof pair[Symbol.iterator] === 'function' ? [...pair] : undefined;
                    if (item?.length !== 2)
                        throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
                    this.#list.push([text(item[0]), text(item[1])]);
                }
            } else {
                for (const key of Reflect.ownKeys(init))
                    if (typeof key === 'string' && Object.getOwnPropertyDescriptor(init, key)?.enumerable) this.#list.push([text(key), text(init[key])]);
            }
            return;
        }
        const string = text(init);
        this.#list = parseParams(string.startsWith('?') ? string.slice(1) : string);
    }
    static _of(url, query) {
        const params = new URLSearchParams(query ?? '');
        params.#url = url;
        return params;
    }
    _reset(query) {
        this.#list = parseParams(query ?? '');
    }
    #changed() {
        this.#url?._setQuery(this.toString());
    }
    get size() {
        return this.#list.length;
    }
    append(name, value) {
        if (arguments.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" and "value" arguments must be specified');
        this.#list.push([text(name), text(value)]);
        this.#changed();
    }
    delete(name, value) {
        name = text(name);
        this.#list = this.#list.filter(item => item[0] !== name || (value !== undefined && item[1] !== text(value)));
        this.#changed();
    }
    get(name) {
        name = text(name);
        return this.#list.find(item => item[0] === name)?.[1] ?? null;
    }
    getAll(name) {
        name = text(name);
        return this.#list.filter(item => item[0] === name).map(item => item[1]);
    }
    has(name, value) {
        name = text(name);
        return this.#list.some(item => item[0] === name && (value === undefined || item[1] === text(value)));
    }
    set(name, value) {
        name = text(name);
        const first = this.#list.findIndex(item => item[0] === name);
        if (first === -1) this.#list.push([name, text(value)]);
        else {
            this.#list[first][1] = text(value);
            this.#list = this.#list.filter((item, i) => i <= first || item[0] !== name);
        }
        this.#changed();
    }
    sort() {
        this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
        this.#changed();
    }
    forEach(callback, self) {
        if (typeof callback !== 'function') throw argType('callback', 'function', callback);
        for (const [name, value] of this.#list) callback.call(self, value, name, this);
    }
    entries() {
        return new SearchIterator(() => this.#list, pair => [...pair]);
    }
    keys() {
        return new SearchIterator(() => this.#list, pair => pair[0]);
    }
    values() {
        return new SearchIterator(() => this.#list, pair => pair[1]);
    }
    toString() {
        return this.#list.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`).join('&');
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        if (this.#list.length === 0) return 'URLSearchParams {}';
        const parts = this.#list.map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
        const length = parts.reduce((sum, part) => sum + part.length + 2, 0);
        return length > options.breakLength ? `URLSearchParams {\n  ${parts.join(',\n  ')} }` : `URLSearchParams { ${parts.join(', ')} }`;
    }
}
URLSearchParams.prototype[Symbol.iterator] = URLSearchParams.prototype.entries;
for (const name of ['_reset', Symbol.iterator])
    Object.defineProperty(URLSearchParams.prototype, name, { enumerable: false });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });

// ---------------------------------------------------------------- URL

function invalid(input, base) {
    const error = coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input;
    if (base !== undefined) error.base = base;
    return error;
}

class URL {
    #url;
    #params;
    constructor(input, base = undefined) {
        if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
        input = text(input);
        let parent;
        if (base !== undefined) {
            base = text(base);
            parent = parse(base);
            if (parent === undefined) throw invalid(input, base);
        }
        this.#url = parse(input, parent);
        if (this.#url === undefined) throw invalid(input, base);
    }
    static canParse(input, base) {
        return URL.parse(input, base) !== null;
    }
    static parse(input, base) {
        try {
            return new URL(input, base);
        } catch {
            return null;
        }
    }
    static createObjectURL(obj) {
        return require('internal/blob').createObjectURL(obj);
    }
    static revokeObjectURL(id) {
        if (arguments.length === 0) throw require('internal/validators').missing('url');
        require('internal/blob').revokeObjectURL(id);
    }
    _setQuery(query) {
        this.#url.query = query === '' ? null : query;
    }
    get href() {
        return serialize(this.#url);
    }
    set href(value) {
        const url = parse(text(value));
        if (url === undefined) throw invalid(`${value}`);
        this.#url = url;
        this.#params?._reset(url.query);
    }
    get origin() {
        const url = this.#url;
        if (url.protocol === 'blob:') {
            const inner = parse(pathOf(url));
            return inner && /^https?:$/.test(inner.protocol) ? new URL(serialize(inner)).origin : 'null';
        }
        if (special[url.protocol] === undefined || url.protocol === 'file:') return 'null';
        return `${url.protocol}//${this.host}`;
    }
    get protocol() {
        return this.#url.protocol;
    }
    set protocol(value) {
        const found = /^([a-z][a-z0-9+.-]*)(?::|$)/i.exec(text(value));
        if (!found) return;
        const next = `${found[1].toLowerCase()}:`, url = this.#url;
        if ((special[next] === undefined) !== (special[url.protocol] === undefined)) return;
        if (next === 'file:' && (url.username || url.password || url.port)) return;
        if (url.protocol === 'file:' && !url.host) return;
        url.protocol = next;
        if (url.port === special[next]) url.port = '';
    }
    get username() {
        return this.#url.username;
    }
    set username(value) {
        if (this.#url.host && this.#url.protocol !== 'file:') this.#url.username = encode(text(value), userinfoSet);
    }
    get password() {
        return this.#url.password;
    }
    set password(value) {
        if (this.#url.host && this.#url.protocol !== 'file:') this.#url.password = encode(text(value), userinfoSet);
    }
    get host() {
        const { host, port } = this.#url;
        return host === null ? '' : port === '' ? host : `${host}:${port}`;
    }
    set host(value) {
        const url = this.#url;
        if (typeof url.path === 'string') return;
        const authority = text(value).split(special[url.protocol] !== undefined ? /[/\\?#]/ : /[/?#]/, 1)[0];
        const copy = { ...url };
        if (setHostAndPort(copy, authority, special[url.protocol] !== undefined)) this.#url = copy;
    }
    get hostname() {
        return this.#url.host ?? '';
    }
    set hostname(value) {
        const url = this.#url;
        if (typeof url.path === 'string') return;
        const name = text(value).split(special[url.protocol] !== undefined ? /[/\\?#]/ : /[/?#]/, 1)[0];
        if (!name.startsWith('[') && name.includes(':')) return;
        const parsed = name === '' && special[url.protocol] === undefined ? '' : parseHost(name, special[url.protocol] !== undefined);
        if (parsed !== undefined) url.host = parsed;
    }
    get port() {
        return this.#url.port;
    }
    set port(value) {
        const url = this.#url;
        if (!url.host || url.protocol === 'file:') return;
        const digits = /^[0-9]*/.exec(text(value))[0];
        if (digits !== '' || `${value}` === '') setPort(url, digits);
    }
    get pathname() {
        return pathOf(this.#url);
    }
    set pathname(value) {
        const url = this.#url;
        if (typeof url.path === 'string') return;
        const { query } = url;
        parsePath(url, text(value).replaceAll('?', '%3F').replaceAll('#', '%23'));
        url.query = query;
    }
    get search() {
        return this.#url.query ? `?${this.#url.query}` : '';
    }
    set search(value) {
        const query = text(value), url = this.#url;
        if (query === '') url.query = null;
        else parseQuery(url, query.startsWith('?') ? query : `?${query}`);
        this.#params?._reset(url.query);
    }
    get searchParams() {
        return this.#params ??= URLSearchParams._of(this, this.#url.query);
    }
    get hash() {
        return this.#url.fragment ? `#${this.#url.fragment}` : '';
    }
    set hash(value) {
        const fragment = text(value).replace(/^#/, '');
        this.#url.fragment = fragment === '' ? null : encode(fragment, fragmentSet);
    }
    toString() {
        return this.href;
    }
    toJSON() {
        return this.href;
    }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        const parts = {};
        for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'])
            parts[name] = this[name];
        return depth < 0 ? '[URL]' : `URL ${inspect(parts, options)}`;
    }
}
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });
for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash', 'toString', 'toJSON'])
    Object.defineProperty(URL.prototype, name, { enumerable: true });

// ---------------------------------------------------------------- file: URLs

function fileURLToPath(value) {
    const url = typeof value === 'string' ? new URL(value) : value;
    if (url === null || typeof url !== 'object' || typeof url.href !== 'string') throw argType('path', ['string', 'URL'], value);
    if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (url.hostname !== '')
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(url.pathname))
        throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
    decodeURIComponent(url.pathname); // which says what is malformed
    return decode(url.pathname);
}

function pathToFileURL(file) {
    require('internal/validators').string(file, 'path');
    let resolved = require('path').resolve(file);
    if (file.endsWith('/') && !resolved.endsWith('/')) resolved += '/';
    const url = new URL('file:///');
    url.pathname = resolved.replaceAll('%', '%25').replaceAll('\\', '%5C').replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('\t', '%09');
    return url;
}

// The host of a URL of this domain, which is empty when there is none; and back, as people read it.
function domainToASCII(...args) {
    if (args.length === 0) throw require('internal/validators').missing('domain');
    return URL.parse(`ws://${args[0]}`)?.hostname ?? '';
}

function domainToUnicode(...args) {
    if (args.length === 0) throw require('internal/validators').missing('domain');
    const host = domainToASCII(args[0]);
    return host.includes('xn--') ? require('punycode').toUnicode(host) : host;
}

module.exports = { URL, URLSearchParams, domainToASCII, domainToUnicode, fileURLToPath, pathToFileURL, parse };
