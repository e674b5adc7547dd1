/*
 * What each engine and face of the package does, in one program for every runtime:
 * smoke.mjs PACKAGE, where that is the folder of the package. Prints a line of JSON for each.
 */
const at = (file) => new URL(file, `file://${process.argv[2]}/`).href;
const { FileError, Sandbox, tool, WorkerSandbox } = await import(at("dist/node.js"));

const orders = tool({
  inputSchema: { type: "object", properties: { customer: { type: "string" } } },
  execute: async ({ customer }) => [{ customer, total: 40 }],
});
const options = {
  tools: { orders, approve: tool({}) },
  capabilities: [{ method: "orders", constraints: { customer: ["a"] } }, "approve"],
  files: { "in.txt": "hello" },
};

async function tour(make, restore) {
  const seen = [];
  const sandbox = await make(options);
  const run = async (code, language) => {
    const { stdout, exitCode } = await sandbox.run(code, { language });
    seen.push([stdout, exitCode]);
  };
  await run("tr a-z A-Z < in.txt; echo; orders --customer a | jq -c .; orders --customer b; x=5");
  await run("console.log(await orders({ customer: 'a' })); return 1", "javascript");
  await run("import json\nfrom tools import orders\nprint(json.dumps(orders(customer='a')))", "python");
  const code = sandbox.files.read("none").catch((error) => error instanceof FileError && error.code);
  seen.push(await code);
  await sandbox.start('echo "$(approve --n 1) $x"');
  const branch = await sandbox.fork();
  const data = await sandbox.snapshot();
  await sandbox.resume(sandbox.step(), "here");
  await branch.resume(branch.pending()[0], "branch");
  const again = await restore(data, options);
  await again.resume(again.pending()[0], "later");
  for (const one of [sandbox, branch, again]) seen.push(one.result.stdout);
  const { limit } = await sandbox.run("while :; do :; done", { limits: { cpuMs: 200 } });
  seen.push(limit);
  for (const one of [sandbox, branch, again]) one.close();
  return seen;
}

const faces = {};
if (Sandbox.native() === true) faces.native = [Sandbox, { engine: "native" }];
else console.error(Sandbox.native());
faces.wasm = [Sandbox, { engine: "wasm" }];
faces.worker = [WorkerSandbox, {}];
for (const [name, [face, more]] of Object.entries(faces)) {
  const make = (given) => face.create({ ...given, ...more });
  const { files: _, ...rest } = options;
  const restore = (data) => face.restore(data, { ...rest, ...more });
  console.log(JSON.stringify([name, await tour(make, restore)]));
}
process.exit(0);
