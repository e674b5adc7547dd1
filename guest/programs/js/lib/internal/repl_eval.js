// repl_eval: how the REPL evaluates a text, and what it says of what was thrown.
'use strict';

const vm = require('vm');
const modules = require('internal/modules');

const acorn = () => require('npm/acorn');
const language = { ecmaVersion: 'latest', sourceType: 'script', allowAwaitOutsideFunction: true, allowHashBang: true };

// Whether a text that does not parse is the beginning of one that does.
function isBeginning(code) {
    if (/^\s*\{/.test(code) && isBeginning(`(${code}`)) return true;
    try {
        acorn().parse(code, { ...language, allowAwaitOutsideFunction: false });
        return false;
    } catch (error) {
        if (/^Unterminated (?:template|comment)/.test(error.message)) return true;
        if (/^Unterminated string/.test(error.message)) return /(?:^|[^\\])(?:\\\\)*\\(?:\r\n?|\n)$/.test(code);
        return error.pos >= code.length;
    }
}

function boundNames(pattern, names) {
    switch (pattern?.type) {
    case 'Identifier': names.push(pattern.name); break;
    case 'ObjectPattern': pattern.properties.forEach(item => boundNames(item.value ?? item.argument, names)); break;
    case 'ArrayPattern': pattern.elements.forEach(item => boundNames(item, names)); break;
    case 'AssignmentPattern': boundNames(pattern.left, names); break;
    case 'RestElement': boundNames(pattern.argument, names); break;
    default:
    }
    return names;
}

// A text with `await` at its top as an async function, whose declarations are those of the context; undefined
// when there is none.
function asynchronous(code) {
    let tree;
    try {
        new Function(code);
        return undefined;
    } catch { /* perhaps because of `await` */ }
    try {
        tree = acorn().parse(code, language);
    } catch {
        return undefined;
    }
    const declared = [], parts = [];
    tree.body.forEach((node, i) => {
        const text = code.slice(node.start, node.end);
        if (node.type === 'VariableDeclaration') {
            for (const item of node.declarations) {
                boundNames(item.id, declared);
                if (item.init) parts.push(`void (${code.slice(item.start, item.end)});`);
                else parts.push(`void (${code.slice(item.start, item.end)} = undefined);`);
            }
        } else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
            declared.push(node.id.name);
            parts.push(`${node.id.name} = ${text};`);
        } else if (node.type === 'ExpressionStatement' && i === tree.body.length - 1) {
            parts.push(`return { value: (${text.replace(/;\s*$/, '')}) };`);
        } else parts.push(text);
    });
    return `${declared.length ? `let ${[...new Set(declared)].join(', ')};\n` : ''}(async () => { ${parts.join('\n')}\n})()`;
}

function script(repl, code, file) {
    const strict = repl.replMode === require('repl').REPL_MODE_STRICT ? `'use strict'; void 0;\n` : '';
    return new vm.Script(strict + code, { filename: file, displayErrors: true });
}

