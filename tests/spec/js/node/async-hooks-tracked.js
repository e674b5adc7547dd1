//// hooks-1 cjs
const async_hooks = require('async_hooks'); const events = require('events');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => (async_hooks.createHook({init:5})),
    async () => (async_hooks.createHook({before:5})),
    async () => (async_hooks.createHook({promiseResolve:5})),
    async () => (async_hooks.createHook({}).enable().constructor.name),
    async () => (new async_hooks.AsyncResource()),
    async () => (new async_hooks.AsyncResource('x', {triggerAsyncId:'x'})),
    async () => { const h = async_hooks.createHook({init(){}}).enable(); try { new async_hooks.AsyncResource('') } catch (e) { return [e.code, e.message] } finally { h.disable() } },
    async () => { const l=[]; const h = async_hooks.createHook({init(id,type,t,r){ if (['Timeout','TickObject','Immediate'].includes(type)) l.push(['init',type, typeof r]) }}).enable(); setTimeout(()=>{},1); process.nextTick(()=>{}); setImmediate(()=>{}); h.disable(); return l },
    async () => { const l=[]; let mine; const h = async_hooks.createHook({init(id,type,t,r){ if (type==='Timeout') mine=id }, before(id){ if(id===mine) l.push('before') }, after(id){ if(id===mine) l.push('after') }, destroy(id){ if(id===mine) l.push('destroy') }}).enable(); setTimeout(()=>{ l.push(async_hooks.executionAsyncId()===mine) },1); await once({once:(n,f)=>setTimeout(f,30)}); h.disable(); return l.slice(0,4) },
    async () => { const l=[]; let mine; const h = async_hooks.createHook({init(id,type,t,r){ if (type==='RES') mine=id }, before(id){ if(id===mine) l.push('before') }, after(id){ if(id===mine) l.push('after') }, destroy(id){ if(id===mine) l.push('destroy') }}).enable(); const r = new async_hooks.AsyncResource('RES'); l.push(r.runInAsyncScope(function(a){ l.push(async_hooks.executionAsyncId()===mine, async_hooks.executionAsyncResource()===r, this.q); return a }, {q:1}, 5)); r.emitDestroy(); r.emitDestroy(); await sleep(5); h.disable(); return l },
    async () => { const l=[]; const h = async_hooks.createHook({init(id,type,t,r){ if (type==='PROMISE') l.push('i', r instanceof Promise) }, promiseResolve(id){ l.push('r') }}).enable(); const p = new Promise(r=>r(1)); const q = p.then(()=>2); h.disable(); return l },
    async () => { const l=[]; const h = async_hooks.createHook({init(id,type,t){ if (type==='PROMISE') l.push([id,t]) }}).enable(); const p = new Promise(r=>r(1)); const q = p.then(()=>2); h.disable(); return l[1][1]===l[0][0] },
    async () => { let a, b; const h = async_hooks.createHook({init(){}}).enable(); await Promise.resolve().then(()=>{ a = async_hooks.executionAsyncId(); b = async_hooks.triggerAsyncId() }); h.disable(); return [a>1, b>=0, a!==b] },
    async () => { const r = new async_hooks.AsyncResource('r'); const f = r.bind(function(a,b){ return [this===undefined||this===globalThis, a] }); return [f.length, f(4)] },
    async () => (async_hooks.AsyncResource.bind(5)),
    async () => { const r = new async_hooks.AsyncResource('r'); try { r.runInAsyncScope(()=>{ throw new Error('in') }) } catch (e) { return [e.message, async_hooks.executionAsyncId()>=0] } },
    async () => { const s = new async_hooks.AsyncLocalStorage(); return s.run(5, () => new Promise(r => setTimeout(()=>r(s.getStore()),1))) },
    async () => { const h = async_hooks.createHook({init(){ h2.enable() }}); const l=[]; const h2 = async_hooks.createHook({init(id,type){ l.push(type) }}); h.enable(); setTimeout(()=>{},1); setTimeout(()=>{},1); h.disable(); h2.disable(); return l.filter(t=>t==='Timeout') },
    async () => { const e = new events.EventEmitterAsyncResource({name:'zz'}); return [e.asyncId>0, e.triggerAsyncId>=0] },
];
(async () => {
    for (const [i, look] of looks.entries()) {
        try {
            console.log(i, show(await look()));
        } catch (e) {
            console.log(i, e?.name, e?.code, e?.message ?? show(e));
        }
    }
})();
//// life-of-a-resource cjs
const { createHook, executionAsyncId, triggerAsyncId, AsyncResource } = require('async_hooks');
const kinds = new Map(), told = [];
const hook = createHook({
    init(id, type, trigger) { if (['Timeout', 'Immediate', 'TickObject', 'PROMISE', 'OWN'].includes(type)) { kinds.set(id, type); if (type !== 'PROMISE') told.push(`init ${type}`); } },
    before(id) { if (kinds.has(id)) told.push(`before ${kinds.get(id)}`); }, after(id) { if (kinds.has(id)) told.push(`after ${kinds.get(id)}`); },
    destroy(id) { if (kinds.has(id)) told.push(`destroy ${kinds.get(id)}`); },
}).enable();
const own = new AsyncResource('OWN');
own.runInAsyncScope(() => told.push(executionAsyncId() === own.asyncId(), triggerAsyncId() === own.triggerAsyncId()));
own.emitDestroy();
process.nextTick(() => told.push('tick'));
Promise.resolve().then(() => told.push(`then in a ${kinds.get(executionAsyncId())}`));
const cleared = setTimeout(() => {}, 1000);
clearTimeout(cleared);
setTimeout(() => setImmediate(() => setTimeout(() => {
    hook.disable();
    console.log(told.filter(event => !/^destroy/.test(event)).slice(0, 20).join('\n'));
    console.log(told.filter(event => /^destroy (?:OWN|Timeout|Immediate)/.test(event)).join('\n'));
}, 5)), 5);
//// a-hook-that-throws cjs
const { createHook } = require('async_hooks');
process.on('uncaughtException', () => console.log('never'));
process.on('exit', code => console.log('exit', code));
createHook({ init() { throw new Error('in a hook'); } }).enable();
setTimeout(() => console.log('never'), 1);
