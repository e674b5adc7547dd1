//// word-count
const text = 'the quick brown fox jumps over the lazy dog the end';
const counts = {};
for (const word of text.split(/\s+/)) counts[word] = (counts[word] ?? 0) + 1;
console.log(Object.entries(counts).sort(([a, x], [b, y]) => y - x || a.localeCompare(b)));
//// csv
import fs from 'fs';
fs.writeFileSync('data.csv', 'id,name,amount\n1,"Smith, J",10.50\n2,Doe,20\n3,"Quote ""Q""",0.25\n');
const parse = line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, 3).map(m => m[1].replace(/^"|"$/g, '').replace(/""/g, '"'));
const [head, ...rows] = fs.readFileSync('data.csv', 'utf8').trim().split('\n').map(parse);
console.log(rows.map(row => Object.fromEntries(row.map((v, i) => [head[i], v]))));
console.log(rows.reduce((sum, row) => sum + parseFloat(row[2]), 0).toFixed(2));
//// group-by
const orders = [{ id: 1, c: 'a', total: 10 }, { id: 2, c: 'b', total: 5.5 }, { id: 3, c: 'a', total: 7 }];
const by = orders.reduce((map, o) => map.set(o.c, [...(map.get(o.c) || []), o]), new Map());
console.log(by);
console.table([...by].map(([c, list]) => ({ c, n: list.length, sum: list.reduce((s, o) => s + o.total, 0) })));
//// json-pretty
const value = { a: [1, { b: null }], s: 'é\u2028\n"', d: new Date(0), u: undefined, f() {}, n: NaN, big: 1e21, neg: -0, nested: { deep: { deeper: [] , o: {} } } };
console.log(JSON.stringify(value, null, 2));
console.log(JSON.stringify(value, ['a', 'b', 's']), JSON.stringify(value, (k, v) => typeof v === 'number' ? v * 2 : v, '\t'));
for (const bad of ['{', '{"a":}', '[1,]', '', 'nul', '{"a":1}x', "{'a':1}", '"\n"']) try { JSON.parse(bad); } catch (e) { console.log(e.name, e instanceof SyntaxError); }
console.log(JSON.parse('{"__proto__":{"x":1},"a":[1e3,-0.5,true,"\\u0041"]}', function (k, v) { return Array.isArray(v) ? v.length : v; }));
//// async-pool
const results = []; let running = 0, most = 0;
async function work(n) { running++; most = Math.max(most, running); await new Promise(r => setTimeout(r, 10 - n)); running--; results.push(n); return n * n; }
async function pool(items, limit, fn) { const out = []; let i = 0; await Promise.all(Array.from({ length: limit }, async () => { while (i < items.length) { const at = i++; out[at] = await fn(items[at]); } })); return out; }
console.log(await pool([1, 2, 3, 4, 5, 6], 3, work), most, results.length);
console.log(await Promise.allSettled([work(1), Promise.reject('no'), 5]));
console.log(await Promise.any([Promise.reject(1), work(2)]), await Promise.race([work(1), new Promise(() => {})]));
await Promise.any([Promise.reject('a'), Promise.reject(2)]).catch(e => console.log(e.name, e.message, e.errors));
//// retry-with-backoff
let tries = 0;
const flaky = async () => { if (++tries < 4) throw Object.assign(new Error(`try ${tries}`), { status: 503 }); return 'ok'; };
async function retry(fn, n, delay = 1) { for (let i = 0; ; i++) try { return await fn(); } catch (e) { console.log('caught', e.message, e.status); if (i >= n) throw e; await new Promise(r => setTimeout(r, delay * 2 ** i)); } }
console.log(await retry(flaky, 5));
//// timeout-race
const timeout = (p, ms) => { let t; return Promise.race([p, new Promise((_, no) => { t = setTimeout(() => no(new Error(`timed out after ${ms}ms`)), ms); })]).finally(() => clearTimeout(t)); };
try { await timeout(new Promise(r => setTimeout(r, 500, 'slow').unref()), 5); } catch (e) { console.log(e.message); }
console.log(await timeout(Promise.resolve('fast'), 50));
//// template-report
const items = [['Widget', 3, 4.5], ['Gadget long name', 12, 0.333], ['é', 1, 100]];
for (const [n, q, p] of items) console.log(`${n.padEnd(20, '.')}${String(q).padStart(4)} ${p.toFixed(2).padStart(8)} ${(q * p).toFixed(2).padStart(10)}`);
console.log('='.repeat(44)); console.log(String.raw`a\n${1 + 1}`, `multi
line`);
//// walk-directory cjs
const fs = require('fs'), path = require('path');
fs.mkdirSync('a/b/c', { recursive: true }); fs.writeFileSync('a/1.txt', 'x'); fs.writeFileSync('a/b/2.md', 'yy'); fs.writeFileSync('a/b/c/3.txt', 'zzz');
function* walk(dir) { for (const e of fs.readdirSync(dir, { withFileTypes: true })) { const p = path.join(dir, e.name); if (e.isDirectory()) yield* walk(p); else yield p; } }
console.log([...walk('a')], [...walk('a')].map(p => fs.statSync(p).size));
console.log(fs.readdirSync('a', { recursive: true }).sort(), fs.existsSync('a/b/2.md'), fs.existsSync('zz'));
fs.rmSync('a', { recursive: true, force: true }); console.log(fs.existsSync('a'));
//// linked-list-and-iterators
class List { #head = null; #size = 0; static of(...v) { const l = new List(); v.forEach(x => l.push(x)); return l; } push(v) { const n = { v, next: null }; if (!this.#head) this.#head = n; else { let c = this.#head; while (c.next) c = c.next; c.next = n; } this.#size++; return this; } get size() { return this.#size; } *[Symbol.iterator]() { for (let c = this.#head; c; c = c.next) yield c.v; } toString() { return `List(${[...this]})`; } }
const l = List.of(1, 2, 3); console.log(l, `${l}`, [...l], l.size, Math.max(...l)); const [a, ...rest] = l; console.log(a, rest);
//// dates
const d = new Date(Date.UTC(2024, 1, 29, 12, 30, 45, 678));
console.log(d, d.toISOString(), d.toJSON(), d.getTime(), d.toUTCString(), [d], { d }, String(d), d.toString(), d.toDateString(), d.toTimeString(), new Date('bad'), [new Date(NaN)]);
console.log(new Date('2024-01-01') - new Date('2023-01-01'), new Date(2024, 0, 31, 10).getMonth(), Date.parse('2024-05-05T10:00:00+02:00'), new Date('March 7, 2021 10:00').toISOString(), new Date('2021-03-07T10:00').toISOString());
try { new Date(NaN).toISOString(); } catch (e) { console.log(e.name, e.message); }
d.setDate(d.getDate() + 1); console.log(d.toISOString().slice(0, 10), d.getDay(), d.getTimezoneOffset());
console.log(d.toLocaleDateString('en-US'), d.toLocaleTimeString('en-US'), d.toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }), (1234567.891).toLocaleString(), (0.256).toLocaleString('en-US', { style: 'percent' }), (1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }));
//// regex
const log = '2024-01-02 ERROR [db] timeout id=42\n2024-01-03 INFO [web] ok id=7';
for (const m of log.matchAll(/^(?<date>[\d-]+) (?<level>\w+) \[(?<mod>\w+)\] (?<msg>.*?) id=(\d+)$/gm)) console.log(m.groups, m.index, m[5]);
console.log('aBc'.replace(/b/i, x => `[${x}]`), 'a-b-c'.replaceAll('-', '+'), 'x1y22'.split(/(\d+)/), /(\w)\1/.exec('hello'), 'a1b2'.match(/\d/g), 'abc'.search(/c/), /^\p{Lu}/u.test('É'), '2020-10'.replace(/(\d+)-(\d+)/, '$2/$1 $& $$'), 'xAy'.replace(/(?<up>[A-Z])/, '<$<up>>'), /(?<=\$)\d+/.exec('cost $45')[0]);
const re = /a(?<n>b)?/dy; re.lastIndex = 1; console.log(re.exec('xab'), re.lastIndex, re.exec('zz'));
//// number-formats
console.log(0.1 + 0.2, 1e21, 1e-7, 123456789012345680000, 0xff, 0b11, 0o17, 1_000, -0, [-0], 5 / 0, (25).toString(2), (255).toString(16), (0.5).toString(3).slice(0, 10), (1.005).toFixed(2), (1e21).toFixed(2), (123.456).toPrecision(4), (0.00001).toPrecision(1), (12345).toExponential(2), Number('12px'), parseInt('12px'), parseFloat('1.5.5'), Number(''), Number(' 12 '), Number(null), +[], +{}, Math.round(-0.5), Math.round(2.5), Number.MAX_SAFE_INTEGER, 2 ** 53 + 1, 10n ** 20n, -7 % 3, -7n / 2n, Math.hypot(3, 4), Math.trunc(-4.7), Math.sign(-3), Math.cbrt(8), Math.fround(5.5), Math.clz32(1));
try { (1).toFixed(101); } catch (e) { console.log(e.name); } try { 1n + 1; } catch (e) { console.log(e.name); } console.log(BigInt('0x1f'), BigInt.asUintN(8, 257n), typeof 1n, 5n > 4, 2n == 2);
//// sort-stability
const people = [['b', 2], ['a', 1], ['c', 2], ['d', 1]]; console.log(people.sort((x, y) => x[1] - y[1]).map(p => p[0]).join(''), [10, 9, 1].sort(), [3, undefined, 1].sort(), ['B', 'a', 'C'].sort((x, y) => x.localeCompare(y)), [..."hello"].toSorted(), [1, 2, 3].toReversed(), [1, 2, 3].with(1, 9), [1, 2, 3, 4].toSpliced(1, 2), [5, 1].at(-1), [1, 2, 3].findLast(x => x < 3), [1, [2, [3, [4]]]].flat(Infinity), [1, 2].flatMap(x => [x, x * 2]), Array.from({ length: 3 }, (_, i) => i ** 2), [1, 2, 3].includes(2), Array.isArray([]), [, 1], [1, , 2], new Array(5), [undefined, null]);
//// structures
const ws = new WeakSet(), wm = new WeakMap(); console.log(ws, wm, new Map([[{ a: 1 }, new Set([1, [2]])]]), new Set('hello'), Symbol('d'), Symbol.iterator, { [Symbol('k')]: 1 }, Object.freeze({ a: 1 }), new Proxy({ a: 1 }, {}), globalThis === global);
const o = { get g() { return 1; }, set s(v) {}, get gs() { return 1; }, set gs(v) {}, async am() {}, *gen() {}, arrow: () => 1, class: class Foo extends Map {} }; console.log(o);
const { a = 5, ...others } = { b: 2, c: 3 }; console.log(a, others, o?.x?.y, null ?? 'd', [...'ab'].entries().next());
//// generators
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
const first = []; for (const x of fib()) { if (x > 50) break; first.push(x); } console.log(first, fib(), fib);
async function* ticks(n) { for (let i = 0; i < n; i++) { await null; yield i; } } for await (const t of ticks(3)) console.log(t);
const g = (function* () { try { const x = yield 1; console.log('got', x); yield 2; } finally { console.log('cleanup'); } })(); console.log(g.next(), g.next('v'), g.return(9), g.next());
//// labels-and-switch
outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) continue outer; if (i === 2) break outer; console.log(i, j); } }
switch (3) { case 1: console.log('one'); default: console.log('def'); case 2: console.log('two'); break; case 4: console.log('no'); }
do { var once = true; } while (!once); console.log(typeof undeclared, void 0, (1, 2), [] + {}, [] == false, null == 0, NaN !== NaN, typeof null, typeof (() => 1));
//// error-messages
const t = f => { try { f(); } catch (e) { console.log(e.name, e.constructor === globalThis[e.name]); } };
t(() => null.x); t(() => undefined.foo()); t(() => undefinedVariable); t(() => { const c = 1; c = 2; }); t(() => (1)()); t(() => new Array(-1)); t(() => 'x'.repeat(-1)); t(() => decodeURIComponent('%')); t(() => eval('1 +')); t(() => new (class A { constructor() { this.x.y; } })()); t(() => BigInt(1.5)); t(() => Symbol() + ''); t(() => JSON.parse('{')); t(() => { class A extends B {} ; class B {} }); t(() => [].reduce((a, b) => a)); t(() => structuredClone(() => 1)); t(() => new Proxy({}, null)); t(() => ({}) instanceof 5); t(() => { 'use strict'; Object.freeze([1]).push(2); }); t(() => 'a' in 'b');
console.log((() => { try { null.prop; } catch (e) { return e.message; } })(), (() => { try { undefined.a.b; } catch (e) { return e.message; } })(), (() => { try { x1; } catch (e) { return e.message; } })(), (() => { try { let q = {}; q.f(); } catch (e) { return e.message; } })(), (() => { try { const c = 1; c++; } catch (e) { return e.message; } })());
//// more-error-messages
const m = f => { try { f(); return 'none'; } catch (e) { return e.message; } };
console.log(m(() => { let f = 5; f(); })); console.log(m(() => { let o = { a: {} }; o.a.b.c(); })); console.log(m(() => { let o = { a: {} }; o.a.b(); })); console.log(m(() => new Array(-1))); console.log(m(() => { for (const x of 5); })); console.log(m(() => { const { a } = null; })); console.log(m(() => JSON.parse(''))); console.log(m(() => { class A { constructor() {} } A(); })); console.log(m(() => { class A {} class B extends A { constructor() { this.x; } } new B(); })); console.log(m(() => [].reduce((a, b) => a))); console.log(m(() => JSON.stringify({ a: 1n }))); console.log(m(() => decodeURIComponent('%'))); console.log(m(() => 'b' in 'abc')); console.log(m(() => { x; let x = 1; })); console.log(m(() => Symbol() + '')); console.log(m(() => 1n + 1)); console.log(m(() => structuredClone(() => 1))); console.log(m(() => new Proxy({}, null))); console.log(m(() => null[0])); console.log(m(() => { let u; u.x = 1; })); console.log(m(() => { let fn = {}; fn.call(); })); console.log(m(() => new Date(NaN).toISOString())); console.log(m(() => (1).toFixed(101))); console.log(m(() => (1).toString(99))); console.log(m(() => { new Map([1]); })); console.log(m(() => { Promise(); })); console.log(m(() => { new Promise(); }));
