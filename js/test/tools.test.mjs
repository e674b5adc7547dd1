/* Tool calls: who may make them, who answers them, and what waits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import {
  CapabilityError,
  InvalidError,
  Sandbox,
  StateError,
  tool,
  ToolError,
  WorkerSandbox,
} from "../dist/node.js";

const add = tool({
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a + b,
});

test("a tool from shell, JavaScript and Python", async () => {
  const sandbox = await Sandbox.create({ tools: { add }, capabilities: ["add"] });
  assert.equal((await sandbox.run("add --a 1 --b 2; tool add --a 3 --b 4")).stdout, "3\n7\n");
  assert.equal((await sandbox.run("return await add({a: 1, b: 2})", { language: "js" })).value, 3);
  assert.equal(
    (await sandbox.run("from tools import add\nprint(add(a=1, b=2))", { language: "python" }))
      .stdout,
    "3\n",
  );
  assert.match((await sandbox.run("cat /tools/add.md")).stdout, /Adds two numbers\./);
});

test("nothing is granted by declaring it", async () => {
  let called = 0;
  const spy = tool({ execute: () => void called++ });
  const sandbox = await Sandbox.create({ tools: { spy } });
  const result = await sandbox.run("spy");
  assert.equal(result.exitCode, 126, result.stderr);
  assert.equal(
    (await sandbox.run("try { await spy({}) } catch (e) { return e.name }", { language: "js" }))
      .value,
    "CapabilityError",
  );
  assert.equal(called, 0);
  assert.match(sandbox.refusal("spy"), /spy/);
});

test("constraints and budgets are decided by the C engine", async () => {
  const seen = [],
    decisions = [];
  const sandbox = await Sandbox.create({
    toolHandler: (method, params) => (seen.push([method, params]), "ok"),
    capabilities: [
      {
        method: "stripe/charges/*",
        max_calls: 2,
        constraints: [{ param: "amount", op: "<=", value: 1000 }],
      },
    ],
    onDecision: (decision) => decisions.push(decision.outcome),
  });
  const charge = (amount) =>
    sandbox.run(`return await stripe.charges.create({amount: ${amount}})`, { language: "js" });
  assert.equal((await charge(1000)).value, "ok");
  const over = await charge(1001);
  assert.equal(over.exitCode, 1);
  assert.match(over.stderr, /amount/);
  assert.equal(sandbox.callsLeft(0), 1);
  assert.equal((await charge(5)).value, "ok");
  assert.match((await charge(5)).stderr, /limit/);
  assert.deepEqual(seen, [
    ["stripe/charges/create", { amount: 1000 }],
    ["stripe/charges/create", { amount: 5 }],
  ]);
  assert.deepEqual(decisions, ["allowed", "denied", "allowed", "limit"]);
});

test("a policy or a schema that cannot be kept is refused", async () => {
  await assert.rejects(
    Sandbox.create({ capabilities: [{ method: "a", max_cals: 1 }] }),
    CapabilityError,
  );
  await assert.rejects(Sandbox.create({ capabilities: [{ method: "a//b" }] }), CapabilityError);
  const wrong = tool({ inputSchema: { type: "objekt" } });
  await assert.rejects(Sandbox.create({ tools: { wrong } }), InvalidError);
  await assert.rejects(Sandbox.create({ tools: { plain: () => 1 } }), /is not made by tool/);
});

test("the engine checks the schema before the handler, a library's object after it", async () => {
  const seen = [];
  const book = tool({
    inputSchema: z.object({
      seats: z.number().int().max(4),
      day: z.string().transform((text) => text.toUpperCase()),
    }),
    execute: (input) => (seen.push(input), input.seats),
  });
  const sandbox = await Sandbox.create({ tools: { book }, capabilities: ["book"] });
  assert.equal((await sandbox.run("book --seats 2 --day mon")).stdout, "2\n");
  assert.deepEqual(seen, [{ seats: 2, day: "MON" }]);
  const refused = await sandbox.run("book --seats 9 --day mon");
  assert.notEqual(refused.exitCode, 0);
  assert.match(refused.stderr, /seats/);
  assert.equal(seen.length, 1);
});

test("a handler's error is the program's, and results are data", async () => {
  const sandbox = await Sandbox.create({
    tools: {
      fails: tool({
        execute: () => {
          throw new ToolError("sold out", "timeout");
        },
      }),
      breaks: tool({
        execute: () => {
          throw new TypeError("x is not");
        },
      }),
      proto: tool({ execute: () => JSON.parse('{"__proto__": {"polluted": 1}}') }),
      huge: tool({ execute: () => "x".repeat(2 ** 24) }),
      none: tool({ execute: () => undefined }),
      cyclic: tool({
        execute: () => {
          const a = {};
          a.a = a;
          return a;
        },
      }),
    },
    capabilities: ["*"],
  });
  const code = (name) =>
    `try { return await ${name}({}) } catch (e) { return [e.name, e.code, e.message] }`;
  const value = async (name) => (await sandbox.run(code(name), { language: "js" })).value;
  assert.deepEqual(await value("fails"), ["ToolError", "timeout", "sold out"]);
  assert.match((await value("breaks"))[2], /TypeError: x is not/);
  assert.equal(await value("none"), null);
  assert.match((await value("huge"))[2], /tool_result_bytes/);
  assert.match((await value("cyclic"))[2], /JSON/);
  await value("proto");
  assert.equal({}.polluted, undefined);
});

test("calls are answered side by side", async () => {
  let open = 0,
    most = 0;
  const slow = tool({
    execute: async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      return 1;
    },
  });
  const sandbox = await Sandbox.create({ tools: { slow }, capabilities: ["slow"] });
  assert.equal(
    (
      await sandbox.run("return (await Promise.all([1, 2, 3].map(() => slow({})))).length", {
        language: "js",
      })
    ).value,
    3,
  );
  assert.equal(most, 3);
});

test("steps: calls wait, branches answer them differently", async () => {
  const sandbox = await Sandbox.create({ tools: { approve: tool({}) }, capabilities: ["approve"] });
  await sandbox.start(
    'total=3; for n in 1 2; do echo "$(approve --amount $n)"; done; echo total $total',
  );
  const call = sandbox.step();
  assert.deepEqual([call.method, call.params], ["approve", { amount: 1 }]);
  assert.equal(sandbox.step(), undefined);
  const branch = await sandbox.fork();
  const [waiting] = branch.pending();
  assert.notEqual(waiting.id, call.id);
  await branch.fail(waiting, "no");
  await branch.resume(branch.pending()[0], "late");
  await sandbox.resume(call, "yes");
  await assert.rejects(sandbox.resume(call, "again"), StateError);
  await sandbox.resume(sandbox.step(), "sure");
  assert.equal(sandbox.result.stdout, '"yes"\n"sure"\ntotal 3\n');
  assert.equal(branch.result.stdout, '\n"late"\ntotal 3\n');
  assert.match(branch.result.stderr, /no/);
});

test("an answer to no call says so", async () => {
  const sandbox = await Sandbox.create({ tools: { two: tool({}) }, capabilities: ["two"] });
  await sandbox.start("two");
  sandbox.step();
  await assert.rejects(sandbox.resume(sandbox.step(), 2), /no call was given.*pending\(\)/);
  await sandbox.resume(sandbox.pending()[0], 2);
  assert.equal(sandbox.result?.stdout, "2\n");
});

test("what has to be approved is asked for", async () => {
  const tools = { pay: tool({ execute: () => "paid" }) },
    capabilities = [{ method: "pay", ask: true }];
  const alone = await Sandbox.create({ tools, capabilities });
  assert.equal((await alone.run("pay --amount 1")).exitCode, 126);
  const asked = await Sandbox.create({
    tools,
    capabilities,
    approve: (call) => call.params.amount < 10,
  });
  assert.equal((await asked.run("pay --amount 1")).stdout, '"paid"\n');
  assert.equal((await asked.run("pay --amount 10")).exitCode, 126);
});

test("only true approves, and what was checked is what is called", async () => {
  const paid = [],
    tools = { pay: tool({ execute: ({ amount }) => paid.push(amount) }) };
  let approve;
  const sandbox = await Sandbox.create({
    tools,
    capabilities: [{ method: "pay", constraints: { amount: "<=5" }, ask: true }],
    approve: (call) => approve(call),
  });
  for (approve of [() => "it is too much", () => ({ approved: false }), () => 1, () => undefined])
    assert.equal((await sandbox.run("pay --amount 5")).exitCode, 126);
  approve = async (call) => {
    call.params.amount = 1000;
    assert.throws(() => (call.json = '{"amount":1000}'), TypeError);
    assert.throws(() => (call.method = "other"), TypeError);
    return true;
  };
  assert.equal((await sandbox.run("pay --amount 5")).exitCode, 0);
  assert.deepEqual(paid, [5]);
});

test("a handler is given the number that was checked", async () => {
  const seen = [];
  const account = tool({
    inputSchema: { type: "object", properties: { id: { type: "integer" }, of: {} } },
    execute: ({ id, of }) => (seen.push(id), of === "list" ? [id, { id }] : id),
  });
  for (const face of [Sandbox, WorkerSandbox]) {
    const sandbox = await face.create({
      tools: { account },
      capabilities: [
        { method: "account", constraints: [{ param: "id", op: "<=", value: 1234567890123456800 }] },
      ],
    });
    assert.equal((await sandbox.run("account --id 1234567890123456789")).stdout, "1234567890123456789\n");
    assert.deepEqual(seen.splice(0), [1234567890123456789n]);
    const script = "return [await account({id: 9007199254740993n, of: 'list'}), 2n ** 60n]";
    const { value } = await sandbox.run(script, { language: "js" });
    assert.deepEqual(value, [[9007199254740993n, { id: 9007199254740993n }], 2n ** 60n]);
    assert.deepEqual(seen.splice(0), [9007199254740993n]);
    await sandbox.run("account --id 9007199254740991; account --id -5");
    assert.deepEqual(seen.splice(0), [9007199254740991, -5]);
    assert.equal(await sandbox.refusal("account", { id: 1234567890123456789n }), undefined);
    assert.match(await sandbox.refusal("account", { id: 2n ** 62n }), /id must be/);
    if (face === WorkerSandbox) sandbox.close();
  }
});

test("an approver that no call can reach is an error", async () => {
  let paid = 0;
  const pay = tool({ execute: () => ++paid });
  const approve = () => false;
  for (const capabilities of [
    undefined,
    [],
    ["pay"],
    [{ method: "pay", ask: false }],
    [{ method: "pay", ask: true, max_calls: 0 }],
    ["pay", { method: "pay", ask: true }],
    ["**", { method: "pay", ask: true }],
    { capabilities: [{ method: "pay" }] },
  ])
    for (const face of [Sandbox, WorkerSandbox])
      await assert.rejects(
        face.create({ tools: { pay }, capabilities, approve }),
        (error) => error instanceof CapabilityError && /no call can ever reach it/.test(error.message),
      );
  for (const face of [Sandbox, WorkerSandbox]) // a policy that is none is told as one
    await assert.rejects(
      face.create({ tools: { pay }, capabilities: [null], approve }),
      (error) => error instanceof CapabilityError && !/no call can ever/.test(error.message),
    );
  const asking = [{ method: "pay", max_calls: 1 }, { method: "pay", ask: true }];
  const sandbox = await Sandbox.create({ tools: { pay }, capabilities: asking, approve });
  assert.equal((await sandbox.run("pay; pay; echo $?")).stdout, "1\n126\n");
  assert.equal(paid, 1);
});

test("whatever a handler throws fails its call", async () => {
  const odd = [undefined, Symbol("s"), Object.create(null), { toString: 1 }];
  odd.push(new Proxy(new Error("x"), { get: () => assert.fail("looked at") }));
  for (const thrown of odd) {
    const fail = tool({
      execute: () => {
        throw thrown;
      },
    });
    const sandbox = await Sandbox.create({ tools: { fail }, capabilities: ["fail"] });
    assert.equal((await sandbox.run("fail; echo $?")).stdout, "1\n");
  }
});

test("branches that share a budget spend from one, and a call that waits spends once more", async () => {
  for (const kind of [Sandbox, WorkerSandbox]) {
    const tools = { pay: tool({ execute: () => "paid" }) };
    const sandbox = await kind.create({ tools, capabilities: [{ method: "pay", max_calls: 4 }] });
    await sandbox.run("pay");
    const own = await sandbox.fork(),
      shared = await sandbox.fork({ budget: "share" }),
      inner = await shared.fork({ budget: "share" });
    await shared.run("pay");
    await inner.run("pay");
    const left = async (one) => one.callsLeft(0);
    assert.deepEqual(await Promise.all([sandbox, shared, inner, own].map(left)), [1, 1, 1, 3]);
    await sandbox.start("pay; pay");
    const late = await sandbox.fork({ budget: "share" }); /* its call does not fit any more */
    assert.equal(late.pending().length, 0);
    assert.match((await late.finish()).stderr, /pay is denied|calls/);
    assert.equal((await sandbox.finish()).stdout, '"paid"\n');
    await assert.rejects(sandbox.fork({ budget: "all" }), InvalidError);
    await assert.rejects(sandbox.fork({ share: true }), /no option "share"/);
    const recorded = await kind.create({ tools, capabilities: ["pay"], record: () => {} });
    await assert.rejects(recorded.fork({ budget: "share", record: false }), StateError);
  }
});
