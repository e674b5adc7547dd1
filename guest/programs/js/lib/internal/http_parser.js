// http_parser: HTTP/1.x as it comes: heads, bodies and trailers of requests or of responses.
'use strict';

const METHODS = 'DELETE GET HEAD POST PUT CONNECT OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PATCH PURGE MKCALENDAR LINK UNLINK SOURCE QUERY'.split(' ');
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NONE = Buffer.alloc(0);
const CONSTANT = 'Expected HTTP/, RTSP/ or ICE/';

class ParseError extends Error {
    constructor(code, reason, bytesParsed) {
        super(code === 'HPE_INVALID_EOF_STATE' ? 'Parse Error' : `Parse Error: ${reason}`);
        Object.assign(this, { bytesParsed, code, reason });
    }
}
Object.defineProperty(ParseError, 'name', { value: 'Error' });

class Parser {
    #rest = NONE;
    #state = 'first';
    #left = 0; // bytes of the body or chunk that are to come
    #size = 0; // of the head so far
    #parsed = 0;
    #head;
    #trailers = [];
    // on: {head(info) → 'skip' when there is no body, 'upgrade' when what follows is no HTTP; body(bytes); complete(trailers)}
    constructor(isRequest, on, { maxHeaderSize = 16384, lenient = false } = {}) {
        this.isRequest = isRequest;
        this.on = on;
        this.limit = maxHeaderSize;
        this.lenient = lenient;
        this.upgraded = undefined; // bytes that follow an upgrade
    }
    get isIdle() {
        return this.#state === 'first' && this.#rest.length === 0;
    }
    get isAtHead() {
        return this.#state === 'first' || this.#state === 'fields';
    }
    // Answers an error, or undefined.
    execute(bytes) {
        this.#rest = this.#rest.length ? Buffer.concat([this.#rest, bytes]) : bytes;
        try {
            while (this.upgraded === undefined && this.#step());
        } catch (error) {
            if (!(error instanceof ParseError)) throw error;
            this.#state = 'dead';
            return error;
        }
        return undefined;
    }
    // No more bytes come.
    finish() {
        if (this.#state === 'untilEnd') return void this.#complete();
        if (this.isIdle || this.#state === 'dead') return undefined;
        return new ParseError('HPE_INVALID_EOF_STATE', 'Invalid EOF state', 0);
    }
    #fail(code, reason) {
        throw new ParseError(code, reason, this.#parsed);
    }
    #take(count) {
        const bytes = this.#rest.subarray(0, count);
        this.#rest = this.#rest.subarray(count);
        this.#parsed += count;
        return bytes;
    }
    // A line without its end; undefined when it is not whole.
    #line(counts) {
        const at = this.#rest.indexOf(10);
        if (counts && this.#size + (at < 0 ? this.#rest.length : at) > this.limit) this.#fail('HPE_HEADER_OVERFLOW', 'Header overflow');
        if (at < 0) return undefined;
        const bytes = this.#take(at + 1), end = at > 0 && bytes[at - 1] === 13 ? at - 1 : at;
        if (counts) this.#size += at + 1;
        return bytes.latin1Slice(0, end);
    }
    #step() {
        switch (this.#state) {
        case 'first': return this.#first();
        case 'fields': return this.#fields(this.#head.fields, () => this.#headDone());
        case 'sized': return this.#sized();
        case 'chunk': return this.#chunk();
        case 'inChunk': return this.#inChunk();
        case 'afterChunk': return this.#afterChunk();
        case 'trailers': return this.#fields(this.#trailers, () => this.#complete());
        case 'untilEnd': if (this.#rest.length) this.on.body(this.#take(this.#rest.length));
        }
        return false;
    }
    #first() {
        if (this.isRequest && this.#rest.length && !/^[\r\nA-Z]/.test(this.#rest.latin1Slice(0, 1))) this.#fail('HPE_INVALID_METHOD', 'Invalid method encountered');
        if (!this.isRequest && this.#rest.length && !/^[\r\nH]/.test(this.#rest.latin1Slice(0, 1))) this.#fail('HPE_INVALID_CONSTANT', 'Expected HTTP/');
        const line = this.#line(true);
        if (line === undefined) return this.#early();
        if (line === '') return this.#rest.length > 0;
        this.#head = this.isRequest ? this.#requestLine(line) : this.#statusLine(line);
        this.#head.fields = [];
        this.#state = 'fields';
        return true;
    }
    // A line that cannot become one is refused before it has ended.
    #early() {
        const word = /^([^ ]*)(.?)/.exec(this.#rest.latin1Slice(0, 24));
        if (this.isRequest && !METHODS.some(name => (word[2] ? name === word[1] : name.startsWith(word[1]))) && word[1].trim() !== '') this.#badMethod(word[1]);
        return false;
    }
    // The place is the first letter that no method has there.
    #badMethod(text) {
        let at = 0;
        while (METHODS.some(name => name.startsWith(text.slice(0, at + 1)))) at++;
        throw new ParseError('HPE_INVALID_METHOD', 'Invalid method encountered', at);
    }
    #requestLine(line) {
        const found = /^([^ ]+) +([^ ]+)(?: +(.*))?$/.exec(line);
        if (!METHODS.includes(found?.[1] ?? line.split(' ')[0])) this.#badMethod(line);
        if (!found) this.#fail('HPE_INVALID_URL', 'Unexpected start char in url');
        const version = /^HTTP\/(\d)\.(\d)$/.exec(found[3] ?? '');
        if (found[3] === undefined || !version) this.#fail(/^HTTP\//.test(found[3] ?? '') ? 'HPE_INVALID_VERSION' : 'HPE_INVALID_CONSTANT', /^HTTP\//.test(found[3] ?? '') ? 'Invalid HTTP version' : CONSTANT);
        if (!this.lenient && !['0.9', '1.0', '1.1', '2.0'].includes(`${version[1]}.${version[2]}`)) this.#fail('HPE_INVALID_VERSION', 'Invalid HTTP version');
        return { method: found[1], url: found[2], major: +version[1], minor: +version[2] };
    }
    #statusLine(line) {
        const found = /^HTTP\/(\d)\.(\d) (\d{3})(?: (.*))?$/.exec(line);
        if (!found) {
            if (!line.startsWith('HTTP/')) this.#fail('HPE_INVALID_CONSTANT', 'Expected HTTP/');
            this.#fail(/^HTTP\/\d\.\d /.test(line) ? 'HPE_INVALID_STATUS' : 'HPE_INVALID_VERSION', /^HTTP\/\d\.\d /.test(line) ? 'Invalid status code' : 'Invalid HTTP version');
        }
        return { status: +found[3], reason: found[4] ?? '', major: +found[1], minor: +found[2] };
    }
    #fields(list, done) {
        const line = this.#line(true);
        if (line === undefined) return false;
        if (line === '') return done();
        if (/^[ \t]/.test(line)) {
            if (list.length === 0) this.#fail('HPE_INVALID_HEADER_TOKEN', 'Unexpected whitespace after header value');
            list.at(-1)[1] += ` ${line.trim()}`;
            return true;
        }
        const at = line.indexOf(':'), name = line.slice(0, Math.max(at, 0));
        if (at < 1 || !TOKEN.test(name)) this.#fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header token');
        const value = line.slice(at + 1).replace(/^[ \t]+|[ \t]+$/g, '');
        if (/[\0\r]/.test(value) || (!this.lenient && /[\x01-\x08\x0b-\x1f\x7f]/.test(value))) this.#fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header value char');
        list.push([name, value]);
        return true;
    }
    // What the head says about the body.
    #measure() {
        const { fields, major, minor } = this.#head;
        let length, coding, connection = '', upgrade = false;
        for (const [given, value] of fields) {
            const name = given.toLowerCase();
            if (name === 'content-length') {
                if (!/^\d+$/.test(value)) this.#fail('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
                if (length !== undefined) this.#fail('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length');
                length = Number(value);
            } else if (name === 'transfer-encoding') coding = coding === undefined ? value : `${coding}, ${value}`;
            else if (name === 'connection') connection += `,${value.toLowerCase()}`;
            else if (name === 'upgrade') upgrade = true;
        }
        const words = connection.split(',').map(word => word.trim());
        const chunked = coding !== undefined && /(?:^|,)\s*chunked\s*$/i.test(coding);
        if (coding !== undefined && length !== undefined && !this.lenient) this.#fail('HPE_INVALID_CONTENT_LENGTH', "Content-Length can't be present with chunked encoding");
        const persists = major > 0 && minor > 0 ? !words.includes('close') : words.includes('keep-alive');
        return { length, coding, chunked, persists, upgrade: upgrade && words.includes('upgrade') };
    }
    #headDone() {
        const head = this.#head, { length, coding, chunked, persists, upgrade } = this.#measure();
        const bare = !this.isRequest && (head.status === 204 || head.status === 304 || (head.status >= 100 && head.status < 200));
        head.persists = persists && (this.isRequest || bare || chunked || length !== undefined);
        head.keepAliveAsked = persists;
        head.upgrade = this.isRequest ? upgrade || head.method === 'CONNECT' : upgrade && head.status === 101;
        this.#trailers = [];
        this.#size = 0;
        const answer = this.on.head(head);
        if (answer === 'upgrade') {
            this.upgraded = this.#take(this.#rest.length);
            this.on.complete([]);
            return false;
        }
        if (answer === 'skip' || bare) return this.#complete();
        if (this.isRequest && coding !== undefined && !chunked && !this.lenient) this.#fail('HPE_INVALID_TRANSFER_ENCODING', 'Request has invalid `Transfer-Encoding`');
        if (chunked) this.#state = 'chunk';
        else if (length !== undefined) {
            this.#left = length;
            this.#state = 'sized';
            if (length === 0) return this.#complete();
        } else if (this.isRequest && coding === undefined) return this.#complete();
        else this.#state = 'untilEnd';
        return true;
    }
    #some() {
        const bytes = this.#take(Math.min(this.#left, this.#rest.length));
        this.#left -= bytes.length;
        if (bytes.length) this.on.body(bytes);
        return bytes.length > 0;
    }
    #sized() {
        const some = this.#some();
        return this.#left === 0 ? this.#complete() : some;
    }
    #chunk() {
        const begin = /^[^\r\n;]*/.exec(this.#rest.latin1Slice(0, 20))[0];
        if (begin !== '' && !/^[0-9a-f]+[ \t]*$/i.test(begin)) this.#fail('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
        const line = this.#line(false);
        if (line === undefined) {
            if (this.#rest.length > 16384) this.#fail('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow');
            return false;
        }
        if (line.length > 16384) this.#fail('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow');
        if (begin === '') this.#fail('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
        this.#left = parseInt(line, 16);
        this.#state = this.#left === 0 ? 'trailers' : 'inChunk';
        return true;
    }
    #inChunk() {
        const some = this.#some();
        if (this.#left > 0) return some;
        this.#state = 'afterChunk';
        return true;
    }
    #afterChunk() {
        if (this.#rest.length === 0) return false;
        if (this.#rest[0] !== 13 && !(this.lenient && this.#rest[0] === 10)) this.#fail('HPE_STRICT', 'Expected LF after chunk data');
        if (this.#line(false) === undefined) return false;
        this.#state = 'chunk';
        return true;
    }
    #complete() {
        this.#state = 'first';
        this.#size = 0;
        this.on.complete(this.#trailers);
        return this.#rest.length > 0;
    }
}

module.exports = { Parser, METHODS: [...METHODS].sort() };
