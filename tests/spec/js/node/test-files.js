//// files-by-name cjs
const { spawnSync } = require('child_process'), fs = require('fs'), path = require('path');
const at = name => path.join(__dirname, name);
fs.mkdirSync(at('test'));
fs.writeFileSync(at('a.test.js'), `
    const { test, describe, it, beforeEach } = require('node:test'), assert = require('assert');
    beforeEach(() => console.log('before each of this file'));
    test('adds', () => assert.strictEqual(1 + 1, 2));
    describe('suite', () => { it('one', () => {}); it('two', () => assert.strictEqual(1, 2)); });
`);
fs.writeFileSync(at('b.test.mjs'), `import test from 'node:test'; test('waits', async () => { await new Promise(resolve => setTimeout(resolve, 2)); }); test('skipped', { skip: true }, () => {});`);
fs.writeFileSync(at('broken_test.js'), `throw new Error('broken file')`);
fs.writeFileSync(at('other.js'), `console.log('never')`);
fs.writeFileSync(at('test/c.js'), `console.log('a file without tests')`);
const run = (...args) => {
    const { status, stdout } = spawnSync(process.execPath, ['--test', ...args], { encoding: 'utf8', cwd: __dirname });
    const lines = stdout.split('\n').filter(line => /^ *(?:ok|not ok|# (?!Subtest|before|duration)|1\.\.)/.test(line) && !/^# (?:\s*at|Node|\^|$)/.test(line));
    console.log(status, lines.map(line => line.replaceAll(__dirname, 'T').replace(/ok \d+ -/, 'ok -')).join('\n'));
};
run();
run('b.test.mjs');
run('test/c.js', 'b.test.mjs');
console.log(spawnSync(process.execPath, ['--test', 'nope.js'], { cwd: __dirname }).status);
