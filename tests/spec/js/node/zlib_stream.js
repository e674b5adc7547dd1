//// zlib_stream cjs
// Streams of zlib: pieces of chunkSize, flush() and params() in the order of writes, reset() and close().
const zlib = require('zlib');
// what threads of their own do in Node comes in any order
const said = [];
const say = (...words) => said.push(words.join(' '));
process.on('exit', () => console.log(said.sort().join('\n')));
const data = Buffer.from(Array.from({ length: 40000 }, (_, i) => (i * i + (i >> 3)) & 0xff));

const sizes = [];
const inflate = zlib.createInflate({ chunkSize: 1000 });
inflate.on('data', piece => sizes.push(piece.length));
inflate.on('end', () => say('pieces', sizes.length, Math.max(...sizes), inflate.bytesWritten > 0));
inflate.end(zlib.deflateSync(data));

const deflate = zlib.createDeflate({ level: 9 });
const parts = [];
deflate.on('data', piece => parts.push(piece));
deflate.write(data.subarray(0, 20000));
deflate.params(0, zlib.constants.Z_DEFAULT_STRATEGY, error => {
    say('params', error, parts.length > 0);
    deflate.write(data.subarray(20000));
    deflate.flush(() => {
        say('flushed', Buffer.concat(parts).length > 20000);
        deflate.end();
    });
});
deflate.on('end', () => say('same', zlib.inflateSync(Buffer.concat(parts)).equals(data)));

const closed = zlib.createGzip();
closed.close(error => {
    say('close', error?.code);
    try {
        closed.reset();
    } catch (failure) {
        say(failure.code, failure.message);
    }
});
closed.on('error', error => say('error', error.code));
closed.write('x');
