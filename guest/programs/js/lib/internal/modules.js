// modules: which file a specifier means, and require(). ES modules ask through module.c.
//
// Built-in modules are files of this library; everything else follows Node's resolution: relative and
// absolute paths with extensions and index files, node_modules up the tree with package.json `exports`,
// `main` and `imports`.
'use strict';

const path = require('path');
const { coded, argType, argValue, endOfText, NO_NETWORK, setFrames, systemError } = require('internal/errors');

// Names that a program may require; each is a file of lib/ of that name.
const builtins = new Set([
    'assert', 'assert/strict', 'async_hooks', 'buffer', 'child_process', 'console', 'constants', 'crypto', 'events', 'fs',
    'fs/promises', 'module', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode', 'querystring', 'repl',
    'readline', 'readline/promises', 'stream', 'stream/consumers', 'stream/promises', 'stream/web', 'string_decoder', 'timers',
    'timers/promises', 'tty', 'url', 'util', 'util/types', 'v8', 'vm', 'diagnostics_channel', 'worker_threads', 'zlib',
    'cluster', 'dgram', 'dns', 'dns/promises', 'domain', 'http', 'https', 'net', 'sys', 'tls', 'trace_events',
    '_stream_duplex', '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_writable',
]);
// Modules of Node that exist nowhere in a sandbox; the message says why.
const absent = {
    http2: NO_NETWORK,
    inspector: 'there is no debugger',
};
const aliases = { 'path/posix': 'path', 'path/win32': 'internal/path_win32', sys: 'util', 'util/types': 'internal/types' };
const classes = { _stream_duplex: 'Duplex', _stream_passthrough: 'PassThrough', _stream_readable: 'Readable', _stream_transform: 'Transform', _stream_writable: 'Writable' };

let libraryRequire;
const setLibrary = fn => void (libraryRequire = fn);

const builtinName = name => {
    const bare = name.startsWith('node:') ? name.slice(5) : name;
    return builtins.has(bare) || name === 'node:test' ? bare : undefined;
};

function builtin(name) {
    const bare = builtinName(name);
    if (bare === undefined) return undefined;
    if (bare === 'console') return globalThis.console;
    if (classes[bare] !== undefined) return libraryRequire('stream')[classes[bare]];
    if (bare === 'sys') process.emitWarning('sys is deprecated. Use util instead.', 'DeprecationWarning', 'DEP0025');
    const found = libraryRequire(aliases[bare] ?? bare);
    // A program in a file that asks for fs means Node's, whose functions want their callbacks.
    if (bare === 'fs' && path.isAbsolute(mainModule?.filename ?? process.argv[1] ?? '')) found._setStrict();
    return found;
}

