//// messages cjs
const { Worker, isMainThread, parentPort, workerData, threadId, MessageChannel } = require('worker_threads');
if (isMainThread) {
    console.log(threadId, workerData, parentPort);
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(__filename, { workerData: { list: [1, 2n, new Date(0)], map: new Map([[1, new Set([2])]]), port: port2 }, transferList: [port2], argv: ['x', 1] });
    worker.on('online', () => console.log('online'));
    worker.on('message', message => { console.log('message', message); worker.postMessage('end'); });
    worker.on('exit', code => console.log('exit', code, worker.threadId));
    port1.on('message', ({ back, bytes, text }) => {
        console.log('port', bytes, text);
        back.on('message', text => console.log('back', text));
        back.postMessage('there');
    });
    port1.postMessage('through port');
    console.log('main ends');
} else {
    console.log('worker', threadId > 0, workerData.list, workerData.map, process.argv.slice(2));
    workerData.port.on('message', message => {
        const { port1, port2 } = new MessageChannel();
        workerData.port.postMessage({ back: port2, bytes: new Uint8Array([1, 2, 3]), text: message }, [port2]);
        port1.on('message', text => {
            port1.postMessage(`${text} and back`);
            workerData.port.close();
            port1.unref();
            parentPort.postMessage('end?');
        });
    });
    parentPort.once('message', message => console.log('from main', message));
}

//// how-they-end cjs
const { Worker } = require('worker_threads');
const run = (code, options) => new Promise(resolve => {
    const log = [];
    new Worker(code, { eval: true, ...options }).on('message', message => log.push(['message', message]))
        .on('error', error => log.push(['error', error instanceof Error ? `${error}` : error, error.code, error.x]))
        .on('exit', code => resolve([...log, ['exit', code]]));
});
const port = 'require("worker_threads").parentPort';
(async () => {
    console.log(await run('throw Object.assign(new TypeError("bad"), { x: 1, code: "E" })'));
    console.log(await run('throw 5'));
    console.log(await run('process.exit(7)'));
    console.log(await run(`process.exitCode = 3; process.on("exit", code => ${port}.postMessage(["bye", code]))`));
    console.log(await run('Promise.reject(new RangeError("r"))'));
    console.log(await run(`process.on("uncaughtException", error => ${port}.postMessage(error.message)); setTimeout(() => { throw new Error("t"); }, 1)`));
    console.log(await run('./none.js', { eval: false }).then(([[name, , code], end]) => [name, code, end]));
    console.log(await run('syntax error here'));
    const worker = new Worker(`setInterval(() => {}, 1e6); ${port}.postMessage(1)`, { eval: true });
    worker.on('message', async () => console.log('terminated', await worker.terminate(), await worker.terminate()));
})();

//// what-they-have cjs
const { Worker, setEnvironmentData } = require('worker_threads');
const ask = (code, options, transfer) => new Promise(resolve => {
    const worker = new Worker(`const t = require("worker_threads"), port = t.parentPort; ${code}`, { eval: true, ...options });
    worker.on('message', message => { resolve(message); worker.unref(); });
    worker.on('error', error => resolve(`${error}`));
});
(async () => {
    console.log(await ask('try { process.chdir("/"); } catch (error) { port.postMessage([error.name, error.code, error.message]); }'));
    console.log(await ask('port.postMessage([t.workerData, process.env.A, process.env.PATH, t.isMainThread, process.argv.slice(1)])', { workerData: 'x', env: { A: 1 }, argv: ['one'] }));
    console.log((await ask('port.postMessage(process.pid)')) === process.pid);
    setEnvironmentData('key', { deep: [1] });
    console.log(await ask('port.postMessage(t.getEnvironmentData("key"))'));
    console.log(await ask('const b = new ArrayBuffer(8); port.postMessage([b], [b]); port.postMessage(b.byteLength)'));
    console.log(await ask('const w = new t.Worker("require(\'worker_threads\').parentPort.postMessage(9)", { eval: true }); w.on("message", m => port.postMessage(m + 1))'));
    const buffer = new ArrayBuffer(4);
    console.log(await ask('port.postMessage(t.workerData)', { workerData: buffer, transferList: [buffer] }), buffer.byteLength);
    const worker = new Worker(new URL('data:text/javascript,import { parentPort } from "worker_threads"; parentPort.postMessage(import.meta.url.slice(0, 5))'));
    worker.on('message', message => console.log(message));
})();

//// streams cjs
const { Worker } = require('worker_threads');
const worker = new Worker('console.log("out"); console.error("err"); process.stdin.on("data", data => process.stdout.write(`in ${data}`))', { eval: true, stdout: true, stderr: true, stdin: true });
worker.stdin.end('hello');
const text = { stdout: '', stderr: '' };
for (const name in text) worker[name].setEncoding('utf8').on('data', data => { text[name] += data; });
worker.on('exit', () => setImmediate(() => console.log(text)));

//// broadcast cjs
const { Worker, BroadcastChannel, isMainThread, parentPort, threadId } = require('worker_threads');
const channel = new BroadcastChannel('all');
if (isMainThread) {
    let ready = 0, said = [];
    channel.onmessage = ({ data }) => {
        said.push(data);
        if (said.length === 2) {
            console.log(said.sort());
            channel.postMessage('end');
            channel.close();
        }
    };
    for (let i = 0; i < 2; i++) new Worker(__filename).on('message', () => { if (++ready === 2) channel.postMessage('go'); }).on('exit', code => console.log('exit', code));
} else {
    channel.onmessage = ({ data }) => {
        if (data === 'go') channel.postMessage(`here is ${threadId}`);
        if (data === 'end') channel.close();
    };
    parentPort.postMessage('ready');
}

//// refusals cjs
const { Worker } = require('worker_threads');
for (const [file, options] of [[1], ['x.js'], ['file:///x'], ['./x', { argv: 1 }], ['./x', { execArgv: 1 }], ['./x', { execArgv: ['--nope'] }], ['./x', { env: 1 }], [1, { eval: true }], ['./x', { name: 1 }], ['', { eval: true, workerData: () => {} }]]) {
    try {
        new Worker(file, options);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}

//// ports-move cjs
const { MessageChannel, receiveMessageOnPort } = require('worker_threads');
const outer = new MessageChannel(), inner = new MessageChannel();
inner.port1.postMessage('waits');
outer.port1.postMessage({ port: inner.port2 }, [inner.port2]);
const { message: { port } } = receiveMessageOnPort(outer.port2);
console.log(port !== inner.port2, receiveMessageOnPort(port), receiveMessageOnPort(port));
inner.port1.postMessage('later');
console.log(receiveMessageOnPort(port));
for (const list of [[inner.port2], [outer.port1], [inner.port1, inner.port1], [{}]]) {
    try {
        outer.port1.postMessage(null, list);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
}
port.once('message', text => console.log(text, port.listenerCount('message')));
inner.port1.postMessage('last');
inner.port1.close();
outer.port1.close();
