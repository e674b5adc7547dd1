//// order
console.log('1');
setTimeout(() => console.log('timeout 50'), 50);
setTimeout(() => console.log('timeout 100'), 100);
setImmediate(() => console.log('immediate'));
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('micro'));
queueMicrotask(() => console.log('queued'));
await new Promise(resolve => setTimeout(resolve, 200));
console.log('end');
//// ticks-and-micros cjs
Promise.resolve().then(() => { console.log('p1'); process.nextTick(() => console.log('t in p1')); }).then(() => console.log('p2'));
process.nextTick(() => { console.log('t1'); Promise.resolve().then(() => console.log('p in t1')); process.nextTick(() => console.log('t2')); });
setTimeout(() => { console.log('a'); Promise.resolve().then(() => console.log('a micro')); process.nextTick(() => console.log('a tick')); }, 1);
setTimeout(() => console.log('b'), 1);
console.log('sync');
//// same-delay-and-clear
const ids = [];
for (let i = 0; i < 5; i++) setTimeout(() => ids.push(i), 5);
const gone = setTimeout(() => ids.push('gone'), 1); clearTimeout(gone); clearTimeout(gone); clearTimeout(undefined); clearTimeout(null); clearTimeout(12345);
setTimeout((a, b) => console.log(a, b), 50, 'x', 'y');
setTimeout(() => console.log(ids), 100);
let n = 0; const iv = setInterval(() => { if (++n === 3) { clearInterval(iv); setTimeout(() => console.log('three'), 200); } }, 2);
//// unref-and-refresh
const t = setTimeout(() => console.log('never'), 100000); t.unref(); console.log(t.hasRef());
const im = setImmediate(() => console.log('never')); clearImmediate(im);
console.log(typeof +setTimeout(() => {}, 1), typeof t.ref, t[Symbol.toPrimitive]() > 0);
//// nested-zero
let depth = 0; const go = () => { if (depth++ < 5) setTimeout(go, 0); else console.log('done', depth); }; go();
await new Promise(r => setImmediate(r)); console.log('after immediate');
//// promises-api
import { setTimeout as sleep, setImmediate as soon, setInterval as every } from 'timers/promises';
console.log(await sleep(2, 'value'), await soon('now'));
let i = 0; for await (const v of every(1, 'tick')) { console.log(v); if (++i === 3) break; }
const ac = new AbortController(); setTimeout(() => ac.abort(), 2);
try { await sleep(10000, null, { signal: ac.signal }); } catch (e) { console.log(e.name, e.code, e.message); }
//// bad-callback
try { setTimeout('code', 1); } catch (e) { console.log(e.name, e.code, e.message); }
try { process.nextTick(5); } catch (e) { console.log(e.code); }
//// async-order
const log = []; const tick = async n => { log.push(`start ${n}`); await null; log.push(`mid ${n}`); await undefined; log.push(`end ${n}`); };
await Promise.all([tick(1), tick(2)]); console.log(log.join(', '));
async function* g() { yield 1; yield 2; } for await (const x of g()) console.log(x);
const r = await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no'))]); console.log(r.map(x => x.status));
console.log(await Promise.race([new Promise(r => setTimeout(r, 50, 'slow')), new Promise(r => setTimeout(r, 1, 'fast'))]), await Promise.any([Promise.reject(1), Promise.resolve(2)]));
