//// uncaught
console.log('before'); throw new Error('boom');
//// uncaught-later
setTimeout(() => { throw new TypeError('later'); }, 1); setTimeout(() => console.log('not reached'), 50);
//// unhandled-rejection
Promise.reject(new Error('nobody')); setTimeout(() => console.log('not reached'), 20);
//// unhandled-rejection-value
Promise.reject(5); setTimeout(() => console.log('not reached'), 20);
//// late-handler
const p = Promise.reject(new Error('late')); p.catch(() => console.log('handled')); await null; console.log('fine');
//// exit-codes
process.exitCode = 3; console.log('x');
//// exit-now
console.log('flushed'); process.exit(4); console.log('no');
//// exit-handlers
process.on('exit', code => { console.log('exit', code); process.exitCode = 9; }); process.exitCode = 2;
//// exit-in-handler
process.on('exit', code => { console.log('exit', code); process.exit(7); }); setTimeout(() => {}, 1);
//// before-exit
let n = 0; process.on('beforeExit', code => { console.log('beforeExit', code); if (n++ < 2) setTimeout(() => console.log('more'), 1); }); process.on('exit', () => console.log('exit'));
//// handlers
process.on('uncaughtException', (e, origin) => { console.log('caught', e.message, origin); }); setTimeout(() => console.log('goes on'), 5); throw new Error('x');
//// rejection-handler
process.on('unhandledRejection', (reason, promise) => { console.log('unhandled', reason.message, promise instanceof Promise); }); Promise.reject(new Error('r')); setTimeout(() => console.log('on'), 5);
//// syntax-error
let x = = 1;
//// throw-value cjs
throw 'text';
//// throw-in-promise cjs
new Promise(() => { throw new RangeError('in promise'); }); setTimeout(() => console.log('no'), 10);
//// top-level-never
setTimeout(() => console.log('timer'), 1); await new Promise(() => {}); console.log('no');
//// error-properties
const e = new Error('m', { cause: 'c' }); console.log(e.name, e.message, e.cause, Object.keys(e), e instanceof Error, typeof e.stack, e.stack.split('\n')[0], e.toString());
class A extends Error { constructor(m) { super(m); this.name = 'A'; } } const a = new A('q'); console.log(a.name, a instanceof A, a.toString(), Object.prototype.toString.call(a));
try { null.x; } catch (err) { console.log(err.constructor.name, err instanceof TypeError); }
try { undefined_name; } catch (err) { console.log(err.name); } try { JSON.parse('{'); } catch (err) { console.log(err.name); } try { decodeURIComponent('%'); } catch (err) { console.log(err.name); }
try { new Array(-1); } catch (err) { console.log(err.name); } try { 'x'.repeat(-1); } catch (err) { console.log(err.name); } try { (1).toFixed(101); } catch (err) { console.log(err.name); }
const o = {}; Error.captureStackTrace(o); console.log(typeof o.stack); console.log(Error.stackTraceLimit);
//// deep-recursion
function f(n) { return f(n + 1) + 1; } try { f(0); } catch (e) { console.log(e instanceof RangeError, e.name); }
const deep = () => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; return a; }; try { JSON.stringify(deep()); console.log('ok'); } catch (e) { console.log(e.name); }
//// stack-has-names cjs
function inner() { throw new Error('deep'); } function outer() { inner(); } try { outer(); } catch (e) { const lines = e.stack.split('\n'); console.log(lines[0], /inner/.test(lines[1]), /:1:\d+/.test(lines[1]), /outer/.test(lines[2])); }
//// finally
async function f() { try { throw new Error('a'); } finally { console.log('finally'); } } try { await f(); } catch (e) { console.log(e.message); }
const g = () => { try { return 1; } finally { console.log('fin'); } }; console.log(g());
//// exit-code-values
process.on('exit', c => console.log(c, process.exitCode)); process.exitCode = '5';
//// bad-exit-code
try { process.exit('abc'); } catch (e) { console.log(e.code); } try { process.exitCode = 1.5; } catch (e) { console.log(e.code); }
//// error-event
import { EventEmitter } from 'events'; const em = new EventEmitter(); try { em.emit('error', new Error('ev')); } catch (e) { console.log(e.message); } try { em.emit('error', 5); } catch (e) { console.log(e.code, e.message); }
//// not-iterable
const h = {}, k = 'k', o = { f: () => 5, a: {} }; let u;
const said = f => { try { f(); } catch (e) { console.log(e.name, e.message); } };
said(() => { console.log('before'); for (const x of null); });
said(() => { console.log('before'); for (const x of 5); });
said(() => { console.log('before'); for (const x of true); });
said(() => { console.log('before'); for (const x of u); });
said(() => { for (const x of h[k]); });
said(() => { for (const x of h['k']); });
said(() => { for (const x of o.a.b); });
said(() => { for (const x of 1 + 2); });
said(() => { o.f(); for (const x of o.f()); });
said(function () { console.log('before'); for (const x of this.x); }.bind({}));
said(() => { console.log([1, ...null]); });
said(() => { console.log([...h[k]]); });
said(() => { console.log([1, ...h.k, 2]); });
//// declared-twice-and-misplaced-await
for (const text of ['const a = 1; const a = 2', 'let a = 1; var a = 2;', 'function f(a) { let a = 1; }', 'try {} catch (e) { let e; }',
    '[1].forEach(r => { const d = await f(r); });', 'const f = () => await g();', 'function f() { const y = 1 + await g(); }'])
    try { new Function(text); } catch (e) { console.log(e.name, e.message); }
