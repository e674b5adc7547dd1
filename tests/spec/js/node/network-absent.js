//// absent-1 cjs
const dns = require('dns'); const net = require('net'); const path = require('path');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => (['127.0.0.1','x','::1','::1%eth0','256.1.1.1','1.2.3','1.2.3.4.5','::ffff:1.2.3.4','1::2::3','12345::','::','fe80::1%','1:2:3:4:5:6:7:8','1:2:3:4:5:6:7',':1','1:','01.2.3.4','0xff.1.1.1',' 1.2.3.4','','1.2.3.4\n'].map(x=>net.isIP(x))),
    async () => ([net.isIPv4(), net.isIPv6(null), net.isIP(5), net.isIP({toString(){return '::1'}})]),
    async () => (new net.BlockList()),
    async () => (new net.BlockList().addAddress(5)),
    async () => (new net.BlockList().addAddress('x')),
    async () => (new net.BlockList().addAddress('::1','ipv4')),
    async () => (new net.BlockList().addAddress('1.1.1.1', 5)),
    async () => (new net.BlockList().addRange('1.1.1.2','1.1.1.1')),
    async () => (new net.BlockList().addSubnet('1.1.1.1', 33)),
    async () => (new net.BlockList().addSubnet('1.1.1.1', 'x')),
    async () => (new net.BlockList().addSubnet('::', 129, 'ipv6')),
    async () => { const b = new net.BlockList(); b.addAddress('1.1.1.1'); b.addAddress('8592:757c:efae:4e45:fb5d:d62a:0d00:8e17','ipv6'); b.addRange('10.0.0.1','10.0.0.10'); b.addSubnet('8592:757c:efae:4e45::',64,'ipv6'); return [b.rules, b.check('1.1.1.1'), b.check('::ffff:1.1.1.1','ipv6'), b.check('10.0.0.5'), b.check('10.0.0.11'), b.check('8592:757c:efaf:4e45::','ipv6'), b.check('8592:757c:efae:4e45:f::','ipv6'), b] },
    async () => (new net.BlockList().check('x')),
    async () => (new net.BlockList().check(5)),
    async () => (new net.SocketAddress()),
    async () => (new net.SocketAddress({family:'ipv6'})),
    async () => (new net.SocketAddress({address:'::ffff:1.2.3.4', port: 5, family:'IPv6', flowlabel: 3})),
    async () => (new net.SocketAddress({address:'1:0:0:0:0:0:0:2',family:'ipv6'}).address),
    async () => (new net.SocketAddress(5)),
    async () => (new net.SocketAddress({family:'x'})),
    async () => (new net.SocketAddress({address:5})),
    async () => (new net.SocketAddress({address:'x'})),
    async () => (new net.SocketAddress({port:70000})),
    async () => (new net.SocketAddress({port:-1})),
    async () => (new net.SocketAddress({flowlabel:'x'})),
    async () => (net.SocketAddress.isSocketAddress(5)),
    async () => (net.SocketAddress.parse && net.SocketAddress.parse('1.2.3.4:80')),
    async () => (net.connect()),
    async () => (net.connect({port: 70000})),
    async () => (net.connect({port: true})),
    async () => (net.connect({path: 5})),
    async () => (net.createServer(5)),
    async () => (net.createServer('x')),
    async () => (net.createServer().listen({port: -1})),
    async () => (net.createServer().listening),
    async () => (net.createServer().address()),
    async () => (new net.Socket({fd: 'x'})),
    async () => (new net.Socket({fd: -1})),
    async () => (new net.Socket().setTimeout('x')),
    async () => (new net.Socket().setTimeout(1, 5)),
    async () => (new net.Socket({objectMode:true})),
    async () => (new net.Socket().readyState),
    async () => (net.setDefaultAutoSelectFamily(5)),
    async () => (Object.keys(dns).sort()),
    async () => (Object.keys(dns.promises).sort()),
    async () => (dns.setServers(5)),
    async () => (dns.setServers([5])),
    async () => (dns.setServers(['x'])),
    async () => (dns.setServers(['127.0.0.1:va'])),
    async () => (dns.setServers([]) ),
    async () => (dns.lookup()),
    async () => (dns.lookup(5)),
    async () => (dns.lookup('a')),
    async () => (dns.lookup('a', 5)),
    async () => (dns.lookup('a', 'b', ()=>{})),
    async () => (dns.lookup('a', {family:20}, ()=>{})),
    async () => (dns.lookup('a', {family:'20'}, ()=>{})),
    async () => (dns.lookup('a', {hints:100}, ()=>{})),
    async () => (dns.lookup('a', {hints:'x'}, ()=>{})),
    async () => (dns.lookup('a', {all:5}, ()=>{})),
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
//// absent-2 cjs
const cluster = require('cluster'); const dns = require('dns'); const domain = require('domain'); const events = require('events'); const fs = require('fs');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => (dns.lookup('a', {verbatim:5}, ()=>{})),
    async () => (dns.lookup({}, ()=>{})),
    async () => (cb(c => dns.lookup('127.0.0.1', c))),
    async () => (cb(c => dns.lookup('::1', c))),
    async () => (cb(c => dns.lookup('127.0.0.1', {all:true}, c))),
    async () => (cb(c => dns.lookup('', c))),
    async () => (cb(c => dns.lookup(false, {family:6}, c))),
    async () => (cb(c => dns.lookup('', {all:true}, c))),
    async () => (dns.promises.lookup('127.0.0.1')),
    async () => (dns.promises.lookup('')),
    async () => (dns.promises.lookup('127.0.0.1', {all:true, family:4})),
    async () => (dns.promises.lookup({}, {})),
    async () => (dns.promises.lookup('a', 'x')),
    async () => (dns.promises.lookup('a', 5)),
    async () => (dns.lookupService()),
    async () => (dns.lookupService('0.0.0.0')),
    async () => (dns.lookupService('fasdf', 0, ()=>{})),
    async () => (dns.lookupService('0.0.0.0', null, ()=>{})),
    async () => (dns.lookupService('0.0.0.0', 70000, ()=>{})),
    async () => (dns.lookupService('0.0.0.0', 80, null)),
    async () => (dns.promises.lookupService('0.0.0.0')),
    async () => (dns.promises.lookupService('x', 1)),
    async () => (dns.resolve('a', [], ()=>{})),
    async () => (dns.resolve('a', 'zz', ()=>{})),
    async () => (dns.resolve()),
    async () => (dns.resolve('a')),
    async () => (dns.resolve([], ()=>{})),
    async () => (dns.resolve4('a', 5)),
    async () => (dns.resolve4(5, ()=>{})),
    async () => (dns.reverse()),
    async () => (dns.reverse('x', ()=>{})),
    async () => (dns.promises.resolve('a', 5)),
    async () => (dns.promises.resolve('a', 'hasOwnProperty')),
    async () => (dns.promises.resolve4(5)),
    async () => (dns.setDefaultResultOrder(5)),
    async () => (dns.setDefaultResultOrder('x')),
    async () => (dns.getDefaultResultOrder()),
    async () => (new dns.Resolver({timeout:'x'})),
    async () => (new dns.Resolver({timeout:-2})),
    async () => (new dns.Resolver({tries:0})),
    async () => (new dns.Resolver().setLocalAddress('x')),
    async () => (new dns.Resolver().setLocalAddress(5)),
    async () => (new dns.Resolver().setLocalAddress('1.2.3.4', 5)),
    async () => (new dns.Resolver().setLocalAddress('1.2.3.4', '1.2.3.4')),
    async () => (new dns.Resolver().setLocalAddress('1.2.3.4', '::1')),
    async () => (dns.ADDRCONFIG + dns.ALL + dns.V4MAPPED),
    async () => (dns.promises === require('dns/promises')),
    async () => (dns.resolve4.name),
    async () => (dns.promises.resolveMx.name),
    async () => (Object.keys(cluster).sort()),
    async () => (cluster.isPrimary),
    async () => (domain.create().constructor.name),
    async () => (cb(c => { const d = domain.create(); d.on('error', e=>c(e.message, e.domainThrown, e.domainEmitter===ee)); let ee; d.run(()=>{ ee = new events() }); ee.emit('error', new Error('em')) })),
    async () => (cb(c => { const d = domain.create(); d.on('error', e=>c(e.message)); d.run(()=>{ process.nextTick(()=>{ throw new Error('nt') }) }) })),
    async () => (cb(c => { const d = domain.create(); d.on('error', e=>c(e.message)); d.run(()=>{ setImmediate(()=>{ throw new Error('im') }) }) })),
    async () => (cb(c => { const d = domain.create(); d.on('error', e=>c(e.message)); d.run(()=>{ fs.readFile('/nope', ()=>{ throw new Error('fs') }) }) })),
    async () => (cb(c => { const d = domain.create(); d.on('error', e=>c(e.message, e.domainBound !== undefined)); fs.readFile('/nope', d.intercept(()=>{})) })),
    async () => (cb(c => { const d = domain.create(); const f = d.bind(function(a){ c(process.domain===d, a, f.domain===d, d.members.length) }); f(4) })),
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
//// domains cjs
const domain = require('domain'), EventEmitter = require('events'), fs = require('fs');
// Each step starts the next one when it is over.
const steps = [];
const next = () => setImmediate(() => steps.shift()?.());
const told = (name, d) => d.on('error', e => {
    console.log(name, e.message, e.domain === d, e.domainThrown, Boolean(e.domainEmitter), typeof e.domainBound);
    if (steps.started) next();
});
for (const [name, start] of Object.entries({
    timer: () => setTimeout(() => { throw new Error('from a timer'); }, 1), immediate: () => setImmediate(() => { throw new Error('from an immediate'); }),
    tick: () => process.nextTick(() => { throw new Error('from a tick'); }), file: () => fs.readFile('/nope', () => { throw new Error('from a file'); }),
    promise: () => Promise.resolve().then(() => { console.log('promise', process.domain !== undefined); next(); }),
})) steps.push(() => told(name, domain.create()).run(start));
const d = told('emitter', domain.create()), e = d.run(() => new EventEmitter());
e.emit('error', new Error('of an emitter'));
const other = new EventEmitter();
d.add(other); other.emit('error', new Error('of another')); d.remove(other);
try { other.emit('error', new Error('alone')); } catch (error) { console.log('thrown', error.message, d.members.length); }
told('bind', domain.create()).bind((a, b) => console.log(a, b, process.domain !== undefined))(1, 2);
const outer = told('outer', domain.create()), inner = domain.create();
inner.on('error', error => { throw new Error(`again: ${error.message}`); });
process.on('uncaughtException', error => { console.log('uncaught', error.message); next(); });
process.on('exit', code => console.log(code));
steps.push(
    () => fs.readFile('/nope', told('intercept', domain.create()).intercept(() => console.log('never'))),
    () => outer.run(() => inner.run(() => { throw new Error('twice'); })),
    () => domain.create().run(() => setTimeout(() => { throw new Error('nobody listens'); }, 1)),
    () => domain.create().on('error', () => { throw new Error('the last'); }).run(() => setTimeout(() => { throw new Error('first'); }, 1)),
);
console.log(process.domain, domain._stack.length);
steps.started = true;
next();
