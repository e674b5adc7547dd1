// path: names of files as this system has them; `win32`: as Windows has them (internal/path_win32).
'use strict';

const validate = require('internal/validators');

// The segments of a path without `.`, and without `..` as far as something stands before it; those that lead
// above the beginning stay if `above`.
function clean(segments, above) {
    const out = [];
    for (const segment of segments) {
        if (segment === '' || segment === '.') continue;
        if (segment !== '..') out.push(segment);
        else if (out.length > 0 && out[out.length - 1] !== '..') out.pop();
        else if (above) out.push('..');
    }
    return out;
}

const trimEnd = text => {
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === 47) end--;
    return end === text.length ? text : text.slice(0, end);
};

// The parts of a file's name: `.` and what follows is the extension, unless the name begins with it.
function extension(base) {
    const dot = base.lastIndexOf('.');
    return dot <= 0 || base === '..' ? '' : base.slice(dot);
}

function withoutSuffix(base, suffix, whole) {
    if (suffix === undefined || suffix === '') return base;
    if (suffix === whole) return '';
    if (base === '' && suffix.length <= whole.length) return whole; // separators only, as Node has it
    if (!base.endsWith(suffix)) return base;
    return suffix === base ? base : base.slice(0, -suffix.length);
}

const format = separator => function format(pathObject) {
    validate.object(pathObject, 'pathObject');
    const { root, ext } = pathObject;
    const dir = pathObject.dir || root;
    const base = pathObject.base || `${pathObject.name || ''}${ext ? `${ext[0] === '.' ? '' : '.'}${ext}` : ''}`;
    if (!dir) return base;
    return dir === root ? `${dir}${base}` : `${dir}${separator}${base}`;
};

const matchesGlob = (file, pattern) => require('internal/glob').matchesGlob(file, pattern);

const posix = {
    resolve(...args) {
        let found = '';
        for (let i = args.length - 1; i >= 0; i--) {
            validate.string(args[i], `paths[${i}]`);
            if (args[i] === '') continue;
            found = `${args[i]}/${found}`;
            if (args[i].charCodeAt(0) === 47) return `/${clean(found.split('/'), false).join('/')}`;
        }
        return `/${clean(`${process.cwd()}/${found}`.split('/'), false).join('/')}`;
    },
    normalize(path) {
        validate.string(path, 'path');
        if (path === '') return '.';
        const absolute = path.charCodeAt(0) === 47, slash = path.charCodeAt(path.length - 1) === 47;
        const found = clean(path.split('/'), !absolute).join('/');
        if (found === '') return absolute ? '/' : slash ? './' : '.';
        return `${absolute ? '/' : ''}${found}${slash ? '/' : ''}`;
    },
    isAbsolute(path) {
        validate.string(path, 'path');
        return path.charCodeAt(0) === 47;
    },
    join(...args) {
        let joined;
        for (const part of args) {
            validate.string(part, 'path');
            if (part !== '') joined = joined === undefined ? part : `${joined}/${part}`;
        }
        return joined === undefined ? '.' : posix.normalize(joined);
    },
    relative(from, to) {
        validate.string(from, 'from');
        validate.string(to, 'to');
        if (from === to) return '';
        const a = clean(posix.resolve(from).split('/'), false), b = clean(posix.resolve(to).split('/'), false);
        let same = 0;
        while (same < a.length && same < b.length && a[same] === b[same]) same++;
        return [...a.slice(same).fill('..'), ...b.slice(same)].join('/');
    },
    toNamespacedPath(path) {
        return path;
    },
    dirname(path) {
        validate.string(path, 'path');
        if (path === '') return '.';
        const bare = trimEnd(path), at = bare.lastIndexOf('/');
        if (at === -1) return path.charCodeAt(0) === 47 ? '/' : '.';
        if (at === 0) return '/';
        return at === 1 && path.charCodeAt(0) === 47 ? '//' : path.slice(0, at);
    },
    basename(path, suffix) {
        if (suffix !== undefined) validate.string(suffix, 'suffix');
        validate.string(path, 'path');
        const bare = trimEnd(path);
        return withoutSuffix(bare.slice(bare.lastIndexOf('/') + 1), suffix, path);
    },
    extname(path) {
        validate.string(path, 'path');
        const bare = trimEnd(path);
        return extension(bare.slice(bare.lastIndexOf('/') + 1));
    },
    format: format('/'),
    parse(path) {
        validate.string(path, 'path');
        const root = path.charCodeAt(0) === 47 ? '/' : '';
        const bare = trimEnd(path), at = bare.lastIndexOf('/');
        const base = bare.slice(at + 1), ext = extension(base);
        const dir = at > 0 ? path.slice(0, at) : root;
        return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
    },
    sep: '/',
    delimiter: ':',
    win32: null,
    posix: null,
    matchesGlob,
};
posix.posix = posix;
posix._makeLong = posix.toNamespacedPath;
Object.defineProperty(posix, 'win32', {
    configurable: true, enumerable: true, get: () => require('internal/path_win32'),
});
Object.defineProperty(posix, 'shared', { value: { clean, extension, withoutSuffix, format }, enumerable: false });

module.exports = posix;
