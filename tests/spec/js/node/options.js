//// from-the-environment cjs
const { spawnSync } = require('child_process'), fs = require('fs'), path = require('path');
const file = path.join(__dirname, 'a file.js');
fs.writeFileSync(file, 'console.log("required")');
const run = (args, env) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
    console.log(status, JSON.stringify(stdout), /is not allowed in NODE_OPTIONS/.test(stderr), /Warning: /.test(stderr));
};
run(['-p', '1 + 1'], { NODE_OPTIONS: `--require "${file}"` });
run(['-p', '1 + 1'], { NODE_OPTIONS: `--require="${file}" --no-warnings` });
run(['-p', '1 + 1'], { NODE_OPTIONS: `-r "${file}" --stack-trace-limit=3` });
for (const options of ['--eval 1', '--nope', '-p', '--version']) run(['-p', '1'], { NODE_OPTIONS: options });
run(['-p', 'process.emitWarning("w"); 5'], {});
run(['-p', 'process.emitWarning("w"); 5'], { NODE_NO_WARNINGS: '1' });
run(['-p', 'process.emitWarning("w"); 5'], { NODE_OPTIONS: '--no-warnings' });
run(['-p', 'process.noDeprecation'], { NODE_OPTIONS: '--no-deprecation' });
//// names-and-settings cjs
const { spawnSync } = require('child_process');
const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    console.log(status, JSON.stringify(stdout), stderr.replace(/\(node:\d+\)/g, '').split('\n').filter(line => /^ *(?:\[\w+\] )?\w*(?:Warning|Error): /.test(line)).join('|'));
};
run('--stack_trace_limit=3', '-p', 'Error.stackTraceLimit');
run('--expose_gc', '-p', 'typeof gc');
run('--disable-warning=DEP1', '-e', 'process.emitWarning("a", "DeprecationWarning", "DEP1"); process.emitWarning("b", "DeprecationWarning", "DEP2")');
run('--disable-proto=delete', '-p', '"__proto__" in {}');
run('--disable-proto=throw', '-p', 'try { ({}).__proto__ } catch (error) { error.code }');
run('--throw-deprecation', '-e', 'process.emitWarning("old", "DeprecationWarning")');
run('--title=named', '-p', 'process.title');
run('--conditions=own', '-p', 'process.execArgv.length');
