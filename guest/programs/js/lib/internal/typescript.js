// typescript: erases types, with the npm package `sucrase`. Lines stay where they are.
'use strict';

const { setPlace } = require('internal/errors');
const { transform } = require('npm/sucrase');

// The package erases namespaces as if they held only types; what uses them would fail far away.
function refuseNamespaces(text, code, file) {
    const pattern = /^([ \t]*(?:export[ \t]+)?)(namespace|module)[ \t]+[\w$.]+[ \t]*\{/gm;
    for (const found of text.matchAll(pattern)) {
        const line = text.slice(0, found.index).split('\n').length;
        if (code.split('\n')[line - 1].includes(found[2])) continue; // not erased: part of a text
        const place = { file, line, column: found[1].length + 1 };
        const error = setPlace(new SyntaxError(`TypeScript's ${found[2]} is not supported: use a module, or an object`), place);
        error.stack = `SyntaxError: ${error.message}\n    at ${file}:${place.line}:${place.column}`;
        throw error;
    }
}

function erase(text, file) {
    try {
        const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
        refuseNamespaces(text, code, file);
        return code;
    } catch (error) {
        if (!(error instanceof SyntaxError) || error.stack.startsWith('SyntaxError: TypeScript')) throw error;
        const lines = text.trimEnd().split('\n');
        if (error.loc?.line > lines.length) error.loc = { line: lines.length, column: lines.at(-1).length + 1 };
        const line = lines[error.loc?.line - 1];
        const message = /<\/[\w.]*>|\/>/.test(line ?? '') ? 'JSX is not supported: build elements with function calls' : error.message.replace(/^Error transforming .*?: /, '').replace(/ \(\d+:\d+\)$/, '');
        const found = setPlace(new SyntaxError(message), error.loc && { file, line: error.loc.line, column: error.loc.column });
        found.stack = `SyntaxError: ${message}\n    at ${file}${error.loc ? `:${error.loc.line}:${error.loc.column}` : ''}`;
        throw found;
    }
}

module.exports = { erase };
