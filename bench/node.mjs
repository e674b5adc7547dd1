/*
 * bench/node.mjs: the npm package beside just-bash, quickjs-emscripten and Pyodide, on one Node.
 *
 * usage: node bench/node.mjs [--json FILE] [--rounds N]
 *
 * Needs `make js`, and the others in a folder that NODE_PATH names or beside this file:
 * npm install --prefix FOLDER just-bash quickjs-emscripten pyodide. What is not there is left out and
 * named. Each act is warmed up, then measured in rounds that take turns with the others', so that load
 * of the machine meets all of them; a figure is the median, with the least and the most. With
 * --native PYTHON (where the pinfold module can be imported) the native library is a column.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { pathToFileURL } from "node:url";
import { Sandbox, tool, WorkerSandbox } from "../js/dist/node.js";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const ROUNDS = Number(option("rounds", 9));
const require = createRequire(pathToFileURL(`${option("modules", process.cwd())}/`));
const absent = [];

async function load(name) {
  try {
    const found = await import(pathToFileURL(require.resolve(name)).href);
    return { ...found.default, ...found };
  } catch (error) {
    absent.push(`${name}: ${error.message.split("\n")[0]}`);
    return undefined;
  }
}

const SHELL = {
  echo: "echo hi",
  "pipeline of 4": "seq 1000 | grep 7 | sort -r | head -3",
  "loop of 10 000": "s=0; for ((i = 0; i < 10000; i++)); do ((s += i)); done; echo $s",
};
const JS = {
  "JavaScript, hello": "1 + 1",
  "JavaScript, loop of 10^6": "let s = 0; for (let i = 0; i < 1e6; i++) s = (s + i) | 0; s",
};
const PYTHON = {
  "Python, hello": "1 + 1",
  "Python, loop of 10^6": "s = 0\nfor i in range(10**6): s += i\ns",
};
const two = tool({ execute: () => 2 });
const given = { tools: { two }, capabilities: ["two"] };

/** What a contender does, by act: {name: async () => …}. */
async function ours(face) {
  const sandbox = await face.create(given);
  const run = (code, language) => async () => {
    const result = await sandbox.run(code, { language });
    if (!result.ok) throw new Error(result.stderr);
  };
  const acts = {
    "new sandbox, with an echo": async () => {
      const fresh = await face.create();
      await fresh.run("echo hi");
      fresh.close();
    },
    "tool call from a shell": run("two"),
    "tool calls from JavaScript, 100 at once": run(
      "await Promise.all(Array.from({ length: 100 }, () => tools.two({})))",
      "javascript",
    ),
    fork: async () => (await sandbox.fork()).close(),
    snapshot: () => sandbox.snapshot(),
  };
  for (const [name, code] of Object.entries(SHELL)) acts[name] = run(code, "shell");
  for (const [name, code] of Object.entries(JS)) acts[name] = run(code, "javascript");
  for (const [name, code] of Object.entries(PYTHON)) acts[name] = run(code, "python");
  return acts;
}

async function justBash() {
  const found = await load("just-bash");
  if (!found) return undefined;
  const { Bash, defineCommand } = found;
  const command = defineCommand("two", async () => ({ stdout: "2\n", stderr: "", exitCode: 0 }));
  const executionLimits = { maxCommandCount: 1e9, maxLoopIterations: 1e9 };
  const bash = new Bash({ customCommands: [command], executionLimits });
  const run = (code) => async () => {
    const result = await bash.exec(code);
    if (result.exitCode !== 0) throw new Error(result.stderr);
  };
  const acts = {
    "new sandbox, with an echo": () => new Bash().exec("echo hi"),
    "tool call from a shell": run("two"),
  };
  for (const [name, code] of Object.entries(SHELL)) acts[name] = run(code);
  return acts;
}

async function quickJs() {
  const found = await load("quickjs-emscripten");
  if (!found) return undefined;
  const quickjs = await found.getQuickJS();
  const run = (code) => async () => {
    const context = quickjs.newContext();
    context.unwrapResult(context.evalCode(code)).dispose();
    context.dispose();
  };
  return Object.fromEntries(Object.entries(JS).map(([name, code]) => [name, run(code)]));
}

