// module: what programs ask of the modules themselves.
'use strict';

const path = require('path');
const { Module, makeRequire, builtins, builtinName, nodeModulePaths } = require('internal/modules');
const { argType, argValue, coded } = require('internal/errors');
const validate = require('internal/validators');

const file = from => (from instanceof Object && from.href || String(from).startsWith('file://') ? require('internal/url').fileURLToPath(from) : from);

function createRequire(from) {
    const name = typeof from === 'string' || from instanceof Object ? file(from) : from;
    if (typeof name !== 'string' || !path.isAbsolute(name))
        throw argValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
    const module = new Module(name, null);
    module.filename = name.endsWith('/') ? `${name}noop.js` : name;
    module.paths = nodeModulePaths(path.dirname(module.filename));
    return makeRequire(module);
}

// The package.json that governs a file, as findPackageJSON() of newer versions gives it.
function findPackageJSON(specifier, base) {
    let from = file(specifier);
    if (typeof from !== 'string') throw argType('specifier', ['string', 'URL'], specifier);
    if (!path.isAbsolute(from)) {
        const start = base === undefined ? process.cwd() : file(base);
        from = /^\.{0,2}\//.test(from) ? path.resolve(path.dirname(start), from) : createRequire(start).resolve(from);
    }
    for (let at = path.dirname(from); ; at = path.dirname(at)) {
        const found = path.join(at, 'package.json');
        if (native.fs.access(found, 0) === 0) return found;
        if (at === '/') return undefined;
    }
}

class SourceMap {
    #payload;
    #lines = []; // of the text that was made: [column, source, line, column, name] each
    constructor(payload, { lineLengths } = {}) {
        validate.object(payload, 'payload');
        this.#payload = structuredClone(payload);
        this.lineLengths = lineLengths;
        this.#read(payload);
    }
    #read({ mappings = '', sources = [], names = [] }) {
        const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
        let source = 0, line = 0, column = 0, name = 0;
        for (const text of mappings.split(';')) {
            let made = 0;
            const segments = [];
            for (const segment of text.split(',').filter(Boolean)) {
                const numbers = [];
                let value = 0, shift = 0;
                for (const letter of segment) {
                    const digit = digits.indexOf(letter);
                    value += (digit & 31) << shift;
                    shift += 5;
                    if (digit & 32) continue;
                    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
                    value = shift = 0;
                }
                made += numbers[0];
                if (numbers.length > 1) {
                    source += numbers[1];
                    line += numbers[2];
                    column += numbers[3];
                }
                if (numbers.length > 4) name += numbers[4];
                segments.push([made, sources[source], line, column, numbers.length > 4 ? names[name] : undefined]);
            }
            this.#lines.push(segments);
        }
    }
    get payload() {
        return structuredClone(this.#payload);
    }
    findEntry(lineOffset, columnOffset) {
        for (let line = lineOffset; line >= 0; line--) {
            const found = this.#lines[line]?.findLast(([column]) => line < lineOffset || column <= columnOffset);
            if (found) return { generatedLine: line, generatedColumn: found[0], originalSource: found[1], originalLine: found[2], originalColumn: found[3], name: found[4] };
        }
        return {};
    }
    findOrigin(lineNumber, columnNumber) {
        const found = this.findEntry(lineNumber - 1, columnNumber - 1);
        if (found.originalSource === undefined || found.originalLine === undefined) return {};
        return {
            name: found.name, fileName: found.originalSource, lineNumber: lineNumber + found.originalLine - found.generatedLine,
            columnNumber: columnNumber + found.originalColumn - found.generatedColumn,
        };
    }
}

const wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
Object.assign(Module, {
    Module, createRequire, findPackageJSON, SourceMap, wrapper,
    builtinModules: Object.freeze([...builtins].filter(name => name !== 'test')),
    isBuiltin: name => builtinName(`${name}`) !== undefined,
    _nodeModulePaths: nodeModulePaths, _initPaths() {}, _debug() {}, _preloadModules() {}, _stat: name => {
        const found = native.fs.stat(name);
        return typeof found === 'number' ? found : (found[1] & 0o170000) === 0o040000 ? 1 : 0;
    },
    _findPath: (request, paths) => {
        for (const place of paths ?? []) {
            try {
                return Module._resolveFilename(path.isAbsolute(request) ? request : `./${request}`, { filename: path.join(place, 'x') });
            } catch { /* the next */ }
        }
        return false;
    },
    _resolveLookupPaths: (request, parent) => (builtinName(request) !== undefined ? null : parent?.paths ?? nodeModulePaths(process.cwd())),
    _readPackage: undefined, globalPaths: [], findSourceMap: () => undefined, runMain() {}, syncBuiltinESMExports() {},
    wrap: text => wrapper[0] + text + wrapper[1],
    register() {
        throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'module.register() is not available in a sandbox: hooks of imports need a thread of their own; Module._load, _resolveFilename and _extensions can be replaced');
    },
});
Module.prototype.isPreloading = false;

module.exports = Module;
