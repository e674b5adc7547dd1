/* What is recorded is run again. tests/js/test_traces.py does the same with the native library. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  BoundError,
  InvalidError,
  packageImages,
  replay,
  ReplayError,
  Sandbox,
  StateError,
  tool,
  ToolError,
  TraceError,
  WorkerSandbox,
} from "../dist/node.js";
import { Frame } from "../dist/snapshot/frame.js";
import { Chain } from "../dist/trace/lines.js";

const folder = mkdtempSync(join(tmpdir(), "pinfold-trace-"));
let files = 0;
const newPath = () => join(folder, `run${++files}.jsonl`);
const tools = {
  add: tool({ execute: async ({ a, b }) => a + b }),
  bad: tool({
    execute: () => {
      throw new ToolError("no way");
    },
  }),
  slow: tool({ execute: () => new Promise((give) => setTimeout(give, 30, "late")) }),
};
const granted = { tools, capabilities: ["**"] };

/** Records what `act` does; gives the trace and the results. */
async function recorded(act, options = {}) {
  const path = newPath(),
    results = [];
  const sandbox = await Sandbox.create({ ...granted, record: path, ...options });
  const run = async (...given) => {
    results.push(await sandbox.run(...given));
    return results.at(-1);
  };
  await act(sandbox, run);
  await sandbox.close();
  return { path, results };
}

const plain = (results) =>
  results.map(({ stdout, stderr, exitCode, limit, value }) => ({
    stdout,
    stderr,
    exitCode,
    limit,
    value,
  }));

async function replaysAs(path, results, options) {
  const again = await replay(path, options);
  assert.deepEqual(plain(again.results), plain(results));
  return again;
}

const lineOf = (path, text) =>
  readFileSync(path, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text));

/** The trace with other lines, its sums made anew: what only who wrote it can do. */
async function rewritten(path, change) {
  const chain = new Chain(await Frame.load(await packageImages()));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return Buffer.from(
    change(lines.map((line) => line.slice(0, -18)))
      .map((line) => `${line},"sum":"${chain.add(Buffer.from(line))}"}\n`)
      .join(""),
  );
}

test("times, random numbers, tools and files are as they were", async () => {
  const { path, results } = await recorded(
    async (sandbox, run) => {
      await run("date +%N; echo $RANDOM; sleep 0.02; cat f; add --a 1 --b 2; bad; slow & slow; wait");
      await run("return [Math.random(), Date.now(), await add({a: 1, b: 2})]", { language: "js" });
      await run(
        "from tools import add\nimport random, time\nprint(add(a=1, b=2), random.random(), time.time())",
        { language: "python" },
      );
      await sandbox.files.mkdir("d/e");
      await sandbox.files.write("d/e/g", new Uint8Array([255, 0, 1]));
      assert.deepEqual(await sandbox.files.list("d"), ["e"]);
      assert.equal(await sandbox.files.exists("nothing"), false);
      await sandbox.files.read("f");
      await run("stat -c %X f; stat -c '%y %a' d d/e; od -c d/e/g", { cwd: "/workspace" });
      await sandbox.files.remove("f");
      await run("ls; read x; echo $x $HOME $A", { stdin: "in\nmore", env: { A: "1" } });
      await assert.rejects(sandbox.run("echo", { cwd: "/nowhere" }));
    },
    { files: { f: "hello" }, env: { HOME: "/tmp" } },
  );
  assert.match(results[0].stdout, /^\d+\n\d+\nhello3\n/);
  const again = await replaysAs(path, results);
  assert.deepEqual(again.pending(), []);
  assert.deepEqual([...(await again.files.read("d/e/g"))], [255, 0, 1]);
  await assert.rejects(again.files.write("x", "y"), StateError);
  await assert.rejects(again.files.remove("d/e/g"), StateError);
});

test("a fixed clock and seed need no times in the trace", async () => {
  const { path, results } = await recorded(
    async (_, run) => {
      await run("date +%s%N; sleep 5; date +%s; echo $RANDOM");
    },
    { clock: new Date("2026-01-02T03:04:05Z"), seed: 7 },
  );
  assert.ok(!readFileSync(path, "utf8").includes('"in":"time"'));
  await replaysAs(path, results);
});

