//// return-object
const x = await Promise.resolve(20); return { x: x + 1, list: [1, 'two', null], u: undefined };
//> {"x":21,"list":[1,"two",null]}
//// return-string
console.log('out'); return 'a string\nof two lines';
//> out
//> a string
//> of two lines
//// return-others
if (process.argv.length) return null;
//> null
//// return-undefined
return undefined;
//// return-function
return () => 1;
//// return-circular
const a = {}; a.a = a; return a;
//= 1
//! TypeError: Converting circular structure to JSON
//// return-bigint
return { a: 1n, list: [-(2n ** 64n), 2 ** 53, 1e300], wrapped: Object(7n) };
//> {"a":1,"list":[-18446744073709551616,9007199254740992,1e+300],"wrapped":7}
//// return-bigint-that-has-a-json
BigInt.prototype.toJSON = function () { return `${this}n`; }; return [5n];
//> ["5n"]
//// stringify-of-a-bigint
JSON.stringify({ id: 1234567890123456789n });
//= 1
//! Do not know how to serialize a BigInt
//// stringify-of-a-bigint-as-the-hint-says
const value = { id: 1234567890123456789n };
console.log(JSON.stringify(value, (key, item) => typeof item === "bigint" ? JSON.rawJSON(item) : item));
//> {"id":1234567890123456789}
//// return-early
console.log(1); if (true) return; console.log(2);
//> 1
//// return-with-timers
setTimeout(() => console.log('later'), 5); return 'value';
//> value
//> later
//// trailing-comment
return 1 // one
//> 1
//// hashbang
#!/usr/bin/env node
return 2;
//> 2
//// this-and-arguments
console.log(this === module.exports, typeof require, arguments.length); 
//> true function 5
//// error-has-own-lines
const ok = 1;

