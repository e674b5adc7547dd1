// domexception: DOMException, the error of the web's interfaces, and atob() and btoa(), which throw it.
'use strict';

const { coded } = require('internal/errors');
const { text } = native;

// The constants 1 to 25, each with the name of the error that has it as its code; some have none.
const constants = ['INDEX_SIZE IndexSize', 'DOMSTRING_SIZE', 'HIERARCHY_REQUEST HierarchyRequest', 'WRONG_DOCUMENT WrongDocument',
    'INVALID_CHARACTER InvalidCharacter', 'NO_DATA_ALLOWED', 'NO_MODIFICATION_ALLOWED NoModificationAllowed', 'NOT_FOUND NotFound',
    'NOT_SUPPORTED NotSupported', 'INUSE_ATTRIBUTE InUseAttribute', 'INVALID_STATE InvalidState', 'SYNTAX Syntax',
    'INVALID_MODIFICATION InvalidModification', 'NAMESPACE Namespace', 'INVALID_ACCESS InvalidAccess', 'VALIDATION',
    'TYPE_MISMATCH TypeMismatch', 'SECURITY Security', 'NETWORK Network', 'ABORT Abort', 'URL_MISMATCH URLMismatch',
    'QUOTA_EXCEEDED QuotaExceeded', 'TIMEOUT Timeout', 'INVALID_NODE_TYPE InvalidNodeType', 'DATA_CLONE DataClone'];
const codes = new Map(constants.map((entry, i) => [`${entry.split(' ')[1]}Error`, i + 1]));

class DOMException {
    #name = 'Error';
    #message;
    constructor(message = '', options = 'Error') {
        this.#message = `${message}`;
        if (options !== null && typeof options === 'object') {
            this.#name = `${options.name}`;
            if ('cause' in options)
                Object.defineProperty(this, 'cause', { value: options.cause, writable: true, configurable: true });
        } else {
            this.#name = `${options}`;
        }
        Error.captureStackTrace(this, new.target);
    }
    static #check(value) {
        if (typeof value !== 'object' || value === null || !(#name in value))
            throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of DOMException');
    }
    get name() {
        DOMException.#check(this);
        return this.#name;
    }
    get message() {
        DOMException.#check(this);
        return this.#message;
    }
    get code() {
        DOMException.#check(this);
        return codes.get(this.#name) ?? 0;
    }
}
Object.setPrototypeOf(DOMException.prototype, Error.prototype);
for (const name of ['name', 'message', 'code']) Object.defineProperty(DOMException.prototype, name, { enumerable: true });
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });
constants.forEach((entry, i) => {
    for (const object of [DOMException, DOMException.prototype])
        Object.defineProperty(object, `${entry.split(' ')[0]}_ERR`, { value: i + 1, enumerable: true });
});

function given(count, input) {
    if (count === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified');
    return `${input}`;
}

function atob(input) {
    const data = given(arguments.length, input), bytes = text.base64Encode(data, true);
    if (bytes !== undefined) return text.latin1Decode(bytes, 0, bytes.byteLength, 255);
    const complete = /^[A-Za-z0-9+/ \t\n\f\r]*(?:=[ \t\n\f\r]*){0,2}$/.test(data);
    throw new DOMException(complete ? 'The string to be decoded is not correctly encoded.' : 'Invalid character', 'InvalidCharacterError');
}

function btoa(input) {
    const data = given(arguments.length, input);
    if (/[^\0-\xff]/.test(data)) throw new DOMException('Invalid character', 'InvalidCharacterError');
    const bytes = text.latin1Encode(data);
    return text.base64Decode(bytes, 0, bytes.byteLength, false);
}

module.exports = { DOMException, atob, btoa };