function notFound(request, from, code = 'MODULE_NOT_FOUND') {
    const bare = request.startsWith('node:') ? request.slice(5) : request;
    if (absent[bare] !== undefined)
        return coded(Error, code, `Cannot find module '${request}': ${absent[bare]}`);
    if (bare !== request) return coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${request}`);
    const error = new Error(`Cannot find module '${request}'${from ? `\nRequire stack:\n- ${from}` : ''}`);
    error.code = code;
    error.requireStack = from ? [from] : [];
    return error;
}

// ---------------------------------------------------------------- files

function kindOf(file) {
    const stat = native.fs.stat(file);
    if (typeof stat === 'number') return undefined;
    return (stat[1] & 0o170000) === 0o040000 ? 'directory' : 'file';
}

function readText(file) {
    const fd = native.fs.open(file, 0, 0);
    if (fd < 0) throw systemError(fd, 'open', file);
    const bytes = native.fs.readAll(fd);
    native.fs.close(fd);
    if (typeof bytes === 'number') throw systemError(bytes, 'read');
    const text = native.text.utf8Decode(bytes);
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const packages = new Map(); // directory -> package.json or null

function packageAt(directory) {
    let found = packages.get(directory);
    if (found === undefined) {
        const file = path.join(directory, 'package.json');
        found = null;
        if (kindOf(file) === 'file') {
            try {
                found = JSON.parse(readText(file));
            } catch (error) {
                if (error instanceof SyntaxError) error.message = `Error parsing ${file}: ${error.message}`;
                throw error;
            }
        }
        packages.set(directory, found);
    }
    return found;
}

// The package.json that governs a file.
function packageOf(file) {
    for (let at = path.dirname(file); ; at = path.dirname(at)) {
        const found = packageAt(at);
        if (found !== null) return { directory: at, json: found };
        if (at === '/' || at === '.') return undefined;
    }
}

const extensions = ['.js', '.json', '.cjs', '.mjs', '.ts'];

function asFile(file) {
    if (kindOf(file) === 'file') return file;
    for (const extension of [...extensions, ...Object.keys(Module._extensions).filter(name => !extensions.includes(name))])
        if (kindOf(file + extension) === 'file') return file + extension;
    // TypeScript writes './x.js' for x.ts
    if (file.endsWith('.js') && kindOf(`${file.slice(0, -3)}.ts`) === 'file') return `${file.slice(0, -3)}.ts`;
    return undefined;
}

function asDirectory(directory) {
    if (kindOf(directory) !== 'directory') return undefined;
    const main = packageAt(directory)?.main;
    if (typeof main === 'string') {
        const file = path.resolve(directory, main);
        const found = asFile(file) ?? asFile(path.join(file, 'index'));
        if (found !== undefined) return found;
    }
    return asFile(path.join(directory, 'index'));
}

// What a target of `exports` or `imports` stands for under these conditions.
function target(value, star, conditions) {
    if (typeof value === 'string') return star === undefined ? value : value.replaceAll('*', star);
    if (Array.isArray(value)) {
        for (const item of value) {
            const found = target(item, star, conditions);
            if (found !== undefined) return found;
        }
        return undefined;
    }
    if (value === null || typeof value !== 'object') return undefined;
    for (const condition of Object.keys(value)) {
        if (condition !== 'default' && !conditions.includes(condition)) continue;
        const found = target(value[condition], star, conditions);
        if (found !== undefined) return found;
    }
    return undefined;
}

function lookUp(table, key, conditions) {
    if (Object.hasOwn(table, key)) return target(table[key], undefined, conditions);
    let best, star;
    for (const pattern of Object.keys(table)) {
        const at = pattern.indexOf('*');
        if (at === -1) continue;
        const before = pattern.slice(0, at), after = pattern.slice(at + 1);
        if (!key.startsWith(before) || !key.endsWith(after) || key.length < pattern.length) continue;
        if (best === undefined || before.length > best.indexOf('*')) {
            best = pattern;
            star = key.slice(at, key.length - after.length);
        }
    }
    return best === undefined ? undefined : target(table[best], star, conditions);
}

function fromExports(directory, json, subpath, conditions) {
    const table = json.exports;
    const isTable = table !== null && typeof table === 'object' && !Array.isArray(table) &&
        Object.keys(table).some(key => key.startsWith('.'));
    const found = isTable ? lookUp(table, subpath, conditions)
        : subpath === '.' ? target(table, undefined, conditions) : undefined;
    if (found !== undefined) return path.join(directory, found);
    throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', subpath === '.'
        ? `No "exports" main defined in ${directory}/package.json`
        : `Package subpath '${subpath}' is not defined by "exports" in ${directory}/package.json`);
}

function fromNodeModules(request, directory, conditions) {
    const parts = request.split('/');
    const name = request.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
    const subpath = `.${request.slice(name.length)}`;
    for (let at = directory; ; at = path.dirname(at)) {
        if (path.basename(at) !== 'node_modules') {
            const place = path.join(at, 'node_modules', name);
            if (kindOf(place) === 'directory') {
                const json = packageAt(place);
                if (json?.exports != null) return fromExports(place, json, subpath, conditions);
                const file = path.join(place, subpath);
                const found = asFile(file) ?? asDirectory(file);
                if (found !== undefined) return found;
            } else {
                const file = asFile(path.join(at, 'node_modules', request));
                if (file !== undefined) return file;
            }
        }
        if (at === '/') return undefined;
    }
}

// The absolute file that `request` means to a module in `directory`.
function resolveFile(request, directory, conditions) {
    if (request.startsWith('file://')) request = libraryRequire('internal/url').fileURLToPath(request);
    if (request === '.' || request === '..' || /^\.{0,2}\//.test(request)) {
        const file = path.resolve(directory, request);
        const found = (request.endsWith('/') ? undefined : asFile(file)) ?? asDirectory(file);
        return found && real(found);
    }
    if (request.startsWith('#')) {
        const owner = packageOf(path.join(directory, 'x'));
        const found = owner?.json.imports && lookUp(owner.json.imports, request, conditions);
        if (found === undefined || found === null) return undefined;
        return found.startsWith('.') ? real(path.join(owner.directory, found)) : resolveFile(found, owner.directory, conditions);
    }
    const found = fromNodeModules(request, directory, conditions);
    return found && real(found);
}

function real(file) {
    const result = native.fs.realpath(file);
    return typeof result === 'number' ? file : result;
}

// ---------------------------------------------------------------- CommonJS

// A program may replace most of what follows: a loader that mocks modules or compiles other languages does.

function Module(id = '', parent = undefined) {
    this.id = id;
    this.path = path.dirname(id);
    this.exports = {};
    this.filename = null;
    this.loaded = false;
    this.children = [];
    Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true });
    parent?.children?.push(this);
}
Module._cache = Object.create(null); // require.cache: file -> Module
Module._pathCache = Object.create(null);
Module._extensions = { __proto__: null };
const loaded = Module._cache;

function nodeModulePaths(from) {
    const list = [];
    for (let at = path.resolve('/', from); ; at = path.dirname(at)) {
        if (path.basename(at) !== 'node_modules') list.push(path.join(at, 'node_modules'));
        if (at === '/') return list;
    }
}

function checkRequest(request, name) {
    if (typeof request !== 'string') throw argType(name, 'string', request);
    if (request === '') throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument '${name}' must be a non-empty string. Received ''`);
}

