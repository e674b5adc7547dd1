/* What a run gives, and what stays from run to run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidError, Sandbox, StateError } from "../dist/node.js";

test("a pipeline", async () => {
  const sandbox = await Sandbox.create();
  const result = await sandbox.run("echo hi | tr a-z A-Z; echo oops >&2; exit 3");
  assert.deepEqual(
    [result.stdout, result.stderr, result.exitCode, result.ok],
    ["HI\n", "oops\n", 3, false],
  );
});

test("the session keeps what a shell keeps", async () => {
  const sandbox = await Sandbox.create({ env: { GREETING: "hello" } });
  await sandbox.run('x=5; f() { echo "f $1"; }; cd /tmp; echo data > file');
  assert.equal(
    (await sandbox.run("echo $x $(pwd) $GREETING; f 1; cat file")).stdout,
    "5 /tmp hello\nf 1\ndata\n",
  );
  assert.equal((await sandbox.run("echo $x-", { isolated: true })).stdout, "-\n");
});

test("two sandboxes share nothing", async () => {
  const [one, two] = await Promise.all([Sandbox.create(), Sandbox.create()]);
  await one.run("x=secret; echo secret > /tmp/file");
  const { stdout } = await two.run('echo "[$x]"; ls -A /tmp /workspace');
  assert.equal(stdout, "[]\n/tmp:\n\n/workspace:\n");
});

test("a run's own directory, variables and input", async () => {
  const sandbox = await Sandbox.create();
  const own = await sandbox.run("pwd; echo $WHO; cat", {
    cwd: "/tmp",
    env: { WHO: "me" },
    stdin: "given\n",
  });
  assert.equal(own.stdout, "/tmp\nme\ngiven\n");
  assert.equal((await sandbox.run("pwd; echo [$WHO]; cat")).stdout, "/workspace\n[]\n");
  await assert.rejects(sandbox.run("pwd", { cwd: "/nowhere" }), { code: "ENOENT" });
});

test("JavaScript, with a value", async () => {
  const sandbox = await Sandbox.create();
  const result = await sandbox.run(
    "console.log([1, 2].map(x => x * 2)); return {a: [1, null, 'x']}",
    { language: "javascript" },
  );
  assert.equal(result.stdout.split("\n")[0], "[ 2, 4 ]");
  assert.deepEqual(result.value, { a: [1, null, "x"] });
  assert.equal(
    (await sandbox.run("const n: number = 20; return n + 1", { language: "typescript" })).value,
    21,
  );
  const failed = await sandbox.run("throw new TypeError('no')", { language: "js" });
  assert.equal(failed.exitCode, 1);
  assert.match(failed.stderr, /TypeError: no/);
});

test("JavaScript that waits in the middle of a call", async () => {
  const sandbox = await Sandbox.create();
  const code = `const { execSync } = require("child_process");
    console.log(execSync("sleep 0.05; echo hi | tr a-z A-Z").toString().trim());
    console.log(require("fs").readFileSync(0, "utf8").length);`;
  const { stdout, stderr } = await sandbox.run(code, {
    language: "js",
    stdin: "x".repeat(100_000),
  });
  assert.deepEqual([stdout, stderr], ["HI\n100000\n", ""]);
  assert.equal(
    (
      await sandbox.run(
        'seq 50000 | jq -c . | node -e \'process.stdin.on("data", d => n += d.length).on("end", () => console.log(n)); var n = 0\'',
      )
    ).stdout,
    "288894\n",
  );
});

test("Python keeps its session and finds its library", async (t) => {
  const sandbox = await Sandbox.create();
  await sandbox.run("import json; x = json.dumps({'a': [1]})", { language: "python" });
  assert.equal((await sandbox.run("print(x)", { language: "python" })).stdout, '{"a": [1]}\n');
});

test("git, sqlite3, awk and archives are there", async () => {
  const sandbox = await Sandbox.create();
  const { stdout, stderr } = await sandbox.run(`
    git init -q r && cd r && git config user.name n && git config user.email e@x && echo 1 > f && git add f && git commit -qm one && git log --format=%s
    sqlite3 :memory: 'select 6*7'
    seq 10 | awk '{s += $1} END {print s}'
    tar cz f | tar tz`);
  assert.equal(stdout, "one\n42\n55\nf\n", stderr);
});

test("output comes as it appears, bytes as they are", async () => {
  const sandbox = await Sandbox.create();
  const pieces = [];
  const result = await sandbox.run("echo a; echo b >&2; printf '\\377\\0'", {
    onOutput: (stream, data) => pieces.push([stream, ...data]),
  });
  assert.deepEqual(
    pieces
      .flat()
      .filter((x) => typeof x === "string")
      .sort(),
    ["stderr", "stdout"],
  );
  assert.deepEqual([...result.stdoutBytes], [97, 10, 255, 0]);
});

test("output as an iterator and as a stream", async () => {
  const sandbox = await Sandbox.create();
  const run = sandbox.stream("for i in 1 2 3; do echo $i; sleep 0.02; done; echo err >&2; exit 4");
  const seen = { stdout: "", stderr: "" };
  let before = 0;
  for await (const { stream, data } of run) {
    seen[stream] += new TextDecoder().decode(data);
    if (sandbox.running) before++;
  }
  assert.deepEqual(seen, { stdout: "1\n2\n3\n", stderr: "err\n" });
  assert.ok(before >= 2, "it came before the end");
  assert.equal((await run.result).exitCode, 4);
  const lines = await new Response(sandbox.stream("seq 1000").readable).text();
  assert.equal(lines.length, 3893);
  const wrong = sandbox.stream("x", { language: "perl" });
  await assert.rejects(async () => {
    for await (const _ of wrong);
  }, InvalidError);
});

test("equal sandboxes do the same", async () => {
  const once = async () => {
    const sandbox = await Sandbox.create({ clock: new Date("2026-01-02T03:04:05Z"), seed: 7 });
    const { stdout } = await sandbox.run(
      "date -u +%FT%TZ; sleep 100; date -u +%T; echo $RANDOM; head -c 8 /dev/urandom | od -An -tx1",
    );
    return stdout;
  };
  const first = await once();
  assert.match(first, /^2026-01-02T03:04:05Z\n03:05:45\n/);
  assert.equal(await once(), first);
});

test("mistakes of the embedder are exceptions", async () => {
  const sandbox = await Sandbox.create();
  await assert.rejects(sandbox.run("x", { language: "perl" }), InvalidError);
  await assert.rejects(sandbox.run("x", { langauge: "js" }), /there is no option "langauge"/);
  await assert.rejects(
    Sandbox.create({ limits: { cpuSeconds: 1 } }),
    /there is no limit "cpuSeconds"/,
  );
  await assert.rejects(Sandbox.create({ capabilites: [] }), /there is no option "capabilites"/);
  const running = sandbox.run("sleep 0.05");
  await assert.rejects(sandbox.run("echo"), StateError);
  assert.ok((await running).ok);
  sandbox.close();
  await assert.rejects(sandbox.run("echo"), /was closed/);
});
