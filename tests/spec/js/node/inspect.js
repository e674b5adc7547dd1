//// primitives
console.log(1, -0, 0, 1.5, NaN, Infinity, 10n, true, null, undefined, 'text', Symbol('s'), Symbol());
console.log([1, -0, 'a', "it's", 'q"\'', `b\`"'`, null, undefined, true, 5n, Symbol('x')]);
console.log(['new\nline', 'tab\t', '\u0000\u001b', '\x7f', 'é', '日本', '😀', '\ud800', 'back\\slash']);
//// objects
console.log({}, { a: 1 }, { a: { b: { c: { d: 1 } } } }, { 'a-b': 1, $x: 2, _y: 3, 1: 'one', 'with space': 4, "it's": 5 });
console.log({ a: undefined, b: null, c: () => {}, d() {}, e: function named() {}, f: class {}, g: class A {}, h: class B extends Array {} });
console.log({ get a() { return 1; }, set a(v) {}, get b() { return 1; }, set c(v) {} });
console.log({ [Symbol('k')]: 1, [Symbol.iterator]: 2, __proto__: null });
console.log(Object.create(null), Object.create({ x: 1 }), Object.create(Object.create(null)));
console.log({ ['__proto__']: 1, constructor: 2, toString: 3 });
//// long-objects
console.log({ name: 'Alice Johnson', email: 'alice@example.com', age: 30, active: true, roles: ['admin', 'user'] });
console.log({ id: 1, name: 'Widget with a rather long name', description: 'Some longer description text', price: 19.99 });
console.log([{ id: 1, name: 'first item' }, { id: 2, name: 'second item' }, { id: 3, name: 'third item here' }]);
console.log({ users: [{ name: 'a', tags: ['x', 'y'] }, { name: 'b', tags: [] }], meta: { total: 2, page: { number: 1, size: 10 } } });
console.log({ a: 'x'.repeat(60), b: 'y'.repeat(60) });
console.log({ a: 'x'.repeat(200) }, ['z'.repeat(100)]);
console.log({ text: 'line one\nline two\nline three' }, ['multi\nline']);
console.log({ aaaaaaaaaaaaaaaa: 1, bbbbbbbbbbbbbbbbbb: 2, cccccccccccccccccc: 3, dddddddddddd: 4, eeee: 5 });
console.log({ aaaaaaaaaaaaaaaa: 1, bbbbbbbbbbbbbbbbbb: 2, cccccccccccccccccc: 3, dddddddddddd: 4, eeeeeeee: 5 });
//// arrays
console.log([], [1], [1, 2, 3], [[1, [2, [3, [4]]]]], ['a', 'b'], [undefined, null], [,], [1, , 3], [, , 1, , ,]);
console.log(Array(5), [1, 2, , , 5], Object.assign([1, 2], { x: 1, '-1': 2 }));
console.log(Array.from({ length: 10 }, (_, i) => i));
console.log(Array.from({ length: 27 }, (_, i) => i * i));
console.log(Array.from({ length: 100 }, (_, i) => i));
console.log(Array.from({ length: 101 }, (_, i) => i));
console.log(Array.from({ length: 150 }, (_, i) => `item ${i}`));
console.log(Array.from({ length: 30 }, (_, i) => 'x'.repeat(i % 7)));
console.log(Array.from({ length: 7 }, (_, i) => 'word'.repeat(i + 1)));
console.log(['apple', 'banana', 'cherry', 'dragonfruit', 'elderberry', 'fig', 'grape', 'honeydew']);
console.log([1.5, 22.25, 333.125, 4, 5, 6, 7, 8, 9, 10], [100n, 2n, 30n, 4n, 5n, 6n, 7n]);
console.log([true, false, true, false, true, false, true, false], [null, null, null, null, null, null, null]);
console.log({ list: Array.from({ length: 40 }, (_, i) => i * 1000) });
console.log([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [['a', 1], ['b', 2]]);
console.log(Array.from({ length: 8 }, () => ({ a: 1 })), Array.from({ length: 8 }, (_, i) => [i, i * 2]));
console.log(Array.from({ length: 120 }, (_, i) => ({ i })));
//// collections
console.log(new Map(), new Set(), new Map([['a', 1], [{ k: 1 }, [1, 2]]]), new Set([1, 'a', { b: 2 }]));
console.log(new Map([['key', new Map([['inner', new Map([['deep', new Map()]])]])]]));
console.log(new WeakMap(), new WeakSet(), [new Map([[1, 2]])], { m: new Map([[1, { a: { b: { c: 1 } } }]]) });
console.log(new Map(Array.from({ length: 120 }, (_, i) => [i, i])), new Set(Array.from({ length: 120 }, (_, i) => i)));
console.log(new Map([[1, 2]]).entries(), new Map([[1, 2]]).keys(), new Set([1]).values(), new Set([5]).entries(), [1][Symbol.iterator](), 'a'[Symbol.iterator]());
console.log(Object.assign(new Map([[1, 2]]), { extra: true }), Object.assign(new Set(), { x: 1 }));
class MyMap extends Map {} class MySet extends Set {}
console.log(new MyMap([[1, 2]]), new MySet([1]), new (class extends Array {})(3), new (class Foo extends Array {})(1, 2));
//// typed
console.log(new Uint8Array(3), new Float64Array([1.5, -0]), new BigInt64Array(2), new Uint8Array(0), new ArrayBuffer(4), new DataView(new ArrayBuffer(2)));
console.log(new Uint8Array(200), Buffer.from('hello'), Buffer.alloc(0), Buffer.alloc(60), [Buffer.from('x')]);
//// functions
function f() {} async function g() {} function* h() {} async function* i() {} const j = () => {}; class K { static x = 1; } class L extends K {}
console.log(f, g, h, i, j, K, L, (() => () => {})(), Math.max, class {}, Object.assign(() => {}, { a: 1 }), Object.assign(function foo() {}, { b: { c: 1 } }));
console.log([f, K], { f, K }, f.bind(null), Symbol, Map, new Function('a', 'return a'));
//// classes
class Point { constructor(x, y) { this.x = x; this.y = y; } }
class Point3 extends Point { #secret = 1; z = 3; get len() { return 1; } }
console.log(new Point(1, 2), new Point3(1, 2), [new Point(0, 0)], new (class {})(), new (class Empty {})());
class Tagged { get [Symbol.toStringTag]() { return 'tag'; } }
console.log(new Tagged(), { [Symbol.toStringTag]: 'own' }, Object.create({ [Symbol.toStringTag]: 'inherited' }));
function Old() { this.a = 1; } Old.prototype.m = function () {};
console.log(new Old(), Object.create(Old.prototype), Object.create(new Old()));
//// class-without-prototype
class Point { x = 1; }
const o = new Point(); Object.setPrototypeOf(o, null); console.log(o);
//// boxed-and-dates
console.log(new Number(3), new String('abc'), new Boolean(false), Object(Symbol('s')), Object(5n), new Number(-0));
console.log(new Date(0), [new Date(1e12)], new Date(NaN), { d: new Date(86400000) }, Object.assign(new Date(0), { x: 1 }));
console.log(/a\/b/gi, [/x/], Object.assign(/y/, { z: 1 }), Object.assign(new String('ab'), { c: 1 }));
//// circular
const a = { name: 'a' }; a.self = a; a.list = [a, { a }]; console.log(a);
const b = {}, c = { b }; b.c = c; console.log(b, c, [b]);
const m = new Map(); m.set('m', m); console.log(m);
const arr = []; arr.push(arr); console.log(arr);
//// promises
console.log(Promise.resolve(1), Promise.resolve({ a: [1] }), new Promise(() => {}), (async () => {})());
const p = Promise.reject(new Error('x')); p.catch(() => {}); const q = Promise.reject(3); q.catch(() => {}); console.log(q);
console.log([Promise.resolve([1, 2])]);
//// errors
const e = new Error('boom'); e.stack = 'Error: boom\n    at somewhere (file.js:1:1)';
console.log(e, [e], { e });
e.code = 'ECODE'; console.log(e);
const t = new TypeError('bad'); t.stack = undefined; console.log(t);
class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; this.extra = 1; } }
const me = new MyError('mine'); me.stack = me.stack.split('\n')[0]; console.log(me);
const noStack = new Error('plain'); noStack.stack = 'Error: plain'; console.log(noStack, [noStack], { noStack });
const cause = new Error('outer', { cause: noStack }); cause.stack = 'Error: outer\n    at x'; console.log(cause);
const agg = new AggregateError([noStack], 'many'); agg.stack = 'AggregateError: many\n    at y'; console.log(agg);
console.log(String(new RangeError('r')), `${new Error()}`, new Error('with\nnewline').message);
//// generators-and-namespaces
function* gen() { yield 1; }
console.log(gen(), (async function* () {})(), globalThis === global, Math, JSON, Reflect);
import * as path from 'path';
console.log(typeof path.join, Object.prototype.toString.call(path));
console.log((function () { return arguments; })(1, 2), (function () { return arguments; })());
console.log(new Proxy({ a: 1 }, {}), new Proxy([1, 2], {}), new Proxy(function f() {}, {}));
//// custom-inspect
import util from 'util';
class Money { constructor(v) { this.v = v; } [util.inspect.custom](depth, options) { return `Money<${this.v}>`; } }
console.log(new Money(5), [new Money(6)], { m: new Money(7) });
class Deep { [util.inspect.custom](depth, options, inspect) { return { depth, inner: inspect({ x: 1 }, options) }; } }
console.log(new Deep(), { a: new Deep() });
console.log({ inspect() { return 'no'; }, toString() { return 'no'; } });
//// options
import { inspect } from 'util';
const deep = { a: { b: { c: { d: { e: 1 } } } } };
console.log(inspect(deep, { depth: 0 }), inspect(deep, { depth: 1 }), inspect(deep, { depth: null }), inspect(deep, { depth: Infinity }), inspect(deep, false, 5));
console.log(inspect({ a: 1, b: { c: [1, 2, { d: 3 }] } }, { compact: false }));
console.log(inspect({ a: 1, b: { c: [1, 2, { d: 3 }] } }, { compact: true }), inspect({ a: { b: 1 } }, { compact: 1 }));
console.log(inspect({ a: 'x'.repeat(50), b: 'y'.repeat(50) }, { breakLength: Infinity }));
console.log(inspect({ c: 1, a: 2, b: { z: 1, y: 2 } }, { sorted: true }), inspect([3, 1, 2], { sorted: true }));
console.log(inspect(Array.from({ length: 10 }, (_, i) => i), { maxArrayLength: 3 }), inspect('x'.repeat(20), { maxStringLength: 5 }));
console.log(inspect({ get a() { return { x: 1 }; }, get b() { return 5; }, set c(v) {} }, { getters: true }));
console.log(inspect({ a: 1, s: 'str', n: null, u: undefined, f() {}, d: new Date(0), r: /x/, y: Symbol('q') }, { colors: true }));
console.log(inspect(new Proxy({ a: 1 }, { get() {} }), { showProxy: true }));
console.log(inspect([1, 2, 3], { showHidden: true }), inspect(Object.defineProperty({}, 'hid', { value: 1, enumerable: false }), { showHidden: true }));
console.log(inspect('a'), inspect("it's"), inspect(new Map([['a', { b: 1 }]]), { compact: false }));
//// strings-long
console.log(['a'.repeat(15), 'b'.repeat(80), 'first line\nsecond line that is longer than sixteen characters and goes on and on and on until it breaks the limit of the line']);
console.log({ k: 'first line\nsecond line that is longer than sixteen characters and goes on and on and on until it breaks the limit of the line' });
console.log('x'.repeat(20000).length, ['y'.repeat(20000)][0].length);
console.log([['y'.repeat(10005)]]);
//// nested-mixed
console.log({ level1: { level2: { level3: { level4: 'deep' } }, arr: [[[[1]]]] } });
console.log([{ a: { b: { c: {} } } }, { a: { b: { c: [] } } }, { x: [[[]]] }]);
console.log({ status: 200, headers: { 'content-type': 'application/json', 'x-request-id': 'abc' }, body: { items: [{ id: 1, tags: ['a', 'b'] }], next: null } });
console.log({ f: [() => {}, class Z {}], s: new Set([[1, 2], { a: 1 }]), m: new Map([[{ a: 1 }, new Set([1])]]), d: [new Date(0)], r: [/r/g] });
console.log([['name', 'age', 'city'], ['Alice', 30, 'Paris'], ['Bob', 25, 'Berlin'], ['Carol', 35, 'Amsterdam']]);
console.log(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i])));
console.log(JSON.parse('{"a":[{"b":{"c":[1,2,{"d":null}]}}],"e":"f"}'));
