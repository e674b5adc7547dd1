// network: requests by the tool http/request, whose calls the host judges: for fetch(), of which each redirect is a
// call of its own, and for the modules http and https. A server of the process itself is asked without it.
'use strict';

const { noNetwork } = require('internal/errors');
const { byId, callTool } = require('internal/tools');

const TOOL = 'http/request';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 20;
const OF_BODY = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];
const OF_ORIGIN = ['authorization', 'proxy-authorization', 'cookie', 'host'];

const isThere = () => byId(TOOL) !== undefined;

function failed(message, cause) {
    return new TypeError(`fetch failed: ${message}`, { cause: cause ?? new Error(message) });
}

// {body} of text, {body_base64} of anything else.
function written(bytes) {
    if (bytes === undefined) return {};
    try {
        return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
        return { body_base64: Buffer.from(bytes).toString('base64') };
    }
}

function bytesOf(answer) {
    if (answer.body_base64 !== undefined) return new Uint8Array(Buffer.from(answer.body_base64, 'base64'));
    return new TextEncoder().encode(answer.body ?? '');
}

const isOwn = ({ protocol, hostname, port }) => protocol === 'http:' && require('internal/loopback').isHeard(hostname, port || 80);

// What a server of this process says, in the form in which the tool answers.
function askOwn({ method, url, headers, body, body_base64 }, signal) {
    const { ClientRequest } = require('internal/http_request');
    return new Promise((resolve, reject) => {
        const request = new ClientRequest(url, { method, headers, signal, agent: false });
        request.on('error', reject).on('response', response => {
            const pieces = [];
            response.on('error', reject).on('data', piece => pieces.push(piece)).on('end', () => resolve({
                status: response.statusCode, reason: response.statusMessage, body_base64: Buffer.concat(pieces).toString('base64'),
                headers: response.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [[name, all[i + 1]]])),
            }));
        });
        request.end(body ?? (body_base64 === undefined ? undefined : Buffer.from(body_base64, 'base64')));
    });
}

function ask(params, signal) {
    if (isOwn(new URL(params.url))) return askOwn(params, signal);
    if (!isThere()) throw noNetwork('connect', 'ENETUNREACH', -101, new URL(params.url).host);
    return callTool(TOOL, byId(TOOL), [params, { signal }]);
}

async function call(params, signal) {
    try {
        return await ask(params, signal);
    } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw failed(error.message, error);
    }
}

// What a redirect makes of a request; the request is changed.
function redirect(request, status, target) {
    const drops = (status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
        ((status === 301 || status === 302) && request.method === 'POST');
    if (drops) {
        request.method = 'GET';
        request.bytes = undefined;
        for (const name of OF_BODY) request.headers.delete(name);
    }
    if (target.origin !== request.url.origin) for (const name of OF_ORIGIN) request.headers.delete(name);
    request.url = target;
}

function targetOf(answer, from) {
    const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    if (location === undefined) return undefined;
    let target;
    try {
        target = new URL(location, from);
    } catch (cause) {
        throw failed('the redirect leads to something that is no URL', cause);
    }
    if (target.protocol !== 'http:' && target.protocol !== 'https:') throw failed('URL scheme must be a HTTP(S) scheme');
    if (target.hash === '') target.hash = from.hash;
    return target;
}

function paramsOf({ method, url, headers, bytes }) {
    const named = {};
    for (const [name, value] of headers) named[name] = name in named ? [named[name], value].flat() : value;
    const plain = new URL(url);
    plain.hash = '';
    return { method, url: plain.href, headers: named, ...written(bytes) };
}

// {answer, url, redirected} of the last request.
async function follow(given, headers) {
    const request = {
        method: given.method, url: new URL(given.url), headers,
        bytes: given.body === null ? undefined : await given.bytes(),
    };
    for (let hops = 0; ; hops++) {
        const answer = await call(paramsOf(request), given.signal);
        const target = REDIRECTS.has(answer.status) ? targetOf(answer, request.url) : undefined;
        if (target === undefined || given.redirect === 'manual') return { answer, url: request.url, redirected: hops > 0 };
        if (given.redirect === 'error') throw failed('unexpected redirect');
        if (hops === MOST_REDIRECTS) throw failed('redirect count exceeded');
        redirect(request, answer.status, target);
    }
}

// A Request's answer; `make(bytes or null, status, statusText, headers, url, redirected)` makes the Response.
async function send(given, headers, make) {
    const defaults = { accept: '*/*', 'accept-language': '*', 'user-agent': 'node', 'accept-encoding': 'gzip, deflate' };
    for (const name in defaults) if (!headers.has(name)) headers.set(name, defaults[name]);
    const { answer, url, redirected } = await follow(given, headers);
    const bare = given.method === 'HEAD' || [101, 103, 204, 205, 304].includes(answer.status);
    url.hash = '';
    return make(bare ? null : bytesOf(answer), answer.status, answer.reason, answer.headers, url.href, redirected);
}

module.exports = { isThere, isOwn, send, ask, written, bytesOf };