//// names-inside-of-classes
const calls = ['this.x()', 'o.x()', 'this["x"]()', 'arg()', 'arg.x()', 'new arg()', 'new this.x()', 'this.#p()', 'super.x()', 'o?.x()', 'o[arg]()', 'const {q} = arg', '[...this.o]', 'o.u.v', 'o.f`x`'];
const kinds = ['m(arg){ BODY }', 'static m(arg){ BODY }', 'async m(arg){ BODY }', '*m(arg){ BODY }', 'get g(){ let arg; BODY }', 'set s(arg){ BODY }', '["m"](arg){ BODY }', '#q(arg){ BODY }\n m(a){ this.#q(a) }', 'f = (arg) => { BODY }; m(a) { this.f(a) }', 'constructor(a){ super(); let arg = a; BODY }'];
for (const kind of kinds) for (const call of calls) for (const before of ['', '\n\n  /* c */ ', 'z = 1; zz(){ return 1 }\n  ']) {
    const text = `const o = {}; class P {} class A extends P { #p = 1; o = {}; ${before}${kind.replace('BODY', call)} }
      const names = Object.getOwnPropertyNames(A); if (names.includes('m')) return A.m(); const i = new A();
      if ('g' in i) return i.g; if ('s' in i) return void (i.s = undefined); const r = i.m?.(); return r?.next ? r.next() : r;`;
    let said;
    try { await new Function(text)(); said = 'fine'; } catch (e) { said = `${e.name}: ${e.message}`; }
    console.log(kind.slice(0, 12), call, said);
}
//// private-members
class A {
    #p = 1; #m() {} static #s = 1; static #sm() {} get #g() { return 1; } set #w(v) {}
    static t(f, ...args) { try { f(...args); console.log('ok'); } catch (e) { console.log(`${e.name}: ${e.message}`); } }
    static all() {
        for (const o of [undefined, null, 1, 'a', {}, A, new A()]) {
            A.t(() => o.#p); A.t(() => { o.#p = 1; }); A.t(() => o.#p++); A.t(() => o.#s); A.t(() => o.#sm()); A.t(() => #p in o);
            if (o != null) { A.t(() => o.#m()); A.t(() => o.#m); A.t(() => o.#g); A.t(() => { o.#w = 1; }); }
        }
        const own = new A(); A.t(() => { own.#m = 1; }); A.t(() => { own.#g = 1; }); A.t(() => own.#w);
    }
}
A.all();
class B { constructor(o) { return o; } } class C extends B { #x = 1; } class D extends B { #x() {} }
const q = {}; new C(q); A.t(() => new C(q)); new D(q); A.t(() => new D(q));
//// own-stack cjs
const first = e => e.stack.split('\n')[0];
const e = new Error('a'); e.message = 'b'; e.name = 'N'; console.log(first(e)); e.message = 'c'; console.log(first(e));
class M extends Error { constructor(m) { super(m); this.name = 'M'; } } console.log(first(new M('x')), Object.getOwnPropertyNames(new M('y')));
console.log(Object.getOwnPropertyDescriptor(Error.prototype, 'stack'), Object.hasOwn(e, 'stack'));
const d = Object.getOwnPropertyDescriptors(new RangeError('d')); console.log(Object.keys(d), typeof d.stack.value, d.stack.enumerable, d.stack.writable, d.stack.configurable);
try { null.x; } catch (error) { console.log(Object.getOwnPropertyNames(error), error.stack.includes('own-stack') || error.stack.includes('case.js')); }
try { JSON.parse('{'); } catch (error) { console.log(Object.getOwnPropertyNames(error)); }
console.log(Object.getOwnPropertyNames(new AggregateError([1], 'm', { cause: 2 })), Object.getOwnPropertyNames(structuredClone(new Error('v', { cause: 1 }))));
const s = new Error('ser'), copy = JSON.parse(JSON.stringify(s, Object.getOwnPropertyNames(s))); console.log(Object.keys(copy), copy.stack === s.stack, Object.entries(s), { ...s });
s.stack = 'own'; console.log(s.stack, Object.keys(s)); delete s.stack; console.log(s.stack, 'stack' in s);
class R extends Error { get message() { return `it is a ${typeof this.stack}`.slice(0, 5); } } console.log(first(new R()));
console.log(first(Object.freeze(new Error('frozen'))), typeof Object.setPrototypeOf(new Error('n'), null).stack, first(new Proxy(new Error('p'), {})), first(Object.create(new Error('i'))));
Promise.any([Promise.reject(1)]).catch(error => console.log(error.stack, Object.getOwnPropertyNames(error)));
//// many-arguments
const many = Array.from({ length: 100000 }, (_, i) => i);
console.log(Math.max(...many), String.fromCharCode.apply(null, new Array(70000).fill(65)).length, ((...a) => a.length)(...many), (function () { return arguments.length; })(...many));
//// exit-code-after-an-uncaught-error cjs
process.on('exit', code => console.log('exit', code, process.exitCode)); process.exitCode = 5; throw new Error('x');
//// exit-code-after-a-rejection cjs
process.on('exit', code => console.log('exit', code)); process.exitCode = 5; Promise.reject(new Error('x'));
