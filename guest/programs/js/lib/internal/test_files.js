// test_files: `node --test`: which files are tests, each in a process of its own, one after the other, and their reports
// as one.
'use strict';

const path = require('path');
const fs = require('fs');

const isTest = /^(?:test|test-.+|.+[.\-_]test)\.[cm]?js$/;
const summary = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'];

// What stands below a directory, as Node chooses: by name, and everything below `test`.
function below(directory, all, found) {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
        const file = path.join(directory, entry.name);
        if (entry.isDirectory()) {
            if (entry.name !== 'node_modules') below(file, all || entry.name === 'test', found);
        } else if (all ? /\.[cm]?js$/.test(entry.name) : isTest.test(entry.name)) found.push(file);
    }
    return found;
}

function chosen(names) {
    if (names.length === 0) return below(process.cwd(), false, []).sort();
    return [...new Set(names.flatMap(name => {
        const file = path.resolve(name);
        if (!fs.existsSync(file)) throw Object.assign(new Error(`Could not find '${file}'`), { stack: `Could not find '${file}'` });
        return fs.statSync(file).isDirectory() ? below(file, true, []) : [file];
    }))].sort();
}

function ran(file, args) {
    return new Promise(resolve => {
        const began = performance.now();
        require('child_process').execFile(process.execPath, [...args, file], { maxBuffer: Infinity }, (error, stdout, stderr) =>
            resolve({ file, status: error ? error.code ?? error.signal : 0, stdout, stderr, ms: performance.now() - began }));
    });
}

// A file that has no tests is one itself.
function wholeFile({ file, status, stdout, stderr, ms }, number) {
    const lines = [stdout, stderr].flatMap(text => text.split('\n')).filter(line => line !== '').map(line => `# ${line}\n`);
    const failure = status === 0 ? '' : `  location: '${file}:1:1'\n  failureType: 'testCodeFailure'\n  exitCode: ${typeof status === 'number' ? status : '~'}\n  signal: ${typeof status === 'number' ? '~' : `'${status}'`}\n  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n`;
    return `${lines.join('')}# Subtest: ${file}\n${status === 0 ? 'ok' : 'not ok'} ${number} - ${file}\n  ---\n  duration_ms: ${ms.toFixed(6)}\n${failure}  ...\n`;
}

async function run(names, args) {
    const began = performance.now(), counts = Object.fromEntries(summary.map(name => [name, 0]));
    let number = 0, failed = false;
    process.stdout.write('TAP version 13\n');
    for (const file of chosen(names)) {
        const result = await ran(file, args);
        if (result.status !== 0) failed = true;
        const plan = /^1\.\.\d+$/m.exec(result.stdout);
        if (!result.stdout.includes('TAP version 13\n') || !plan) {
            process.stdout.write(wholeFile(result, ++number));
            counts.tests++;
            counts[result.status === 0 ? 'pass' : 'fail']++;
            continue;
        }
        for (const [, name, count] of result.stdout.slice(plan.index).matchAll(/^# (\w+) (\d+)$/gm)) if (name in counts) counts[name] += Number(count);
        const body = result.stdout.slice(0, plan.index).replace('TAP version 13\n', '').replace(/^((?:not )?ok) \d+ /gm, (all, how) => `${how} ${++number} `);
        process.stdout.write(body + result.stderr.split('\n').filter(line => line !== '').map(line => `# ${line}\n`).join(''));
    }
    process.stdout.write(`1..${number}\n${summary.map(name => `# ${name} ${counts[name]}\n`).join('')}# duration_ms ${(performance.now() - began).toFixed(6)}\n`);
    if (failed) process.exitCode = 1;
}

module.exports = { run };
