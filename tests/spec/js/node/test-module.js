//// reports
import { spawnSync } from 'child_process'; import fs from 'fs';
fs.writeFileSync('t.mjs', `import { test, describe, it, before, after, beforeEach, afterEach } from 'node:test'; import assert from 'node:assert'; const log = []; process.on('exit', () => console.error(log.join(' ')));
test('adds', () => { assert.strictEqual(1 + 1, 2); log.push('adds'); });
test('async', async t => { await t.test('inner', async t => { await t.test('innermost', () => {}); log.push(t.name); }); t.diagnostic('hello'); });
test('fails', () => { assert.strictEqual(1, 2); });
test('skipped', { skip: true }, () => log.push('never')); test.skip('also # skipped', () => {}); test.todo('todo', () => { throw new Error('not yet'); }); test('why', { skip: 'because' });
test('skips itself', t => { t.skip('no need'); }); test('rejects', async () => { await null; throw new TypeError('soon'); }); test('calls back', (t, done) => setTimeout(done, 1)); test('calls back wrongly', (t, done) => setTimeout(() => done(new Error('late')), 1));
describe('suite', () => { before(() => log.push('before')); after(() => log.push('after')); beforeEach(() => log.push('each')); afterEach(() => log.push('then')); it('one', () => log.push('1')); it('two', async () => log.push('2')); describe('nested', () => { it('x', () => { log.push('x'); throw new Error('boom'); }); }); });
describe.skip('not this', () => { it('never', () => log.push('never')); });`);
const { status, stdout, stderr } = spawnSync(process.execPath, ['t.mjs'], { encoding: 'utf8' });
console.log(status, stderr);
console.log(stdout.replace(/^ *(?:duration_ms|location):.*\n|^# duration_ms.*\n/gm, '').replace(/^( *)stack: (?:'.*'\n|\|-\n(?:\1  .*\n)*)/gm, ''));
//// passes
import { spawnSync } from 'child_process'; import fs from 'fs';
fs.writeFileSync('t.cjs', `const test = require('node:test'); const { strict: assert } = require('assert'); test('a', async () => { assert.deepEqual(await Promise.resolve([1]), [1]); }); test('b', t => Promise.all([t.test('c', () => {})])); test(function named() {});`);
const { status, stdout } = spawnSync(process.execPath, ['t.cjs'], { encoding: 'utf8' }); console.log(status, stdout.replace(/^ *duration_ms:.*\n|^# duration_ms.*\n/gm, '')); try { (await import('module')).createRequire(import.meta.url)('test'); } catch (e) { console.log(e.code); }
//// mocks
import { mock } from 'node:test'; const fn = mock.fn((a, b) => a + b); console.log(fn(1, 2), fn.call({ self: 1 }, 3, 4), fn.mock.callCount(), fn.mock.calls.map(c => [c.arguments, c.result, c.this]), fn.length); fn.mock.mockImplementationOnce(() => 'once'); fn.mock.mockImplementation(() => 'always'); console.log(fn(), fn()); fn.mock.resetCalls(); console.log(fn.mock.callCount()); fn.mock.restore(); console.log(fn(1, 1));
const o = { n: 5, get() { return this.n; }, get g() { return 1; } }; const m = mock.method(o, 'get', function () { return this.n * 2; }); console.log(o.get(), m.mock.calls[0].result); mock.getter(o, 'g', () => 7); console.log(o.g); mock.restoreAll(); console.log(o.get(), o.g); const bad = mock.fn(() => { throw new Error('x'); }); try { bad(); } catch (e) { console.log(bad.mock.calls[0].error === e); } const spy = mock.method(console, 'log'); console.log('seen'); spy.mock.restore(); console.log(spy.mock.calls[0].arguments); try { mock.method(o, 'n'); } catch (e) { console.log(e.code); }

//// plans and mocked timers mjs
import { spawnSync } from 'child_process';
import fs from 'fs';
fs.writeFileSync('plan.mjs', String.raw`
import test, { mock, describe, it } from 'node:test';
import assert from 'node:assert';
test('plan ok', t => { t.plan(2); t.assert.ok(true); t.assert.strictEqual(1, 1); });
test('plan few', t => { t.plan(2); t.assert.ok(true); });
test('plan many', t => { t.plan(0); t.assert.ok(true); });
test('plan sub', async t => { t.plan(1); await t.test('inner', () => {}); });
test('plan twice', t => { t.plan(1); try { t.plan(2); } catch (e) { console.log(e.code, e.message); } t.assert.ok(1); });
test('plan bad', t => { try { t.plan('x'); } catch (e) { console.log(e.code, e.message); } });
test('plan later', async t => { t.plan(1); await null; t.assert.equal(1, 1); });
test('timers', t => {
  const log = [];
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now: 1000 });
  setTimeout(a => log.push('t' + a + Date.now()), 50, 'x'); const i = setInterval(() => log.push('i' + Date.now()), 20); setImmediate(() => log.push('imm'));
  const c = setTimeout(() => log.push('never'), 10); clearTimeout(c);
  t.mock.timers.tick(0); log.push('a'); t.mock.timers.tick(45); log.push('b'); t.mock.timers.tick(10); clearInterval(i); log.push(Date.now(), new Date().getTime(), new Date(5).getTime(), typeof Date(), Date.UTC(1970, 0, 1), new Date() instanceof Date);
  setTimeout(() => log.push('later'), 1000); t.mock.timers.runAll(); log.push(Date.now());
  t.mock.timers.setTime(9000); log.push(Date.now());
  t.mock.timers.reset(); log.push(Date.now() > 1e12);
  console.log(log.join());
});
test('timer errors', t => {
  const show = f => { try { f(); return 'ok'; } catch (e) { return \`\${e.name} \${e.code} \${e.message}\`; } };
  console.log(show(() => t.mock.timers.tick(1)));
  console.log(show(() => t.mock.timers.enable({ apis: ['foo'] })));
  console.log(show(() => t.mock.timers.enable({ apis: 'x' })));
  console.log(show(() => t.mock.timers.enable({ now: -1 })));
  console.log(show(() => t.mock.timers.enable({ now: 'x' })));
  t.mock.timers.enable(); console.log(show(() => t.mock.timers.enable()));
  console.log(show(() => t.mock.timers.tick(-1)));
  console.log(show(() => t.mock.timers.setTime(-1)));
  t.mock.timers.reset();
  console.log(show(() => t.mock.timers.runAll()));
});
test('promises', async t => {
  const tp = await import('node:timers/promises');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const p = tp.setTimeout(100, 'v'); const r = []; p.then(v => r.push(v)); t.mock.timers.tick(99); await null; r.push('-'); t.mock.timers.tick(1); await p; console.log(r.join());
});
test('unref order', t => { t.mock.timers.enable({ apis: ['setTimeout'] }); const l = []; setTimeout(() => l.push(2), 2); setTimeout(() => l.push(1), 1); setTimeout(() => { l.push('n'); setTimeout(() => l.push('nested'), 1); }, 1); const h = setTimeout(() => {}, 5); console.log(typeof h.unref, typeof h.ref, typeof h.hasRef); t.mock.timers.tick(5); console.log(l.join()); });
test('global', () => { mock.timers.enable({ apis: ['Date'], now: new Date(42) }); console.log(Date.now()); mock.timers.tick(8); console.log(Date.now(), new Date().toISOString()); mock.reset(); });
`.replaceAll('\\`', '`').replaceAll('\\${', '${'));
const { status, stdout } = spawnSync(process.execPath, ['plan.mjs'], { encoding: 'utf8' });
console.log(status, stdout.split('\n').filter(line => /^(?:not )?ok|error:|^# (?:tests|pass|fail)|^[a-zA-Z0-9-]+(?: ERR|,| function)|^\d+(?: |$)/.test(line)).sort().join('\n'));
