// querystring: Node's older way with query strings.
'use strict';

const kept = /[A-Za-z0-9\-_.!~*'()]/;

function escape(text) {
    if (typeof text !== 'string') text = typeof text === 'object' ? String(text) : `${text}`;
    let out = '';
    for (const c of text) {
        if (kept.test(c) && c.length === 1) out += c;
        else if (/^[\ud800-\udfff]$/.test(c)) throw Object.assign(new URIError('URI malformed'), { code: 'ERR_INVALID_URI' });
        else for (const byte of new Uint8Array(native.text.utf8Encode(c))) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }
    return out;
}

function unescapeBuffer(text) {
    const bytes = new Uint8Array(native.text.utf8Encode(text)), out = [];
    for (let i = 0; i < bytes.length; i++) {
        const hex = bytes[i] === 0x25 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
        if (/^[0-9a-f]{2}$/i.test(hex)) {
            out.push(parseInt(hex, 16));
            i += 2;
        } else {
            out.push(bytes[i]);
        }
    }
    return Buffer.from(out);
}

function unescape(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return unescapeBuffer(text).toString();
    }
}

function asText(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
    return typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : '';
}

function stringify(object, separator, equals, options) {
    separator ||= '&';
    equals ||= '=';
    const encode = options?.encodeURIComponent ?? querystring.escape;
    if (object === null || typeof object !== 'object') return '';
    const parts = [];
    for (const key of Object.keys(object)) {
        const name = encode(asText(key)) + equals;
        for (const value of Array.isArray(object[key]) ? object[key] : [object[key]]) parts.push(name + encode(asText(value)));
    }
    return parts.join(separator);
}

function parse(text, separator, equals, options) {
    separator ||= '&';
    equals ||= '=';
    const result = { __proto__: null };
    if (typeof text !== 'string' || text.length === 0) return result;
    const decode = options?.decodeURIComponent ?? querystring.unescape;
    const safe = part => {
        part = part.replaceAll('+', ' ');
        try {
            return decode(part);
        } catch {
            return querystring.unescape(part);
        }
    };
    let parts = text.split(separator);
    const most = options?.maxKeys ?? 1000;
    if (most > 0) parts = parts.slice(0, most);
    for (const part of parts) {
        if (part === '') continue;
        const at = part.indexOf(equals);
        const name = safe(at === -1 ? part : part.slice(0, at)), value = at === -1 ? '' : safe(part.slice(at + equals.length));
        if (!(name in result)) result[name] = value;
        else if (Array.isArray(result[name])) result[name].push(value);
        else result[name] = [result[name], value];
    }
    return result;
}

const querystring = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
module.exports = querystring;
