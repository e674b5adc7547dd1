/* The native library in Node: which engine is taken, and what the two have in common. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { InvalidError, packageImages, Sandbox, StateError, tool } from "../dist/node.js";
import { Frame } from "../dist/snapshot/frame.js";

const there = Sandbox.native();
const native = (name, body) =>
  test(name, { skip: there === true ? false : there.split("\n")[0] }, body);
const create = (options = {}) => Sandbox.create({ engine: "native", ...options });
const package_ = fileURLToPath(new URL("..", import.meta.url));
const text = (bytes) => Buffer.from(bytes).toString();

test("an engine that there is not is refused", async () => {
  await assert.rejects(Sandbox.create({ engine: "fast" }), InvalidError);
  await assert.rejects(Sandbox.restore(new Uint8Array(), { engine: "" }), InvalidError);
});

test("without the file, native is an error that says why, and the other engine is taken", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pinfold-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ["dist", "images", "package.json"])
    cpSync(join(package_, name), join(folder, name), { recursive: true });
  const code = `import { Sandbox, UnsupportedError } from "./dist/node.js";
    const refused = await Sandbox.create({ engine: "native" }).catch((error) => error);
    console.log(refused instanceof UnsupportedError, refused.message);
    console.log((await (await Sandbox.create()).run("echo portable")).stdout);`;
  const env = { ...process.env, PINFOLD_ENGINE: "" };
  const options = { cwd: folder, env, encoding: "utf8" };
  const out = execFileSync(process.execPath, ["--input-type=module", "--eval", code], options);
  assert.match(out, /^true engine "native": .*pinfold\.node.*engine "wasm" needs none\nportable\n/);
});

native("the default is native, and the environment chooses", () => {
  const code = `import { Sandbox } from "./dist/node.js";
    console.log((await Sandbox.create()).constructor.name);`;
  const engineOf = (engine) =>
    execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: package_,
      env: { ...process.env, PINFOLD_ENGINE: engine },
      encoding: "utf8",
    }).trim();
  assert.deepEqual(["", "native", "wasm"].map(engineOf), [
    "NativeSandbox",
    "NativeSandbox",
    "Sandbox",
  ]);
});

native("programs that compute without end hold nobody, and end at their limit", async () => {
  const limits = { cpuMs: 300 };
  const all = await Promise.all(Array.from({ length: 6 }, () => create({ limits })));
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  const endless = "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)";
  const runs = all.map((sandbox) => sandbox.run(endless, { language: "javascript" }));
  assert.ok((await readFile(new URL(import.meta.url))).length, "libuv's own threads are free");
  const other = await create();
  assert.equal((await other.run("echo beside")).stdout, "beside\n");
  for (const { limit, exitCode } of await Promise.all(runs))
    assert.deepEqual([limit, exitCode], ["cpu_seconds", 137]);
  clearInterval(timer);
  assert.ok(turns > 10, `${turns} turns of the loop`);
  for (const sandbox of all) assert.equal((await sandbox.run("echo on")).stdout, "on\n");
});

native("snapshots go from engine to engine, with calls that wait, and are equal", async () => {
  const fixed = { clock: new Date("2026-01-02T03:04:05Z"), seed: 7, capabilities: ["**"] };
  const toolHandler = (method, params) => ({ method, ...params });
  const code = "mkdir d; seq 2000 > d/f; for n in 1 2; do tool approve --amount $n; done; cat d/f | tail -1";
  const frame = await Frame.load(await packageImages());
  const made = {};
  for (const engine of ["native", "wasm"]) {
    const sandbox = await Sandbox.create({ engine, ...fixed, toolHandler, files: { in: "x" } });
    await sandbox.start(code);
    made[engine] = await sandbox.snapshot();
  }
  const open = (data) => Buffer.from(frame.open(data, undefined, 0, 2e9));
  assert.ok(open(made.native).equals(open(made.wasm)));
  for (const [from, to] of [
    ["native", "wasm"],
    ["wasm", "native"],
    ["native", "native"],
  ]) {
    const terms = { engine: to, toolHandler, capabilities: ["**"] };
    const sandbox = await Sandbox.restore(made[from], terms);
    assert.equal(sandbox.pending().length, 1);
    const { stdout } = await sandbox.finish();
    assert.match(stdout, /^\{"method":"approve","amount":1\}\n\{.*2\}\n2000\n$/);
  }
});

native("keys are those of each snapshot", async () => {
  const sandbox = await create();
  const [one, other] = ["a secret, sixteen", "another secret, 16"];
  const restore = (engine, data, key) => Sandbox.restore(data, { engine, key, limits: {} });
  const keyed = await sandbox.snapshot({ key: one, counter: 2 });
  const plain = await sandbox.snapshot();
  for (const engine of ["native", "wasm"]) {
    await restore(engine, keyed, one);
    await restore(engine, plain);
    await assert.rejects(restore(engine, keyed, other), /another key/);
    await assert.rejects(restore(engine, plain, one), /not authenticated/);
  }
});

native("what a listener throws ends the run, and is thrown by it", async () => {
  const sandbox = await create();
  const onOutput = () => {
    throw new RangeError("no more");
  };
  await assert.rejects(sandbox.run("while :; do echo x; done", { onOutput }), /no more/);
  assert.equal((await sandbox.run("echo on")).stdout, "on\n");
});

native("a sandbox does one thing at a time", async () => {
  const sandbox = await create({ tools: { t: tool({}) }, capabilities: ["t"] });
  const run = sandbox.run("sleep 0.1; echo done");
  await assert.rejects(sandbox.files.read("x"), StateError);
  await assert.rejects(sandbox.fork(), StateError);
  assert.throws(() => sandbox.refusal("t"), StateError);
  assert.equal((await run).stdout, "done\n");
  const next = sandbox.run("sleep 5");
  sandbox.close();
  await next.catch(() => {});
  await assert.rejects(sandbox.run("x"), /was closed/);
  assert.throws(() => sandbox.callsLeft(0), StateError);
});

native("output without bounds is taken as fast as it is heard", async () => {
  const sandbox = await create({ limits: { outputBytes: Infinity } });
  let bytes = 0;
  const code = "head -c 50000000 /dev/zero; echo end >&2";
  const onOutput = (stream, data) => (bytes += data.length);
  const { exitCode, stdoutBytes, stderr } = await sandbox.run(code, { onOutput });
  assert.deepEqual([exitCode, stdoutBytes.length, stderr, bytes], [0, 5e7, "end\n", 5e7 + 4]);
});

native("a process ends in the middle of a run, and so does a thread", async () => {
  const code = `import { Sandbox } from "./dist/node.js";
    const sandbox = await Sandbox.create({ engine: "native" });
    void sandbox.run("while :; do :; done");
    void (await Sandbox.create({ engine: "native" })).run("sleep 100");
    setTimeout(() => process.exit(3), 50);`;
  const options = { cwd: package_, timeout: 60_000 };
  const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", code], options);
  assert.equal(ended.status, 3, text(ended.stderr));
  const file = new URL("../dist/node.js", import.meta.url).href;
  const inside = `import(${JSON.stringify(file)}).then(async ({ Sandbox }) => {
    const sandbox = await Sandbox.create({ engine: "native" });
    void sandbox.run("while :; do echo x; done", { onOutput() {} });
    require("node:worker_threads").parentPort.postMessage("runs");
  })`;
  const worker = new Worker(inside, { eval: true });
  await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  await worker.terminate();
  assert.equal((await (await create()).run("echo here")).stdout, "here\n");
});

native("what is forgotten is given back", () => {
  const code = `import { Sandbox } from "./dist/node.js";
    import { readFileSync } from "node:fs";
    import { setTimeout as pause } from "node:timers/promises";
    const maps = () => readFileSync("/proc/self/maps", "utf8").split("\\n").length;
    const some = async (count) => {
      for (let i = 0; i < count; i++) await (await Sandbox.create({ engine: "native" })).run("x=1");
    };
    await some(20);
    const most = maps() + 600; /* each has seven */
    await some(300);
    for (let i = 0; i < 500 && maps() > most; i++) { globalThis.gc(); await pause(20); }
    console.log(maps() <= most);`;
  const flags = ["--expose-gc", "--input-type=module", "--eval", code];
  assert.equal(execFileSync(process.execPath, flags, { cwd: package_, encoding: "utf8" }), "true\n");
});
