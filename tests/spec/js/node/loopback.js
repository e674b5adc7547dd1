//// sockets cjs
const net=require('net');const {once}=require('events');
(async()=>{
 const s=net.createServer({allowHalfOpen:true},c=>{c.setEncoding('utf8');let d='';c.on('data',x=>d+=x);c.on('end',()=>{c.end('len '+d.length)});}).listen(0);
 await once(s,'listening');
 const c=net.connect(s.address().port); 
 console.log(c.write('x'.repeat(1000000)), c.writableLength); c.end('fin'); 
 let got='';c.setEncoding('utf8'); c.on('data',x=>got+=x); await once(c,'close'); console.log(got);
 s.close(); await once(s,'close');
 // reset
 const s2=net.createServer(c=>{c.on('error',e=>console.log('S',e.code,e.syscall,e.errno));c.on('close',h=>console.log('S close',h)); c.resume()}).listen(0); await once(s2,'listening');
 const c2=net.connect(s2.address().port); await once(c2,'connect'); c2.resetAndDestroy(); c2.on('error',e=>console.log('C',e.code)); await once(c2,'close'); await new Promise(r=>setTimeout(r,20));
 // destroy with error; timeouts
 const c3=net.connect(s2.address().port); c3.setTimeout(20,()=>{console.log('timeout');c3.end()}); await once(c3,'close');
 const c4=net.connect(s2.address().port); await once(c4,'connect'); console.log(c4.remoteFamily,c4.remoteAddress,c4.address().family,c4.localFamily);
 s2.getConnections((e,n)=>console.log('conns',n)); await new Promise(r=>setTimeout(r,20));
 c4.end(); c4.on('error',e=>console.log('werr',e.code,e.message)); c4.write('late',e=>console.log('cb',e.code)); await once(c4,'close').catch(e=>console.log('oc',e.code));
 s2.close(()=>console.log('closed')); await once(s2,'close');
 // pipe
 const s3=net.createServer(c=>c.pipe(c)).listen('./own.sock'); await once(s3,'listening'); console.log(s3.address());
 const c5=net.connect('./own.sock'); c5.write('hello'); console.log(String((await once(c5,'data'))[0])); c5.end(); await once(c5,'close'); s3.close(); await once(s3,'close');
 // max
 const s4=net.createServer(()=>{}).listen(0); s4.maxConnections=1; s4.on('drop',d=>console.log('drop',Object.keys(d))); await once(s4,'listening');
 const a=net.connect(s4.address().port); await once(a,'connect'); const b=net.connect(s4.address().port); b.on('error',e=>console.log('b',e.code)); b.resume(); await once(b,'close'); a.destroy(); s4.close(); await once(s4,'close'); console.log('done');
 const ac=new AbortController(); const s5=net.createServer().listen({port:0,signal:ac.signal}); s5.on('close',()=>console.log('aborted')); ac.abort(); await once(s5,'close');
 for (const opt of [{lookup:(h,o,cb)=>cb(null,[{address:'bad',family:4}])},{lookup:(h,o,cb)=>cb(null,[{address:'127.0.0.1',family:100}])},{lookup:(h,o,cb)=>cb(new Error('no'))}]) { const c=net.connect({host:'x.y',port:9,...opt}); c.on('lookup',(...a)=>console.log('lookup',a.map(String))); c.on('error',e=>console.log(e.code,e.message)); await once(c,'close').catch(()=>{}); }
 // onread
 const s6=net.createServer(c=>c.end('0123456789')).listen(0); await once(s6,'listening');
 const c7=net.connect({port:s6.address().port,onread:{buffer:Buffer.alloc(4),callback(n,b){console.log('onread',n,String(b.subarray(0,n)));return true}}}); await once(c7,'close'); s6.close();
})();
//// messages cjs
const http=require('http'),net=require('net');const {once}=require('events');
const log=(...a)=>console.log(...a);
const serve=(h,o={})=>new Promise(r=>{const s=http.createServer(o,h);s.listen(0,()=>r(s))});
const raw=(s,text,n=0)=>new Promise(r=>{const c=net.connect(s.address().port);let d='';c.setEncoding('latin1');c.on('data',x=>d+=x);c.on('error',e=>log('raw',e.code));c.on('close',()=>r(d.replace(/Date: .*?\r\n/g,'')));c.write(text);if(n)setTimeout(()=>c.end(),n)});
const T=[
async()=>{const s=await serve((q,r)=>{log(q.method,q.url,JSON.stringify(q.headers));r.end('x'+q.url)});
 log(JSON.stringify(await raw(s,'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET /1 HTTP/1.0\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',30)));
 log(JSON.stringify(await raw(s,'GET /1 HTTP/1.1\r\n\r\n')));
 log(JSON.stringify(await raw(s,'BAD / HTTP/1.1\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nbad header: x\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nx: '+'y'.repeat(20000)+'\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n')));
 log(JSON.stringify(await raw(s,'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nA: 2\r\nCookie: a\r\nCookie: b\r\nConnection: close\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n')));
 log(JSON.stringify(await raw(s,'GET / HTTP/1.1\r\nHost: a\r\nExpect: meow\r\nConnection: close\r\n\r\n')));
 s.close();await once(s,'close')},
async()=>{const s=await serve((q,r)=>r.end());s.on('clientError',(e,c)=>{log(e.code,e.message,e.reason,Buffer.isBuffer(e.rawPacket));c.end('HTTP/1.1 400 no\r\n\r\n')});
 for(const t of ['OOPS\r\n','GET / HTTP/9.9\r\n\r\n','GET / XTTP/1.1\r\n\r\n','GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n','POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n','GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n','POST / HTTP/1.1\r\nHost:a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n','POST / HTTP/1.1\r\nHost:a\r\nTransfer-Encoding: foo\r\n\r\n']) log(JSON.stringify(await raw(s,t)));
 log(JSON.stringify(await raw(s,'GET / HT',20)));
 s.close();await once(s,'close')},
async()=>{const s=await serve();s.on('upgrade',(q,c,h)=>{log('upgrade',q.url,q.upgrade,String(h));c.write('HTTP/1.1 101 Sw\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhead');c.on('data',d=>{log('S',String(d));c.end()})});s.on('connect',(q,c,h)=>{log('connect',q.url,String(h));c.write('HTTP/1.1 200 OK\r\n\r\nafter');c.on('data',d=>c.end(d))});
 const r=http.get({port:s.address().port,headers:{Connection:'Upgrade',Upgrade:'x'}});const [res,c,h]=await once(r,'upgrade');log(res.statusCode,res.headers.upgrade,String(h));c.end('bye');await once(c,'close');
 const r2=http.request({port:s.address().port,method:'CONNECT',path:'host:80'});r2.end();const [res2,c2,h2]=await once(r2,'connect');log(res2.statusCode,String(h2));c2.write('pong');log(String((await once(c2,'data'))[0]));s.close()},
async()=>{const s=await serve((q,r)=>{q.resume();q.on('end',()=>r.end(q.url))});const agent=new http.Agent({keepAlive:true,maxSockets:1});
 const get=p=>new Promise(r=>http.get({port:s.address().port,path:p,agent},x=>{let d='';x.on('data',c=>d+=c);x.on('end',()=>r([d,x.req.reusedSocket]))}));
 log(await Promise.all([get('/1'),get('/2'),get('/3')]));await new Promise(r=>setTimeout(r,5));log(Object.keys(agent.freeSockets).length,agent.totalSocketCount,Object.keys(agent.sockets).length,Object.keys(agent.requests).length);log(await get('/4'));agent.destroy();while(agent.totalSocketCount)await new Promise(r=>setImmediate(r));log(agent.totalSocketCount,Object.keys(agent.freeSockets).length);s.close();await once(s,'close')},
async()=>{const s=await serve((q,r)=>{if(q.url!=='/')return;r.on('close',()=>log('res close',r.writableFinished));q.on('aborted',()=>log('aborted'));q.on('error',e=>log('req error',e.code,e.message));q.on('close',()=>log('req close',q.destroyed))});
 const said=[],r=http.get({port:s.address().port});r.on('error',e=>said.push(e.code,e.message));r.on('close',()=>said.push(r.destroyed));const[,answer]=await once(s,'request');setTimeout(()=>r.destroy(),1);await once(answer,'close');await new Promise(r=>setImmediate(r));await new Promise(r=>setTimeout(r,5));log('C',said);
 const r2=http.get({port:s.address().port,path:'/quiet',timeout:20});r2.on('timeout',()=>{log('timeout');r2.destroy(new Error('mine'))});r2.on('error',e=>log('C',e.code,e.message));await once(r2,'close').catch(()=>{});await new Promise(r=>setTimeout(r,20));
 const ac=new AbortController();const r3=http.get({port:s.address().port,path:'/quiet',signal:ac.signal});r3.on('error',e=>log(e.name,e.code,e.message));setTimeout(()=>ac.abort(),10);await once(r3,'close').catch(()=>{});
 s.close();s.closeAllConnections();await once(s,'close')},
async()=>{const s=await serve((q,r)=>{r.writeHead(200,{'Content-Length':10});r.write('abc');setTimeout(()=>r.destroy(),10)});
 const r=http.get({port:s.address().port});const [x]=await once(r,'response');x.on('aborted',()=>log('aborted'));x.on('error',e=>log('E',e.code,e.message));x.on('data',d=>log(String(d)));await once(x,'close').catch(e=>log('oc',e.code));log(x.complete,x.aborted,x.destroyed);s.close()},
async()=>{const s=await serve((q,r)=>{r.setHeader('Trailer','X-T');r.write('a');r.addTrailers({'X-T':'v'});r.end()});
 const r=http.get({port:s.address().port});const [x]=await once(r,'response');x.resume();await once(x,'end');log(x.trailers,x.rawTrailers,Object.keys(x.headers).join());s.close()},
];
(async()=>{for(const [i,t] of T.entries()){log('---',i);await t();}})();
//// servers cjs
const http=require('http'),net=require('net');const {once}=require('events');
const log=(...a)=>console.log(...a);const show=v=>v instanceof http.ServerResponse||v instanceof http.ClientRequest||v instanceof net.Socket||v instanceof net.Server?v.constructor.name:v;
const serve=(h,o={})=>new Promise(r=>{const s=http.createServer(o,h);s.listen(0,()=>r(s))});
const T=[
async()=>{const s=await serve((q,r)=>{
 for(const f of [()=>r.setHeader('a b','c'),()=>r.setHeader('a',undefined),()=>r.setHeader('a','\u0100'),()=>r.setHeader(),()=>r.getHeader(),()=>r.writeHead(99),()=>r.writeHead('abc'),()=>r.writeHead(1000),()=>r.write(null),()=>r.write(5),()=>r.write(),()=>r.removeHeader(),()=>r.addTrailers({'a b':1}),()=>r.setHeaders(5),()=>r.hasHeader(),()=>r.appendHeader('x','1').appendHeader('X','2').getHeader('x'),()=>r.getHeaderNames(),()=>r.getRawHeaderNames(),()=>r.getHeaders(),()=>r.writeEarlyHints(5),()=>r.writeEarlyHints({link:'bad'}),()=>r.pipe(process.stdout)]) try{log(String(f),show(f()))}catch(e){log(String(f),e.name,e.code,e.message)}
 r.on('error',e=>log('E',e.code,e.message)); r.end('x',()=>log('end cb'));
 for(const f of [()=>r.setHeader('a','b'),()=>r.removeHeader('a'),()=>r.writeHead(200),()=>r.write('y',e=>log('wcb',e.code)),()=>r.end('z',e=>log('ecb',e&&e.code)),()=>r.end(e=>log('ecb2',e&&e.code))===r,()=>r.flushHeaders(),()=>r.headersSent,()=>r.writableEnded]) try{log(String(f),show(f()))}catch(e){log(String(f),e.name,e.code,e.message)}
 });
 const r=http.get({port:s.address().port});r.on('error',e=>log('CE',e.code));await once(r,'close').catch(e=>log(e.code));await new Promise(r=>setTimeout(r,10));s.close()},
async()=>{for(const f of [()=>http.request('x'),()=>http.request('https://a'),()=>http.request({path:'/a b'}),()=>http.request({method:5}),()=>http.request({method:'a b'}),()=>http.request({agent:5}),()=>http.request({hostname:5}),()=>http.request({host:true}),()=>http.request({timeout:'x'}),()=>http.request({insecureHTTPParser:5}),()=>http.request({maxHeaderSize:'x'}),()=>http.createServer(5),()=>http.createServer({requestTimeout:-1}),()=>http.createServer({headersTimeout:2,requestTimeout:1}),()=>http.createServer({insecureHTTPParser:5}),()=>new http.Agent({scheduling:'x'}),()=>new http.Agent({maxTotalSockets:'x'}),()=>http.Agent()instanceof http.Agent,()=>http.Server()instanceof http.Server,()=>new http.Agent().getName({host:'h',port:1,localAddress:'l',family:6}),()=>http.validateHeaderName('@'),()=>http.validateHeaderValue('a',undefined),()=>http.maxHeaderSize,()=>http.globalAgent.keepAlive,()=>http.setMaxIdleHTTPParsers('x'),()=>new http.OutgoingMessage().write('a'),()=>new http.OutgoingMessage()._implicitHeader(),()=>{const o=new http.OutgoingMessage();o.setHeader('a','b');return [o.headersSent,o.getHeaders(),o.writableLength,o.writableHighWaterMark,o.writableObjectMode,o.writableCorked,o.writableNeedDrain]},()=>new http.ServerResponse({method:'HEAD',httpVersionMajor:1,httpVersionMinor:1})._hasBody,()=>new http.IncomingMessage().headers])try{log(String(f),f())}catch(e){log(String(f),e.name,e.code,e.message)}},
async()=>{const s=await serve((q,r)=>{const n=+q.url.slice(1);r.end(Buffer.alloc(n,'z'))});
 for(const n of [0,1,70000,3000000]){const r=http.get({port:s.address().port,path:'/'+n});const [x]=await once(r,'response');let k=0;for await(const c of x)k+=c.length;log(n,k)}
 const r=http.request({port:s.address().port,method:'POST',path:'/5'});r.write(Buffer.alloc(2000000));r.end();const [x]=await once(r,'response');x.resume();await once(x,'end');log('post ok');s.close()},
async()=>{const s=await serve((q,r)=>{r.writeContinue;q.on('data',d=>log('S',String(d)));q.on('end',()=>r.end('ok'))});s.on('checkContinue',(q,r)=>{log('cc');r.writeContinue();s.emit('request',q,r)});
 const r=http.request({port:s.address().port,method:'POST',headers:{Expect:'100-continue'}});r.on('information',i=>log('info',i.statusCode,i.statusMessage));r.on('continue',()=>{log('continue');r.end('body')});const [x]=await once(r,'response');x.resume();await once(x,'end');s.close()},
async()=>{const s=await serve((q,r)=>{r.writeEarlyHints({link:'</a>; rel=preload; as=style','x-y':'z'});r.end()});const r=http.get({port:s.address().port});r.on('information',i=>log(i.statusCode,i.headers));const[x]=await once(r,'response');x.resume();await once(x,'end');s.close()},
async()=>{const s=await serve((q,r)=>r.end(),{maxHeaderSize:100});const r=http.get({port:s.address().port,headers:{x:'y'.repeat(200)}});const[x]=await once(r,'response');log(x.statusCode);x.resume();s.close();
 const t=net.createServer(c=>{c.on('error',()=>{});c.end('HTTP/1.1 200 OK\r\nbad\r\n\r\n')}).listen(0);await once(t,'listening');const q=http.get({port:t.address().port});q.on('error',e=>log(e.code,e.message));await once(q,'close').catch(()=>{});
 t.close();const u=net.createServer(c=>{c.on('error',()=>{});c.once('data',()=>c.end())}).listen(0);await once(u,'listening');const v=http.get({port:u.address().port});v.on('error',e=>log(e.code,e.message));await once(v,'close').catch(()=>{});u.close();
 const w=http.get({port:1});w.on('error',e=>log(e.code,e.message.slice(0,32)));await once(w,'close').catch(()=>{})},
async()=>{const s=await serve((q,r)=>{q.resume();r.end()});s.timeout=20;s.on('timeout',c=>{log('server timeout');c.destroy()});const c=net.connect(s.address().port);c.on('error',()=>{});await once(c,'close');s.close();
 const k=await serve((q,r)=>r.end('a'),{keepAliveTimeout:20});const a=new http.Agent({keepAlive:true});const r=http.get({port:k.address().port,agent:a});const[x]=await once(r,'response');log(x.headers['keep-alive']);x.resume();await new Promise(r=>setTimeout(r,100));log(Object.keys(a.freeSockets).length);k.close();await once(k,'close')},
async()=>{const s=await serve((q,r)=>{r.on('timeout',()=>{log('res timeout');r.end('late')});r.setTimeout(20)});const r=http.get({port:s.address().port});const[x]=await once(r,'response');x.resume();await once(x,'end');s.close()},
async()=>{const s=await serve(()=>{},{headersTimeout:50,requestTimeout:60,connectionsCheckingInterval:20});const c=net.connect(s.address().port);c.write('GET / HTTP/1.1\r\n');let d='';c.on('data',x=>d+=x);c.on('error',()=>{});await once(c,'close');log(JSON.stringify(d));s.close()},
async()=>{const s=await serve((q,r)=>r.end('f'));const x=await fetch('http://localhost:'+s.address().port+'/');log(x.status,await x.text());s.closeAllConnections();s.close()},
];
(async()=>{for(const [i,t] of T.entries()){log('---',i);await t();}})();
//// refusals cjs
const net = require('net'), http = require('http');
const attempts = [() => net.createServer().listen({}), () => net.createServer().listen(true), () => net.createServer().listen({ port: 'a' }),
    () => net.connect({ port: 1, localAddress: 'x' }), () => net.connect({ port: 1, localPort: 'x' }), () => net.connect({ port: 1, lookup: 5 }),
    () => net.connect({ port: 1, hints: 2 ** 20 }), () => new net.Socket().connect([]), () => net.connect({ port: null }), () => net.connect({ port: 1, host: 5 }),
    () => new net.Socket().write(null), () => new net.Socket().write(5), () => new net.Socket().setTimeout(-1), () => new net.Socket().setTimeout('5'),
    () => net.createServer({ highWaterMark: 'x' }), () => { const s = net.createServer().listen(0); try { s.listen(0); } finally { s.close(); } }];
for (const attempt of attempts) {
    try {
        console.log(String(attempt()));
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}
net.createServer().listen(0, '1.2.3.4').on('error', error => console.log({ ...error }, error.message));
net.createServer().close(error => console.log(error.code, error.message));
const taken = net.createServer().listen(0, () => net.createServer().listen(taken.address().port).on('error', error => {
    console.log(Object.keys(error), error.code, error.errno);
    taken.close();
}));
net.connect({ path: './nowhere' }).on('error', error => console.log({ ...error }, error.message));
net.connect({ port: 1, host: '127.0.0.1' }).on('error', error => console.log({ ...error }));
const late = new net.Socket();
late.on('error', error => console.log(error.code, error.message)).write('a', error => console.log(error.code));
