/* Each limit has a program that reaches it, and the sandbox stays usable. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sandbox, tool } from "../dist/node.js";

async function alive(sandbox) {
  assert.equal((await sandbox.run("echo alive")).stdout, "alive\n");
}

for (const [name, language, code] of [
  ["a shell's loop", "shell", "while :; do :; done"],
  ["JavaScript's loop", "js", "for (;;);"],
  ["a pipeline without an end", "shell", "yes | cat > /dev/null"],
])
  test(`cpuMs ends ${name}`, async () => {
    const sandbox = await Sandbox.create({ limits: { cpuMs: 200 } });
    const result = await sandbox.run(code, { language });
    assert.deepEqual([result.exitCode, result.limit], [137, "cpu_seconds"]);
    await alive(sandbox);
  });

/* The kernel runs on top of a program's frames: what has no room left for it must not be half done. */
for (const [name, language, code] of [
  ["a shell's function", "shell", "f() { : > f; f; }; f"],
  ["JavaScript", "js", "const { existsSync } = require('fs'); (function f() { existsSync('x'); f(); })()"],
  ["Python below other C", "python", "import os, sys\nsys.setrecursionlimit(10**6)\n" +
    "def f(): return sorted([1, 2], key=lambda _: (os.stat('/'), f()))\nf()"],
])
  test(`recursion with calls ends ${name}, and nothing else`, async () => {
    const sandbox = await Sandbox.create({ limits: { wallMs: 60_000, cpuMs: 60_000 } });
    const result = await sandbox.run(code, { language });
    assert.notEqual(result.exitCode, 0);
    assert.equal(result.limit, undefined);
    await alive(sandbox);
  });

test("wallMs ends a sleep", async () => {
  const sandbox = await Sandbox.create();
  const result = await sandbox.run("sleep 100", { limits: { wallMs: 100 } });
  assert.deepEqual([result.exitCode, result.limit], [137, "wall_seconds"]);
  await alive(sandbox);
});

test("outputBytes cuts, and says so", async () => {
  const sandbox = await Sandbox.create({ limits: { outputBytes: 1000 } });
  const result = await sandbox.run("seq 100000; echo done >&2");
  assert.deepEqual(
    [result.stdout.length, result.stdoutTruncated, result.stderr],
    [1000, true, "done\n"],
  );
});

test("memoryBytes holds for one program and for many", async () => {
  const sandbox = await Sandbox.create({
    limits: { memoryBytes: 48 << 20, processMemoryBytes: 32 << 20 },
  });
  const one = await sandbox.run(
    "const all = []; for (let i = 0; i < 1000; i++) all.push('x'.repeat(1e6 + i))",
    { language: "js" },
  );
  assert.notEqual(one.exitCode, 0);
  assert.ok(one.usage.memoryBytes <= 48 << 20);
  const many = await sandbox.run("for i in $(seq 60); do sleep 0.1 & done; wait; echo no");
  assert.ok(many.usage.memoryBytes <= 48 << 20);
  await alive(sandbox);
});

test("a sandbox that cannot fit its limits is refused", async () => {
  await assert.rejects(
    Sandbox.create({ limits: { memoryBytes: 1 << 20 } }),
    /is too small for another sandbox/,
  );
});

test("processes, files and bytes of files", async () => {
  const sandbox = await Sandbox.create({
    limits: { processes: 10, filesystemBytes: 1 << 20, cpuMs: 5000 },
  });
  assert.match(
    (await sandbox.run("for i in $(seq 20); do sleep 0.1 & done; wait")).stderr,
    /Resource temporarily unavailable/,
  );
  assert.match(
    (await sandbox.run("head -c 2000000 /dev/zero > big")).stderr,
    /No space left on device/,
  );
  await alive(sandbox);
});

test("toolCalls counts the refused ones, too", async () => {
  let calls = 0;
  const sandbox = await Sandbox.create({
    tools: { t: tool({ execute: () => ++calls }) },
    capabilities: ["t"],
    limits: { toolCalls: 3 },
  });
  const result = await sandbox.run("for i in 1 2 3 4 5; do t; done");
  assert.equal(calls, 3);
  assert.match(result.stderr, /tool_calls: 3/);
});

test("a program that faults dies alone", async () => {
  const sandbox = await Sandbox.create();
  const result = await sandbox.run(
    "node -e 'process.abort()'; echo $?; node -e 'function f() { return f() + 1 } f()' 2>/dev/null; test $? -ne 0 && echo on",
  );
  assert.equal(result.stdout, "134\non\n");
  await alive(sandbox);
});

test("an AbortSignal ends a run, and only that", async () => {
  const sandbox = await Sandbox.create({
    tools: {
      wait: tool({
        execute: (_, { signal }) =>
          new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
      }),
    },
    capabilities: ["wait"],
  });
  const awake = setInterval(() => {}, 1000); /* AbortSignal.timeout() alone keeps no process */
  for (const code of [
    "sleep 100",
    "wait",
    "while :; do :; done",
    "trap '' INT; while :; do :; done",
  ]) {
    const signal = AbortSignal.timeout(50);
    await assert.rejects(
      sandbox.run(code.replace(/^wait$/, "tool wait"), { signal }),
      { name: "TimeoutError" },
      code,
    );
    await alive(sandbox);
  }
  clearInterval(awake);
  const aborted = AbortSignal.abort(new Error("before"));
  await assert.rejects(sandbox.run("echo", { signal: aborted }), /before/);
});

test("others of this thread get their turn", async () => {
  const sandbox = await Sandbox.create();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await sandbox.run("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done");
  clearInterval(timer);
  assert.ok(ticks >= 2, `${ticks} ticks`);
});
