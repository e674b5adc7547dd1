/* A sandbox on a thread of its own: the same interface, and an end when it does not answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeadError,
  FileError,
  InvalidError,
  SnapshotError,
  StateError,
  tool,
  ToolError,
  WorkerSandbox,
} from "../dist/node.js";

const orders = tool({
  inputSchema: { type: "object", properties: { customer: { type: "string" } } },
  execute: ({ customer }) => [{ customer, total: 40 }],
});

test("runs, files, tools and output go through it", async () => {
  const decisions = [];
  const sandbox = await WorkerSandbox.create({
    tools: { orders },
    capabilities: [{ method: "orders", max_calls: 2, constraints: { customer: ["cus_1"] } }],
    files: { "in.txt": "hello" },
    onDecision: ({ outcome }) => decisions.push(outcome),
  });
  const chunks = [];
  const result = await sandbox.run(
    "tr a-z A-Z < in.txt; orders --customer cus_1; orders --customer x; x=5",
    {
      onOutput: (stream, data) => chunks.push([stream, Buffer.from(data).toString()]),
    },
  );
  assert.match(result.stdout, /^HELLO\[\{"customer":"cus_1","total":40\}\]/);
  assert.equal(result.exitCode, 0);
  assert.equal(decisions.length, 2);
  assert.equal(
    chunks
      .filter(([stream]) => stream === "stdout")
      .map(([, text]) => text)
      .join(""),
    result.stdout,
  );
  assert.equal(await sandbox.callsLeft(0), 1);
  assert.match(await sandbox.refusal("orders", { customer: "x" }), /customer/);
  assert.equal((await sandbox.run("echo $x")).stdout, "5\n");
  await sandbox.files.write("a/b", new Uint8Array([1, 2]));
  assert.deepEqual([...(await sandbox.files.read("a/b"))], [1, 2]);
  await assert.rejects(
    sandbox.files.read("none"),
    (error) => error instanceof FileError && error.code === "ENOENT",
  );
  await assert.rejects(sandbox.run("true", { nonsense: 1 }), InvalidError);
  await assert.rejects(WorkerSandbox.create({ nonsense: 1 }), InvalidError);
  sandbox.close();
  await assert.rejects(sandbox.run("true"), StateError);
});

test("calls wait, are answered in any order, and go on in a branch and from a snapshot", async () => {
  const options = { tools: { approve: tool({}) }, capabilities: ["approve"] };
  const sandbox = await WorkerSandbox.create(options);
  await sandbox.start("for n in 1 2; do approve --n $n & done; wait");
  const [one, two] = [sandbox.step(), sandbox.step()];
  assert.equal(sandbox.step(), undefined);
  assert.equal(sandbox.pending().length, 2);
  const branch = await sandbox.fork();
  const data = await sandbox.snapshot();
  await sandbox.resume(two, "two");
  await sandbox.resume(one, "one");
  assert.deepEqual(
    [sandbox.running, sandbox.result.stdout.split("\n").sort().join()],
    [false, `,"one","two"`],
  );
  assert.equal(branch.pending().length, 2);
  const restored = await WorkerSandbox.restore(data, {
    ...options,
    tools: { approve: tool({ execute: ({ n }) => n }) },
    beside: sandbox,
  });
  assert.equal((await restored.finish()).stdout.split("\n").sort().join(), ",1,2");
  await assert.rejects(WorkerSandbox.restore(data.subarray(0, 100), options), SnapshotError);
  for (const one of [sandbox, branch, restored]) one.close();
});

test("what a handler throws and gives back is what a program sees", async () => {
  const tools = {
    no: tool({ execute: () => Promise.reject(new ToolError("not today", "denied")) }),
    odd: tool({ execute: () => JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}') }),
    none: tool({ execute: () => Symbol("none") }),
  };
  const sandbox = await WorkerSandbox.create({ tools, capabilities: ["**"] });
  const code = `
    try { await tools.no({}) } catch (error) { console.log(error.message) }
    console.log(JSON.stringify(await tools.odd({})), ({}).polluted);
    try { await tools.none({}) } catch (error) { console.log("no JSON") }`;
  const { stdout } = await sandbox.run(code, { language: "javascript" });
  assert.match(
    stdout,
    /not today\n\{"__proto__":\{"polluted":1\},"constructor":2\} undefined\nno JSON\n/,
  );
  assert.equal({}.polluted, undefined);
  sandbox.close();
});

test("a program that computes without a call is ended with its worker", async () => {
  const sandbox = await WorkerSandbox.create({ unresponsiveMs: 5000, files: { kept: "x" } });
  const data = await sandbox.snapshot();
  const endless = "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)";
  await assert.rejects(sandbox.run(endless, { language: "javascript" }), DeadError);
  await assert.rejects(sandbox.run("true"), DeadError);
  const again = await WorkerSandbox.restore(data);
  assert.equal((await again.run("cat kept")).stdout, "x");
  again.close();
});

test("what is asked while it computes is done afterwards, in order", async () => {
  const sandbox = await WorkerSandbox.create();
  const run = sandbox.run("for ((i = 0; i < 20000; i++)); do :; done; echo done > f");
  const [text, data] = await Promise.all([sandbox.files.readText("f"), sandbox.snapshot()]);
  assert.equal(text, "done\n");
  assert.ok(data.length > 1000);
  assert.equal((await run).exitCode, 0);
  sandbox.close();
});

test("a run is aborted, interrupted and killed from outside", async () => {
  const sandbox = await WorkerSandbox.create();
  await assert.rejects(
    sandbox.run("while :; do :; done", { signal: AbortSignal.timeout(300) }),
    /timeout|aborted/i,
  );
  const run = sandbox.run("trap 'echo caught; exit 7' INT; while :; do :; done", {
    isolated: true,
  });
  setTimeout(() => sandbox.interrupt(), 500);
  assert.deepEqual([(await run).stdout, (await run).exitCode], ["caught\n", 7]);
  assert.equal((await sandbox.run("echo on")).stdout, "on\n");
  sandbox.close();
});

test("a decision that nobody could be told of has no call", async () => {
  let paid = 0;
  const sandbox = await WorkerSandbox.create({
    tools: { pay: tool({ execute: () => ++paid }) },
    capabilities: ["pay"],
    onDecision() {
      throw new RangeError("the log is full");
    },
  });
  await assert.rejects(sandbox.run("pay; pay"), /the log is full/);
  assert.equal(paid, 0);
  sandbox.close();
});
