//// messages cjs
const { fork, spawn } = require('child_process'), fs = require('fs'), path = require('path');
const file = path.join(__dirname, 'child.js');
fs.writeFileSync(file, `
    process.on('message', (message, handle) => {
        process.send({ got: message, handle: handle === undefined });
        if (message === 'bye') process.disconnect();
    });
    process.on('disconnect', () => console.log('child: disconnected', process.connected, process.channel));
    process.send([process.argv.slice(2), process.connected, typeof process.channel.ref, process.env.NODE_CHANNEL_FD]);
`);
const child = fork(file, ['a', 'b c'], { silent: true });
let out = '';
child.stdout.on('data', data => out += data);
const messages = ['text', 5, null, true, { a: [1, { b: 'ü\n' }] }, 'x'.repeat(200000), 'bye'];
let told = 0;
child.on('message', message => {
    const text = JSON.stringify(message);
    console.log(told, text.length > 100 ? text.length : text);
    if (told < messages.length) child.send(messages[told++], error => error && console.log(error));
});
child.on('disconnect', () => console.log('disconnect', child.connected));
child.on('exit', (code, signal) => console.log('exit', code, signal));
child.on('close', () => {
    console.log('close', out.trim(), child.connected);
    child.on('error', error => console.log(error.code, error.message));
    console.log(child.send('late'));
    child.send('late', error => console.log('callback', error.code));
    setImmediate(() => child.disconnect());
});
for (const bad of [undefined, () => {}, Symbol('s')]) try { child.send(bad); } catch (error) { console.log(error.code, error.message); }
try { child.send('x', {}, 5); } catch (error) { console.log(error.code, error.message); }
//// advanced cjs
const { fork } = require('child_process'), fs = require('fs'), path = require('path');
const file = path.join(__dirname, 'child.js');
fs.writeFileSync(file, `process.once('message', message => process.send(message)); process.on('exit', code => process.exitCode = 7);`);
const child = fork(file, { serialization: 'advanced' });
child.on('message', message => console.log(message));
child.on('exit', code => console.log(code));
child.send({ map: new Map([[1, new Set(['a'])]]), date: new Date(0), big: 10n ** 30n, bytes: new Uint8Array([1, 2]), none: undefined });
//// arguments-refused cjs
const { fork, spawn, spawnSync } = require('child_process');
for (const look of [
    () => fork(), () => fork(''), () => fork(5), () => fork('a\0b'), () => fork('a', 'b'), () => fork('a', [], 5), () => fork('a', [], { execPath: 5 }), () => fork('a', [], { execArgv: ['a\0'] }),
    () => fork('a', [], { stdio: ['pipe', 'pipe', 'pipe'] }), () => fork('a', [], { stdio: 'odd' }), () => fork('a', [], { serialization: 'odd' }), () => fork('a', ['\0']),
    () => spawn('true', [], { stdio: ['ipc', 'ipc'] }), () => spawnSync('true', [], { stdio: ['ipc'] }), () => 
]) try { look(); console.log('no error'); } catch (error) { console.log(error.name, error.code, error.message); }
//// what-lives-on cjs
const { fork, spawn } = require('child_process'), fs = require('fs'), path = require('path');
const file = path.join(__dirname, 'child.js');
fs.writeFileSync(file, `console.log('ends by itself: nobody listens'); if (process.argv[2]) process.on('message', () => process.exit(3));`);
const quiet = fork(file);
quiet.on('exit', code => {
    console.log(code);
    const waiting = fork(file, ['wait']);
    waiting.on('exit', code => {
        console.log(code);
        const plain = spawn(process.execPath, ['-e', 'process.send("from spawn"); process.disconnect()'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
        plain.on('message', message => console.log(message)).on('disconnect', () => console.log('gone'));
    });
    waiting.send('go');
});
//// a-killed-child cjs
const { exec, execFile } = require('child_process');
exec('sleep 30; echo never', { timeout: 50 }, (error, stdout) => {
    console.log(error.killed, error.signal, error.code, error.cmd, JSON.stringify(stdout));
    exec('echo many words; sleep 30', { maxBuffer: 4 }, (error, stdout) => {
        console.log(error.code, error.message, JSON.stringify(stdout));
        const control = new AbortController();
        execFile('sleep', ['30'], { signal: control.signal }, error => console.log(error.name, error.code, error.cmd, error.cause.message));
        control.abort();
    });
});
