// fetch: Headers, FormData, Request and Response as values to build and read. There is no network: fetch()
// reads data: URLs, makes requests by the tool http/request where there is one (internal/network), and says
// otherwise what to do instead.
'use strict';

const { coded } = require('internal/errors');

const custom = Symbol.for('nodejs.util.inspect.custom');
const invalid = message => new TypeError(message);

// ---------------------------------------------------------------- Headers

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

class Headers {
    #list = new Map(); // lower-case name -> {name as given first, values}
    constructor(init = undefined) {
        if (init === undefined) return;
        if (init === null || typeof init !== 'object') throw invalid("Headers constructor: init given is not an object");
        const pairs = typeof init[Symbol.iterator] === 'function' ? [...init].map(pair => [...pair]) : Object.entries(init);
        for (const pair of pairs) {
            if (pair.length !== 2) throw invalid(`Headers constructor: expected name/value pair to be length 2, found ${pair.length}.`);
            this.append(pair[0], pair[1]);
        }
    }
    #checked(name, value, method) {
        name = `${name}`;
        value = value === undefined ? undefined : `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
        if (!NAME.test(name)) throw invalid(`Headers.${method}: ${name} is an invalid header name.`);
        if (value !== undefined && /[\0\r\n]|[^\0-\xff]/.test(value)) throw invalid(`Headers.${method}: ${value} is an invalid header value.`);
        return [name, value];
    }
    append(name, value) {
        [name, value] = this.#checked(name, `${value}`, 'append');
        const entry = this.#list.get(name.toLowerCase());
        if (entry) entry.values.push(value);
        else this.#list.set(name.toLowerCase(), { name, values: [value] });
    }
    set(name, value) {
        [name, value] = this.#checked(name, `${value}`, 'set');
        this.#list.set(name.toLowerCase(), { name: this.#list.get(name.toLowerCase())?.name ?? name, values: [value] });
    }
    delete(name) {
        [name] = this.#checked(name, undefined, 'delete');
        this.#list.delete(name.toLowerCase());
    }
    get(name) {
        [name] = this.#checked(name, undefined, 'get');
        return this.#list.get(name.toLowerCase())?.values.join(name.toLowerCase() === 'cookie' ? '; ' : ', ') ?? null;
    }
    has(name) {
        [name] = this.#checked(name, undefined, 'has');
        return this.#list.has(name.toLowerCase());
    }
    getSetCookie() {
        return [...(this.#list.get('set-cookie')?.values ?? [])];
    }
    *entries() {
        for (const key of [...this.#list.keys()].sort()) {
            if (key === 'set-cookie') for (const value of this.getSetCookie()) yield [key, value];
            else yield [key, this.get(key)];
        }
    }
    *keys() {
        for (const [key] of this.entries()) yield key;
    }
    *values() {
        for (const [, value] of this.entries()) yield value;
    }
    forEach(callback, thisArg) {
        if (typeof callback !== 'function') throw invalid("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
        for (const [key, value] of this.entries()) callback.call(thisArg, value, key, this);
    }
    [custom](depth, options, inspect) {
        return `Headers ${inspect(Object.fromEntries([...this.#list.values()].map(({ name, values }) => [name, values.join(', ')])), { ...options, depth: options.depth })}`;
    }
}
Object.defineProperty(Headers.prototype, Symbol.iterator, { value: Headers.prototype.entries, writable: true, configurable: true });

// ---------------------------------------------------------------- FormData

class FormData {
    #list = [];
    #entry(name, value, file) {
        const { Blob, File } = require('internal/blob');
        if (!(value instanceof Blob)) return [`${name}`, `${value}`];
        if (!(value instanceof File) || file !== undefined) value = new File([value], file ?? value.name ?? 'blob', { type: value.type });
        return [`${name}`, value];
    }
    append(name, value, file) {
        this.#list.push(this.#entry(name, value, file));
    }
    set(name, value, file) {
        const entry = this.#entry(name, value, file), at = this.#list.findIndex(([key]) => key === entry[0]);
        if (at < 0) return void this.#list.push(entry);
        this.#list[at] = entry;
        this.#list = this.#list.filter(([key], i) => i <= at || key !== entry[0]);
    }
    delete(name) {
        this.#list = this.#list.filter(([key]) => key !== `${name}`);
    }
    get(name) {
        return this.#list.find(([key]) => key === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
        return this.#list.filter(([key]) => key === `${name}`).map(([, value]) => value);
    }
    has(name) {
        return this.#list.some(([key]) => key === `${name}`);
    }
    *entries() {
        for (const [name, value] of this.#list) yield [name, value];
    }
    *keys() {
        for (const [name] of this.#list) yield name;
    }
    *values() {
        for (const [, value] of this.#list) yield value;
    }
    forEach(callback, thisArg) {
        for (const [name, value] of this.#list) callback.call(thisArg, value, name, this);
    }
}
Object.defineProperty(FormData.prototype, Symbol.iterator, { value: FormData.prototype.entries, writable: true, configurable: true });

async function multipart(form, boundary) {
    const { Blob } = require('internal/blob');
    const quote = text => text.replace(/\r\n?|\n/g, '%0D%0A').replaceAll('"', '%22');
    const parts = [];
    for (const [name, value] of form) {
        parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"`);
        if (value instanceof Blob) parts.push(`; filename="${quote(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`, value, '\r\n');
        else parts.push(`\r\n\r\n${value.replace(/\r\n?|\n/g, '\r\n')}\r\n`);
    }
    return new Blob([...parts, `--${boundary}--\r\n`]).bytes();
}

function parseMultipart(bytes, boundary) {
    const { File } = require('internal/blob');
    const wrong = () => invalid('Failed to parse body as FormData.');
    const text = Buffer.from(bytes).toString('latin1'), form = new FormData();
    const parts = text.split(new RegExp(`(?:^|\\r\\n)--${boundary.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
    if (parts.length < 2 || !parts.at(-1).startsWith('--')) throw wrong();
    for (const part of parts.slice(1, -1)) {
        const split = part.indexOf('\r\n\r\n');
        if (split < 0) throw wrong();
        const head = Buffer.from(part.slice(0, split), 'latin1').toString(), data = Buffer.from(part.slice(split + 4), 'latin1');
        const name = /;\s*name="([^"]*)"/i.exec(head)?.[1], file = /;\s*filename="([^"]*)"/i.exec(head)?.[1];
        if (name === undefined) throw wrong();
        const plain = value => value.replace(/%0D%0A/g, '\r\n').replaceAll('%22', '"');
        const type = /^content-type:\s*(.+?)\s*$/im.exec(head)?.[1] ?? 'text/plain';
        form.append(plain(name), file === undefined ? data.toString() : new File([data], plain(file), { type }));
    }
    return form;
}

// ---------------------------------------------------------------- bodies

// {stream or bytes(), type}: what a body is made of.
function source(body) {
    const { Blob } = require('internal/blob');
    if (body === null || body === undefined) return null;
    if (typeof body === 'object' && typeof body.getReader === 'function') {
        if (body.locked) throw invalid('Response body object should not be disturbed or locked');
        return { stream: body };
    }
    if (body instanceof Blob) return { bytes: () => body.bytes(), type: body.type || undefined };
    if (body instanceof URLSearchParams) return { bytes: () => new TextEncoder().encode(`${body}`), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    if (body instanceof FormData) {
        const boundary = `----formdata-pinfold-${String(Math.random()).slice(2, 14).padStart(12, '0')}`;
        return { bytes: () => multipart(body, boundary), type: `multipart/form-data; boundary=${boundary}` };
    }
    if (body instanceof ArrayBuffer) return { bytes: () => new Uint8Array(body.slice(0)) };
    if (ArrayBuffer.isView(body)) return { bytes: () => new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice() };
    if (typeof body === 'object' && typeof body[Symbol.asyncIterator] === 'function') return { stream: ReadableStream.from(body) };
    return { bytes: () => new TextEncoder().encode(`${body}`), type: 'text/plain;charset=UTF-8' };
}

class Body {
    #source;
    #stream = null;
    #used = false;
    constructor(body, headers) {
        this.#source = source(body);
        if (this.#source?.stream) this.#stream = this.#source.stream;
        if (this.#source?.type && !headers.has('content-type')) headers.set('content-type', this.#source.type);
    }
    get body() {
        if (this.#source === null) return null;
        const { bytes } = this.#source;
        this.#stream ??= new ReadableStream({
            type: 'bytes',
            async start(controller) {
                const all = await bytes();
                if (all.length) controller.enqueue(all);
                controller.close();
                if (!all.length) controller.byobRequest?.respond(0);
            },
        });
        return this.#stream;
    }
    get bodyUsed() {
        return this.#used || Boolean(this.#stream?._disturbed);
    }
    async #take() {
        if (this.bodyUsed) throw invalid('Body is unusable: Body has already been read');
        if (this.#stream?.locked) throw invalid('Body is unusable');
        if (this.#source === null) return new Uint8Array(0);
        this.#used = true;
        return this.#stream ? require('internal/webstreams').gather(this.#stream) : this.#source.bytes();
    }
    async bytes() {
        return this.#take();
    }
    async arrayBuffer() {
        const bytes = await this.#take();
        return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    }
    async text() {
        return new TextDecoder().decode(await this.#take());
    }
    async json() {
        return JSON.parse(await this.text());
    }
    async blob() {
        return new Blob([await this.#take()], { type: this.headers.get('content-type') ?? '' });
    }
    async formData() {
        const type = this.headers.get('content-type') ?? '';
        const [, , quoted, plain] = /^multipart\/form-data(.*?)boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
        if (quoted ?? plain) return parseMultipart(await this.#take(), quoted ?? plain);
        if (!type.startsWith('application/x-www-form-urlencoded')) throw invalid(`formData() reads application/x-www-form-urlencoded and multipart/form-data only, this is ${type || 'of no type'}`);
        const form = new FormData();
        for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
        return form;
    }
    // A body of its own for a copy.
    static copy(from) {
        if (from.bodyUsed || from.#stream?.locked) throw invalid(`${from.constructor.name}.clone: Body has already been consumed.`);
        if (!from.#stream) return from.#source === null ? null : { again: from.#source };
        const [one, two] = from.#stream.tee();
        from.#stream = one;
        return two;
    }
    static give(to, copied) {
        if (copied?.again) to.#source = copied.again;
    }
}

function duplicate(object, copied, init) {
    const made = init(copied?.again ? null : copied);
    Body.give(made, copied);
    return made;
}

// ---------------------------------------------------------------- Response

const NO_BODY = new Set([101, 103, 204, 205, 304]);

class Response extends Body {
    #values;
    constructor(body = null, init = {}) {
        const { status = 200, statusText = '', headers } = init ?? {};
        const own = new Headers(headers);
        const code = Number(status);
        if (!Number.isInteger(code) || code < 200 || code > 599) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
        if (/[^\t\x20-\x7e\x80-\xff]/.test(`${statusText}`)) throw invalid('Invalid statusText');
        if (body !== null && body !== undefined && NO_BODY.has(code)) throw invalid(`Response constructor: Invalid response status code ${code}`);
        super(body, own);
        this.#values = { status: code, statusText: `${statusText}`, headers: own, type: 'default', url: '' };
    }
    get status() {
        return this.#values.status;
    }
    get statusText() {
        return this.#values.statusText;
    }
    get headers() {
        return this.#values.headers;
    }
    get type() {
        return this.#values.type;
    }
    get url() {
        return this.#values.url;
    }
    get ok() {
        return this.status >= 200 && this.status <= 299;
    }
    get redirected() {
        return this.#values.redirected ?? false;
    }
    clone() {
        return duplicate(this, Body.copy(this), body => {
            const made = new Response(body, this.type === 'error' ? {} : this);
            made.#values = { ...this.#values, headers: made.headers };
            return made;
        });
    }
    static json(data, init = {}) {
        const text = JSON.stringify(data);
        if (text === undefined) throw invalid('Value is not JSON serializable');
        const headers = new Headers(init?.headers);
        if (!headers.has('content-type')) headers.set('content-type', 'application/json');
        return new Response(text, { ...init, headers });
    }
    static error() {
        const made = new Response();
        made.#values.type = 'error';
        made.#values.status = 0;
        return made;
    }
    static redirect(url, status = 302) {
        const target = new URL(url).href;
        if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
        return new Response(null, { status, headers: { location: target } });
    }
    static of(body, url, headers, values) {
        const made = new Response(body, { headers });
        Object.assign(made.#values, { url, type: 'basic' }, values);
        return made;
    }
    [custom](depth, options, inspect) {
        const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
        return `Response ${inspect({ status, statusText, headers, body, bodyUsed, ok, redirected, type, url }, options)}`;
    }
}

// ---------------------------------------------------------------- Request

const upper = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);

class Request extends Body {
    #values;
    constructor(input, init = {}) {
        init ??= {};
        const from = input instanceof Request ? input : undefined;
        let url;
        try {
            url = new URL(from ? from.url : `${input}`);
        } catch (cause) {
            throw new TypeError(`Failed to parse URL from ${input}`, { cause });
        }
        if (url.username || url.password) throw invalid(`Request cannot be constructed from a URL that includes credentials: ${input}`);
        const given = `${init.method ?? from?.method ?? 'GET'}`;
        if (!NAME.test(given) || /^(?:connect|trace|track)$/i.test(given)) throw invalid(`'${given}' is not a valid HTTP method.`);
        const method = upper.has(given.toUpperCase()) ? given.toUpperCase() : given;
        const headers = new Headers(init.headers ?? from?.headers);
        const copied = init.body === undefined && from ? Body.copy(from) : init.body ?? null;
        if (copied !== null && (method === 'GET' || method === 'HEAD')) throw invalid('Request with GET/HEAD method cannot have body.');
        if (init.signal !== undefined && init.signal !== null && typeof init.signal.aborted !== 'boolean') throw invalid("Failed to construct 'Request': member signal is not of type AbortSignal.");
        const streams = typeof copied === 'object' && copied !== null && (typeof copied.getReader === 'function' || (typeof copied[Symbol.asyncIterator] === 'function'));
        if (streams && init.body !== undefined && init.duplex === undefined) throw invalid('RequestInit: duplex option is required when sending a body.');
        super(copied?.again ? null : copied, headers);
        Body.give(this, copied);
        const keep = (name, initial) => init[name] ?? from?.[name] ?? initial;
        this.#values = {
            method, url: url.href, headers, signal: init.signal ?? from?.signal ?? new AbortController().signal,
            referrer: keep('referrer', 'about:client'), referrerPolicy: keep('referrerPolicy', ''), mode: keep('mode', 'cors'),
            credentials: keep('credentials', 'same-origin'), cache: keep('cache', 'default'), redirect: keep('redirect', 'follow'),
            integrity: keep('integrity', ''), keepalive: Boolean(keep('keepalive', false)),
        };
    }
    clone() {
        return new Request(this);
    }
    get destination() {
        return '';
    }
    get duplex() {
        return 'half';
    }
    get isReloadNavigation() {
        return false;
    }
    get isHistoryNavigation() {
        return false;
    }
    [custom](depth, options, inspect) {
        const { method, url, headers, destination, referrer, referrerPolicy, mode, credentials, cache, redirect, integrity, keepalive, isReloadNavigation, isHistoryNavigation, signal } = this;
        return `Request ${inspect({ method, url, headers, destination, referrer, referrerPolicy, mode, credentials, cache, redirect, integrity, keepalive, isReloadNavigation, isHistoryNavigation, signal }, options)}`;
    }
    static value(request, name) {
        return request.#values[name];
    }
}
const { value } = Request;
delete Request.value;
for (const name of ['method', 'url', 'headers', 'signal', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache', 'redirect', 'integrity', 'keepalive']) {
    Object.defineProperty(Request.prototype, name, {
        get() {
            return value(this, name);
        },
        enumerable: true, configurable: true,
    });
}

for (const Class of [Headers, FormData, Request, Response])
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });

const { of: madeOf } = Response;
delete Response.of;

// ---------------------------------------------------------------- fetch

function dataUrl(url) {
    const [, head, data] = /^data:([^,]*),(.*)$/s.exec(url.href.replace(/#.*$/s, '')) ?? [];
    if (head === undefined) throw invalid('invalid URL');
    const base64 = /; *base64$/i.test(head);
    const type = head.replace(/; *base64$/i, '');
    const bytes = new Uint8Array(Buffer.from(decodeURIComponent(data.replace(/%(?![\da-f]{2})/gi, '%25')), base64 ? 'base64' : 'utf8'));
    return madeOf(bytes, url.href, { 'content-type': type === '' ? 'text/plain;charset=US-ASCII' : type.startsWith(';') ? `text/plain${type}` : type });
}

async function fetch(input, init) {
    const request = new Request(input, init);
    if (request.signal.aborted) throw request.signal.reason;
    const url = new URL(request.url);
    if (url.protocol === 'data:') return dataUrl(url);
    const { isOwn, isThere, send } = require('internal/network');
    if ((isThere() && (url.protocol === 'http:' || url.protocol === 'https:')) || isOwn(url))
        return send(request, new Headers(request.headers), (body, status, statusText, headers, href, redirected) =>
            madeOf(body, href, headers, { status, statusText, redirected }));
    if (isThere()) throw new TypeError(`fetch failed: unknown scheme ${url.protocol}`, { cause: new Error('unknown scheme') });
    const cause = coded(Error, 'ENETUNREACH', `there is no network in this sandbox (${request.url}); call one of the tools in listTools() instead`);
    throw new TypeError(`fetch failed: ${cause.message}`, { cause });
}

module.exports = { fetch, FormData, Headers, Request, Response };
