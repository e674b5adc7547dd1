// readline_keys: escape sequences of terminals: those that move a cursor, and the keys that others stand for.
'use strict';

const { StringDecoder } = require('string_decoder');
const validate = require('internal/validators');
const { argValue, coded } = require('internal/errors');

// ---------------------------------------------------------------- cursors

function send(stream, text, callback) {
    if (callback !== undefined) validate.function(callback, 'callback');
    if (stream === null || stream === undefined || text === '') {
        if (typeof callback === 'function') process.nextTick(callback, null);
        return true;
    }
    return stream.write(text, callback);
}

const sequences = {
    line: direction => (direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K'),
    below: () => '\x1b[0J',
    move: (dx, dy) => (dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '') + (dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : ''),
    to: (x, y) => (typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`),
};

function cursorTo(stream, x, y, callback) {
    if (typeof y === 'function') [y, callback] = [undefined, y];
    if (callback !== undefined) validate.function(callback, 'callback');
    if (Number.isNaN(x)) throw argValue('x', x);
    if (Number.isNaN(y)) throw argValue('y', y);
    if (stream === null || stream === undefined || (typeof x !== 'number' && typeof y !== 'number')) return send(null, '', callback);
    if (typeof x !== 'number') throw coded(TypeError, 'ERR_INVALID_CURSOR_POS', 'Cannot set cursor row without setting its column');
    return send(stream, sequences.to(x, y), callback);
}
const moveCursor = (stream, dx, dy, callback) => send(stream, sequences.move(dx, dy), callback);
const clearLine = (stream, direction, callback) => send(stream, sequences.line(direction), callback);
const clearScreenDown = (stream, callback) => send(stream, sequences.below(), callback);

// ---------------------------------------------------------------- keys

const named = {
    OP: 'f1', OQ: 'f2', OR: 'f3', OS: 'f4', '[P': 'f1', '[Q': 'f2', '[R': 'f3', '[S': 'f4', '[11~': 'f1', '[12~': 'f2', '[13~': 'f3', '[14~': 'f4',
    '[[A': 'f1', '[[B': 'f2', '[[C': 'f3', '[[D': 'f4', '[[E': 'f5', '[15~': 'f5', '[17~': 'f6', '[18~': 'f7', '[19~': 'f8', '[20~': 'f9', '[21~': 'f10',
    '[23~': 'f11', '[24~': 'f12', '[A': 'up', '[B': 'down', '[C': 'right', '[D': 'left', '[E': 'clear', '[F': 'end', '[H': 'home', OA: 'up', OB: 'down',
    OC: 'right', OD: 'left', OE: 'clear', OF: 'end', OH: 'home', '[1~': 'home', '[2~': 'insert', '[3~': 'delete', '[4~': 'end', '[5~': 'pageup',
    '[6~': 'pagedown', '[7~': 'home', '[8~': 'end', '[200~': 'paste-start', '[201~': 'paste-end',
};
const shifted = { '[a': 'up', '[b': 'down', '[c': 'right', '[d': 'left', '[e': 'clear', '[2$': 'insert', '[3$': 'delete', '[5$': 'pageup', '[6$': 'pagedown', '[7$': 'home', '[8$': 'end' };
const controlled = { Oa: 'up', Ob: 'down', Oc: 'right', Od: 'left', Oe: 'clear', '[2^': 'insert', '[3^': 'delete', '[5^': 'pageup', '[6^': 'pagedown', '[7^': 'home', '[8^': 'end' };

// What a whole sequence means; `text` without its escapes.
function meaning(sequence, text, escapes) {
    const key = { sequence, name: undefined, ctrl: false, meta: escapes > 1, shift: false };
    const parts = /^(O|\[\[?)(\d*)(?:;(\d+))?([~^$A-Za-z])$/.exec(text);
    if (escapes > 0 && parts) {
        const [, lead, number, modifier, last] = parts;
        const plain = /[~^$]/.test(last) ? `${lead}${number}${last}` : `${lead}${last}`;
        const bits = Number(modifier ?? (/[~^$]/.test(last) ? 1 : number || 1)) - 1;
        key.ctrl = Boolean(bits & 4);
        key.meta = Boolean(bits & 10);
        key.shift = Boolean(bits & 1);
        key.code = plain;
        key.name = named[plain] ?? shifted[plain] ?? controlled[plain] ?? (plain === '[Z' ? 'tab' : 'undefined');
        if (shifted[plain] || plain === '[Z') key.shift = true;
        if (controlled[plain]) key.ctrl = true;
        return key;
    }
    key.meta = escapes > 0;
    if (text === '\r') key.name = 'return';
    else if (text === '\n') key.name = 'enter';
    else if (text === '\t') key.name = 'tab';
    else if (text === '\b' || text === '\x7f') key.name = 'backspace';
    else if (text === '' || text === '\x1b') {
        key.name = 'escape';
        key.meta = escapes > 1;
    } else if (text === ' ') key.name = 'space';
    else if (text <= '\x1a') {
        key.name = String.fromCharCode(text.charCodeAt(0) + 96);
        key.ctrl = true;
    } else if (/^[0-9A-Za-z]$/.test(text)) {
        key.name = text.toLowerCase();
        key.shift = /^[A-Z]$/.test(text);
    }
    return key;
}

const KEYS = Symbol('keys');

// Makes a stream emit 'keypress' for what comes in, once somebody listens.
function emitKeypressEvents(stream) {
    if (stream[KEYS]) return;
    const decoder = stream[KEYS] = new StringDecoder('utf8');
    let rest = '', timer;
    const one = (sequence, text, escapes) => {
        const key = meaning(sequence, text, escapes);
        if (key.name !== undefined || [...sequence].length === 1) stream.emit('keypress', escapes || key.name === undefined && sequence.length !== 1 && [...sequence].length !== 1 ? undefined : sequence, key);
    };
    const take = final => {
        while (rest !== '') {
            const escapes = /^\x1b*/.exec(rest)[0].length;
            if (escapes === 0) {
                const [letter] = rest;
                const whole = String.fromCodePoint(rest.codePointAt(0));
                rest = rest.slice(whole.length);
                one(whole, letter.length === whole.length ? letter : whole, 0);
                continue;
            }
            const body = rest.slice(escapes);
            const sequence = /^(?:O[0-9;]*[A-Za-z]|\[\[?[0-9;]*[~^$A-Za-z])/.exec(body);
            if (sequence) {
                rest = body.slice(sequence[0].length);
                one('\x1b'.repeat(escapes) + sequence[0], sequence[0], escapes);
            } else if (body === '' || (/^(?:O|\[\[?[0-9;]*)$/.test(body) && !final)) {
                if (!final) return;
                rest = '';
                one('\x1b'.repeat(escapes), '', escapes);
            } else {
                const whole = String.fromCodePoint(body.codePointAt(0));
                rest = body.slice(whole.length);
                one('\x1b'.repeat(escapes) + whole, whole, escapes);
            }
        }
    };
    const data = chunk => {
        if (stream.listenerCount('keypress') === 0) {
            stream.removeListener('data', data);
            stream.on('newListener', added);
            return;
        }
        clearTimeout(timer);
        rest += typeof chunk === 'string' ? chunk : decoder.write(chunk);
        take(false);
        if (rest !== '') timer = setTimeout(() => take(true), 500);
    };
    const added = event => {
        if (event !== 'keypress') return;
        stream.on('data', data);
        stream.removeListener('newListener', added);
    };
    if (stream.listenerCount('keypress') > 0) stream.on('data', data);
    else stream.on('newListener', added);
}

module.exports = { cursorTo, moveCursor, clearLine, clearScreenDown, emitKeypressEvents, sequences };