test("interrupts, kills and limits strike where they struck", async () => {
  const { path, results } = await recorded(async (sandbox, run) => {
    for (const [what, code] of [
      ["interrupt", "trap 'echo got' INT; for n in 1 2 3 4; do sleep 0.1; echo $n; done"],
      ["stop", "sleep 5; echo no"],
      ["stop", "trap '' INT; while :; do :; done"],
      ["kill", "while :; do :; done"],
    ]) {
      setTimeout(() => sandbox[what](), 150);
      await run(code);
    }
    await run("while :; do :; done", { limits: { cpuMs: 200 } });
    await run("for (;;);", { language: "js", limits: { cpuMs: 200 } });
    await run("sleep 10", { limits: { wallMs: 100 } });
    await run("for n in 1 2 3; do add --a 1 --b $n; done", { limits: { toolCalls: 2 } });
    await run("seq 100000", { limits: { outputBytes: 100 } });
    await run("echo alive");
  });
  assert.deepEqual(
    results.map((one) => one.limit),
    [...Array(4), "cpu_seconds", "cpu_seconds", "wall_seconds", ...Array(3)],
  );
  const text = readFileSync(path, "utf8");
  for (const name of ["interrupt", "stop", "kill", "cpu_limit", "wall_limit"])
    assert.ok(text.includes(`"in":"${name}"`), name);
  await replaysAs(path, results);
});

test("programs that wait in synchronous calls", async () => {
  const { path, results } = await recorded(async (_, run) => {
    await run(
      "const {execSync} = require('child_process'); console.log(execSync('sleep 0.1; date +%N') + '')",
      { language: "js" },
    );
    await run(
      "import subprocess\nprint(sorted([3, 1, 2], key=lambda n: int(subprocess.check_output(['echo', str(n)]))))",
      { language: "python" },
    );
  });
  assert.equal(results[1].stdout, "[1, 2, 3]\n", results[1].stderr);
  await replaysAs(path, results);
});

test("a parked program that could go on before the one above it", async () => {
  const inner = "console.log(1); require('child_process').execSync('sleep 0.05'); console.log(2)";
  const { path, results } = await recorded(async (_, run) => {
    await run(
      `console.log(require('child_process').execSync(${JSON.stringify(`node -e "${inner}"`)}) + '')`,
      { language: "js" },
    );
  }, { engine: "wasm" });
  assert.equal(results[0].stdout, "1\n2\n\n", results[0].stderr);
  await replaysAs(path, results);
});

test("calls that are answered by hand, given up and left", async () => {
  const { path } = await recorded(async (sandbox) => {
    await sandbox.start("add --a 1; add --a 2; add --a 3 & sleep 0.1; kill $!; wait; add --a 4");
    await sandbox.fail(sandbox.step(), "nope");
    await sandbox.resume(sandbox.step(), { is: "ü\u0001\u2028" });
    while (sandbox.pending()[0].params.a !== 4) {
      await new Promise((go) => setTimeout(go, 20));
      await sandbox.advance();
    }
  });
  const again = await replay(path);
  assert.deepEqual(
    again.pending().map((call) => [call.method, call.params]),
    [["add", { a: 4 }]],
  );
  const before = await replay(path, { until: lineOf(path, '"out":"cancel"') });
  assert.equal(before.pending()[0].params.a, 3);
});

test("a branch has a trace of its own", async () => {
  const path = newPath();
  const trunk = await Sandbox.create({ ...granted, record: path });
  await trunk.run("x=3");
  await trunk.start("add --a 1 --b $RANDOM; echo $x $RANDOM");
  const branch = await trunk.fork(),
    inner = await branch.fork(),
    none = await trunk.fork({ record: false });
  const results = [await branch.finish(), await branch.run("date +%N")];
  await inner.fail(inner.pending()[0], "no");
  await none.finish();
  const last = await trunk.finish();
  for (const one of [trunk, branch, inner, none]) await one.close();
  await replaysAs(path.replace(".jsonl", ".1.jsonl"), results);
  await replaysAs(path.replace(".jsonl", ".1.1.jsonl"), [inner.result]);
  assert.equal((await replay(path)).results.at(-1).stdout, last.stdout);
  assert.ok(!existsSync(path.replace(".jsonl", ".2.jsonl")));
});

