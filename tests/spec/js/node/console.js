//// format
console.log('%s is %d years and %i, %f', 'Bob', 42.5, 42.9, 1.25, 'extra', { a: 1 });
console.log('%j %o %O', { a: 1 }, [1], { b: { c: { d: {} } } });
console.log('%c styled', 'color: red'); console.log('100%', 5, '%s'); console.log('%%', '%d', 1); console.log('%s', null, undefined, 5n, Symbol('x'));
console.log('%s %s', { a: { b: { c: 1 } } }, [1, [2, [3]]]); console.log('%s', class A {}, function f() {}, new Date(0), new Error('e').message);
console.log('%d', '42', '%i', 'x'); console.log('a', 'b', 1, 'c'); console.log(1, '%s', 'x'); console.log('%x', 1); console.log('%s');
console.log('%s', { toString() { return 'custom'; } }, String(Object.create(null, { toString: { value: () => 'own' } })));
console.log('%d %d %d', 5n, 'abc', {}); console.log('%f', 'x'); console.log('%i', 3.99, 7n); console.log('%s', -0, [-0]); console.log('%o', function foo() {});
console.log(); console.log(''); console.log(' '); console.log(undefined); console.log(null, undefined);
//// table
console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table([1, 'two', { three: 3 }]);
console.table({ r1: { c: 1 }, r2: { c: 2 } }); console.table(new Map([['a', 1], ['b', { x: 1 }]])); console.table(new Set([1, 'x']));
console.table([{ name: 'Alice', age: 30 }, { name: 'Bob', age: 25 }], ['name']); console.table(5); console.table('str'); console.table([]); console.table(null);
console.table([{ a: { b: 1 }, c: [1, 2, 3, 4, 5] }]); console.table([{ n: '日本', m: 1 }]);
//// groups-and-counts
console.group('Group'); console.log('inside'); console.group(); console.info('deep\nlines'); console.groupEnd(); console.groupEnd(); console.log('outside');
console.count(); console.count(); console.count('x'); console.countReset(); console.count(); console.assert(true, 'no'); console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.dirxml([1, 2]); console.debug('debug');
console.groupCollapsed('c'); console.log({ a: 1, b: [1, 2] }); console.groupEnd(); console.groupEnd(); console.log('end');
//// streams-of-consoles cjs
const { Console } = require('console'), { Writable } = require('stream');
const orig = process.stdout.write; const got = [];
process.stdout.write = function (chunk, ...rest) { got.push(['out', String(chunk)]); return true };
const origE = process.stderr.write; process.stderr.write = function (c) { got.push(['err', String(c)]); return true };
console.log('a', 1); console.error('b'); console.group('g'); console.table([{a:1}]); console.warn('w\nx'); console.groupEnd(); console.dir({a:{b:{c:{d:1}}}}); console.count(); console.countReset(); console.countReset('nope'); console.assert(false, 'x'); console.clear(); console.timeStamp('x'); console.profile?.('x'); console.profileEnd?.('x');
process.stdout.write = orig; process.stderr.write = origE;
console.log(JSON.stringify(got));
const mk = () => { const l = []; const w = new Writable({ write(c, e, cb) { l.push(String(c)); cb() } }); w.l = l; return w };
{
  const o = mk(), e = mk(); const c = new Console(o, e);
  c.log('x %d', 1); c.error('y'); c.group('g'); c.group(); c.log('in'); c.error('e'); c.groupEnd(); c.log('in1'); c.groupEnd(); c.groupEnd(); c.log('top'); c.table([[1,2]]); c.dir({a:1}); c.dirxml({a:1},2); c.count('q'); c.count('q'); c.countReset('q'); c.count('q'); c.assert(0,'m'); c.assert(0); c.info('i'); c.debug('d'); c.warn('w'); c.trace;
  console.log(o.l, e.l);
}
{
  const o = mk(); const c = new Console({ stdout: o, groupIndentation: 4, inspectOptions: { depth: 0 } });
  c.group('a'); c.log({ a: { b: 1 } }); c.error('same'); c.dir({ a: { b: 1 } }); c.dir({a:{b:1}},{depth:5}); c.groupEnd(); console.log(o.l);
}
{
  const o = mk(); const c = Console({ stdout: o, colorMode: true }); c.log({ a: 1, s: 'x' }, 'plain'); c.log('%o', [1]); c.table([{ a: 1 }]); console.log(o.l);
  const o2 = mk(); o2.isTTY = true; o2.getColorDepth = () => 4; const c2 = new Console({ stdout: o2 }); c2.log({ a: 1 }); console.log(o2.l); c2.clear(); console.log(o2.l);
  const o3 = mk(); o3.isTTY = true; o3.getColorDepth = () => 4; const c3 = new Console({ stdout: o3, colorMode: false }); c3.log({ a: 1 }); console.log(o3.l)
}
const t = (f) => { try { console.log(f()) } catch (e) { console.log(e.name, e.code, e.message) } };
t(() => new Console()); t(() => new Console({})); t(() => new Console({ stdout: {} })); t(() => new Console(mk(), {})); t(() => new Console({ stdout: mk(), colorMode: 'x' })); t(() => new Console({ stdout: mk(), colorMode: true, inspectOptions: { colors: true } }));
t(() => new Console({ stdout: mk(), inspectOptions: 3 })); t(() => new Console({ stdout: mk(), groupIndentation: 'a' })); t(() => new Console({ stdout: mk(), groupIndentation: 1001 })); t(() => new Console({ stdout: mk(), groupIndentation: -1 })); t(() => new Console({ stdout: mk(), groupIndentation: 1.5 }));
t(() => console.table([1], 'x')); t(() => console.count(Symbol('a'))); t(() => console.time(Symbol())); 
t(() => new Console(mk()) instanceof Console); t(() => console instanceof Console); t(() => Object.keys(new Console(mk())).sort().join()); t(() => Console.name + Console.length); t(() => Console === console.Console && require('console') === console && require('console').Console === Console);
t(() => console.log.name + ' ' + console.table.name + console.group.name + console.groupCollapsed.name + console.warn.name + console.info.name);
t(() => Object.prototype.toString.call(console)); t(()=>Object.prototype.toString.call(new Console(mk())));
t(() => { const c = new Console(mk()); const { log } = c; log('x'); return 'fine' });
{ class My extends Console { hello() { this.log('hi') } } const o = mk(); const m = new My(o); m.hello(); console.log(o.l, m instanceof My, m instanceof Console) }
{ const bad = new Writable({ write(c, e, cb) { cb(new Error('bad')) } }); const c = new Console(bad); c.log('x'); t(() => 'survived'); const bad2 = { write() { throw new Error('bad2') }, on() {}, once() {}, removeListener() {}, listenerCount() { return 0 } }; t(() => new Console(bad2).log('x')); t(() => new Console({ stdout: bad2, ignoreErrors: false }).log('x')) }
{ const o = mk(); const c = new Console(o); c.time('l'); c.timeEnd('l'); console.log(o.l.map(s => s.replace(/[\d.]+/, 'N'))); c.time('z'); c.timeLog('z', 1, 'b', {a:1}); console.log(o.l[1].replace(/[\d.]+/, 'N')) }
console.group('x'); console.group('y'); console.log('z\nz2'); console.groupEnd(); console.groupEnd(); console.log(console._stdout === process.stdout, console._stderr === process.stderr);
//// clear cjs
process.stdout.isTTY = true; const { write } = process.stdout; let cleared = ''; process.stdout.write = text => { cleared += text; };
process.env.TERM = 'xterm'; console.clear(); process.env.TERM = 'dumb'; console.clear(); process.stdout.write = write;
console.log('%s', JSON.stringify(cleared));
