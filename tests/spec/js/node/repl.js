//// values cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['1+1', '"a"', 'undefined', 'null', '_', '[1,2]', '({a:1})', '{a:1}', '{a:1};', '', 'var x = 1', 'let y = 2', 'const z = 3', 'x+y+z', 'let y = 4', 'function f() { return 1 }', 'f()', 'class A {}', 'new A()']);

//// goes-on cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['function g() {', 'return 5', '}', 'g()', '[1,', '2]', '`a', 'b`', '/* x', '*/ 7', '"a\\', 'b"']);

//// thrown cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['throw new Error("x")', 'nope', 'var 4', 'throw 5', 'throw null', 'throw undefined', 'null.x', '_error', 'throw new TypeError("t")', 'x y', ')', 'import fs from "fs"', 'throw {a:1}', 'throw "str"']);

//// commands cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['.help', '.nope', '.break', '1', 'var x', '.clear', 'x', '[1,', '.break', '.save', '.load', '.load /nonexistent/x', '.load /', '.5', '..x']);

//// last-value cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['1', '_ + 1', '_ = 5', '7', '_', '_error = 1', 'throw new Error("q")', '_error']);

//// context cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['typeof fs.readFileSync', 'typeof require', 'module.id', 'typeof module.exports', 'global === globalThis', 'require("os") === os', 'this === global', 'console.log("hi")', 'Object.keys(globalThis).includes("fs")']);

//// await cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['await 1', 'const q = await Promise.resolve(9)', 'q', 'await Promise.reject(new Error("rej"))', 'let [m, {n}] = [1, {n: await 2}]', 'm + n', 'async function h() { await 1 }', 'for await (const i of [1]) console.log(i)', 'if (await true) 5']);

//// strict cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['x = 1', 'with({}){}', '1'], { replMode: repl.REPL_MODE_STRICT });

//// without-undefined cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['undefined', 'var a', '1'], { ignoreUndefined: true });

//// own-eval cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['abc', 'def'], { eval: (code, context, file, callback) => callback(null, code.trim().toUpperCase()), writer: value => `<${value}>` });

//// own-recoverable cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
session(['a', 'b', ''], { eval: (code, context, file, callback) => (/b/.test(code) ? callback(null, code) : callback(new repl.Recoverable(new SyntaxError('more')))) });

//// files cjs
const repl = require('repl');
const { PassThrough } = require('stream');
// Each line is typed when the prompt for it is there.
function session(lines, options) {
    const input = new PassThrough(), output = new PassThrough();
    let text = '', seen = 0;
    output.setEncoding('utf8').on('data', part => {
        text += part;
        if (!/(?:> |\.\.\. )$/.test(text) || text.length === seen) return;
        seen = text.length;
        setImmediate(() => (lines.length ? input.write(`${lines.shift()}\n`) : input.end()));
    });
    repl.start({ input, output, terminal: false, prompt: '> ', ...options }).on('exit', () => setImmediate(() => console.log(text.replace(/\n +at .*/g, ''))));
}
const file = require('path').join(require('os').tmpdir(), `saved-${process.pid}.js`);
process.on('exit', () => require('fs').unlinkSync(file));
const place = text => text.replaceAll(file, 'FILE');
const { log } = console;
console.log = text => log(place(text));
session(['var a = 1', 'function f() {', 'return 2', '}', `.save ${file}`, '.clear', 'typeof a', `.load ${file}`, 'a + f()']);

//// server cjs
const repl = require('repl');
const { PassThrough } = require('stream');
try {
    repl.start({ breakEvalOnSigint: true, eval() {} });
} catch (error) {
    console.log(error.name, error.code, error.message);
}
const server = repl.start({ input: new PassThrough(), output: new PassThrough() });
server.defineCommand('say', { help: 'Say', action() {} });
try {
    server.defineCommand('x', {});
} catch (error) {
    console.log(error.code, error.message);
}
console.log(Object.keys(server.commands), server.terminal, server.useColors, server.useGlobal, server.ignoreUndefined, server.replMode === repl.REPL_MODE_SLOPPY, server.getPrompt(), server.editorMode, server instanceof repl.REPLServer);
server.on('reset', context => console.log('reset', context === server.context));
server.resetContext();
for (const line of ['.', '.b', 'proc', 'process.arg', 'require("f', 'Obj', 'nothing_', 'console.lo', 'fs.promises.ac', '"a".tr', 'x.'])
    server.complete(line, (error, [found, on]) => console.log(line, found.filter(Boolean), on));
server.close();
console.log(Object.keys(repl), repl.writer(new Map([[1, 2]])), repl.writer.options.showProxy);

//// interactive cjs
const { spawnSync } = require('child_process');
const { stdout, stderr, status } = spawnSync(process.execPath, ['-i'], { input: '1+1\nlet a = 5\na * 2\nthrow new Error("bad")\n.exit\n', encoding: 'utf8' });
console.log(stdout.replace(/\n +at .*/g, ''), stderr, status);
