//// all
import dc from 'diagnostics_channel'; import { AsyncLocalStorage } from 'async_hooks';
const t = f => { try { console.log(f()); } catch (e) { console.log(e.name, e.code, e.message); } };
t(() => dc.channel(1)); t(() => dc.channel(undefined)); t(()=>dc.channel('x').subscribe(null)); t(() => dc.channel('x').unsubscribe(() => {}));
const c = dc.channel('c'); console.log(c.hasSubscribers, c.name, c instanceof dc.Channel, dc.channel('c') === c, c.publish(1), Object.keys(c), dc.hasSubscribers('c'), dc.hasSubscribers('nope'));
const s = (m, n) => console.log('got', m, n); c.subscribe(s); c.publish({ a: 1 }); console.log(c.hasSubscribers, c.unsubscribe(s), c.unsubscribe(s), c.hasSubscribers, c instanceof dc.Channel);
const als = new AsyncLocalStorage(); c.bindStore(als, d => ({ v: d })); console.log(c.hasSubscribers, c.runStores(5, function (a) { return [this, a, als.getStore()]; }, 'self', 'arg'), als.getStore()); console.log(c.unbindStore(als), c.unbindStore(als), c.hasSubscribers);
const tc = dc.tracingChannel('t'); const log = n => m => console.log(n, JSON.stringify(m), m.error?.message);
console.log(Object.keys(tc), tc.hasSubscribers, tc.start.name, tc.traceSync((a, b) => a + b, {}, null, 1, 2));
const h = { start: log('start'), end: log('end'), asyncStart: log('as'), asyncEnd: log('ae'), error: log('err') }; tc.subscribe(h);
console.log(tc.traceSync((a, b) => a + b, { q: 1 }, null, 1, 2)); t(() => tc.traceSync(() => { throw new Error('x'); }));
console.log(await tc.tracePromise(async a => a * 2, {}, null, 4)); try { await tc.tracePromise(async () => { throw new Error('rej'); }, { z: 1 }); } catch (e) { console.log('rejected', e.message); }
console.log(tc.tracePromise(() => 7, {}) instanceof Promise);
tc.traceCallback((a, cb) => { cb(null, a); return 'ret'; }, 1, {}, null, 9, (e, v) => console.log('cb', e, v)); t(() => tc.traceCallback((a, cb) => cb(new Error('q')), -1, {}, null, 9, (e, v) => console.log('cb', e.message, v)));
t(() => tc.traceCallback(() => {}, 0, {}, null, 1)); console.log(tc.unsubscribe(h), tc.unsubscribe(h), tc.hasSubscribers);
await new Promise(r=>setTimeout(r)); process.on('uncaughtException', e => console.log('uncaught', e.message)); c.subscribe(() => { throw new Error('in sub'); }); c.subscribe(() => console.log('second')); c.publish(1); console.log('after');
