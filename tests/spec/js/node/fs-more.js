//// sync-errors cjs
const fs = require('fs'); const t = (n, f) => { try { console.log(n, f()); } catch (e) { console.log(n, e.name, e.code, e.errno, e.syscall, e.path, e.dest, e.message); } };
fs.mkdirSync('d'); fs.writeFileSync('f', 'x'); fs.mkdirSync('full'); fs.writeFileSync('full/x', '');
t('read', () => fs.readFileSync('none')); t('readdir', () => fs.readdirSync('none')); t('readdirfile', () => fs.readdirSync('f')); t('readd', () => fs.readFileSync('d')); t('writed', () => fs.writeFileSync('d', 'x')); t('writenone', () => fs.writeFileSync('no/x', 'x')); t('mkdir', () => fs.mkdirSync('d')); t('mkdirdeep', () => fs.mkdirSync('a/b/c')); t('rmdir', () => fs.rmdirSync('full')); t('rmdirnone', () => fs.rmdirSync('none')); t('unlink', () => fs.unlinkSync('none')); t('stat', () => fs.statSync('none')); t('lstat', () => fs.lstatSync('none')); t('statno', () => fs.statSync('none', { throwIfNoEntry: false })); t('rename', () => fs.renameSync('none', 'x')); t('copy', () => fs.copyFileSync('none', 'x')); t('copyexcl', () => fs.copyFileSync('f', 'full/x', fs.constants.COPYFILE_EXCL)); t('link', () => fs.linkSync('none', 'x')); t('readlink', () => fs.readlinkSync('f')); t('symlink', () => fs.symlinkSync('f', 'd')); t('access', () => fs.accessSync('none')); t('open', () => fs.openSync('none', 'r')); t('openx', () => fs.openSync('f', 'wx')); t('close', () => fs.closeSync(999)); t('rm', () => fs.rmSync('none')); t('rmd', () => fs.rmSync('d')); t('rmf', () => fs.rmSync('none', { force: true })); t('chmod', () => fs.chmodSync('none', 0o644)); t('trunc', () => fs.truncateSync('none', 1)); t('real', () => fs.realpathSync('none').length); t('notdir', () => fs.readFileSync('f/x')); t('exists', () => [fs.existsSync('none'), fs.existsSync('f'), fs.existsSync(null)]); t('utimes', () => fs.utimesSync('none', 1, 1)); t('mkdtemp', () => fs.mkdtempSync('no/such/x').length); t('rmdirfile', () => fs.rmdirSync('f')); t('unlinkdir', () => ['EISDIR', 'EPERM'].includes((() => { try { fs.unlinkSync('d'); } catch (e) { return e.code; } })())); t('append', () => fs.appendFileSync('no/x', '1'));
//// argument-errors cjs
const fs = require('fs'); const t = f => { try { console.log(f()); } catch (e) { console.log(e.name, e.code, e.message); } };
t(() => fs.readFileSync()); t(() => fs.readFileSync(undefined)); t(() => fs.readFileSync({})); t(() => fs.writeFileSync('x')); t(() => fs.writeFileSync('x', undefined)); t(() => fs.writeFileSync('x', { a: 1 })); t(() => fs.writeFileSync('x', 5)); t(() => fs.readFileSync('x', 'nope')); t(() => fs.readFileSync('x', { encoding: 'bad' })); t(() => fs.openSync('x', 'zz')); t(() => fs.mkdirSync(5)); t(() => fs.closeSync('x')); t(() => fs.chmodSync('x', 'zz')); t(() => fs.readSync(0.5, Buffer.alloc(1))); t(() => fs.existsSync()); t(() => fs.readFileSync('a\0b')); t(() => fs.appendFileSync('x', 5)); t(() => fs.truncateSync('x', 'a')); t(() => fs.readdirSync('.', 'bogus'));
//// promises
import fs from 'fs/promises'; import { constants } from 'fs';
await fs.mkdir('p/q', { recursive: true }); console.log(await fs.mkdir('p/r', { recursive: true }) !== undefined, await fs.mkdir('p/r', { recursive: true })); await fs.writeFile('p/a.txt', 'one\ntwo\n'); await fs.appendFile('p/a.txt', 'three'); console.log(await fs.readFile('p/a.txt', 'utf8'), (await fs.readFile('p/a.txt', { encoding: 'utf8' })).length, await fs.readFile('p/a.txt', 'base64'), await fs.readFile('p/a.txt', 'hex'));
const st = await fs.stat('p/a.txt'); console.log(st.size, st.isFile(), st.isDirectory(), st.isSymbolicLink(), (st.mode & 0o777).toString(8), st.nlink, st.mtime instanceof Date, typeof st.mtimeMs, st.isFIFO(), st.isSocket(), st.isBlockDevice(), st.isCharacterDevice());
await fs.copyFile('p/a.txt', 'p/b.txt'); await fs.rename('p/b.txt', 'p/c.txt'); await fs.symlink('a.txt', 'p/ln'); console.log(await fs.readlink('p/ln'), (await fs.lstat('p/ln')).isSymbolicLink(), (await fs.readdir('p')).sort(), (await fs.readdir('p', { withFileTypes: true })).sort((a, b) => a.name < b.name ? -1 : 1).map(e => [e.name, e.isFile(), e.isDirectory(), e.isSymbolicLink()]));
await fs.chmod('p/a.txt', 0o600); console.log(((await fs.stat('p/a.txt')).mode & 0o777).toString(8)); await fs.utimes('p/a.txt', 1000, 2000); console.log((await fs.stat('p/a.txt')).mtimeMs, (await fs.stat('p/a.txt')).atime.toISOString()); await fs.truncate('p/a.txt', 3); console.log(await fs.readFile('p/a.txt', 'utf8')); await fs.access('p/a.txt', constants.R_OK); await fs.access('nope').catch(e => console.log(e.code, e.message)); await fs.unlink('p/c.txt'); await fs.rm('p', { recursive: true }); await fs.stat('p').catch(e => console.log(e.message)); await fs.rm('p', { force: true }); await fs.readFile('p').catch(e => console.log(e instanceof Error, e.syscall, e.errno)); await fs.rmdir('p').catch(e => console.log(e.code)); await fs.mkdir('x/y').catch(e => console.log(e.message)); await fs.writeFile('it', (function* () { yield 'a'; yield 'b'; })()); console.log(await fs.readFile('it', 'utf8')); console.log((await fs.realpath('it')).endsWith('/it')); const t = await fs.mkdtemp('tmp-'); console.log(/^tmp-\w{6}$/.test(t));
//// callbacks cjs
const fs = require('fs');
fs.writeFile('a', 'hello', err => { console.log('write', err); fs.readFile('a', 'utf8', (err, data) => { console.log('read', err, data); fs.readFile('a', (err, buf) => { console.log(buf); fs.stat('a', (e, s) => { console.log(e, s.size); fs.readFile('none', (e, d) => { console.log(e.message, d); fs.mkdir('x/y', { recursive: true }, (e, p) => { console.log(e, p.endsWith('/x')); fs.readdir('.', (e, l) => { console.log(e, l.filter(n => n !== 'case.js').sort()); fs.rename('a', 'b', e => { console.log(e); fs.unlink('b', e => { console.log(e); fs.access('b', e => { console.log(e.code); fs.exists('x', yes => { console.log(yes); fs.rm('x', { recursive: true }, e => console.log(e)); }); }); }); }); }); }); }); }); }); }); }); console.log('sync first');
//// file-handles
import fs from 'fs/promises'; const h = await fs.open('h', 'w+'); console.log(typeof h.fd, (await h.write('hello world')).bytesWritten, (await h.write(Buffer.from('XY'), 0, 2, 0)).bytesWritten); const b = Buffer.alloc(5); console.log(await h.read(b, 0, 5, 0).then(r => r.bytesRead), b.toString(), (await h.stat()).size); await h.truncate(4); await h.appendFile('!'); await h.sync(); await h.close(); console.log(await fs.readFile('h', 'utf8')); const r = await fs.open('h'); console.log(await r.readFile('utf8')); await r.close(); await r.read(b, 0, 1, 0).catch(e => console.log(e.code)); await fs.writeFile('lines', 'a\nb\r\nc'); const l = await fs.open('lines'); for await (const line of l.readLines()) console.log(JSON.stringify(line)); const w = await fs.open('w', 'w'); await w.writeFile('data'); await w.writev([Buffer.from('1'), Buffer.from('2')]); await w.close(); console.log(await fs.readFile('w', 'latin1'));
//// descriptors cjs
const fs = require('fs'); const fd = fs.openSync('f', 'w+'); console.log(fs.writeSync(fd, 'hello'), fs.writeSync(fd, Buffer.from('abc'), 1), fs.writeSync(fd, 'é', null, 'latin1')); const b = Buffer.alloc(20); console.log(fs.readSync(fd, b, 0, 20, 0), b.subarray(0, 9), fs.readSync(fd, b), fs.fstatSync(fd).size); fs.ftruncateSync(fd, 2); fs.closeSync(fd); console.log(fs.readFileSync('f', 'utf8')); const a = fs.openSync('f', 'a'); fs.writeSync(a, 'zz'); fs.closeSync(a); console.log(fs.readFileSync('f').toString()); const r = fs.openSync('f', 'r'); console.log(fs.readFileSync(r, 'utf8'), fs.readFileSync(r, 'utf8') === ''); try { fs.writeSync(r, 'x'); } catch (e) { console.log(e.code, e.syscall); } fs.closeSync(r); fs.writeFileSync('g', 'one', { flag: 'a' }); fs.writeFileSync('g', 'two', { flag: 'a', mode: 0o600 }); console.log(fs.readFileSync('g', 'utf8')); try { fs.writeFileSync('g', 'x', { flag: 'wx' }); } catch (e) { console.log(e.code); } fs.writeFileSync('u8', new Uint8Array([104, 105])); console.log(fs.readFileSync('u8', 'utf8')); fs.cpSync('g', 'g2'); fs.mkdirSync('t/u', { recursive: true }); fs.writeFileSync('t/u/v', '1'); fs.cpSync('t', 't2', { recursive: true }); console.log(fs.readFileSync('t2/u/v', 'utf8')); const dir = fs.opendirSync('t'); let e; while ((e = dir.readSync())) console.log(e.name, e.isDirectory()); dir.closeSync(); console.log(fs.statSync('f', { bigint: true }).size, typeof fs.statSync('f').birthtimeMs, fs.constants.O_RDONLY, fs.constants.F_OK, fs.F_OK);
//// read-streams
import fs from 'fs'; import { pipeline } from 'stream/promises'; fs.writeFileSync('s', 'abcdefghij'.repeat(10)); let n = 0; for await (const c of fs.createReadStream('s', { highWaterMark: 30 })) { n++; console.log(c.length, Buffer.isBuffer(c)); } console.log(n); for await (const c of fs.createReadStream('s', { start: 2, end: 5, encoding: 'utf8' })) console.log(c); const w = fs.createWriteStream('o'); w.write('one '); w.write('two '); w.end('three'); await new Promise(r => w.on('finish', r)); console.log(fs.readFileSync('o', 'utf8'), w.bytesWritten, w.path); await pipeline(fs.createReadStream('o'), fs.createWriteStream('o2', { flags: 'a' })); console.log(fs.readFileSync('o2', 'utf8')); const bad = fs.createReadStream('none'); bad.on('error', e => console.log(e.code, e.message)).on('close', () => console.log('closed')); await new Promise(r => bad.on('close', r)); const e = []; const rs = fs.createReadStream('o', 'utf8'); for (const ev of ['open', 'ready', 'data', 'end', 'close']) rs.on(ev, () => e.push(ev)); await new Promise(r => rs.on('close', r)); console.log(e.join());
//// watch-free-names cjs
const fs = require('fs'); console.log(['readFile', 'writeFile', 'appendFile', 'stat', 'lstat', 'fstat', 'mkdir', 'mkdtemp', 'readdir', 'rm', 'rmdir', 'unlink', 'rename', 'copyFile', 'cp', 'link', 'symlink', 'readlink', 'realpath', 'access', 'exists', 'open', 'close', 'read', 'write', 'truncate', 'ftruncate', 'chmod', 'fchmod', 'chown', 'utimes', 'futimes', 'fsync', 'fdatasync', 'opendir', 'createReadStream', 'createWriteStream', 'readv', 'writev', 'watch', 'watchFile', 'unwatchFile', 'lutimes', 'statfs'].filter(n => typeof fs[n] !== 'function'), ['readFile', 'stat', 'mkdir', 'rm', 'cp', 'opendir', 'readv', 'writev', 'lutimes', 'statfs'].map(n => n + 'Sync').filter(n => typeof fs[n] !== 'function'), typeof fs.promises.readFile, typeof fs.Stats, typeof fs.Dirent, typeof fs.ReadStream);
//// url-paths-and-buffers
import fs from 'fs'; import { pathToFileURL } from 'url'; import path from 'path'; fs.writeFileSync(pathToFileURL(path.resolve('u.txt')), 'via url'); console.log(fs.readFileSync(Buffer.from('u.txt'), 'utf8'), fs.readFileSync(new URL('./u.txt', import.meta.url), 'utf8')); try { fs.readFileSync(new URL('http://x/y')); } catch (e) { console.log(e.code, e.message); } console.log(fs.readdirSync('.', { encoding: 'buffer' }).map(b => Buffer.isBuffer(b))[0]);
//// json-config-roundtrip cjs
const fs = require('fs'); const cfg = { name: 'x', list: [1, 2], nested: { on: true } }; fs.writeFileSync('c.json', JSON.stringify(cfg, null, 2) + '\n'); console.log(require('./c.json'), JSON.parse(fs.readFileSync('./c.json'))); fs.writeFileSync('bad.json', '{oops'); try { require('./bad.json'); } catch (e) { console.log(e.name, e instanceof SyntaxError); } fs.writeFileSync('bom.json', '\ufeff{"a":1}'); console.log(require('./bom.json'));
//// copied-trees cjs
const fs = require('fs');
const t=(n,f)=>{ try { const r=f(); console.log(n,'ok',r) } catch(e) { console.log(n,e.name,e.code,e.errno,e.syscall,String(e.message).replaceAll(process.cwd(),'CWD')) } };
fs.mkdirSync('d/sub',{recursive:true}); fs.writeFileSync('d/f','1'); fs.writeFileSync('file','2'); fs.symlinkSync('d','link');
t(1,()=>fs.cpSync('d','d/sub',{recursive:true}));
t(2,()=>fs.cpSync('d','d',{recursive:true}));
t(3,()=>fs.cpSync('file','file'));
t(4,()=>fs.cpSync('d','d/sub/deeper/er',{recursive:true}));
t(5,()=>fs.cpSync('d','d2'));
t(6,()=>fs.cpSync('d','file',{recursive:true}));
t(7,()=>fs.cpSync('file','d',{recursive:true}));
t(8,()=>fs.cpSync('none','x'));
t(9,()=>fs.cpSync('d','dd',{recursive:true}));
t(10,()=>fs.readdirSync('dd',{recursive:true}).sort());
t(11,()=>fs.cpSync('d/f','dd/f',{errorOnExist:true,force:false}));
t(12,()=>fs.cpSync('d/f','new/dir/f'));
t(13,()=>fs.cpSync('link','d/sub/x',{recursive:true,dereference:true}));
t(14,()=>fs.cpSync('d','link/sub/y',{recursive:true}));
t(15,()=>fs.cpSync('./d/','./d/./sub/../z',{recursive:true}));
t(16,()=>fs.cpSync('d','d-not-inside',{recursive:true}));
t(17,()=>fs.cpSync('d/f','d',{}));
t(18,()=>fs.cpSync('link','d',{recursive:true}));
fs.symlinkSync('f','d/l'); t(19,()=>fs.cpSync('d','e',{recursive:true})); t(20,()=>fs.readlinkSync('e/l').replace(process.cwd(),'CWD'));
t(21,()=>fs.cpSync('d','e2',{recursive:true,verbatimSymlinks:true})); t(22,()=>fs.readlinkSync('e2/l'));
t(23,()=>fs.cpSync('d','e',{recursive:true}));
t(25,()=>fs.cpSync('d',undefined));
t(26,()=>fs.cpSync('d','q',{recursive:'x'}));
t(27,()=>fs.cpSync('d','q',5));
fs.promises.cp('d','d/sub',{recursive:true}).catch(e=>console.log('p',e.name,e.code,e.message.replaceAll(process.cwd(),'CWD')));
fs.cp('d','d',{recursive:true},e=>console.log('c',e.name,e.code,e.message.replaceAll(process.cwd(),'CWD')));
require('child_process').execSync('mkfifo fifo'); t(30,()=>fs.cpSync('fifo','ff'));
fs.mkdirSync('m',{mode:0o700}); fs.writeFileSync('m/x','1'); fs.chmodSync('m/x',0o600); fs.utimesSync('m/x',5,6.5); t(31,()=>fs.cpSync('m','n',{recursive:true,preserveTimestamps:true})); t(32,()=>[(fs.statSync('n').mode&0o777).toString(8),(fs.statSync('n/x').mode&0o777).toString(8),fs.statSync('n/x').mtimeMs]);
const seen=[]; t(33,()=>fs.cpSync('d','o',{recursive:true,filter:(a,b)=>{seen.push(a+'>'+b);return !a.endsWith('f')}})); t(34,()=>seen.sort().join()); t(35,()=>fs.existsSync('o/f'));
t(36,()=>fs.readFileSync('file','utf8')); t(37,()=>fs.mkdirSync('u/v/w',{recursive:true}).endsWith('u')); t(38,()=>fs.mkdirSync('u/v/w',{recursive:true})); t(39,()=>fs.mkdirSync('file/x/y',{recursive:true})); t(40,()=>fs.mkdirSync('u/v/w/x',{recursive:true}).endsWith('u/v/w/x'));
t(41,()=>fs.rmSync('u')); t(42,()=>fs.rmSync('u',{recursive:true})); t(43,()=>fs.rmSync('u',{recursive:true})); t(44,()=>fs.rmSync('u',{force:true})); t(45,()=>fs.rmSync('link',{recursive:true})); t(46,()=>fs.existsSync('d'));
//// deep-trees cjs
const fs = require('fs'), top = process.cwd();
for (let i = 0; i < 1500; i++) fs.mkdirSync('d'), process.chdir('d');
fs.writeFileSync('f', 'x'); process.chdir(top);
fs.rmSync('d', { recursive: true }); console.log(fs.readdirSync('.').includes('d'));
fs.mkdirSync('e/'.repeat(1500), { recursive: true }); fs.rmSync('e', { recursive: true }); console.log(fs.readdirSync('.').includes('e'));
//// odd-corners
import fs from 'fs';
const t = async (name, f) => { try { console.log(name, await f()); } catch (e) { console.log(name, e.name, e.code, e.message.split(', open')[0]); } };
fs.mkdirSync('corners'); process.chdir('corners');
await t('dots', () => { fs.mkdirSync('q/x/..', { recursive: true }); return fs.readdirSync('q'); });
await t('more dots', () => { fs.mkdirSync('a/./b/../c', { recursive: true }); return fs.readdirSync('a'); });
await t('file above', () => { fs.writeFileSync('file', ''); return fs.mkdirSync('file/x', { recursive: true }); });
await t('aborted before', () => { const c = new AbortController(); c.abort(); return fs.promises.readFile('file', { signal: c.signal }); });
await t('aborted after', () => { const c = new AbortController(), p = fs.promises.writeFile('w', 'x', { signal: c.signal }); c.abort(); return p; });
await t('aborted callback', () => new Promise(ok => { const c = new AbortController(); fs.readFile('file', { signal: c.signal }, e => ok(e?.name)); c.abort(); }));
await t('not aborted', () => { const c = new AbortController(); return fs.promises.writeFile('w', 'x', { signal: c.signal }); });
await t('strings in latin1', async () => { await fs.promises.writeFile('it', ['aé', 'b'], 'latin1'); return fs.readFileSync('it', 'hex'); });
await t('a generator', async () => { await fs.promises.writeFile('it', (async function* () { yield 'x'; yield Buffer.from('y'); })()); return fs.readFileSync('it', 'utf8'); });
await t('numbers', () => fs.promises.writeFile('it', [1]));
await t('web stream', async () => { fs.writeFileSync('ws', 'xy'); const h = await fs.promises.open('ws'), out = []; for await (const part of h.readableWebStream()) out.push(Buffer.from(part).toString()); await h.close(); return out; });
for (const range of [{ start: 3, end: 2 }, { start: 'a' }, { start: -1 }, { end: 1.5 }, { end: 'x' }]) await t(`read ${JSON.stringify(range)}`, () => void fs.createReadStream('it', range).destroy());
for (const range of [{ start: -1 }, { start: 'x' }]) await t(`write ${JSON.stringify(range)}`, () => void fs.createWriteStream('out', range).destroy());
for (const path of ['a\0b', Buffer.from('x\0'), new URL('file:///a%00b')]) await t('nul', () => fs.readFileSync(path));
