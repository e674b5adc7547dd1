// typescript: erases types, with the npm package `sucrase`. Lines stay where they are.
'use strict';

const { setPlace } = require('internal/errors');
const { transform } = require('npm/sucrase');

function erase(text, file) {
    try {
        return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const message = error.message.replace(/^Error transforming .*?: /, '').replace(/ \(\d+:\d+\)$/, '');
        const found = setPlace(new SyntaxError(message), error.loc && { file, line: error.loc.line, column: error.loc.column });
        found.stack = `SyntaxError: ${message}\n    at ${file}${error.loc ? `:${error.loc.line}:${error.loc.column}` : ''}`;
        throw found;
    }
}

module.exports = { erase };
