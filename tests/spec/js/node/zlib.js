//// round-trips
import zlib from 'zlib'; const text = 'hello hello hello '.repeat(50); for (const [a, b] of [['gzipSync', 'gunzipSync'], ['deflateSync', 'inflateSync'], ['deflateRawSync', 'inflateRawSync'], ['gzipSync', 'unzipSync'], ['deflateSync', 'unzipSync']]) for (const options of [undefined, { level: 9 }, { level: 0 }, { windowBits: 9 }, { strategy: zlib.constants.Z_HUFFMAN_ONLY }]) { const c = zlib[a](text, options); console.log(a, c.length < 1200, zlib[b](c).toString() === text, Buffer.isBuffer(c)); } console.log(zlib.gzipSync('x').subarray(0, 4), zlib.deflateSync(Buffer.alloc(0)), zlib.deflateRawSync('abc').toString('hex'), zlib.deflateSync('abc').toString('base64'), zlib.gunzipSync(Buffer.from('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==', 'base64')).toString()); console.log(zlib.inflateSync(zlib.deflateSync('abc', { dictionary: Buffer.from('abcdef') }), { dictionary: Buffer.from('abcdef') }).toString(), zlib.gunzipSync(Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')])).toString(), zlib.gunzipSync(Buffer.concat([zlib.gzipSync('a'), Buffer.alloc(5)])).toString(), zlib.inflateSync(zlib.deflateSync(new Uint8Array([1, 2, 3]))), zlib.gzipSync('').length);
//// errors
import zlib from 'zlib'; const t = f => { try { console.log(f()); } catch (e) { console.log(e.name, e.code, e.errno, e.message); } }; t(() => zlib.gunzipSync('not gzip')); t(() => zlib.inflateSync(Buffer.from([1, 2, 3]))); t(() => zlib.inflateRawSync(Buffer.from([255, 255]))); t(() => zlib.gunzipSync(zlib.gzipSync('hello').subarray(0, 12))); t(() => zlib.gzipSync(5)); t(() => zlib.gzipSync()); t(() => zlib.gzipSync('x', { level: 99 })); t(() => zlib.gunzipSync(Buffer.alloc(0))); t(() => zlib.inflateSync(zlib.deflateSync('abc', { dictionary: Buffer.from('abc') }))); t(() => zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1e6)), { maxOutputLength: 1000 })); t(() => zlib.gzip('x')); const bad = zlib.gzipSync('hello world'); bad[bad.length - 5] ^= 255; t(() => zlib.gunzipSync(bad)); t(() => zlib.gunzipSync(zlib.gzipSync('abc').subarray(0, 14), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString());
//// callbacks-and-promises
import zlib from 'zlib'; import util from 'util'; zlib.gzip('callback', (e, b) => { console.log(e, Buffer.isBuffer(b)); zlib.gunzip(b, (e, b) => console.log(e, b.toString())); }); console.log('first'); await new Promise(r => setTimeout(r, 20)); const c = await util.promisify(zlib.deflate)('promised', { level: 1 }); console.log((await util.promisify(zlib.inflate)(c)).toString()); await util.promisify(zlib.unzip)('junk').catch(e => console.log(e.code, e.message));
//// streams
import zlib from 'zlib'; import fs from 'fs'; import { pipeline } from 'stream/promises'; import { Readable } from 'stream'; fs.writeFileSync('a.txt', 'line\n'.repeat(10000)); await pipeline(fs.createReadStream('a.txt'), zlib.createGzip(), fs.createWriteStream('a.gz')); console.log(fs.statSync('a.gz').size < 500); await pipeline(fs.createReadStream('a.gz'), zlib.createGunzip(), fs.createWriteStream('b.txt')); console.log(fs.readFileSync('b.txt').equals(fs.readFileSync('a.txt'))); let out = ''; for await (const chunk of Readable.from([zlib.deflateRawSync('chunked')]).pipe(zlib.createInflateRaw())) out += chunk; console.log(out); const g = zlib.createGunzip(); g.on('error', e => console.log('error', e.code, e.message)); g.on('close', () => console.log('close')); g.end('garbage'); await new Promise(r => g.on('close', r)); const d = new zlib.Deflate(); d.end('z'); const parts = []; for await (const p of d) parts.push(p); console.log(zlib.inflateSync(Buffer.concat(parts)).toString(), d instanceof zlib.Deflate, d.bytesWritten); const u = zlib.createUnzip(); u.end(zlib.gzipSync('unz')); for await (const p of u) console.log(p.toString()); console.log(zlib.constants.Z_BEST_COMPRESSION, zlib.constants.Z_FINISH, zlib.codes.Z_DATA_ERROR);
//// sizes
import zlib from 'zlib'; import { once } from 'events';
const random = n => { const b = Buffer.alloc(n); for (let i = 0, s = 1; i < n; i++) { s = (Math.imul(s, 1103515245) + 12345) >>> 0; b[i] = s >>> 16; } return b; };
const words = n => Buffer.alloc(n, 'the quick brown fox jumps over the lazy dog\n');
const same = (a, b) => b instanceof Error ? b.message : a.equals(b);
async function streamed(make, data, piece) {
    const stream = zlib[make](), parts = [];
    stream.on('data', part => parts.push(part));
    const end = once(stream, 'end').catch(error => error);
    for (let i = 0; i < data.length; i += piece) stream.write(data.subarray(i, i + piece));
    stream.end();
    const failed = await end;
    return failed instanceof Error ? failed : Buffer.concat(parts);
}
for (const [pack, unpack] of [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'], ['deflate', 'unzip']]) {
    const creator = name => `create${name[0].toUpperCase()}${name.slice(1)}`;
    for (const make of [random, words]) for (const size of [0, 1, 8191, 8192, 8193, 65535, 65536, 65537, 1 << 20]) {
        const data = make(size), packed = zlib[`${pack}Sync`](data);
        const asked = await new Promise(done => zlib[unpack](packed, (error, out) => done(error ?? out)));
        const back = [zlib[`${unpack}Sync`](packed), asked, await streamed(creator(unpack), packed, 60000), await streamed(creator(unpack), packed, 1 << 24)];
        const other = zlib[`${unpack}Sync`](await streamed(creator(pack), data, 60000));
        console.log(pack, unpack, make.name, size, ...back.map(out => same(data, out)), same(data, other));
    }
}
const large = words(20 << 20), squeezed = zlib.gzipSync(large);
console.log(same(large, zlib.gunzipSync(squeezed)), same(large, await streamed('createGunzip', squeezed, 1 << 24)));
for (const format of ['gzip', 'deflate', 'deflate-raw']) {
    const data = random(100000), packed = new Blob([data]).stream().pipeThrough(new CompressionStream(format));
    console.log(format, same(data, Buffer.from(await new Response(packed.pipeThrough(new DecompressionStream(format))).arrayBuffer())));
}
//// members-damage-and-limits
import zlib from 'zlib';
const show = work => { try { const out = work(); return `${out.length} ${out.subarray(0, 3)}`; } catch (e) { return `${e.name} ${e.code} ${e.errno} ${e.message}`; } };
for (const size of [100, 9000, 100000]) {
    const data = Buffer.alloc(size, 'abcdef\n'), g = zlib.gzipSync(data), d = zlib.deflateSync(data), r = zlib.deflateRawSync(data);
    const all = change => [[g, 'gunzip'], [g, 'unzip'], [d, 'inflate'], [d, 'unzip'], [r, 'inflateRaw']].forEach(([packed, name]) => console.log(' ', name, show(() => zlib[`${name}Sync`](change(packed)))));
    console.log(size, 'twice'), all(packed => Buffer.concat([packed, packed]));
    for (const tail of ['\0\0\0', 'garbage and more of it', '\x1f', '\x1f\x8b', '\x1f\x8bgarbage', '\0\x1f\x8b']) console.log(size, [tail]), all(packed => Buffer.concat([packed, Buffer.from(tail, 'latin1')]));
    for (const cut of [0, 1, 5, 10, -9, -8, -1]) console.log(size, 'cut', cut), all(packed => packed.subarray(0, cut));
    for (const at of [0, 1, 2, 3]) console.log(size, 'wrong', at), all(packed => packed.map((byte, i) => i === at ? byte ^ 0x55 : byte));
    for (const finishFlush of [zlib.constants.Z_SYNC_FLUSH]) console.log(size, 'sync', show(() => zlib.gunzipSync(g.subarray(0, 12), { finishFlush })), show(() => zlib.inflateSync(d.subarray(0, -2), { finishFlush })));
    for (const maxOutputLength of [1, size - 1, size, size + 1]) console.log(size, 'most', maxOutputLength - size, show(() => zlib.gunzipSync(g, { maxOutputLength })), show(() => zlib.inflateRawSync(r, { maxOutputLength })));
    const dictionary = Buffer.from('abcdef\nabcdef\n'), packed = zlib.deflateSync(data, { dictionary });
    console.log(size, show(() => zlib.inflateSync(packed, { dictionary })), show(() => zlib.inflateSync(packed)), show(() => zlib.inflateSync(packed, { dictionary: Buffer.from('no') })));
    for (const [name, bytes] of [['cut', g.subarray(0, -5)], ['tail', Buffer.concat([g, Buffer.from('garbage')])], ['zeros', Buffer.concat([g, Buffer.alloc(9)])], ['twice', Buffer.concat([g, g])]]) for (const piece of [7, 1 << 20]) {
        const stream = zlib.createGunzip(); let length = 0;
        const done = new Promise(done => stream.on('data', out => { length += out.length; }).on('end', () => done(length)).on('error', e => done(`${e.code} ${e.message}`)));
        for (let i = 0; i < bytes.length; i += piece) stream.write(bytes.subarray(i, i + piece));
        stream.end();
        console.log(size, 'stream', name, piece, await done);
    }
}

//// brotli
import zlib from 'node:zlib';
import { createHash } from 'node:crypto';
const { constants: c } = zlib;
const text = 'The quick brown fox. '.repeat(3000) + Array.from({ length: 5000 }, (_, i) => (i * 7919) % 1000).join();
for (let quality = 0; quality <= 11; quality++) {
    const packed = zlib.brotliCompressSync(text, { params: { [c.BROTLI_PARAM_QUALITY]: quality, [c.BROTLI_PARAM_LGWIN]: 10 + quality } });
    console.log(quality, packed.length, createHash('sha1').update(packed).digest('hex'), zlib.brotliDecompressSync(packed).toString() === text);
}
console.log(Object.entries(c).filter(([name]) => name.startsWith('BROTLI')).map(([name, value]) => `${name}=${value}`).join(' '));
const attempt = work => { try { return String(work()); } catch (error) { return `${error.name} ${error.code} ${error.errno}: ${error.message}`; } };
for (const bytes of ['garbage garbage', 'zzzz', Buffer.from([11]), '', Buffer.concat([zlib.brotliCompressSync('abc'), Buffer.from('rest')])]) console.log(attempt(() => zlib.brotliDecompressSync(bytes)));
for (const options of [{ params: { 99: 1 } }, { params: { x: 1 } }, { params: { 1: 'x' } }, { params: { 0: true } }, { params: { 1: 200 } }, { flush: 9 }, { finishFlush: -1 }, { chunkSize: 1 }, { params: null }, { maxOutputLength: 3 }])
    console.log(attempt(() => zlib.brotliCompressSync('hello hello hello', options).toString('hex')));
console.log(zlib.BrotliCompress() instanceof zlib.BrotliCompress, zlib.createBrotliDecompress() instanceof zlib.BrotliDecompress);

//// brotli-streams
import zlib from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
console.log(String(await promisify(zlib.brotliDecompress)(await promisify(zlib.brotliCompress)('by callback'))));
await promisify(zlib.brotliDecompress)('zzzz').catch(error => console.log(error.code, error.errno, error.message));
const stream = zlib.createBrotliCompress(), parts = [];
stream.on('data', part => parts.push(part));
await new Promise(done => { stream.write('one'); stream.flush(done); });
console.log(Buffer.concat(parts).toString('hex'));
stream.end(' two');
await new Promise(done => stream.on('end', done));
console.log(String(zlib.brotliDecompressSync(Buffer.concat(parts))), stream.bytesWritten);
for (const input of ['garbage!!', zlib.brotliCompressSync('x'.repeat(10000)).subarray(0, 8)])
    await pipeline(Readable.from([input]), zlib.createBrotliDecompress(), async source => { for await (const part of source) part.length; }).catch(error => console.log(error.code, error.errno, error.message));
