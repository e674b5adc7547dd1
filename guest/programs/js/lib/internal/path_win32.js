// path_win32: names of files as Windows has them, with drives and shares (path.win32).
'use strict';

const path = require('path');
const validate = require('internal/validators');
const { clean, extension, withoutSuffix, format } = path.shared;

const isSeparator = char => char === '/' || char === '\\';
const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/, drive = /^[A-Za-z]:/;
const split = text => text.split(/[\\/]/);
const trimEnd = (text, least) => {
    let end = text.length;
    while (end > least && isSeparator(text[end - 1])) end--;
    return text.slice(0, end);
};

// The drive or share that a path begins with, where it ends with its separator, and whether what follows is
// counted from its root. `devices`: \\\\. and \\\\? are no servers.
function rootOf(name, devices) {
    const unc = share.exec(name);
    if (unc && devices && (unc[1] === '.' || unc[1] === '?')) return { device: `\\\\${unc[1]}`, end: 4, absolute: true };
    if (unc) return { device: `\\\\${unc[1]}\\${unc[2]}`, end: unc[0].length, absolute: true, unc };
    if (isSeparator(name[0])) return { device: '', end: 1, absolute: true };
    if (!drive.test(name)) return { device: '', end: 0, absolute: false };
    const absolute = isSeparator(name[2]);
    return { device: name.slice(0, 2), end: absolute ? 3 : 2, absolute };
}

// A relative path must not become one with a drive or a stream by being shortened.
function guarded(name, tail) {
    if (!name.includes(':')) return tail;
    if (drive.test(tail)) return `.\\${tail}`;
    for (let at = name.indexOf(':'); at !== -1; at = name.indexOf(':', at + 1))
        if (at === name.length - 1 || isSeparator(name[at + 1])) return `.\\${tail}`;
    return tail;
}

// Where the last part of a path begins and ends, separators behind it aside.
function lastPart(name) {
    const begin = drive.test(name) ? 2 : 0;
    const bare = trimEnd(name, begin);
    let at = bare.length;
    while (at > begin && !isSeparator(bare[at - 1])) at--;
    return { at, text: bare.slice(at) };
}