test("what was restored, with a key that a replay need not have", async () => {
  const first = await Sandbox.create(granted);
  await first.start("add --a 1 --b 2; x=$RANDOM; echo $x");
  const data = await first.snapshot({ key: "0123456789abcdef" });
  const path = newPath();
  const second = await Sandbox.restore(data, { ...granted, key: "0123456789abcdef", record: path });
  const results = [await second.finish(), await second.run("echo $x")];
  await second.close();
  await replaysAs(path, results);
});

test("results that were left out are supplied", async () => {
  const { path, results } = await recorded(
    async (_, run) => {
      await run('add --a "$(echo left)" --b " out" > /dev/null; echo done');
    },
    { redact: true },
  );
  assert.ok(!readFileSync(path, "utf8").includes("left out"));
  await assert.rejects(replay(path), /the result of call 1 was left out of the trace: supply it/);
  await replaysAs(path, results, { results: { 1: "left out" } });
});

test("a trace that was altered, cut or moved is refused", async () => {
  const { path } = await recorded(async (_, run) => {
    await run("echo 1");
    await run("echo 2");
  });
  const whole = readFileSync(path),
    lines = whole.toString().trimEnd().split("\n");
  const joined = (some) => Buffer.from(some.map((line) => line + "\n").join(""));
  const altered = Buffer.from(whole);
  altered[whole.indexOf("echo 2") + 5] = 0x33;
  for (const bad of [altered, joined([lines[0], ...lines.slice(2)]), joined([...lines, lines[3]])])
    await assert.rejects(replay(bad), /the trace was altered in line \d+ or before/);
  for (const bad of ["", "x", "{}\n", joined(lines.slice(1))])
    await assert.rejects(replay(Buffer.from(bad)), /this is not a pinfold trace/);
  const cut = Buffer.concat([joined(lines.slice(0, -1)), Buffer.from('{"n":9')]);
  await assert.rejects(replay(cut), (error) => error instanceof TraceError && /cut short/.test(error));
  assert.equal((await replay(cut, { partial: true })).results.length, 2);
  await assert.rejects(replay("nothing.jsonl"), { code: "ENOENT" });
  await assert.rejects(replay(whole, { partail: true }), InvalidError);
});

