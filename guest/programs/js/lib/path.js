// path: the npm package `path-browserify`, which is Node's own.
'use strict';

const path = require('npm/path');
const { argType } = require('internal/errors');

// Arguments are checked as Node does; the package's own check comes too late for its messages.
const named = { resolve: 'paths', join: 'path' };
for (const name of ['resolve', 'join']) {
    const original = path[name];
    path[name] = {
        [name](...parts) {
            parts.forEach((part, i) => {
                if (typeof part !== 'string') throw argType(name === 'resolve' ? `paths[${i}]` : named[name], 'string', part);
            });
            return original.apply(path, parts);
        },
    }[name];
}
for (const name of ['normalize', 'isAbsolute', 'dirname', 'basename', 'extname', 'parse']) {
    const original = path[name];
    path[name] = {
        [name](file, suffix) {
            if (typeof file !== 'string') throw argType('path', 'string', file);
            if (suffix !== undefined && name === 'basename' && typeof suffix !== 'string') throw argType('suffix', 'string', suffix);
            return original.call(path, file, suffix);
        },
    }[name];
}
const { relative } = path;
path.relative = (from, to) => {
    if (typeof from !== 'string') throw argType('from', 'string', from);
    if (typeof to !== 'string') throw argType('to', 'string', to);
    return relative.call(path, from, to);
};
path.format = parts => {
    if (parts === null || typeof parts !== 'object') throw argType('pathObject', 'Object', parts);
    const { dir = parts.root, ext = '' } = parts;
    const base = parts.base || `${parts.name ?? ''}${ext && !ext.startsWith('.') ? '.' : ''}${ext}`;
    return !dir ? base : dir === parts.root ? `${dir}${base}` : `${dir}/${base}`;
};
path.posix = path;
path.toNamespacedPath ??= name => name;

path.matchesGlob ??= (file, pattern) => require('internal/glob').matchesGlob(file, pattern);

module.exports = path;
