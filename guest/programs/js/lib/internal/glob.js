// glob: does a path match a pattern with * ? [] {} and **? For path.matchesGlob().
'use strict';

const { check } = require('internal/errors');

// The alternatives of the first {a,b} of a pattern, until none has any.
function expand(pattern) {
    const open = pattern.indexOf('{');
    for (let depth = 0, from = open + 1, parts = [], i = open; open >= 0 && i < pattern.length; i++) {
        if (pattern[i] === '\\') i++;
        else if (pattern[i] === '{') depth++;
        else if (pattern[i] === ',' && depth === 1) {
            parts.push(pattern.slice(from, i));
            from = i + 1;
        } else if (pattern[i] === '}' && --depth === 0) {
            if (parts.length === 0) break;
            parts.push(pattern.slice(from, i));
            return parts.flatMap(part => expand(pattern.slice(0, open) + part + pattern.slice(i + 1)));
        }
    }
    return [pattern];
}

function segment(text) {
    let source = /^[*?[]/.test(text) ? '(?!\\.)' : '';
    for (let i = 0; i < text.length; i++) {
        const char = text[i], set = char === '[' && /^\[([!^]?)(\]?[^\]]*)\]/.exec(text.slice(i));
        if (char === '*') source += '[^/]*';
        else if (char === '?') source += '[^/]';
        else if (set) {
            source += `[${set[1] && '^'}${set[2].replace(/[\\\]^]/g, '\\$&')}]`;
            i += set[0].length - 1;
        } else source += (char === '\\' ? text[++i] ?? '\\' : char).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    }
    return source;
}

function regex(pattern) {
    const parts = pattern.split('/');
    let source = '';
    parts.forEach((part, i) => {
        const last = i === parts.length - 1;
        if (part === '**') source += last ? '(?:(?!\\.)[^/]+(?:/(?!\\.)[^/]+)*)?' : '(?:(?!\\.)[^/]+/)*';
        else source += segment(part) + (last ? '' : '/');
    });
    return new RegExp(`^${source}$`, 's');
}

function matchesGlob(file, pattern) {
    check.string(file, 'path');
    check.string(pattern, 'pattern');
    return expand(pattern).some(one => regex(one).test(file));
}

module.exports = { matchesGlob };
