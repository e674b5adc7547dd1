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
