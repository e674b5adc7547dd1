//// buffer cjs
const values = { undefined: undefined, null: null, n: 77, frac: 1.5, neg: -1, nan: NaN, big: 2 ** 33, text: 'abc', symbol: Symbol('x'), object: {}, array: [], fn() {}, bigint: 1n };
function ask(name, call) {
    for (const [label, value] of Object.entries(values)) {
        let said;
        try {
            const result = call(value);
            said = typeof result === 'object' && result !== null ? 'object' : typeof result === 'string' ? JSON.stringify(result) : String(result);
        } catch (error) {
            said = `${error.name} ${error.code} ${error.message}`;
        }
        console.log(`${name}(${label}): ${said}`);
    }
}
const make = () => Buffer.from('hello world 12345678');
ask('alloc', v => Buffer.alloc(v));
ask('alloc fill', v => Buffer.alloc(4, 'a', v));
ask('from', v => Buffer.from(v));
ask('from offset', v => Buffer.from(new ArrayBuffer(8), v));
ask('concat', v => Buffer.concat([Buffer.from('a')], v));
ask('concat item', v => Buffer.concat([v]));
ask('compare', v => make().compare(make(), v));
ask('fill', v => make().fill(v).toString('latin1'));
ask('fill offset', v => make().fill('ab', v).toString('latin1'));
ask('write', v => make().write('xyz', v));
ask('readUInt32LE', v => make().readUInt32LE(v));
ask('readIntBE', v => make().readIntBE(0, v));
ask('writeInt16BE', v => make().writeInt16BE(v));
ask('writeUIntLE', v => make().writeUIntLE(1, v, 3));
ask('writeBigInt64LE', v => make().writeBigInt64LE(v));
ask('indexOf', v => make().indexOf(v));
ask('lastIndexOf', v => make().lastIndexOf('l', v));
ask('copy', v => make().copy(make(), v));
ask('slice', v => make().slice(v).toString());
ask('byteLength', v => Buffer.byteLength(v));
ask('transcode', v => require('buffer').transcode(make(), 'utf8', v));

//// events cjs
const EventEmitter = require('events');
const values = { undefined: undefined, null: null, neg: -1, nan: NaN, text: 'abc', symbol: Symbol('x'), object: {}, fn() {} };
function ask(name, call) {
    for (const [label, value] of Object.entries(values)) {
        try {
            call(value);
            console.log(`${name}(${label}): fine`);
        } catch (error) {
            console.log(`${name}(${label}): ${error.name} ${error.code} ${error.message}`);
        }
    }
}
for (const method of ['on', 'once', 'off', 'prependListener']) ask(method, v => new EventEmitter()[method]('x', v));
ask('setMaxListeners', v => new EventEmitter().setMaxListeners(v));
ask('defaultMaxListeners', v => {
    EventEmitter.defaultMaxListeners = v;
});
ask('captureRejections', v => new EventEmitter({ captureRejections: v }));
ask('emit error', v => new EventEmitter().emit('error', v));
ask('getEventListeners', v => EventEmitter.getEventListeners(v, 'x'));
ask('addAbortListener', v => EventEmitter.addAbortListener(v, () => {}));
ask('Event', v => new Event('x', v));
ask('addEventListener', v => new EventTarget().addEventListener('x', v));
ask('dispatchEvent', v => new EventTarget().dispatchEvent(v));
ask('AbortSignal.timeout', v => AbortSignal.timeout(v));
ask('AbortSignal.any', v => AbortSignal.any(v));
const emitter = new EventEmitter(), both = () => {};
emitter.on('e', both).once('e', both).on('e', () => {});
console.log(emitter.listenerCount('e'), emitter.listenerCount('e', both), emitter.eventNames(), EventEmitter.listenerCount(emitter, 'e'));
process.on('warning', warning => console.log(warning.name, warning.count, warning.type, warning.emitter === emitter));
for (let i = 0; i < 11; i++) emitter.on('many', both);

//// path-win32 cjs
const { win32, posix } = require('path');
const names = ['', '.', '..', 'C:', 'C:\\', 'C:foo', 'c:/a/../b', '\\\\server\\share\\x', '//server/share', '\\a\\b.c', 'a/b/', '../../x', '.profile', 'x.', 'C:\\a\\b\\..\\..\\..\\c', '//?/C:/x', 'foo:bar', './a:b/..'];
for (const name of names) {
    console.log(JSON.stringify([name, win32.normalize(name), win32.dirname(name), win32.basename(name), win32.extname(name), win32.isAbsolute(name), win32.parse(name)]));
    for (const other of ['x\\y', 'D:\\z', '..']) console.log(JSON.stringify([win32.join(name, other), win32.relative('C:\\a\\b', win32.resolve('C:\\q', name, other))]));
}
console.log(win32.toNamespacedPath('C:\\x'), win32.toNamespacedPath('\\\\s\\t\\x'), win32.format({ dir: 'C:\\x', base: 'y' }), win32.sep, win32.delimiter, posix.win32 === win32, require('path/win32') === win32);

