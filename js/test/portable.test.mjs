/* What any later version takes over. tests/js/test_exchange.py does the same with the native library. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  packageImages,
  replay,
  Sandbox,
  SnapshotError,
  StateError,
  tool,
  WorkerSandbox,
} from "../dist/node.js";
import { Frame } from "../dist/snapshot/frame.js";

const SHELL = `x=5; f() { echo fun $1; }; declare -A m=([a]=1); cd /tmp; echo kept > /workspace/f; ln /workspace/f /workspace/g
ln -s f /workspace/l; mkfifo /workspace/p; truncate -s 1M /workspace/hole; echo end >> /workspace/hole
mkdir /workspace/d; chmod 700 /workspace/d; touch -d 2001-02-03 /workspace/d; echo x > $'/workspace/\\xff'`;
const PYTHON = "import math\nn = 40\ndef g(): return n + 2\nclass A:\n  def h(self): return 7\na = A()\n";
const LIST = "cd /workspace; stat -c '%n %F %a %h %s %Y' * d; cat g; tail -c 4 hole; readlink l";

test("files, the shell's state and Python's names go on, and the original does not notice", async () => {
  const first = await Sandbox.create();
  await first.run(SHELL);
  await first.run(PYTHON, { language: "python" });
  await first.snapshot(); // the first list of files takes some memory of the kernel
  const before = await first.snapshot(),
    left = [];
  const data = await first.snapshot({ portable: true, onLeftOut: (what) => left.push(...what) });
  assert.deepEqual(left, []);
  assert.deepEqual(Buffer.from(await first.snapshot()), Buffer.from(before));
  const parts = [];
  const second = await Sandbox.restore(data, { record: (bytes) => parts.push(bytes) });
  assert.deepEqual(second.leftOut, []);
  const state = await second.run("echo $x ${m[a]} $(pwd); f 1");
  assert.equal(state.stdout, "5 1 /tmp\nfun 1\n");
  const python = await second.run("print(n, g(), a.h(), math.floor(2.5))", { language: "python" });
  assert.equal(python.stdout, "40 42 7 2\n", python.stderr);
  const list = await second.run(LIST);
  assert.equal(list.stdout, (await first.run(LIST)).stdout);
  await second.close();
  const again = await replay(Buffer.concat(parts));
  assert.equal(again.results[2].stdout, list.stdout);
});

test("what it does not hold is told, then and when it is restored", async () => {
  const first = await Sandbox.create();
  await first.run("sleep 100 & x=1");
  await first.run("f = lambda: 1\nn = 2", { language: "python" });
  let left;
  const data = await first.snapshot({ portable: true, onLeftOut: (what) => (left = what) });
  assert.ok(left.includes("processes in the background: 1"), left);
  assert.ok(
    left.some((one) => one.startsWith("of Python: the name f")),
    left,
  );
  const second = await WorkerSandbox.restore(data);
  assert.deepEqual(second.leftOut, left);
  assert.equal((await second.run("echo $x; jobs")).stdout, "1\n");
  await second.close();
});

test("budgets, a fixed clock and seed, keys and counters", async () => {
  const tools = { pay: tool({ execute: () => 1 }) };
  const capabilities = [{ method: "pay", max_calls: 3 }];
  const key = "0123456789abcdef";
  const first = await Sandbox.create({
    tools,
    capabilities,
    clock: new Date("2026-01-02T03:04:05Z"),
    seed: 7,
  });
  await first.run("pay; sleep 5");
  const data = await first.snapshot({ portable: true, key, counter: 3 });
  const make = async () => {
    const sandbox = await Sandbox.restore(data, { tools, capabilities, key, minCounter: 3 });
    assert.equal(sandbox.callsLeft(0), 2);
    return (await sandbox.run("date; echo $RANDOM; pay")).stdout;
  };
  const one = await make();
  assert.match(one, /^Fri Jan  2 03:04:10 UTC 2026\n\d+\n1\n$/);
  assert.equal(await make(), one);
  await assert.rejects(Sandbox.restore(data, { tools, capabilities }), /give the key/);
  await assert.rejects(
    Sandbox.restore(data, { tools, capabilities, key, minCounter: 4 }),
    /older/,
  );
});

test("one that is busy, altered or hostile is refused", async () => {
  const sandbox = await Sandbox.create({ capabilities: ["**"], toolHandler: () => 1 });
  await sandbox.run("x=1");
  const data = await sandbox.snapshot({ portable: true });
  await sandbox.start("tool wait");
  await assert.rejects(sandbox.snapshot({ portable: true }), StateError);
  for (const at of [0, 9, 40, data.length - 1]) {
    const altered = data.slice();
    altered[at] ^= 1;
    await assert.rejects(Sandbox.restore(altered), SnapshotError);
  }
  const frame = await Frame.load(await packageImages());
  const contents = frame.open(data, undefined, 0, 1e9);
  const wrapped = (change) => {
    const other = Buffer.from(contents);
    change(other);
    return frame.wrap(other, undefined, 0, true);
  };
  const files = Buffer.from(contents).indexOf("/workspace");
  assert.ok(files > 0);
  for (const [change, why] of [
    [(all) => all.write("/usr/bin/x", files), /a file that none may have: \/usr\/bin\/x/],
    [(all) => all.write("/../../etc", files), /a file that none may have/],
    [(all) => all.write("xwork", files), /malformed/],
    [(all) => all.write("NEWS", 0), /has a part NEWS, which this pinfold .* does not know/],
    [(all) => all.write("FILE", 0), /malformed/],
    [(all) => all.writeUInt32LE(0xffffff, 8), /malformed/],
  ])
    await assert.rejects(Sandbox.restore(wrapped(change)), (error) => {
      assert.ok(error instanceof SnapshotError, String(error));
      assert.match(error.message, why);
      return true;
    });
});