const directoryOf = module => (module?.filename && path.isAbsolute(module.filename) ? path.dirname(module.filename) : process.cwd());
const conditions = ['node', 'require', 'module-sync'];

Module._resolveFilename = function (request, parent, isMain, options) {
    checkRequest(request, 'id');
    if (builtinName(request) !== undefined) return request;
    let file;
    if (options?.paths !== undefined) {
        if (!Array.isArray(options.paths)) throw argValue('options.paths', options.paths);
        for (const place of options.paths) if ((file = resolveFile(request, path.resolve(place), conditions)) !== undefined) break;
    } else {
        file = resolveFile(request, directoryOf(parent), conditions);
    }
    if (file === undefined) throw notFound(request, parent?.filename);
    return file;
};

Module._load = function (request, parent, isMain) {
    const file = Module._resolveFilename(request, parent, isMain);
    if (loaded[file] === undefined && builtinName(file) !== undefined) return builtin(file);
    return loadFile(file, parent).exports;
};

Module.prototype.require = function (id) {
    checkRequest(id, 'id');
    return Module._load(id, this, false);
};

Module.prototype.load = function (filename) {
    this.filename ??= filename;
    this.paths = nodeModulePaths(path.dirname(filename));
    const base = path.basename(filename), from = base.indexOf('.', 1);
    let extension = '.js';
    for (let at = from; at !== -1; at = base.indexOf('.', at + 1)) {
        if (Module._extensions[base.slice(at)] === undefined) continue;
        extension = base.slice(at);
        break;
    }
    Module._extensions[extension](this, filename);
    this.loaded = true;
};

const unparsed = new WeakSet(); // errors of texts that do not parse
Module.prototype._compile = function (content, filename) {
    let body;
    try {
        body = native.program.function(content, filename, false);
    } catch (error) {
        unparsed.add(error);
        throw error;
    }
    return body.call(this.exports, this.exports, makeRequire(this), this, filename, path.dirname(filename));
};

let mainModule;

function makeRequire(module) {
    function require(path) {
        return module.require(path);
    }
    require.resolve = function resolve(request, options) {
        if (typeof request !== 'string') throw argType('request', 'string', request);
        return Module._resolveFilename(request, module, false, options);
    };
    require.resolve.paths = function paths(request) {
        if (typeof request !== 'string') throw argType('request', 'string', request);
        if (builtinName(request) !== undefined) return null;
        return /^\.{1,2}(?:\/|$)/.test(request) ? [directoryOf(module)] : nodeModulePaths(directoryOf(module));
    };
    require.main = mainModule;
    require.extensions = Module._extensions;
    require.cache = Module._cache;
    return require;
}

