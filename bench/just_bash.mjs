// just-bash for compare.py and correctness.py: one JSON request a line on stdin, one answer on stdout.
//
// usage: node just_bash.mjs FOLDER, where FOLDER/node_modules has it. Times are measured in here, so
// that the pipe to Python is in no figure.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(resolve(process.argv[2]) + "/");
const { Bash, defineCommand } = await import(pathToFileURL(require.resolve("just-bash")));

const echo = defineCommand("echo_tool", async (args) => ({
  stdout: `${Number(args[0]) + 1}\n`,
  stderr: "",
  exitCode: 0,
}));
const huge = 1e9;
const make = (more) =>
  new Bash({
    customCommands: [echo],
    executionLimits: { maxCommandCount: huge, maxLoopIterations: huge },
    ...more,
  });

let bash = make();
const requests = {
  async new() {
    bash = make();
    return {};
  },
  async run({ code }) {
    return { stdout: (await bash.exec(code)).stdout };
  },
  // Seconds for one execution, over enough of them to be measurable; `fresh`: in a sandbox of its own.
  async time({ code, fresh }) {
    const began = performance.now();
    for (let count = 1; ; count++) {
      if (fresh) bash = make();
      await bash.exec(code);
      const spent = performance.now() - began;
      if (spent > 50 || count === 300) return { seconds: spent / count / 1e3 };
    }
  },
  async case({ code, files, env }) {
    const one = new Bash({ files, env, cwd: "/workspace" });
    await one.exec("mkdir -p /workspace /tmp/spec /tmp/helpers; chmod +x /tmp/helpers/*.py");
    const { stdout, exitCode } = await one.exec(code);
    return { stdout, status: exitCode };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = await requests[request.what](request);
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