async function pyodide() {
  const found = await load("pyodide");
  if (!found) return undefined;
  const indexURL = require.resolve("pyodide").replace(/[^/]*$/, "");
  const python = await found.loadPyodide({ indexURL });
  return Object.fromEntries(
    Object.entries(PYTHON).map(([name, code]) => [name, async () => void python.runPython(code)]),
  );
}

const NATIVE = `
import json, sys, time
from pinfold import MethodCapability, Sandbox
acts, rounds = json.loads(sys.argv[1]), int(sys.argv[2])
with Sandbox(tool_handler=lambda method, params: 2, capabilities=[MethodCapability("**")]) as sandbox:
    def new():
        with Sandbox() as fresh: fresh.run("echo hi", language="shell")
    def fork(): sandbox.fork().close()
    own = {"new sandbox, with an echo": new, "fork": fork, "snapshot": sandbox.snapshot}
    for name, (code, language) in acts.items():
        own[name] = lambda code=code, language=language: sandbox.run(code, language=language)
    figures = {}
    for name, act in own.items():
        act(); times = []
        for _ in range(rounds):
            began = time.perf_counter(); act(); times.append((time.perf_counter() - began) * 1000)
        figures[name] = sorted(times)
print(json.dumps(figures))
`;

function native(python) {
  const acts = { "tool call from a shell": ["tool two", "shell"] };
  acts["tool calls from JavaScript, 100 at once"] = [
    "await Promise.all(Array.from({ length: 100 }, () => tools.two({})))",
    "javascript",
  ];
  for (const [name, code] of Object.entries(SHELL)) acts[name] = [code, "shell"];
  for (const [name, code] of Object.entries(JS)) acts[name] = [code, "javascript"];
  for (const [name, code] of Object.entries(PYTHON)) acts[name] = [code, "python"];
  const command = ["-c", NATIVE, JSON.stringify(acts), String(ROUNDS)];
  return JSON.parse(execFileSync(python, command, { encoding: "utf8" }));
}

const engine = (name) => ({
  create: (options = {}) => Sandbox.create({ engine: name, ...options }),
});
if (Sandbox.native() !== true) absent.push(`the native engine: ${Sandbox.native()}`);
const contenders = {
  pinfold: await ours(engine("wasm")),
  "pinfold, worker": await ours(WorkerSandbox),
  "pinfold, native": Sandbox.native() === true ? await ours(engine("native")) : undefined,
  "just-bash": await justBash(),
  "quickjs-emscripten": await quickJs(),
  Pyodide: await pyodide(),
};
const figures = {};
const names = Object.keys(contenders.pinfold);
for (const name of names) {
  const acting = Object.entries(contenders).filter(([, acts]) => acts?.[name]);
  figures[name] = Object.fromEntries(acting.map(([who]) => [who, []]));
  for (const [, acts] of acting) await acts[name]();
  for (let round = 0; round < ROUNDS; round++)
    for (const [who, acts] of acting) {
      const began = performance.now();
      await acts[name]();
      figures[name][who].push(performance.now() - began);
    }
}
const python = option("native");
if (python)
  for (const [name, times] of Object.entries(native(python))) figures[name].native = times;

const columns = [
  ...Object.keys(contenders).filter((who) => contenders[who]),
  ...(python ? ["native"] : []),
];
const cell = (times) => {
  if (!times) return "";
  const sorted = [...times].sort((a, b) => a - b);
  const show = (ms) => ms.toFixed(ms < 10 ? 2 : 0);
  return `${show(sorted[sorted.length >> 1])} (${show(sorted[0])}–${show(sorted.at(-1))})`;
};
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`,
);
console.log(`milliseconds: median of ${ROUNDS} (least–most)\n`);
console.log(`| | ${columns.join(" | ")} |\n|---|${columns.map(() => "---:|").join("")}`);
for (const name of names)
  console.log(`| ${name} | ${columns.map((who) => cell(figures[name][who])).join(" | ")} |`);
for (const one of absent) console.log(`\nleft out: ${one}`);
const file = option("json");
if (file)
  writeFileSync(file, JSON.stringify({ node: process.version, rounds: ROUNDS, figures }, null, 2));
process.exit(0);
