// hoist: a program that imports and returns. It is no module, since it returns, and no function body,
// since it imports; models write it all the time. Its imports become awaits in front of all else.
'use strict';

const { syntaxPlace } = require('internal/errors');

const statement = /import\s*(?:(?<clause>[\w$*{][^'"();]*?)\s*from\s*)?(?<from>'[^'\n]*'|"[^"\n]*")(?:\s*with\s*(?<attributes>\{[^}]*\}))?[ \t]*;?/y;
const comment = /\/\*[^]*?\*\/|\/\/.*/g;

// What a clause of an import binds, as the left side of a declaration; undefined when it is none.
function pattern(clause) {
    const found = /^(?<first>[\w$]+)?\s*(?:(?:^|,)\s*(?:\*\s*as\s+(?<all>[\w$]+)|\{(?<names>[^]*)\}))?$/.exec(clause.replace(comment, '').trim());
    if (!found) return undefined;
    const { first, all, names } = found.groups;
    if (all !== undefined) return first === undefined ? all : undefined;
    const parts = (names ?? '').split(',').map(part => part.trim()).filter(Boolean)
        .map(part => part.replace(/^([\w$]+)\s+as\s+([\w$]+)$/, '$1: $2'));
    if (first !== undefined) parts.unshift(`default: ${first}`);
    return `{ ${parts.join(', ')} }`;
}

function awaited({ clause, from, attributes }) {
    const module = `await import(${from}${attributes ? `, { with: ${attributes} }` : ''})`;
    if (clause === undefined) return `${module};`;
    const bound = pattern(clause);
    return bound && `const ${bound} = ${module};`;
}

function offsetOf(text, { line, column }) {
    let start = 0;
    for (; line > 1; line--) start = text.indexOf('\n', start) + 1;
    return start + column - 1;
}

// The import statement at which the engine stopped, for a text that is to be a function body.
function stoppedAt(text, error) {
    const place = syntaxPlace(error);
    const before = place && /\bimport\s*$/.exec(text.slice(0, offsetOf(text, place)));
    if (!before) return undefined;
    statement.lastIndex = before.index;
    return statement.exec(text) ?? undefined;
}

// The text with its imports in front, each line where it was; undefined when that is not what it
// needs. `check(text)` throws the SyntaxError of a function body.
function hoist(text, error, check) {
    const awaits = [];
    let first;
    for (let found; (found = error && stoppedAt(text, error));) {
        const await_ = awaited(found.groups);
        if (await_ === undefined) return undefined;
        awaits.push(await_);
        first ??= found.index;
        const blank = found[0].replace(/[^\n]/g, ' ');
        text = text.slice(0, found.index) + blank + text.slice(found.index + blank.length);
        try {
            check(text);
            error = undefined;
        } catch (thrown) {
            if (!(thrown instanceof SyntaxError)) throw thrown;
            error = thrown;
        }
    }
    if (error || awaits.length === 0) return undefined;
    const at = text.slice(0, first).replace(comment, '').trim() === '' ? first : 0;
    return `${text.slice(0, at)}${awaits.join(' ')}${text.slice(at).replace(/^ +/, '')}`;
}

module.exports = { hoist };