test("a trace that says something else is refused, or differs", async () => {
  const { path } = await recorded(async (_, run) => {
    await run("echo one; date +%N; sleep 0.02");
  });
  const changed = async (from, to) =>
    replay(await rewritten(path, (lines) => lines.map((line) => line.replace(from, to))));
  await assert.rejects(changed('"echo one', '"echo two'), (error) => {
    assert.ok(error instanceof ReplayError && !(error instanceof TraceError));
    return /differs from the trace at line \d+:\n  trace: .*one.*\n  replay: .*two/s.test(error);
  });
  await assert.rejects(changed(/"build":"../, '"build":"00'), /another build of pinfold/);
  await assert.rejects(changed('"pinfold_trace":2', '"pinfold_trace":3'), /has format 3; this/);
  await assert.rejects(changed('"do":"start"', '"do":"stand"'), /is no act that this pinfold knows/);
  await assert.rejects(changed(/"seed":"../, '"seed":"xx'), /has no seed/);
  await assert.rejects(changed('"language":"shell"', '"language":"perl"'), InvalidError);
  await assert.rejects(changed('"memory_bytes":536870912', '"memory_bytes":536870913'), BoundError);
  const dropped = await rewritten(path, (lines) =>
    lines.filter((line) => !line.includes('"in":"time"')),
  );
  await assert.rejects(replay(dropped), ReplayError);
});

test("a trace is its author's, and the bounds are the embedder's", async () => {
  const { path, results } = await recorded(
    async (_, run) => {
      await run("for n in $(seq 2000); do :; done; echo x");
    },
    { limits: { memoryBytes: 1 << 30, cpuMs: Infinity } },
  );
  await assert.rejects(replay(path), /memory_bytes as 1073741824.*this replay allows 536870912/);
  await replaysAs(path, results, { limits: { memoryBytes: 1 << 30, cpuMs: Infinity } });
  const lifted = { limits: { memoryBytes: Infinity, cpuMs: Infinity } };
  await assert.rejects(replay(path, { ...lifted, maxSeconds: 1e-6 }), BoundError);
  const why = new Error("enough");
  await assert.rejects(replay(path, { ...lifted, signal: AbortSignal.abort(why) }), why);
});

test("a trace that comes to its bound ends the sandbox, not its files", async () => {
  const path = newPath();
  const sandbox = await Sandbox.create({ record: path, limits: { traceBytes: 20000 } });
  await sandbox.run("echo kept > f; echo first");
  const { stdout } = await sandbox.run("seq 100000");
  assert.ok(stdout.length <= 1 << 20);
  await assert.rejects(sandbox.run("echo"), /the recording cannot go on: .*its bound, traceBytes/);
  await assert.rejects(sandbox.files.write("f", "x"), StateError);
  assert.equal(await sandbox.files.readText("f"), "kept\n");
  await assert.rejects(async () => sandbox.close(), /the recording is incomplete/);
  assert.ok(readFileSync(path).length <= 20000);
  await assert.rejects(replay(path), /came to its bound/);
  assert.equal((await replay(path, { partial: true })).results[0].stdout, "first\n");
});

test("a function is given the trace, and what it throws ends the recording", async () => {
  const parts = [];
  const sandbox = await Sandbox.create({ record: (bytes) => parts.push(bytes) });
  await sandbox.run("echo heard");
  const soFar = Buffer.concat(parts);
  assert.equal((await replay(soFar, { partial: true })).results[0].stdout, "heard\n");
  await assert.rejects(sandbox.fork(), /say where its branch is/);
  await sandbox.endRecord();
  assert.equal((await replay(Buffer.concat(parts))).results.length, 1);
  await assert.rejects(sandbox.run("echo"), /the recording cannot go on: it was ended/);
  let broken = false;
  const other = await Sandbox.create({
    record: () => {
      if (broken) throw new Error("the disk is full");
    },
  });
  broken = true;
  await other.run("echo lost").catch(() => {});
  await assert.rejects(other.run("echo"), /cannot go on: the trace cannot be written: the disk/);
  await assert.rejects(Sandbox.create({ record: join(folder, "no/such/run.jsonl") }), /ENOENT|No such file/);
  await assert.rejects(Sandbox.create({ record: 7 }), InvalidError);
});

test("a sandbox in a worker is recorded as well", async () => {
  const path = newPath();
  const sandbox = await WorkerSandbox.create({ ...granted, record: path });
  const results = [await sandbox.run("date +%N; add --a 1 --b 2")];
  const branch = await sandbox.fork();
  await branch.run("echo branch");
  await branch.close();
  await sandbox.endRecord();
  await assert.rejects(sandbox.run("echo"), StateError);
  await sandbox.close();
  await replaysAs(path, results);
  const inner = await replay(path.replace(".jsonl", ".1.jsonl"));
  assert.equal(inner.results[0].stdout, "branch\n");
  writeFileSync(join(folder, "taken"), "x");
  await assert.rejects(
    WorkerSandbox.create({ record: join(folder, "taken/run.jsonl") }),
    /ENOTDIR|ENOENT/,
  );
});

test("a branch of a replay goes on with other answers", async () => {
  const { path } = await recorded(async (sandbox, run) => {
    await run("echo rows > report; x=5");
    await sandbox.start('[ "$(add --a 1 --b 2)" = 3 ] || : > report; echo $x $RANDOM; wc -c < report');
    await sandbox.resume(sandbox.step(), 3);
  });
  const there = await replay(path, { until: lineOf(path, '"do":"resume"') });
  assert.equal(there.results.length, 1);
  const [call] = there.pending();
  const last = (await replay(path)).results[1].stdout;
  const same = await there.branch(granted);
  assert.equal(same.pending()[0].id, call.id);
  await same.resume(call.id, 3);
  assert.equal(same.result.stdout, last);
  const other = await there.branch(granted);
  await other.resume(call.id, 4);
  assert.equal(other.result.stdout, last.replace(/5\n$/, "0\n"));
  assert.equal((await other.run("echo on; add --a 1 --b 1")).stdout, "on\n2\n");
  const denied = await there.branch();
  assert.equal(denied.pending().length, 0);
  assert.match(denied.result.stdout, /0\n$/);
  /* Also in the middle of a run. */
  const { path: long } = await recorded(async (_, run) => {
    await run("for n in 1 2 3; do echo $n; sleep 0.01; done");
  });
  const middle = await replay(long, { until: lineOf(long, '"text":"2\\n"') });
  const going = await middle.branch();
  assert.ok(going.running);
  assert.equal((await going.finish()).stdout, "1\n2\n3\n");
});
