// repl_complete: what a line of the REPL may go on with.
'use strict';

const CHAIN = /(?:"[^"]*"\.|'[^']*'\.)?(?:[a-zA-Z_$](?:\w|\$)*\??\.)*[a-zA-Z_$](?:\w|\$)*\??\.?$/;
const REQUIRE = /\brequire\s*\(\s*['"`](([\w@./:-]+\/)?(?:[\w@./:-]*))(?![^'"`])$/;
const words = ['async', 'await', 'break', 'case', 'catch', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else', 'export', 'false', 'finally', 'for',
    'function', 'if', 'import', 'in', 'instanceof', 'let', 'new', 'null', 'return', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with', 'yield'];
const isName = name => /^[a-zA-Z_$][\w$]*$/.test(name);

// The names of an object and of what it inherits from, a group for each.
function groupsOf(value) {
    const groups = [];
    for (let object = Object(value), i = 0; object !== null && i < 6; object = Object.getPrototypeOf(object), i++)
        groups.push(Object.getOwnPropertyNames(object).filter(isName));
    return groups;
}

function complete(repl, line, callback) {
    line = line.trimStart();
    const found = (groups, on) => {
        const seen = new Set(), list = [];
        for (const group of groups.reverse()) {
            const names = [...new Set(group.filter(name => name.startsWith(on)))].sort().filter(name => !seen.has(name) && seen.add(name));
            if (names.length === 0) continue;
            if (list.length) list.unshift('');
            list.unshift(...names);
        }
        callback(null, [list, on]);
    };
    if (/^\s*\.(\w*)$/.test(line)) {
        const on = line.slice(line.indexOf('.') + 1);
        return found([Object.keys(repl.commands)], on);
    }
    const asked = REQUIRE.exec(line);
    if (asked) return found([require('repl').builtinModules.flatMap(name => [name, `node:${name}`])], asked[1]);
    const match = CHAIN.exec(line);
    if (line !== '' && !match) return callback(null, [[], undefined]);
    const text = match?.[0] ?? '', at = text.lastIndexOf('.');
    const { context } = repl;
    const names = () => (context === globalThis ? groupsOf(context) : groupsOf(require('vm').runInContext('globalThis', context)));
    if (at === -1) return found([words, ...names().reverse()].reverse(), text);
    const base = text.slice(0, at).replace(/\?$/, ''), start = text.slice(at + 1);
    return repl.eval(`try { ${base} } catch {}`, context, 'repl', (error, value) => {
        if (error || value === undefined || value === null) return callback(null, [[], text]);
        return found(groupsOf(value).map(group => group.map(name => `${text.slice(0, at + 1)}${name}`)), text.slice(0, at + 1) + start);
    });
}

module.exports = { complete };