function isEsm(file) {
    if (/\.m[jt]s$/.test(file)) return true;
    if (/\.c[jt]s$/.test(file)) return false;
    return packageOf(file)?.json.type === 'module';
}

function loadFile(file, parent) {
    const known = loaded[file];
    if (known !== undefined) {
        if (parent?.children && !parent.children.includes(known)) parent.children.push(known);
        return known;
    }
    const module = new Module(file, parent);
    module.filename = file;
    loaded[file] = module;
    let ok = false;
    try {
        module.load(file);
        ok = true;
    } finally {
        if (!ok) {
            delete loaded[file];
            const at = parent?.children?.indexOf(module) ?? -1;
            if (at !== -1) parent.children.splice(at, 1);
        }
    }
    return module;
}

Module._extensions['.js'] = function (module, file) {
    const text = readText(file);
    if (isEsm(file)) {
        module.exports = requireEsm(file);
        return;
    }
    const source = /\.[cm]?ts$/.test(file) ? libraryRequire('internal/typescript').erase(text, file) : text;
    try {
        module._compile(source, file);
    } catch (error) {
        if (!(error instanceof SyntaxError) || !unparsed.has(error)) throw error;
        if (!/\b(?:import|export)\b/.test(source)) throw endOfText(error, source, file);
        module.exports = requireEsm(file);
    }
};
Module._extensions['.json'] = function (module, file) {
    try {
        module.exports = JSON.parse(readText(file));
    } catch (error) {
        if (error instanceof SyntaxError) error.message = `${file}: ${error.message}`;
        throw error;
    }
};
Module._extensions['.node'] = function (module, file) {
    throw coded(Error, 'ERR_DLOPEN_FAILED', `${file}: native addons are not available in a sandbox`);
};

// An ES module that does not wait at its top level, as Node's require(esm).
function requireEsm(file) {
    const promise = native.program.import(file);
    native.program.drain(promise);
    const state = native.program.promiseState(promise);
    if (state === 0)
        throw coded(Error, 'ERR_REQUIRE_ASYNC_MODULE', `require() cannot be used on an ES module that awaits at its top level: ${file}`);
    const result = native.program.promiseResult(promise);
    native.program.markHandled(promise);
    if (state === 2) throw result;
    return result;
}

// The module object of the main program. A text without a file has `require` and `module` as globals,
// as in Node's -e, so that they are there in scripts and modules, too.
function newMain() {
    const module = new Module('.', null);
    return { module, require: makeRequire(module) };
}
let prepared = newMain(); // while the library boots

function makeMain(filename, scope) {
    const { module, require } = prepared ?? newMain();
    prepared = undefined;
    module.filename = filename;
    mainModule = module;
    process.mainModule = module;
    if (scope === undefined) {
        module.path = path.dirname(filename);
        module.paths = nodeModulePaths(module.path);
        loaded[filename] = module;
        return module;
    }
    require.main = module;
    // Defined, not assigned: an assignment would ask for a tool of that name first (global.c).
    const { define } = native.engine;
    define(scope, 'module', module);
    define(scope, 'exports', module.exports);
    define(scope, 'require', require);
    return module;
}

// ---------------------------------------------------------------- ES modules (hooks of module.c)

function referrerDirectory(referrer) {
    if (path.isAbsolute(referrer)) return path.dirname(referrer);
    return process.cwd();
}

