//// basics x --flag y
console.log(process.argv.slice(2), process.argv.length, typeof process.pid, process.platform, typeof process.version, process.versions.node.split('.')[0], process.title.length > 0, process.execArgv, typeof process.uptime());
console.log(process.cwd() === process.env.PWD || true, process.exitCode, typeof process.hrtime()[0], process.hrtime([0, 0]).length, typeof process.hrtime.bigint(), typeof process.memoryUsage().heapUsed, process.arch.length > 0);
process.stdout.write('no newline'); process.stdout.write('\n'); console.log(process.stdout.isTTY, process.stdin.isTTY, process.stdout.fd, process.stderr.fd); process.env.NEW = 5; console.log(process.env.NEW, 'NEW' in process.env, delete process.env.NEW, process.env.NEW, Object.keys(process.env).includes('PATH'));
process.chdir('/'); console.log(process.cwd()); try { process.chdir('/nope'); } catch (e) { console.log(e.code, e.syscall, e.message); } console.log(typeof process.umask(), process.emitWarning.length >= 0, process.nextTick.name, Object.prototype.toString.call(process));
//// kill-self
process.on('SIGTERM', s => { console.log('got', s); clearTimeout(t); }); const t = setTimeout(() => console.log('late'), 3000); process.kill(process.pid, 'SIGTERM');
//// signals
process.once('SIGUSR2', (name, number) => console.log(name, number)); process.kill(process.pid, 'SIGUSR2'); await new Promise(f => setTimeout(f, 100)); try { process.kill(process.pid, 'SIGNOPE'); } catch (e) { console.log(e.code, e.message); } try { process.kill(999999, 0); } catch (e) { console.log(e.code, e.syscall); }
//// stdin-empty
let text = ''; for await (const chunk of process.stdin) text += chunk; console.log(JSON.stringify(text)); import fs from 'fs'; console.log(fs.readFileSync(0, 'utf8') === '');
//// child-process
import cp from 'child_process'; import util from 'util';
console.log(cp.execSync('echo hi').toString(), cp.execSync('cat', { input: 'in', encoding: 'utf8' }), cp.execFileSync('echo', ['a b', "c'd"]).toString()); const r = cp.spawnSync('sh', ['-c', 'echo out; echo err >&2; exit 3']); console.log(r.status, r.signal, r.stdout.toString(), r.stderr.toString(), r.output.length);
try { cp.execSync('echo bad >&2; exit 2', { stdio: 'pipe' }); } catch (e) { console.log(e.status, e.message, e.stderr.toString(), e.signal); } console.log(cp.spawnSync('nonexistent-command').error.code, cp.spawnSync('sh', ['-c', 'kill -9 $$']).signal, cp.spawnSync('sleep', ['5'], { timeout: 50 }).error.code);
cp.exec('echo async; echo e >&2', (e, out, err) => console.log(e, JSON.stringify(out), JSON.stringify(err))); await new Promise(r => setTimeout(r, 100)); cp.exec('exit 5', (e, out) => console.log(e.code, e.message, e.killed, e.cmd)); await new Promise(r => setTimeout(r, 100)); const { stdout } = await util.promisify(cp.exec)('echo prom'); console.log(stdout); await util.promisify(cp.execFile)('false').catch(e => console.log(e.code));
const c = cp.spawn('cat'); c.stdout.setEncoding('utf8'); let got = ''; c.stdout.on('data', d => got += d); c.on('exit', (code, sig) => console.log('exit', code, sig)); c.on('close', code => console.log('close', code, got)); c.stdin.write('one '); c.stdin.end('two'); await new Promise(r => c.on('close', r)); const k = cp.spawn('sleep', ['100']); k.on('exit', (code, sig) => console.log(code, sig, k.killed)); console.log(k.kill()); const bad = cp.spawn('nonexistent-xyz'); bad.on('error', e => console.log(e.code, e.syscall, e.path, e.message)); console.log(cp.spawnSync('env', { env: { A: '1' } }).stdout.toString(), cp.execSync('pwd', { cwd: '/' }).toString());
//// stdio-inherit
import { spawnSync, execSync } from 'child_process'; console.log('first'); spawnSync('echo', ['second'], { stdio: 'inherit' }); console.log('third'); execSync('echo fourth', { stdio: 'inherit' }); console.log('fifth');
//// big-output
import { execSync, spawn } from 'child_process'; console.log(execSync('seq 1 20000').length); const c = spawn('seq', ['1', '50000']); let n = 0; for await (const d of c.stdout) n += d.length; console.log(n); try { execSync('seq 1 200000', { maxBuffer: 1000 }); } catch (e) { console.log(e.code); }