function fail() {
    throw new TypeError('bad thing');
}
fail();
//= 1
//! TypeError: bad thing
//! at fail (
//! case.js:4:
//! case.js:6:
//// error-in-first-column
throw new Error('first')
//= 1
//! case.js:1:
//// syntax-error-with-caret
let a = 1;
let b = a +* 2;
//= 1
//! case.js:2
//! let b = a +* 2;
//!            ^
//! SyntaxError
//// syntax-error-at-the-end
function f() {
    if (true) {
        return 1;
//= 1
//! case.js:3
//!         return 1;
//!                  ^
//! SyntaxError: Unexpected end of input
//!     at DIR/case.js:3:18
//// syntax-error-at-the-end-of-a-line
const a = (1 +

//= 1
//! case.js:1
//! const a = (1 +
//!               ^
//! SyntaxError: Unexpected end of input
//!     at DIR/case.js:1:15
//// syntax-error-in-module
import fs from 'fs';
const x = ;
//= 1
//! case.js:2
//! const x = ;
//! SyntaxError
//// error-properties-are-shown
const e = new Error('with code'); e.code = 'ECODE'; throw e;
//= 1
//! Error: with code
//! code: 'ECODE'
//// error-cause-is-shown
throw new Error('outer', { cause: new Error('inner') });
//= 1
//! Error: outer
//! [cause]: Error: inner
//// dom-exceptions-are-shown
console.log('before'); await 1; structuredClone({ f() {} });
//= 1
//> before
//! DOMException [DataCloneError]: f() {} could not be cloned.
//// throw-non-error
throw { a: 1 };
//= 1
//! Uncaught { a: 1 }
//// rejected-value
Promise.reject('why'); await new Promise(r => setTimeout(r, 1));
//= 1
//! The promise rejected with the reason "'why'"
//// module-from-import mjs
import { join } from 'path'; console.log(join('a', 'b')); export default 1;
//> a/b
//// module-in-js
import fs from 'node:fs'; console.log(typeof fs.readFileSync, typeof import.meta.url); const v = await 5; console.log(v);
//> function string
//> 5
//// imports-and-returns
import fs from "node:fs";
import { join as glue, sep } from 'node:path'; // used
import * as os from "os"; import "node:util";
import url, { URLSearchParams } from "url";
const a = [typeof fs.readFileSync, glue("a", "b"), sep, os.EOL.length, typeof url.parse, new URLSearchParams({ q: 1 }).get("q")];
return a.join(" ");
//> function a/b / 1 function 1
//// imports-and-returns-line
import fs from "node:fs";
const text = 'import x from "y"';
if (text) return null.x + fs;
//= 1
//! case.js:3:
//// imports-after-use-and-returns
console.log(typeof fs.readFileSync); import fs from "node:fs"; return 1;
//> function
//> 1
//// dynamic-import
const { join } = await import('path'); console.log(join('x', '..', 'y')); return (await import('node:os')).EOL.length;
//> y
//> 1
//// never-settles
await new Promise(() => {});
//= 13
//! unsettled top-level await
//// absent-module
require('left-pad');
//= 1
//! Cannot find module 'left-pad'
//! code: 'MODULE_NOT_FOUND'
//// absent-network
require('http2');
//= 1
//! Cannot find module 'http2': there is no network
//// http-without-its-tool
const r = require('https').get('https://example.com/x'); r.on('error', e => console.log(e.code, e.syscall, e.message)); r.on('close', () => console.log('closed'));
//> ENETUNREACH connect connect ENETUNREACH example.com:443 - there is no network in a sandbox; call a tool instead, listTools() names them
//> closed
//// fetch-explains
try { await fetch('https://example.com/x'); } catch (e) { console.log(e.name, e.message); }
//> TypeError fetch failed: there is no network in this sandbox (https://example.com/x); call one of the tools in listTools() instead
//// stdin-as-file
console.log(JSON.stringify(fs.readFileSync(0, 'utf8')), fs.readFileSync('/dev/stdin', 'utf8'));
//< one
//< two
//> "one\ntwo\n" 
//// stdin-lines
const rl = require('readline').createInterface({ input: process.stdin }); for await (const line of rl) console.log(`<${line}>`);
//< one
//< two
//> <one>
//> <two>
//// stdin-on-data
let n = 0; process.stdin.setEncoding('utf8'); process.stdin.on('data', d => n += d.length).on('end', () => console.log(n));
//< hello
//> 6
//// require-in-a-module mjs
import fs from 'fs';
const path = require('path');
//= 1
//! ReferenceError: require is not defined in ES module scope, you can use import instead
//! case.mjs:2:
//// errors-stand-where-a-property-is-read
class Report {
    build(rows) {
        const n = rows.length;
        console.log('building', n);
        if (n > 0) {
            const k = n + 1;
            return this.items.map(x => x + k);
        }
    }
}
try {
    new Report().build([1]);
} catch (e) {
    console.log(e.stack.split('\n')[1].replace(/.*\//, ''));
}
const some = {};
const read = [
    () => { some; return this.a.b; },
    () => some
        .first
        .second,
    () => some.x[0],
    () => { some.x.y = Math.max(1, 2); },
    () => { some.x['y'] = Math.max(1, 2); },
    () => { Math.max(1, 2); for (const x of null); },
];
for (const f of read) try { f(); } catch (e) { console.log(/case.js:(\d+:\d+)/.exec(e.stack)[1]); }
//> building 1
//> case.js:7:31)
//> 18:33
//> 21:10
//> 22:17
//> 23:22
//> 24:25
//> 25:45
//// import-of-what-is-not-there mjs
import fs from 'fs';
// import it from 'axios';
import it from 'axios';
//= 1
//! Cannot find package 'axios' imported from DIR/case.mjs
//! at DIR/case.mjs:3:16
//// import-in-a-program-of-what-is-not-there
const a = 1;
const it = await import("axios");
//= 1
//! case.js:2:25
//// one-of-several-imports
for (const name of ['b'])
    await import("axios").catch(e => console.log(e.stack.includes('    at ')));
await import("axios").catch(e => console.log(e.stack.includes(':2:')));
//> false
//> false
//// uncaught-errors-show-the-line
const fine = 1;
	throw new Error('thrown');
//= 1
//! case.js:2
//! 	throw new Error('thrown');
//! 	^
//! Error: thrown
//// uncaught-rejections-show-the-line
async function f() { await null; throw new TypeError('rejected'); }
f();
//= 1
//! case.js:1
//! async function f() { await null; throw new TypeError('rejected'); }
//!                                            ^
//// uncaught-errors-of-reading-show-the-place
setTimeout(() => { const o = {}; o.a.b = 1; }, 1);
//= 1
//! setTimeout(() => { const o = {}; o.a.b = 1; }, 1);
//!                                        ^
//! TypeError: Cannot set properties of undefined (setting 'b')
//// many-arguments-of-methods-and-constructors
const many = Array.from({ length: 200000 }, (_, i) => i), list = [];
list.push(...many); console.log(list.length, new (class { constructor(...a) { this.n = a.length; } })(...many).n, Reflect.apply(Math.max, null, many));
//> 200000 200000 199999
//// too-many-arguments
try { Math.max(...new Array(2 ** 21)); } catch (e) { console.log(e.name); }
//> RangeError
//// a-web-stream-of-an-endless-readable-can-be-left mjs
import { Readable } from 'stream';
let pulled = 0; const endless = Readable.toWeb(new Readable({ objectMode: true, highWaterMark: 2, read() { this.push({ n: pulled++ }); } }));
const reader = endless.getReader(); console.log((await reader.read()).value, (await reader.read()).value); await reader.cancel(); console.log(pulled < 20);
//> { n: 0 } { n: 1 }
//> true
//// options-that-set-something
console.log(process.title, Error.stackTraceLimit, typeof gc, process.noDeprecation);
//$ --title=abc
//$ --stack-trace-limit=3
//$ --expose-gc
//$ --no-deprecation
//> abc 3 function true
//// rejections-may-be-let-go
Promise.reject(1); setTimeout(() => console.log('alive'));
//$ --unhandled-rejections=none
//> alive
//// an-input-type-is-one-of-two
console.log(1);
//$ --input-type=bad
//= 9
//! must be "module" or "commonjs"
//// pipelines-into-stdout-call-back
import { pipeline, PassThrough, Readable } from 'stream'; import * as promised from 'stream/promises';
pipeline(Readable.from(['a\n', 'b\n']), new PassThrough(), process.stdout, error => {
    console.log('done', error, process.stdout.writableEnded);
    promised.pipeline('text\n', process.stdout).then(() => console.log('again'));
});
//> a
//> b
//> done undefined false
//> text
//> again
//// a-server-that-only-itself-could-reach-ends cjs
require('http').createServer(() => {}).listen(3000, () => console.log('listening'));
process.on('exit', code => console.log('exit', code));
//= 1
//> listening
//> exit 1
//! other processes do not reach its servers
//// a-server-waits-for-a-signal cjs
const server = require('net').createServer().listen(0);
process.on('SIGTERM', () => server.close(() => console.log('closed')));
require('child_process').spawn('kill', [process.pid], { stdio: 'ignore' }).unref();
//> closed
//// fetch-asks-the-own-server cjs
const server = require('http').createServer((request, response) => response.end(request.url)).listen(0, async () => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/path`);
    console.log(answer.status, await answer.text());
    server.close();
});
//> 200 /path