//// fs cjs
const fs = require('fs');
fs.writeFileSync('file', 'hello');
const fd = fs.openSync('file', 'r+');
const values = { null: null, n: 77, frac: 1.5, neg: -1, nan: NaN, text: 'abc', object: {}, fn() {} };
function ask(name, call) {
    for (const [label, value] of Object.entries(values)) {
        try {
            const result = call(value);
            console.log(`${name}(${label}): ${typeof result}`);
        } catch (error) {
            console.log(`${name}(${label}): ${error.name} ${error.code} ${error.message}`);
        }
    }
}
for (const name of ['close', 'fstat', 'fsync']) ask(name, v => fs[`${name}Sync`](v === 77 || v === values.fn ? 1e5 : v));
ask('stat', v => fs.statSync(v));
ask('access', v => fs.accessSync('file', v === 77 ? 9 : v));
ask('chown', v => fs.fchownSync(fd, v === 77 ? 'x' : v === -1 ? 1.1 : v, -2));
ask('truncate', v => fs.ftruncateSync(fd, v));
ask('rm', v => fs.rmSync('nope', v));
ask('rm recursive', v => fs.rmSync('nope', { recursive: v }));
ask('mkdir recursive', v => fs.mkdirSync('nope/x', { recursive: v }));
ask('readFile', v => fs.readFileSync('file', v === null || v === values.fn || v === values.object ? 5 : v));
ask('writeFile', v => fs.writeFileSync('other', v));
ask('read offset', v => fs.readSync(fd, Buffer.alloc(4), v));
ask('read length', v => fs.readSync(fd, Buffer.alloc(4), 0, v === 'abc' ? 5 : v));
ask('read position', v => fs.readSync(fd, Buffer.alloc(4), 0, 4, v));
ask('write', v => fs.writeSync(fd, v));
ask('write offset', v => fs.writeSync(fd, Buffer.alloc(4), v === null || v === values.object ? 5 : v));
ask('readv', v => fs.readvSync(fd, v));
ask('callback', v => fs.stat('file', {}, v === values.fn ? 5 : v));
ask('symlink', v => fs.symlinkSync('a', 'b', v === null ? 'q' : v === 77 ? 'r' : 'abc'));

//// processes cjs
const child = require('child_process');
const values = { n: 77, frac: 1.5, neg: -1, nan: NaN, text: 'abc', nul: 'a\0b', symbol: Symbol('x'), object: {}, fn() {} };
function ask(name, call) {
    for (const [label, value] of Object.entries(values)) {
        try {
            call(value);
            console.log(`${name}(${label}): fine`);
        } catch (error) {
            console.log(`${name}(${label}): ${error.name} ${error.code} ${error.message}`);
        }
    }
}
for (const option of ['detached', 'argv0', 'timeout', 'killSignal', 'signal', 'serialization', 'windowsHide'])
    ask(option, v => child.spawn('true', [], { [option]: v, stdio: 'ignore' }).on('error', () => {}));
for (const option of ['maxBuffer', 'timeout', 'input', 'killSignal']) ask(`${option}, sync`, v => child.spawnSync('true', [], { [option]: v }));
ask('exec', v => child.exec(typeof v === 'string' && v === 'abc' ? 5 : v));
ask('execFile callback', v => child.execFile('true', [], {}, v));
ask('args', v => child.spawnSync('true', v));
ask('umask', v => process.umask(v));
process.umask(0o22);
ask('hrtime', v => process.hrtime(v === values.object ? [1] : v));
ask('cpuUsage', v => process.cpuUsage({ user: v, system: 1 }));
ask('exitCode', v => {
    process.exitCode = v;
});
process.exitCode = 0;
ask('kill', v => process.kill(process.pid, v === 77 || v === 1.5 || v !== v || typeof v === 'symbol' ? 99 : v));
ask('capture', v => {
    process.setUncaughtExceptionCaptureCallback(v === values.fn ? 'x' : v);
});
ask('queueMicrotask', v => queueMicrotask(v));
for (const bad of [{ signal: 1 }, { ref: 'x' }, 5]) require('timers/promises').setTimeout(1, 0, bad).catch(error => console.log(error.message));
process.on('warning', warning => console.log(`${warning} ${warning.code} ${warning.detail}`));
process.emitWarning('one', 'Kind', 'C1');
process.emitWarning('two', { type: 'Other', detail: 'more' });
ask('emitWarning', v => process.emitWarning(v === 'abc' || v === 'a\0b' ? 5 : v));
