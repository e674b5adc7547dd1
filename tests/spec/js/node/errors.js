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
