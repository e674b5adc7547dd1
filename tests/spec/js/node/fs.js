//// read-write
import fs from 'fs'; import { readFile, writeFile, appendFile } from 'node:fs/promises';
fs.writeFileSync('a.txt', 'hello'); fs.appendFileSync('a.txt', ' world'); console.log(fs.readFileSync('a.txt', 'utf8'), fs.readFileSync('a.txt'));
await writeFile('b.txt', 'héllo'); await appendFile('b.txt', Buffer.from('!')); console.log(await readFile('b.txt', 'utf8'), await readFile('b.txt', { encoding: 'hex' }), (await readFile('b.txt')).length);
fs.writeFileSync('c.bin', new Uint8Array([0, 255, 128])); console.log(fs.readFileSync('c.bin'), fs.readFileSync('c.bin', 'latin1').length, fs.readFileSync('c.bin', 'base64'));
fs.writeFileSync('d.txt', 'x', { flag: 'a' }); fs.writeFileSync('d.txt', 'y', { flag: 'a' }); console.log(fs.readFileSync('d.txt', { encoding: 'utf8' }));
await new Promise(f => fs.readFile('a.txt', (e, d) => f(console.log(e, d)))); await new Promise(f => fs.readFile('nope', (e, d) => f(console.log(e.code, d)))); fs.writeFile('e.txt', 'cb', e => console.log(e, fs.readFileSync('e.txt', 'utf8')));
//// errors
import fs from 'fs'; import fsp from 'fs/promises';
const show = fn => { try { fn(); console.log('ok'); } catch (e) { console.log(e.message, '|', e.code, e.errno, e.syscall, e.path, e.dest); } };
show(() => fs.readFileSync('nope')); show(() => fs.readFileSync('.')); show(() => fs.statSync('nope/x')); show(() => fs.mkdirSync('.')); show(() => fs.rmdirSync('nope')); show(() => fs.unlinkSync('nope'));
show(() => fs.renameSync('nope', 'b')); show(() => fs.copyFileSync('nope', 'b')); show(() => fs.readdirSync('nope')); show(() => fs.openSync('nope', 'r')); show(() => fs.accessSync('nope')); show(() => fs.readlinkSync('.'));
show(() => fs.realpathSync('nope')); show(() => fs.linkSync('nope', 'x')); show(() => fs.chmodSync('nope', 0o600)); show(() => fs.truncateSync('nope', 0)); show(() => fs.rmSync('nope')); show(() => fs.rmSync('nope', { force: true })); show(() => fs.writeFileSync('no/dir/x', ''));
show(() => fs.closeSync(9999)); show(() => fs.fstatSync(9999)); show(() => fs.mkdtempSync('no/dir/x-')); show(() => fs.symlinkSync('x', '.')); show(() => fs.utimesSync('nope', 1, 1)); show(() => fs.lstatSync('nope'));
fs.mkdirSync('full'); fs.writeFileSync('full/x', ''); show(() => fs.rmdirSync('full')); show(() => fs.rmSync('full')); show(() => fs.mkdirSync('full/x/y')); show(() => fs.mkdirSync('full/x/y', { recursive: true }));
for (const p of ['readFile', 'stat', 'readdir', 'unlink', 'access', 'rm', 'lstat']) await fsp[p]('missing').catch(e => console.log(p, e.message, e.code, e.syscall));
show(() => fs.readFileSync(5.5)); show(() => fs.readFileSync({})); show(() => fs.readFileSync('a\0b')); show(() => fs.writeFileSync('x', 5)); show(() => fs.readFileSync('x', 'nonsense')); show(() => fs.openSync('x', 'zz')); show(() => fs.mkdirSync()); show(() => fs.existsSync());
//// stat
import fs from 'fs';
fs.writeFileSync('f', '12345'); fs.mkdirSync('d'); fs.symlinkSync('f', 'l'); fs.utimesSync('f', 1000, 2000.5);
const s = fs.statSync('f'); console.log(s.size, s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.mtimeMs, s.mtime.toISOString(), s.atimeMs, (s.mode & 0o777).toString(8), s.nlink, typeof s.ino, Object.keys(s).join());
console.log(fs.statSync('d').isDirectory(), fs.lstatSync('l').isSymbolicLink(), fs.statSync('l').isFile(), fs.readlinkSync('l'), fs.statSync('nope', { throwIfNoEntry: false }), fs.existsSync('f'), fs.existsSync('nope'));
const b = fs.statSync('f', { bigint: true }); console.log(b.size, b.mtimeNs, b.isFile()); fs.chmodSync('f', 0o600); console.log((fs.statSync('f').mode & 0o777).toString(8)); fs.chmodSync('f', '755'); console.log((fs.statSync('f').mode & 0o777).toString(8));
fs.truncateSync('f', 2); console.log(fs.readFileSync('f', 'utf8')); fs.linkSync('f', 'g'); console.log(fs.statSync('f').nlink);
//// directories
import fs from 'fs'; import fsp from 'fs/promises';
console.log(fs.mkdirSync('a/b/c', { recursive: true }) !== undefined, fs.mkdirSync('a/b/c', { recursive: true })); fs.writeFileSync('a/1.txt', '1'); fs.writeFileSync('a/b/2.txt', '2'); fs.writeFileSync('a/b/c/3.txt', '3');
console.log(fs.readdirSync('a').sort(), fs.readdirSync('a', { withFileTypes: true }).map(e => [e.name, e.isDirectory(), e.isFile()]), fs.readdirSync('a', { recursive: true }).sort());
console.log(await fsp.readdir('a'), (await fsp.readdir('a', { withFileTypes: true })).length); fs.cpSync('a', 'z', { recursive: true }); console.log(fs.readdirSync('z', { recursive: true }).sort()); fs.renameSync('z', 'y'); console.log(fs.existsSync('z'), fs.existsSync('y/b/2.txt'));
fs.rmSync('a', { recursive: true }); console.log(fs.existsSync('a')); await fsp.rm('y', { recursive: true, force: true }); console.log(fs.readdirSync('.').length); const t = fs.mkdtempSync('tmp-'); console.log(t.length, fs.statSync(t).isDirectory()); fs.rmdirSync(t);
const dir = await fsp.opendir('.'); const names = []; for await (const e of dir) names.push(e.name); console.log(names);
//// descriptors
import fs from 'fs'; import { open } from 'fs/promises';
const fd = fs.openSync('f', 'w+'); console.log(fs.writeSync(fd, 'hello world'), fs.writeSync(fd, Buffer.from('XY'), 0, 2, 3)); const b = Buffer.alloc(20); console.log(fs.readSync(fd, b, 0, 20, 0), b.toString('utf8', 0, 11), fs.fstatSync(fd).size); fs.ftruncateSync(fd, 4); fs.closeSync(fd); console.log(fs.readFileSync('f', 'utf8'));
const h = await open('f'); console.log((await h.read(Buffer.alloc(2), 0, 2, 1)).bytesRead, await h.readFile('utf8'), (await h.stat()).size); await h.close(); const w = await open('g', 'w'); await w.write('abc'); await w.writeFile('def'); await w.close(); console.log(fs.readFileSync('g', 'utf8'));
await new Promise(f => fs.open('f', (e, d) => fs.read(d, Buffer.alloc(3), 0, 3, 0, (e, n, buf) => { console.log(e, n, buf.toString()); fs.close(d, e => f(console.log(e))); }))); fs.writeFileSync('lines', 'a\nb\r\nc'); for await (const line of (await open('lines')).readLines()) console.log(line);
//// streams
import fs from 'fs'; import { pipeline } from 'stream/promises'; import { Transform } from 'stream'; import readline from 'readline';
fs.writeFileSync('in', 'line1\nline2\nline3\n'); await pipeline(fs.createReadStream('in'), new Transform({ transform(c, e, cb) { cb(null, c.toString().toUpperCase()); } }), fs.createWriteStream('out')); console.log(fs.readFileSync('out', 'utf8'));
for await (const l of readline.createInterface({ input: fs.createReadStream('in'), crlfDelay: Infinity })) console.log('line', l); for await (const c of fs.createReadStream('in', { encoding: 'utf8', start: 2, end: 6 })) console.log(JSON.stringify(c));
fs.createReadStream('nope').on('error', e => console.log(e.code)); const ws = fs.createWriteStream('w'); console.log(ws.write('a')); ws.end('b', () => console.log('done', fs.readFileSync('w', 'utf8'))); let size = 0; fs.writeFileSync('big', Buffer.alloc(200000, 'x')); for await (const c of fs.createReadStream('big')) size += c.length; console.log(size);
//// constants
import fs, { constants } from 'fs'; console.log(constants.R_OK, constants.O_RDONLY, constants.O_CREAT, constants.S_IFMT, fs.F_OK, constants.COPYFILE_EXCL); fs.writeFileSync('a', ''); fs.accessSync('a', constants.R_OK | constants.W_OK); try { fs.copyFileSync('a', 'a2', 1); fs.copyFileSync('a', 'a2', constants.COPYFILE_EXCL); } catch (e) { console.log(e.code, e.message); }
//// urls
import fs from 'fs'; import { pathToFileURL, fileURLToPath } from 'url'; fs.writeFileSync('sp ace.txt', 'u'); const u = pathToFileURL('sp ace.txt'); console.log(fs.readFileSync(u, 'utf8'), u.href.endsWith('sp%20ace.txt'), fileURLToPath(u).endsWith('sp ace.txt')); fs.writeFileSync(Buffer.from('buf.txt'), 'b'); console.log(fs.readdirSync('.').includes('buf.txt'), typeof import.meta.url, import.meta.dirname === process.cwd(), import.meta.filename === fileURLToPath(import.meta.url));
