//// subtle-1 cjs
const crypto = require('crypto');
const cb = f => new Promise(r => f((...a) => r(a))), slurp = async s => { const l = []; for await (const c of s) l.push(c); return l; };
const show = v => util.inspect(v, { depth: 3, breakLength: 160, maxStringLength: 300 }).replace(/\n    at .*/g, '');
const looks = [
    async () => { const l=[]; for (const namedCurve of ['P-256','P-384','P-521']) { const k = await crypto.subtle.generateKey({name:'ECDSA',namedCurve},true,['sign','verify']); const a={name:'ECDSA',hash:'SHA-384'}; const s = await crypto.subtle.sign(a,k.privateKey,Buffer.from('x')); l.push(k.publicKey, s.byteLength, await crypto.subtle.verify(a,k.publicKey,s,Buffer.from('x'))); for (const f of ['spki','jwk','raw']) { const e = await crypto.subtle.exportKey(f,k.publicKey); const i = await crypto.subtle.importKey(f,e,{name:'ECDSA',namedCurve},true,['verify']); l.push(await crypto.subtle.verify(a,i,s,Buffer.from('x'))); if (f==='jwk') l.push(Object.keys(e)) } for (const f of ['pkcs8','jwk']) { const e = await crypto.subtle.exportKey(f,k.privateKey); const i = await crypto.subtle.importKey(f,e,{name:'ECDSA',namedCurve},true,['sign']); l.push(i) } } return l },
    async () => { const k = await crypto.subtle.generateKey({name:'RSA-OAEP',modulusLength:1024,publicExponent:new Uint8Array([1,0,1]),hash:'SHA-1'},true,['encrypt','decrypt','wrapKey','unwrapKey']); const c = await crypto.subtle.encrypt('RSA-OAEP',k.publicKey,Buffer.from('secret')); const aes = await crypto.subtle.generateKey({name:'AES-GCM',length:128},true,['encrypt']); const w = await crypto.subtle.wrapKey('raw',aes,k.publicKey,'RSA-OAEP'); const u = await crypto.subtle.unwrapKey('raw',w,k.privateKey,'RSA-OAEP','AES-GCM',true,['encrypt']); return [Buffer.from(await crypto.subtle.decrypt('RSA-OAEP',k.privateKey,c)).toString(), k.publicKey.usages, k.privateKey.usages, u.algorithm, (await crypto.subtle.exportKey('jwk',k.publicKey)).alg] },
    async () => (crypto.subtle.generateKey({name:'ECDSA',namedCurve:'nope'},true,['sign'])),
    async () => (crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},true,[])),
    async () => (crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},true,['encrypt'])),
    async () => (crypto.subtle.generateKey({name:'Ed25519'},true,[])),
    async () => (crypto.subtle.generateKey({name:'RSA-PSS',modulusLength:1024,publicExponent:new Uint8Array([1,0,1])},true,['sign'])),
    async () => (crypto.subtle.importKey('jwk',{kty:'oct'},{name:'ECDSA',namedCurve:'P-256'},true,['verify'])),
    async () => (crypto.subtle.importKey('spki',Buffer.alloc(3),{name:'ECDSA',namedCurve:'P-256'},true,['verify'])),
    async () => (crypto.subtle.importKey('raw',Buffer.alloc(3),{name:'ECDSA',namedCurve:'P-256'},true,['verify'])),
    async () => { const k = await crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},true,['sign','verify']); return crypto.subtle.sign({name:'ECDSA',hash:'SHA-256'},k.publicKey,Buffer.from('x')) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},true,['sign','verify']); return crypto.subtle.exportKey('raw',k.privateKey) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},false,['sign','verify']); return crypto.subtle.exportKey('pkcs8',k.privateKey) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDSA',namedCurve:'P-256'},true,['sign','verify']); return crypto.subtle.sign({name:'HMAC'},k.privateKey,Buffer.from('x')) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDH',namedCurve:'P-256'},true,['deriveBits']); return crypto.subtle.deriveBits({name:'ECDH'},k.privateKey,128) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDH',namedCurve:'P-256'},true,['deriveBits']); return crypto.subtle.deriveBits({name:'ECDH',public:k.privateKey},k.privateKey,128) },
    async () => { const k = await crypto.subtle.generateKey({name:'ECDH',namedCurve:'P-256'},true,['deriveBits']); return crypto.subtle.deriveBits({name:'ECDH',public:k.publicKey},k.privateKey,8000) },
    async () => { const k = await crypto.subtle.generateKey({name:'Ed25519'},true,['sign','verify']); const o = crypto.KeyObject.from(k.publicKey); return [o.asymmetricKeyType, o.type, crypto.verify(null, Buffer.from('a'), k.publicKey, await crypto.subtle.sign('Ed25519', k.privateKey, Buffer.from('a')).then(Buffer.from))] },
    async () => { const c = new CompressionStream('gzip'), d = new DecompressionStream('gzip'); const w = c.writable.getWriter(); w.write(Buffer.from('hello ')); w.write(Buffer.from('world')); w.close(); return Buffer.concat(await slurp(c.readable.pipeThrough(d))).toString() },
    async () => { const d = new DecompressionStream('gzip'); const w = d.writable.getWriter(); w.write(Buffer.from('garbage here')).catch(()=>{}); w.close().catch(()=>{}); return slurp(d.readable) },
    async () => (new CompressionStream('zip')),
    async () => { const c = new CompressionStream('deflate-raw'); const w = c.writable.getWriter(); const r = c.readable.getReader(); w.write(require('crypto').randomBytes(300000)); return [(await r.read()).value.length > 0] },
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