// [script, whether it has an async function's promise] of a text; throws what is wrong with it.
function compile(repl, code, file) {
    if (/^\s*\{/.test(code) && !/;\s*$/.test(code)) {
        try {
            return [script(repl, `(${code.trim()})\n`, file), false];
        } catch { /* a block, then */ }
    }
    try {
        return [script(repl, code, file), false];
    } catch (error) {
        const wrapped = code.includes('await') ? asynchronous(code) : undefined;
        if (wrapped !== undefined) return [script(repl, wrapped, file), true];
        if (error.name === 'SyntaxError' && isBeginning(code)) throw new (require('repl').Recoverable)(error);
        // For who shows where it is.
        error.replText = code;
        error.replAbove = repl.replMode === require('repl').REPL_MODE_STRICT ? 1 : 0;
        throw error;
    }
}

function evaluate(repl, code, context, file, callback) {
    if (code === '\n') return callback(null);
    let value, waits;
    try {
        let made;
        [made, waits] = compile(repl, code, file);
        value = repl.useGlobal ? made.runInThisContext() : made.runInContext(context);
    } catch (error) {
        if (error === null || error === undefined || typeof error !== 'object') return void repl._domain.emit('error', error);
        return callback(error);
    }
    if (!waits) return callback(null, value);
    value.then(result => callback(null, result?.value), error => (error === null || error === undefined ? repl._domain.emit('error', error) : callback(error)));
    return undefined;
}

// Declarations of imports as what the REPL takes; undefined when the text has none.
function asImports(text) {
    let tree;
    try {
        tree = acorn().parse(text, { ...language, sourceType: 'module' });
    } catch {
        return undefined;
    }
    return tree.body.filter(node => node.type === 'ImportDeclaration').map(({ source, specifiers }) => {
        const load = `await import(${JSON.stringify(source.value)});`;
        if (specifiers.length === 0) return load;
        if (specifiers.length === 1 && specifiers[0].type === 'ImportNamespaceSpecifier') return `const ${specifiers[0].local.name} = ${load}`;
        const names = specifiers.map(({ local, imported }) => (local.name === imported?.name ? local.name : `${imported?.name ?? 'default'}: ${local.name}`));
        return `const { ${names.join(', ')} } = ${load}`;
    }).join('');
}

// A stack without what is typed itself and what is below that.
function ownFrames(stack) {
    const lines = stack.split('\n'), last = lines.findLastIndex(line => /^\s+at REPL\d+:/.test(line));
    return (last === -1 ? lines.filter(line => !/^\s+at /.test(line) || !/repl/.test(line)) : lines.slice(0, last)).join('\n');
}

// The line that is wrong, and a mark below it.
function place(error) {
    const { syntaxPlace } = require('internal/errors');
    const at = syntaxPlace(error), { replText: text, replAbove: above } = error;
    delete error.replText;
    delete error.replAbove;
    if (!at || text === undefined) return '';
    const declared = /^\s*import\b(?!\s*\()/.test(text) && asImports(text);
    if (declared) {
        error.message = `Cannot use import statement inside the Node.js REPL, alternatively use dynamic import: ${declared}`;
        error.stack = `SyntaxError: ${error.message}`;
        at.column = 1;
    }
    const shown = text.split('\n')[at.line - 1 - above] ?? '', word = Math.max(1, /^[\w$]*/.exec(shown.slice(at.column - 1))[0].length);
    return `${shown}\n${' '.repeat(Math.max(0, at.column - 1))}${'^'.repeat(word)}\n\n`;
}

// What is written of something that was thrown.
function describe(repl, error) {
    let text = '', before = '';
    if (error !== null && typeof error === 'object') {
        if (error.domainThrown) {
            delete error.domain;
            delete error.domainThrown;
        }
        if (error instanceof Error || Error.isError(error)) {
            if (error.name === 'SyntaxError') {
                before = place(error);
                if (typeof error.stack === 'string') error.stack = error.stack.replace(/^\s+at\s.*\n?/gm, '').trimEnd();
            } else if (typeof error.stack === 'string') error.stack = ownFrames(error.stack);
        }
        text = repl.writer(error);
        if (text.startsWith('[') && text.endsWith(']')) text = text.slice(1, -1);
    } else text = repl.writer(error);
    const lines = (before + text).split(/(?<=\n)/), at = lines.findIndex(line => /^\[?(?:[A-Z][a-z0-9_]*)*Error/.test(line));
    if (at === -1) text = `Uncaught${lines.length === 1 ? ' ' : ':\n'}${before}${text}`;
    else {
        const width = repl.writer.options?.breakLength ?? Infinity;
        lines[at] = `${width >= lines[at].length ? 'Uncaught ' : 'Uncaught:\n'}${lines[at]}`;
        text = lines.join('');
    }
    return text.endsWith('\n') ? text : `${text}\n`;
}

// The global object of what is typed.
function createContext(repl) {
    let context = globalThis;
    if (!repl.useGlobal) {
        context = vm.createContext();
        const own = new Set(vm.runInContext('Object.getOwnPropertyNames(globalThis)', context));
        for (const name of Object.getOwnPropertyNames(globalThis))
            if (!own.has(name)) Object.defineProperty(context, name, { ...Object.getOwnPropertyDescriptor(globalThis, name), configurable: true });
        context.global = vm.runInContext('globalThis', context);
        Object.defineProperty(context, 'console', { value: new console.Console(repl.output), writable: true, configurable: true });
    }
    const module = new modules.Module('<repl>');
    module.paths = modules.Module._resolveLookupPaths?.('<repl>', undefined) ?? [];
    Object.defineProperty(context, 'module', { value: module, writable: true, configurable: true });
    Object.defineProperty(context, 'require', { value: modules.makeRequire(module), writable: true, configurable: true });
    Object.defineProperty(context, 'exports', { value: module.exports, writable: true, configurable: true });
    for (const name of require('repl').builtinModules) {
        if (['process', 'console', 'module'].includes(name) || name.includes('/')) continue;
        const define = value => Object.defineProperty(context, name, { value, writable: true, configurable: true, enumerable: false });
        Object.defineProperty(context, name, {
            get() {
                const value = modules.builtin(name);
                define(value);
                return value;
            },
            set: define, configurable: true, enumerable: false,
        });
    }
    return context;
}

// Whether a text is a program or an expression.
function isValid(code) {
    return [code, `_=${code}`].some(text => {
        try {
            return Boolean(acorn().parse(text, language));
        } catch {
            return false;
        }
    });
}

module.exports = { isValid, evaluate, describe, createContext };
