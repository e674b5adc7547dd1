//// async-local-storage
import { AsyncLocalStorage, AsyncResource } from 'async_hooks';
import { setTimeout as sleep } from 'timers/promises';
import { EventEmitter, once } from 'events';
const als = new AsyncLocalStorage(), other = new AsyncLocalStorage();
console.log(als.getStore()); const log = [];
async function work(n) { await sleep(1); await new Promise(done => other.run(n * 10, () => setTimeout(() => { log[n] = [als.getStore(), other.getStore()]; done(); }, 1))); return [n, als.getStore().id, other.getStore()]; }
console.log(await Promise.all([1, 2, 3].map(n => als.run({ id: n }, work, n))), als.getStore(), log);
als.run('a', () => { process.nextTick(() => console.log('tick', als.getStore())); setImmediate(() => console.log('immediate', als.getStore())); queueMicrotask(() => console.log('microtask', als.getStore())); Promise.resolve().then(() => console.log('then', als.getStore())).finally(() => console.log('finally', als.getStore())); als.exit(() => console.log('exit', als.getStore())); als.run('b', () => console.log('nested', als.getStore())); console.log('after', als.getStore()); });
await sleep(10);
const bound = als.run('bound', () => AsyncLocalStorage.bind(() => als.getStore())), snap = als.run('snap', () => AsyncLocalStorage.snapshot()); console.log(bound(), snap(() => als.getStore()), als.getStore());
const resource = als.run('resource', () => new AsyncResource('R')); console.log(resource.runInAsyncScope((a, b) => [a, b, als.getStore()], null, 1, 2), typeof resource.asyncId());
async function* gen() { for (let i = 0; i < 2; i++) { await sleep(1); yield als.getStore(); } }
await als.run('gen', async () => { for await (const x of gen()) console.log(x, als.getStore()); });
try { await als.run('throws', async () => { await sleep(1); throw new Error('x' + als.getStore()); }); } catch (e) { console.log(e.message, als.getStore()); }
const e = new EventEmitter(); als.run('listener', () => e.on('x', () => console.log('event', als.getStore()))); als.run('emitter', () => e.emit('x'));
als.enterWith('entered'); console.log(als.getStore()); await sleep(1); console.log(als.getStore()); await new Promise(r => setTimeout(() => { console.log('inner', als.getStore()); r(); }, 1)); als.disable(); console.log(als.getStore());
const t = als.run('thenable', async () => { const v = await { then(r) { r(als.getStore()); } }; return [v, als.getStore()]; }); console.log(await t);
//// context-of-streams-and-files
import { AsyncLocalStorage } from 'node:async_hooks'; import fs from 'fs'; import { Readable, pipeline } from 'stream'; import { promisify } from 'util'; import { exec } from 'child_process';
const als = new AsyncLocalStorage();
await als.run('files', async () => { await fs.promises.writeFile('f.txt', 'x'); console.log(als.getStore(), await fs.promises.readFile('f.txt', 'utf8')); await new Promise(done => fs.readFile('f.txt', 'utf8', (error, text) => { console.log('callback', als.getStore(), text); done(); })); const { stdout } = await promisify(exec)('echo hi'); console.log(als.getStore(), stdout); await promisify(pipeline)(Readable.from(['a', 'b']), async function* (source) { for await (const x of source) console.log(`${x}`, als.getStore()); }); });
console.log(als.getStore()); const logger = { log(text) { console.log(`[${als.getStore()?.request ?? '-'}] ${text}`); } };
async function handle(id) { await als.run({ request: id }, async () => { logger.log('start'); await step(id); logger.log('end'); }); } async function step(id) { for (let i = 0; i < 2; i++) { await new Promise(r => setImmediate(r)); logger.log(`step ${i} of ${id}`); } } await Promise.all([handle('a'), handle('b')]); logger.log('outside');
