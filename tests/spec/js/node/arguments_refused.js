//// arguments_refused cjs
// What functions of util, zlib, stream and assert say to arguments that they do not take.
const util = require('util'), zlib = require('zlib'), stream = require('stream'), assert = require('assert');
const values = { undefined, null: null, true: true, zero: 0, negative: -1, fraction: 1.5, infinite: Infinity,
    string: 'abc', empty: '', symbol: Symbol('s'), object: {}, function: function foo() {}, bytes: new Uint8Array(2) };
const show = fn => {
    try {
        const result = fn();
        return typeof result === 'object' && result !== null ? result.constructor.name : typeof result;
    } catch (error) {
        return `${error.name} ${error.code} ${error.message}`;
    }
};
const calls = {};
for (const name of ['inherits', 'debuglog', 'parseEnv', 'getSystemErrorName', '_extend', 'formatWithOptions', 'styleText', 'transferableAbortSignal'])
    for (const before of [[], ['x']]) calls[`util.${name}/${before.length && typeof before[0]}`] = value => util[name](...before, value);
for (const kind of ['Gzip', 'Inflate'])
    for (const option of ['level', 'chunkSize', 'windowBits', 'memLevel', 'strategy', 'flush', 'finishFlush', 'maxOutputLength', 'dictionary'])
        calls[`zlib.create${kind} ${option}`] = value => zlib[`create${kind}`]({ [option]: value });
calls['zlib.crc32'] = value => zlib.crc32('abc', value);
calls['zlib.params'] = value => zlib.createGzip().params(value, 0);
for (const Class of ['Readable', 'Writable', 'Transform'])
    for (const option of ['highWaterMark', 'defaultEncoding', 'encoding', 'signal', 'read', 'write'])
        calls[`new ${Class} ${option}`] = value => new stream[Class]({ [option]: value });
for (const name of ['write', 'end', 'setDefaultEncoding']) {
    calls[`writable.${name}`] = value => new stream.Writable({ write() {} }).on('error', () => {})[name](value);
    calls[`writable.${name} x`] = value => new stream.Writable({ write() {} }).on('error', () => {})[name]('x', value);
}
for (const name of ['push', 'setEncoding', 'take', 'iterator', 'toArray'])
    calls[`readable.${name}`] = value => new stream.Readable({ read() {} }).on('error', () => {})[name](value);
for (const name of ['pipeline', 'compose', 'finished', 'addAbortSignal']) calls[`stream.${name}`] = value => stream[name](value);
for (const name of ['fail', 'throws', 'strictEqual', 'AssertionError'])
    calls[`assert.${name}`] = value => (name === 'AssertionError' ? new assert.AssertionError(value)
        : name === 'throws' ? assert.throws(() => {}, value) : assert[name]('x', value));
process.on('warning', () => {});
process.on('unhandledRejection', () => {});
for (const [name, call] of Object.entries(calls))
    for (const [kind, value] of Object.entries(values)) {
        // bytes as the name of an encoding are shown as bytes or joined, by what they were made of
        if (kind === 'bytes' && /ncoding|write|end/.test(name)) continue;
        if (kind === 'function' && name === 'util.inherits/string') continue;
        console.log(`${name}(${kind}):`, show(() => call(value)));
    }
setTimeout(() => process.exit(0), 10);
