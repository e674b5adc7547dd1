// mime: util.MIMEType and util.MIMEParams.
'use strict';

const { coded } = require('internal/errors');

const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/, notQuoted = /[^\t\u0020-~\u0080-\u00ff]/;
const start = /^[\r\n\t ]*/, end = /[\r\n\t ]*$/;
const lower = text => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

function bad(what, text, at) {
    return coded(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in ${JSON.stringify(text)} is invalid${at === -1 ? '' : ` at ${at}`}`);
}
function token(text, what) {
    const at = text.search(notToken);
    if (text === '' || at !== -1) throw bad(what, text, at);
    return lower(text);
}

function split(text) {
    const from = start.exec(text)[0].length, slash = text.indexOf('/', from);
    const type = text.slice(from, slash === -1 ? undefined : slash), at = type.search(notToken);
    if (type === '' || at !== -1 || slash === -1) throw bad('type', text, at === -1 ? -1 : from + at);
    const semicolon = text.indexOf(';', slash), rest = text.slice(slash + 1, semicolon === -1 ? undefined : semicolon);
    const subtype = rest.replace(end, ''), wrong = subtype.search(notToken);
    if (subtype === '' || wrong !== -1) throw bad('subtype', text, wrong);
    return { type: lower(type), subtype: lower(subtype), rest: semicolon === -1 ? '' : text.slice(semicolon) };
}

const written = value => (value === '' || notToken.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value);

class MIMEParams {
    #data = new Map();
    delete(name) {
        this.#data.delete(`${name}`);
    }
    get(name) {
        return this.#data.get(`${name}`) ?? null;
    }
    has(name) {
        return this.#data.has(`${name}`);
    }
    set(name, value) {
        name = `${name}`;
        value = `${value}`;
        const at = name.search(notToken);
        if (name === '' || at !== -1) throw bad('parameter name', name, at);
        const wrong = value.search(notQuoted);
        if (wrong !== -1) throw bad('parameter value', value, wrong);
        this.#data.set(name, value);
    }
    *entries() {
        yield* this.#data.entries();
    }
    *keys() {
        yield* this.#data.keys();
    }
    *values() {
        yield* this.#data.values();
    }
    toString() {
        return [...this.#data].map(([name, value]) => `${name}=${written(value)}`).join(';');
    }
    // "; name=value; name="va lue"" of a type's text; what is no parameter is passed over.
    static read(text) {
        const params = new MIMEParams();
        for (let at = 0; at < text.length;) {
            at += 1 + start.exec(text.slice(at + 1))[0].length;
            const name = lower(/^[^;=]*/.exec(text.slice(at))[0]);
            at += name.length;
            if (text[at] !== '=') continue;
            at++;
            let value;
            if (text[at] === '"') {
                const [whole, inner] = /^"((?:\\[^]|[^"\\])*)"?/.exec(text.slice(at));
                value = inner.replace(/\\([^])/g, '$1');
                at += whole.length;
                at += /^[^;]*/.exec(text.slice(at))[0].length;
            } else {
                const raw = /^[^;]*/.exec(text.slice(at))[0];
                at += raw.length;
                value = raw.replace(end, '');
                if (value === '') continue;
            }
            if (name !== '' && !notToken.test(name) && !notQuoted.test(value) && !params.has(name)) params.#data.set(name, value);
        }
        return params;
    }
}
const { read } = MIMEParams;
delete MIMEParams.read;
Object.defineProperties(MIMEParams.prototype, {
    [Symbol.iterator]: { value: MIMEParams.prototype.entries, writable: true, configurable: true },
    toJSON: { value: MIMEParams.prototype.toString, writable: true, configurable: true },
});

class MIMEType {
    #type;
    #subtype;
    #params;
    constructor(text) {
        const { type, subtype, rest } = split(`${text}`);
        this.#type = type;
        this.#subtype = subtype;
        this.#params = read(rest);
    }
    get type() {
        return this.#type;
    }
    set type(value) {
        this.#type = token(`${value}`, 'type');
    }
    get subtype() {
        return this.#subtype;
    }
    set subtype(value) {
        this.#subtype = token(`${value}`, 'subtype');
    }
    get essence() {
        return `${this.#type}/${this.#subtype}`;
    }
    get params() {
        return this.#params;
    }
    toString() {
        const params = `${this.#params}`;
        return params === '' ? this.essence : `${this.essence};${params}`;
    }
}
Object.defineProperty(MIMEType.prototype, 'toJSON', { value: MIMEType.prototype.toString, writable: true, configurable: true });

module.exports = { MIMEType, MIMEParams };