const win32 = {
    resolve(...args) {
        let device = '', tail = '', absolute = false;
        for (let i = args.length - 1; i >= -1; i--) {
            let part;
            if (i >= 0) {
                part = args[i];
                validate.string(part, `paths[${i}]`);
                if (part === '') continue;
            } else if (device === '') {
                part = process.cwd();
            } else {
                part = process.env[`=${device}`] || process.cwd();
                if (part.slice(0, 2).toLowerCase() !== device.toLowerCase() && part[2] === '\\') part = `${device}\\`;
            }
            const root = rootOf(part, true);
            if (root.device !== '') {
                if (device !== '' && root.device.toLowerCase() !== device.toLowerCase()) continue;
                device ||= root.device;
            }
            if (!absolute) {
                tail = `${part.slice(root.end)}\\${tail}`;
                absolute = root.absolute;
            }
            if (absolute && device !== '') break;
        }
        tail = clean(split(tail), !absolute).join('\\');
        return absolute ? `${device}\\${tail}` : `${device}${tail}` || '.';
    },
    normalize(name) {
        validate.string(name, 'path');
        if (name === '') return '.';
        if (name.length === 1) return name === '/' ? '\\' : name;
        const { device, end, absolute, unc } = rootOf(name, true);
        if (unc && end === name.length) return `\\\\${unc[1]}\\${unc[2]}\\`;
        let tail = clean(split(name.slice(end)), !absolute).join('\\');
        if (tail === '' && !absolute) tail = '.';
        if (tail !== '' && isSeparator(name[name.length - 1])) tail += '\\';
        if (device === '') return absolute ? `\\${tail}` : guarded(name, tail);
        return absolute ? `${device}\\${tail}` : `${device}${tail}`;
    },
    isAbsolute(name) {
        validate.string(name, 'path');
        return isSeparator(name[0]) || (drive.test(name) && isSeparator(name[2]));
    },
    join(...args) {
        let joined, first;
        for (const part of args) {
            validate.string(part, 'path');
            if (part === '') continue;
            if (joined === undefined) joined = first = part;
            else joined += `\\${part}`;
        }
        if (joined === undefined) return '.';
        // Two separators at the beginning mean a share only when the first part says so.
        if (!/^[\\/]{2}[^\\/]/.test(first)) joined = joined.replace(/^[\\/]{2,}/, '\\');
        return win32.normalize(joined);
    },
    relative(from, to) {
        validate.string(from, 'from');
        validate.string(to, 'to');
        if (from === to) return '';
        const toOrig = win32.resolve(to), a = win32.resolve(from).toLowerCase(), b = toOrig.toLowerCase();
        if (a === b) return '';
        const bounds = text => {
            let begin = 0, end = text.length;
            while (begin < end && text[begin] === '\\') begin++;
            while (end - 1 > begin && text[end - 1] === '\\') end--;
            return [begin, end];
        };
        const [aBegin, aEnd] = bounds(a), [bBegin, bEnd] = bounds(b);
        const aLength = aEnd - aBegin, bLength = bEnd - bBegin, length = Math.min(aLength, bLength);
        let common = -1, i = 0;
        for (; i < length && a[aBegin + i] === b[bBegin + i]; i++) if (a[aBegin + i] === '\\') common = i;
        if (i !== length) {
            if (common === -1) return toOrig;
        } else {
            if (bLength > length) {
                if (b[bBegin + i] === '\\') return toOrig.slice(bBegin + i + 1);
                if (i === 2) return toOrig.slice(bBegin + i);
            }
            if (aLength > length) {
                if (a[aBegin + i] === '\\') common = i;
                else if (i === 2) common = 3;
            }
            if (common === -1) common = 0;
        }
        let up = '';
        for (i = aBegin + common + 1; i <= aEnd; i++)
            if (i === aEnd || a[i] === '\\') up += up === '' ? '..' : '\\..';
        let begin = bBegin + common;
        if (up !== '') return `${up}${toOrig.slice(begin, bEnd)}`;
        if (toOrig[begin] === '\\') begin++;
        return toOrig.slice(begin, bEnd);
    },
    toNamespacedPath(name) {
        if (typeof name !== 'string' || name === '') return name;
        const found = win32.resolve(name);
        if (found.length <= 2) return name;
        if (found.startsWith('\\\\')) {
            if (found[2] !== '?' && found[2] !== '.') return `\\\\?\\UNC\\${found.slice(2)}`;
        } else if (drive.test(found) && found[2] === '\\') {
            return `\\\\?\\${found}`;
        }
        return found;
    },
    dirname(name) {
        validate.string(name, 'path');
        if (name === '') return '.';
        if (name.length === 1) return isSeparator(name) ? name : '.';
        const { end, device, unc } = rootOf(name);
        if (unc && end === name.length) return name;
        const root = unc ? end + 1 : end;
        const bare = trimEnd(name, root);
        let at = bare.length;
        while (at > root && !isSeparator(bare[at - 1])) at--;
        if (at <= root) return device === '' && end === 0 && at === 0 ? '.' : name.slice(0, root);
        return name.slice(0, at - 1);
    },
    basename(name, suffix) {
        if (suffix !== undefined) validate.string(suffix, 'suffix');
        validate.string(name, 'path');
        return withoutSuffix(lastPart(name).text, suffix, drive.test(name) && name.length > 2 ? name.slice(2) : name);
    },
    extname(name) {
        validate.string(name, 'path');
        return extension(lastPart(name).text);
    },
    format: format('\\'),
    parse(name) {
        validate.string(name, 'path');
        const found = { root: '', dir: '', base: '', ext: '', name: '' };
        if (name === '') return found;
        const { end, unc } = rootOf(name);
        const root = unc && end < name.length ? end + 1 : end;
        found.root = name.slice(0, root);
        if (root >= name.length) {
            found.dir = found.root;
            return found;
        }
        const bare = trimEnd(name, root);
        let at = bare.length;
        while (at > root && !isSeparator(bare[at - 1])) at--;
        found.base = bare.slice(at);
        found.ext = extension(found.base);
        found.name = found.base.slice(0, found.base.length - found.ext.length);
        found.dir = at > 0 && at !== root ? name.slice(0, at - 1) : found.root;
        return found;
    },
    sep: '\\',
    delimiter: ';',
    win32: null,
    posix: path,
    matchesGlob: path.matchesGlob,
};
win32.win32 = win32;
win32._makeLong = win32.toNamespacedPath;

module.exports = win32;
