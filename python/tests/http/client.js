// What Node's http does as a client: printed by Node and by a sandbox, and compared (test_http_libraries.py).
const http = require('node:http');
const U = 'http://localhost:PORT';
const body = res => new Promise((good, bad) => { let t = ''; res.setEncoding('utf8'); res.on('data', d => t += d); res.on('end', () => good(t)); res.on('error', bad); });
const ask = (...a) => new Promise((good, bad) => { const data = typeof a[a.length - 1] === 'object' && a[a.length-1].data !== undefined ? a.pop().data : undefined; const r = http.request(...a, res => good(res)); r.on('error', bad); r.end(data); });
const hide = h => { const { connection, date, 'keep-alive': k, server, ...rest } = h; return rest; };
(async () => {
    let res = await new Promise((good, bad) => http.get(U + '/hello', good).on('error', bad));
    console.log(res.statusCode, res.statusMessage, res.httpVersion, res.headers['x-test'], res.headers['content-length'], await body(res), res.complete);
    res = await ask(U + '/echo?q=1', { method: 'POST', headers: { 'X-A': 'b', 'Content-Type': 'text/plain' } }, { data: 'héllo' });
    let e = JSON.parse(await body(res));
    console.log(e.method, e.path, e.body, e.headers['X-A'], e.headers['Content-Type']);
    res = await ask({ hostname: 'localhost', port: PORT, path: '/echo', method: 'put', auth: 'u:p', headers: { 'x-list': ['1', '2'] } }, { data: Buffer.from([1, 2, 255]) });
    e = JSON.parse(await body(res));
    console.log(e.method, e.body.length, e.headers['Authorization'], e.headers['x-list']);
    res = await ask(new URL(U + '/none'));
    console.log(res.statusCode, await body(res));
    res = await ask(U + '/hello', { method: 'HEAD' });
    console.log(res.statusCode, JSON.stringify(await body(res)));
    res = await ask(U + '/redirect?code=302&to=%2Fhello');
    console.log(res.statusCode, res.headers.location, (await body(res)).length >= 0);
    for (const bad of ['http://nothing.invalid/', 'http://localhost:1/'])
        await ask(bad).catch(e => console.log(e.code, e.syscall, e.name, e.message.replace(/(?:127.0.0.1|::1|localhost)/, 'L')));
    for (const f of [() => http.get('https://localhost/'), () => http.get({ path: '/a b' }), () => http.get({ method: 7 }), () => http.request(U, { method: 'A B' }), () => http.request(U, { headers: { 'a b': 1 } }), () => http.request(U, { headers: { a: 'x\ny' } }), () => http.request('nope')])
        try { f().on('error', () => {}); } catch (e) { console.log(e.name, e.code, e.message); }
    const r = http.request(U + '/echo', { method: 'POST', headers: {'Content-Length': 3} });
    r.setHeader('X-One', '1');
    console.log(r.getHeader('x-one'), r.hasHeader('X-ONE'), r.getHeaderNames().join(), r.method, r.path, r.host, r.protocol);
    r.removeHeader('x-one');
    r.write('a'); r.write(Buffer.from('b'));
    try { r.setHeader('X-Two', '2'); } catch (e) { console.log(e.code, e.message); }
    r.end('c', () => console.log('flushed'));
    res = await new Promise(good => r.on('response', good));
    e = JSON.parse(await body(res));
    console.log(e.body, e.headers['X-One']);
    const events = [];
    const q = http.get(U + '/hello');
    for (const name of ['socket', 'finish', 'response', 'close', 'error']) q.on(name, () => events.push(name));
    q.on('response', res => { res.on('end', () => events.push('end')); res.on('close', () => events.push('res close')); res.resume(); });
    await new Promise(good => q.on('close', () => setTimeout(good, 20)));
    console.log(events.join());
    const slow = http.get(U + '/slow?s=2', { timeout: 30 });
    await new Promise(good => slow.on('timeout', () => { console.log('timeout'); slow.destroy(); }).on('error', e => { console.log(e.code, e.message); }).on('close', good));
    const control = new AbortController();
    const ab = http.get(U + '/slow?s=2', { signal: control.signal });
    setTimeout(() => control.abort(), 10);
    await new Promise(good => ab.on('error', e => { console.log(e.name, e.code, e.message); good(); }));
    const ab2 = http.get(U + '/slow?s=2');
    ab2.on('abort', () => console.log('abort'));
    setTimeout(() => ab2.abort(), 10);
    await new Promise(good => ab2.on('error', e => { console.log(e.code, e.message, ab2.aborted, ab2.destroyed); good(); }));
    const many = await Promise.all([1, 2, 3].map(n => ask(U + '/echo?n=' + n).then(body)));
    console.log(many.map(t => JSON.parse(t).path).join());
    res = await ask(U + '/bytes?n=4');
    let n = 0; for await (const d of res) n += d.length;
    console.log(n, Buffer.isBuffer(res.rawHeaders) , Array.isArray(res.rawHeaders));
    const { pipeline } = require('stream/promises'); const fs = require('fs');
    await pipeline(await ask(U + '/hello'), fs.createWriteStream('FILE'));
    console.log(fs.readFileSync('FILE', 'utf8'));
    const piped = http.request(U + '/body', { method: 'POST', headers: { 'Content-Length': 6 } });
    fs.createReadStream('FILE').pipe(piped);
    console.log('piped', await body(await new Promise(good => piped.on('response', good))));
    console.log(http.STATUS_CODES[418], http.METHODS.length, typeof http.Agent, http.globalAgent.defaultPort, require('https').globalAgent.defaultPort, new http.Agent({ keepAlive: true }).keepAlive);
})();
