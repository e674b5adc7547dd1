// readline_edit: a line that is edited on a terminal: what each key does.
'use strict';

const { cursorTo, clearScreenDown, moveCursor } = require('internal/readline_keys');

const ansi = /\x1b\[[0-9;]*[A-Za-z]/g;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

// Where the end of a text is on a terminal of so many columns.
function place(text, columns) {
    let cols = 0, rows = 0;
    for (const letter of text.replace(ansi, '')) {
        if (letter === '\n') {
            rows++;
            cols = 0;
            continue;
        }
        const width = letter === '\t' ? 8 - cols % 8 : wide.test(letter) ? 2 : 1;
        if (cols + width > columns) {
            rows++;
            cols = 0;
        }
        cols += width;
    }
    return { cols, rows };
}

class Editor {
    constructor(rl) {
        this.rl = rl;
        this.rows = 0; // where the cursor is below the prompt
        this.at = -1; // in the history
        this.typed = '';
        this.killed = '';
    }
    get columns() {
        return this.rl.output?.columns || Infinity;
    }
    cursor() {
        return place(this.rl.getPrompt() + this.rl.line.slice(0, this.rl.cursor), this.columns);
    }
    refresh() {
        const { rl } = this, text = rl.getPrompt() + rl.line, end = place(text, this.columns), here = this.cursor();
        if (this.rows > 0) moveCursor(rl.output, 0, -this.rows);
        cursorTo(rl.output, 0);
        clearScreenDown(rl.output);
        rl.output?.write(text);
        if (end.cols === 0 && end.rows) rl.output?.write(' ');
        cursorTo(rl.output, here.cols);
        if (end.rows > here.rows) moveCursor(rl.output, 0, here.rows - end.rows);
        this.rows = here.rows;
    }
    insert(text) {
        const { rl } = this, atEnd = rl.cursor === rl.line.length;
        rl.line = rl.line.slice(0, rl.cursor) + text + rl.line.slice(rl.cursor);
        rl.cursor += text.length;
        if (atEnd && this.cursor().cols !== 0) rl.output?.write(text);
        else this.refresh();
    }
    cut(from, to, keep = false) {
        const { rl } = this;
        if (from === to) return;
        if (keep) this.killed = rl.line.slice(from, to);
        rl.line = rl.line.slice(0, from) + rl.line.slice(to);
        rl.cursor = from;
        this.refresh();
    }
    move(to) {
        this.rl.cursor = Math.max(0, Math.min(this.rl.line.length, to));
        this.refresh();
    }
    before() {
        const { line, cursor } = this.rl;
        return cursor - /(?:[\ud800-\udbff][\udc00-\udfff]|[^])?$/.exec(line.slice(0, cursor))[0].length;
    }
    after() {
        const { line, cursor } = this.rl;
        return cursor + /^(?:[\ud800-\udbff][\udc00-\udfff]|[^])?/.exec(line.slice(cursor))[0].length;
    }
    wordLeft() {
        return this.rl.cursor - /(?:[^\w\s]+|\w+|)\s*$/.exec(this.rl.line.slice(0, this.rl.cursor))[0].length;
    }
    wordRight() {
        return this.rl.cursor + /^(?:\s+|[^\w\s]+|\w+)\s*|/.exec(this.rl.line.slice(this.rl.cursor))[0].length;
    }
    recall(step) {
        const { rl } = this, { history } = rl;
        let at = this.at + step;
        if (this.at === -1) this.typed = rl.line;
        while (at >= 0 && at < history.length && (!history[at].startsWith(this.typed) || history[at] === rl.line)) at += step;
        if (at >= history.length && step > 0) return;
        this.at = Math.max(-1, at);
        rl.line = this.at === -1 ? this.typed : history[this.at];
        rl.cursor = rl.line.length;
        this.refresh();
    }
    remember() {
        const { rl } = this, { line } = rl;
        this.at = -1;
        if (rl.historySize === 0 || line.trim() === '') return;
        if (rl.removeHistoryDuplicates) rl.history = rl.history.filter(item => item !== line);
        if (rl.history[0] !== line) rl.history.unshift(line);
        if (rl.history.length > rl.historySize) rl.history.length = rl.historySize;
        rl.emit('history', rl.history);
    }
    enter() {
        const { rl } = this, { line } = rl;
        this.remember();
        rl.line = '';
        rl.cursor = 0;
        this.rows = 0;
        rl.output?.write('\r\n');
        rl._line(line);
    }
    complete() {
        const { rl } = this, given = rl.line.slice(0, rl.cursor);
        const answer = (error, result) => {
            if (error || !result) return;
            const [list, part] = result;
            if (!list?.length) return;
            let common = list[0];
            for (const item of list) while (!item.startsWith(common)) common = common.slice(0, -1);
            if (common.startsWith(part) && common.length > part.length) return void this.insert(common.slice(part.length));
            if (list.length > 1) {
                rl.output?.write(`\r\n${list.join('  ')}\r\n\r\n`);
                this.refresh();
            }
        };
        if (rl.completer.length === 2) return rl.completer(given, answer);
        return Promise.resolve(rl.completer(given)).then(result => answer(null, result), answer);
    }
    key(text, key = {}) {
        const { rl } = this;
        if (key.ctrl && !key.shift) return this.control(key);
        if (key.meta) return this.meta(key);
        switch (key.name) {
        case 'return': this.returned = Date.now(); return this.enter();
        case 'enter': // the second half of \r\n
            if (this.returned === undefined || Date.now() - this.returned > rl.crlfDelay) this.enter();
            this.returned = undefined;
            return undefined;
        case 'backspace': return this.cut(this.before(), rl.cursor);
        case 'delete': return this.cut(rl.cursor, this.after());
        case 'left': return this.move(this.before());
        case 'right': return this.move(this.after());
        case 'home': return this.move(0);
        case 'end': return this.move(rl.line.length);
        case 'up': return this.recall(1);
        case 'down': return this.at >= 0 ? this.recall(-1) : undefined;
        case 'tab': if (typeof rl.completer === 'function') return this.complete(); // falls through: a tab is a letter
        default:
            if (typeof text === 'string' && text !== '') for (const [i, part] of text.split(/\r\n|\n|\r/).entries()) {
                if (i > 0) this.enter();
                if (part) this.insert(part);
            }
            return undefined;
        }
    }
    control({ name }) {
        const { rl } = this;
        switch (name) {
        case 'c': return rl.listenerCount('SIGINT') > 0 ? rl.emit('SIGINT') : rl.close();
        case 'd': return rl.cursor === 0 && rl.line === '' ? rl.close() : this.cut(rl.cursor, this.after());
        case 'h': return this.cut(this.before(), rl.cursor);
        case 'u': return this.cut(0, rl.cursor, true);
        case 'k': return this.cut(rl.cursor, rl.line.length, true);
        case 'w': case 'backspace': return this.cut(this.wordLeft(), rl.cursor, true);
        case 'delete': return this.cut(rl.cursor, this.wordRight(), true);
        case 'a': return this.move(0);
        case 'e': return this.move(rl.line.length);
        case 'b': return this.move(this.before());
        case 'f': return this.move(this.after());
        case 'left': return this.move(this.wordLeft());
        case 'right': return this.move(this.wordRight());
        case 'n': return this.recall(-1);
        case 'p': return this.recall(1);
        case 'y': return this.insert(this.killed);
        case 'l':
            cursorTo(rl.output, 0, 0);
            clearScreenDown(rl.output);
            return this.refresh();
        default: return undefined;
        }
    }
    meta({ name }) {
        switch (name) {
        case 'b': return this.move(this.wordLeft());
        case 'f': return this.move(this.wordRight());
        case 'd': case 'delete': return this.cut(this.rl.cursor, this.wordRight(), true);
        case 'backspace': return this.cut(this.wordLeft(), this.rl.cursor, true);
        default: return undefined;
        }
    }
}

module.exports = { Editor, place };
