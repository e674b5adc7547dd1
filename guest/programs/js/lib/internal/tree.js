// tree: js --dump-tree: what standard input parses to, as ESTree in JSON, and nothing is run.
'use strict';

const { parse } = require('npm/acorn');
const { erase } = require('internal/typescript');

const options = {
    ecmaVersion: 'latest', locations: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true,
    allowHashBang: true,
};

function parseAny(text) {
    const kinds = ['script', 'module'];
    let first;
    for (const sourceType of kinds) {
        try {
            return parse(text, { ...options, sourceType });
        } catch (error) {
            first ??= error;
        }
    }
    // Imports that stand in a function's body count as a module's head: see internal/main.
    try {
        return parse(text, { ...options, sourceType: 'script', allowImportExportEverywhere: true });
    } catch {
        throw first;
    }
}

function parseTree(text) {
    try {
        return parseAny(text);
    } catch (error) {
        try {
            return parseAny(erase(text, '[code]'));
        } catch {
            return { type: 'Error', message: error.message };
        }
    }
}

// Places are lines; what JSON cannot hold is no literal that anybody looks at.
function plain(key, value) {
    if (key === 'start' || key === 'end') return undefined;
    if (key === 'loc') return value.start.line;
    if (typeof value === 'bigint' || value instanceof RegExp) return null;
    return value;
}

exports.dump = text => `${JSON.stringify(parseTree(text), plain)}\n`;
