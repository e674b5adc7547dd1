/* What the embedder does wrong is an exception that says what, and the sandbox can be used after it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { InvalidError, Sandbox, tool, WorkerSandbox } from "../dist/node.js";

const fails = () => {
  throw new RangeError("mine");
};
const two = tool({ execute: () => 2 });
const given = { tools: { two }, capabilities: ["two"] };

for (const Face of [Sandbox, WorkerSandbox]) {
  const name = Face === Sandbox ? "" : ", in a worker";

  test(`what onOutput throws ends the run${name}`, async () => {
    const sandbox = await Face.create(given);
    for (const code of ["echo a; two; echo b", "while :; do echo x; done", "two | cat"]) {
      await assert.rejects(sandbox.run(code, { onOutput: fails }), /^RangeError: mine$/, code);
      assert.equal((await sandbox.run("two")).stdout, "2\n");
    }
    /* While a call waits, and by steps. */
    const steps = { tools: { two: tool({}) }, capabilities: ["two"] };
    const other = await Face.create(steps);
    await assert.rejects(other.start("echo a; sleep 9", { onOutput: fails }), /mine/);
    while (other.running) await other.advance();
    assert.notEqual(other.result.exitCode, 0);
    await other.start("two");
    const restored = await Face.restore(await other.snapshot(), given);
    await assert.rejects(restored.finish({ onOutput: fails }), /mine/);
    assert.equal((await restored.run("echo on")).stdout, "on\n");
    for (const one of [sandbox, other, restored]) await one.close();
  });

  test(`what onDecision throws ends the run, and its call is not made${name}`, async () => {
    let made = 0;
    let full = true;
    const sandbox = await Face.create({
      tools: { pay: tool({ execute: () => ++made }) },
      capabilities: ["pay"],
      onDecision: () => full && fails(),
    });
    for (const code of ["pay; pay", "echo '{}' | pay | cat", "trap '' INT; pay"])
      await assert.rejects(sandbox.run(code), /^RangeError: mine$/, code);
    assert.equal(made, 0);
    full = false;
    assert.equal((await sandbox.run("pay")).stdout, "1\n");
    await sandbox.close();
  });

  test(`a run that is refused leaves the one that is on alone${name}`, async () => {
    const sandbox = await Face.create({ tools: { slow: tool({}) }, capabilities: ["slow"] });
    await sandbox.start("slow; echo done");
    await assert.rejects(sandbox.run("echo x", { what: 1 }), InvalidError);
    await assert.rejects(sandbox.run("echo x"), /a run is on/);
    await sandbox.resume(sandbox.step(), 1);
    assert.equal(sandbox.result.stdout, "1\ndone\n");
    await sandbox.close();
  });

  test(`options that cannot be what they are${name}`, async () => {
    const sandbox = await Face.create({});
    for (const options of [
      { stdin: 5 },
      { cwd: 5 },
      { cwd: "nowhere" },
      { env: 5 },
      { onOutput: 5 },
      { signal: {} },
      { language: "rust" },
      { limits: { x: 1 } },
    ])
      await assert.rejects(sandbox.run("echo a", options), InvalidError, inspect(options));
    assert.equal((await sandbox.run("echo on")).stdout, "on\n");
    await sandbox.close();
    for (const options of [
      { tools: 5 },
      { tools: [two] },
      { tools: { two: 2 } },
      { files: { a: 5 } },
      { seed: "x" },
      { onDecision: 5 },
      { toolHandler: 5 },
      { capabilities: "x" },
    ])
      await assert.rejects(Face.create(options), InvalidError, inspect(options));
    for (const data of [null, undefined, 5, {}, new ArrayBuffer(9)])
      await assert.rejects(Face.restore(data), InvalidError, inspect(data));
  });
}

test("a tool that cannot be one", async () => {
  assert.throws(() => tool({ execute: 5 }), /execute is a function, not number/);
  assert.throws(() => tool({ exec: () => 1 }), /no option "exec" of a tool/);
  const cycle = {};
  cycle.self = cycle;
  const getter = { get type() { return fails(); } };
  for (const inputSchema of [cycle, getter, { type: "objct" }, []]) {
    const one = tool({ inputSchema });
    await assert.rejects(Sandbox.create({ tools: { one } }), InvalidError);
  }
});

test("an integer of a schema stays what it is", async () => {
  const n = { type: "integer", maximum: 2n ** 53n + 1n };
  const one = tool({ inputSchema: { type: "object", properties: { n } }, execute: ({ n }) => n });
  for (const Face of [Sandbox, WorkerSandbox]) {
    const sandbox = await Face.create({ tools: { one }, capabilities: ["one"] });
    assert.equal((await sandbox.run("one --n 9007199254740993")).stdout, "9007199254740993\n");
    assert.notEqual((await sandbox.run("one --n 9007199254740994")).exitCode, 0);
    await sandbox.close();
  }
});
