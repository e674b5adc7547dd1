/* A sandbox as bytes, and back. tests/js/test_exchange.py does the same with the native library. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidError, Sandbox, SnapshotError, tool } from "../dist/node.js";

const every = { toolHandler: (method, params) => ({ method, ...params }), capabilities: ["**"] };
const fixed = { clock: new Date("2026-01-02T03:04:05Z"), seed: 7 };

test("files, the session and a waiting call go on", async () => {
  const first = await Sandbox.create(every);
  await first.run("x=5; echo kept > file; cd /tmp");
  await first.start(
    "for n in 1 2; do tool approve --amount $n; done; echo $x $(pwd) $(cat /workspace/file)",
  );
  const data = await first.snapshot();
  const second = await Sandbox.restore(data, every);
  const call = second.step();
  assert.deepEqual(
    [call.id, call.method, call.params],
    [first.step().id, "approve", { amount: 1 }],
  );
  assert.equal(
    (await second.finish()).stdout,
    '{"method":"approve","amount":1}\n{"method":"approve","amount":2}\n5 /tmp kept\n',
  );
  assert.equal((await second.run("echo on")).stdout, "on\n");
  assert.equal((await (await Sandbox.restore(data, every)).finish()).exitCode, 0);
});

test("JavaScript and Python that wait go on", async () => {
  for (const [language, code] of [
    ["js", "let n = 40; n += await tools.two({}); console.log(n)"],
    ["python", "from tools import two\nn = 40\nn += two()\nprint(n)"],
  ]) {
    const options = { tools: { two: tool({}) }, capabilities: ["two"] };
    const first = await Sandbox.create(options);
    await first.start(code, { language });
    const second = await Sandbox.restore(await first.snapshot(), options);
    await second.resume(second.step(), 2);
    assert.equal(second.result?.stdout, "42\n", second.result?.stderr);
  }
});

test("equal sandboxes give equal bytes, others do not", async () => {
  const make = async (code) => {
    const sandbox = await Sandbox.create(fixed);
    await sandbox.run(code);
    return Buffer.from(await sandbox.snapshot());
  };
  const [one, two, three] = [
    await make("echo $RANDOM > f"),
    await make("echo $RANDOM > f"),
    await make("echo 1 > f"),
  ];
  assert.ok(one.equals(two));
  assert.ok(!one.equals(three));
});

test("what was spent stays spent, and who restores decides", async () => {
  const tools = { pay: tool({}) };
  const first = await Sandbox.create({ tools, capabilities: [{ method: "pay", max_calls: 2 }] });
  await first.start("pay --amount 1; echo $?");
  const data = await first.snapshot();
  const same = await Sandbox.restore(data, {
    tools,
    capabilities: [{ method: "pay", max_calls: 2 }],
  });
  assert.equal(same.callsLeft(0), 1);
  const decisions = [];
  const less = await Sandbox.restore(data, {
    tools,
    capabilities: [{ method: "pay", max_calls: 2, constraints: { amount: "<=0" } }],
    onDecision: (one) => decisions.push(one.outcome),
  });
  assert.deepEqual([less.running, less.result?.stdout], [false, "126\n"]);
  await assert.rejects(Sandbox.restore(data, { capabilities: ["other"] }), SnapshotError);
});

test("a snapshot that was altered, cut or made with another key is refused", async () => {
  const sandbox = await Sandbox.create();
  const plain = await sandbox.snapshot(),
    keyed = await sandbox.snapshot({ key: "0123456789abcdef", counter: 3 });
  for (const at of [0, 9, 20, 80, plain.length - 1]) {
    const altered = plain.slice();
    altered[at] ^= 1;
    await assert.rejects(Sandbox.restore(altered), SnapshotError);
  }
  await assert.rejects(Sandbox.restore(plain.subarray(0, plain.length - 1)), /cut short/);
  await assert.rejects(Sandbox.restore(new Uint8Array(0)), /not a pinfold snapshot/);
  await assert.rejects(Sandbox.restore(keyed), /give the key/);
  await assert.rejects(Sandbox.restore(plain, { key: "0123456789abcdef" }), /not authenticated/);
  await assert.rejects(Sandbox.restore(keyed, { key: "another secret, long" }), /another key/);
  await assert.rejects(Sandbox.restore(keyed, { key: "0123456789abcdef", minCounter: 4 }), /older/);
  await assert.rejects(sandbox.snapshot({ key: "short" }), InvalidError);
  await assert.rejects(sandbox.snapshot({ counter: 1 }), InvalidError);
  assert.equal(
    (
      await (
        await Sandbox.restore(keyed, { key: "0123456789abcdef", minCounter: 3 })
      ).run("echo in")
    ).stdout,
    "in\n",
  );
  await assert.rejects(Sandbox.restore(plain, { limits: { memoryBytes: 1 << 20 } }), SnapshotError);
});
