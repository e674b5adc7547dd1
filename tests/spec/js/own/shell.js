//// shell
console.log(await shell('echo out; echo err >&2; exit 3'));
//> { stdout: 'out\n', stderr: 'err\n', exitCode: 3 }
//// run
console.log(JSON.stringify(await shell.run('printf "a b"'))); try { await shell.run('echo no >&2; exit 7'); } catch (e) { console.log(e.name, e.message, e.exitCode, e.stderr); }
//> "a b"
//> ShellError command failed with exit 7: echo no >&2; exit 7
//> no 7 no
//>
//// template-quotes
const evil = `$(echo hacked) '; echo "x`; console.log((await $`printf '%s|' ${evil} ${['a b', 'c']} ${5}`).stdout); const r = await $`echo \${HOME:+set} \`echo tick\``; console.log(`${r}`);
//> $(echo hacked) '; echo "x|a b|c|5|
//> set tick
//// streaming
for await (const line of shell('for i in 1 2 3; do echo line $i; done').lines()) console.log(line); for await (const line of $`printf 'x\ny'`) console.log(line);
//> line 1
//> line 2
//> line 3
//> x
//> y
//// options
console.log((await shell('pwd; echo $V; cat', { cwd: '/', env: { V: 'v' }, input: 'in' })).stdout); console.log((await $({ input: 'z' })`cat`).text(), (await $`echo '{"a":1}'`).json(), (await $`printf 'p\nq\n'`).lines());
//> /
//> v
//> in
//> z { a: 1 } [ 'p', 'q' ]
//// parallel
const t = Date.now(); const rs = await Promise.all([1, 2, 3, 4].map(i => shell(`sleep 0.5; echo ${i}`))); console.log(rs.map(r => r.stdout.trim()).join(), Date.now() - t < 1800);
//> 1,2,3,4 true
//// big
const r = await shell('seq 1 100000'); console.log(r.stdout.length, (await shell('wc -c', { input: 'x'.repeat(300000) })).stdout.trim());
//> 588895 300000
//// a-failed-command-has-the-line-of-its-call
const tidy = async () => {
    await shell.run('true');
    await shell.run('exit 3');
};
await tidy();
//= 1
//! ShellError: command failed with exit 3: exit 3
//! at tidy (
//! case.js:3:17
//! exitCode: 3