function resolveImport(specifier, referrer) {
    const name = builtinName(specifier);
    if (name !== undefined) return `node:${name}`;
    if (/^[a-z][a-z0-9+.-]+:/i.test(specifier) && !specifier.startsWith('file:')) {
        if (specifier.startsWith('node:') && absent[specifier.slice(5)] === undefined)
            throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${specifier}`);
        if (specifier.startsWith('data:')) return specifier;
        if (!specifier.startsWith('node:'))
            throw coded(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME',
                `Only URLs with a scheme in: file, data, and node are supported. Received protocol '${specifier.split(':')[0]}:'`);
    }
    const file = resolveFile(specifier, referrerDirectory(referrer), ['node', 'import', 'module-sync']);
    if (file !== undefined) return file;
    if (absent[specifier.replace(/^node:/, '')] !== undefined) throw notFound(specifier, undefined, 'ERR_MODULE_NOT_FOUND');
    const from = path.isAbsolute(referrer) ? ` imported from ${referrer}` : '';
    const relative = /^\.{0,2}\//.test(specifier);
    throw setFrames(coded(Error, 'ERR_MODULE_NOT_FOUND', relative
        ? `Cannot find module '${path.resolve(referrerDirectory(referrer), specifier)}'${from}`
        : `Cannot find package '${specifier}'${from}`), importFrame(specifier, referrer));
}

// The line of a stack for the import of what is not found: modules are linked before any of their code
// runs, so the text is searched. Undefined when it does not show the place plainly.
function importFrame(specifier, referrer) {
    const lines = libraryRequire('internal/main').sourceText(referrer)?.split('\n') ?? [];
    const quoted = `\\s*(['"\`])${specifier.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\1`;
    const find = pattern => lines.flatMap((text, i) => {
        const found = /^\s*(?:\/\/|\*|\/\*)/.test(text) ? null : new RegExp(pattern + quoted).exec(text);
        return found ? [`    at ${referrer}:${i + 1}:${found.index + found[0].search(/['"`]/) + 1}\n`] : [];
    });
    const [first] = find('\\b(?:from|import)');
    if (first !== undefined) return first;
    const calls = find('\\bimport\\s*\\(');
    return calls.length === 1 ? calls[0] : undefined;
}

// Exports of an object: its own names, and the object itself as default.
function objectExports(object) {
    const exports = { __proto__: null };
    if (object !== null && (typeof object === 'object' || typeof object === 'function')) {
        for (const key of Object.keys(object)) if (key !== 'default') exports[key] = object[key];
    }
    exports.default = object;
    return exports;
}

function metaOf(file) {
    const { pathToFileURL } = libraryRequire('internal/url');
    return {
        dirname: path.dirname(file),
        filename: file,
        resolve: specifier => {
            if (/^\.{0,2}\//.test(specifier)) return pathToFileURL(path.resolve(path.dirname(file), specifier)).href;
            const found = resolveImport(specifier, file);
            return path.isAbsolute(found) ? pathToFileURL(found).href : found;
        },
        url: pathToFileURL(file).href,
    };
}

function loadImport(name, attributes) {
    if (name.startsWith('node:')) return { exports: objectExports(builtin(name)) };
    if (name.startsWith('data:')) {
        const [, type, base64, body] = /^data:([^,;]*)(?:;[^,;]*)*?(;base64)?,(.*)$/s.exec(name) ?? [];
        const text = base64 ? atob(body) : decodeURIComponent(body);
        return type === 'application/json' ? { exports: { default: JSON.parse(text) } } : { source: text, meta: { url: name } };
    }
    if (attributes?.type === 'text') return { exports: { default: readText(name) } };
    if (name.endsWith('.json') || attributes?.type === 'json')
        return { exports: { default: JSON.parse(readText(name)) } };
    if (!isEsm(name)) {
        const text = readText(name);
        const typed = /\.ts$/.test(name);
        if (/\.cjs$/.test(name) || !/\b(?:import|export)\b/.test(text) || (!typed && !isModuleText(text, name)))
            return { exports: objectExports(loadFile(name).exports) };
        return { source: typed ? libraryRequire('internal/typescript').erase(text, name) : text, meta: metaOf(name) };
    }
    const text = readText(name);
    return { source: /ts$/.test(name) ? libraryRequire('internal/typescript').erase(text, name) : text, meta: metaOf(name) };
}

// A text that does not parse as a function body, but says import or export: a module.
function isModuleText(text, file) {
    try {
        native.program.function(text, file, false);
        return false;
    } catch (error) {
        return error instanceof SyntaxError;
    }
}

module.exports = {
    setLibrary, builtin, builtins, makeRequire, makeMain, readText, resolveImport, loadImport, metaOf, Module,
    conditions, isEsm, loaded, nodeModulePaths, builtinName,
};
