//// promises-without-callback
await fs.writeFile('a.txt', 'text'); console.log(await fs.readFile('a.txt'), await fs.exists('a.txt'), await fs.exists('b'), (await fs.stat('a.txt')).size);
console.log(await fs.readFile('a.txt', null), await fs.readFile('a.txt', 'buffer'), await fs.readFile('a.txt', 'hex'), await fs.readFile('a.txt', {}));
await fs.mkdir('d/e', { recursive: true }); await fs.appendFile('a.txt', '!'); await fs.rename('a.txt', 'd/b'); console.log(await fs.readdir('d'), fs.readFileSync('d/b', 'utf8'));
try { await fs.readFile('/x'); } catch (e) { console.log(e.message, e.code, e.errno, e.path, e.syscall); }
await fs.rm('d', { recursive: true }); console.log(await fs.exists('d'), require('fs') === fs);
//> text true false 4
//> <Buffer 74 65 78 74> <Buffer 74 65 78 74> 74657874 text
//> [ 'b', 'e' ] text!
//> ENOENT: no such file or directory, open '/x' ENOENT -2 /x open
//> false true
//// remove-a-tree-deeper-than-paths-are-long
const fs = require('fs'), top = process.cwd();
for (let i = 0; i < 3000; i++) fs.mkdirSync('d'), process.chdir('d');
fs.writeFileSync('f', 'x'); process.chdir(top);
fs.rmSync('d', { recursive: true }); console.log(fs.readdirSync('.').includes('d'));
//> false
