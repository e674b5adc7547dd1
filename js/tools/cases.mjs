/*
 * js/tools/cases.mjs: runs recorded cases of bash and the GNU tools on this host.
 *
 * usage: node tools/cases.mjs FOLDER/CASES.jsonl [--only TEXT] [--every N] [--list-failed] [--show
 * N]
 *
 * A case is {"id", "code", "stdout", "status"} with optional "files"; FOLDER/helpers/sandbox holds
 * what its scripts call. One line at the end says how many agree. Exits 1 when a case fails that is
 * not listed in tests/conformance, where the native library has its own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Sandbox } from "../dist/node.js";

const SETUP = "mkdir -p /tmp/spec /tmp/helpers; chmod +x /tmp/helpers/*.py\n";
const ENV = {
  PATH: "/tmp/helpers:/usr/bin:/bin",
  HOME: "/workspace",
  TMP: "/tmp/spec",
  SH: "bash",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
  USER: "user",
};

export function readCases(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function helpersOf(folder) {
  const helpers = join(folder, "helpers", "sandbox");
  return Object.fromEntries(
    readdirSync(helpers).map((name) => [`/tmp/helpers/${name}`, readFileSync(join(helpers, name))]),
  );
}

/** Ids of the cases that are known to differ, here as with the native library. */
export function knownOf(path) {
  const list = fileURLToPath(
    new URL(`../../tests/conformance/${basename(path).replace("jsonl", "txt")}`, import.meta.url),
  );
  if (!existsSync(list)) return new Set();
  return new Set(
    readFileSync(list, "utf8")
      .split("\n")
      .filter((line) => line && !line.startsWith("#"))
      .map((line) => line.split(" -- ")[0]),
  );
}

export async function runCase(one, helpers, options = {}) {
  const files = { ...helpers };
  for (const [path, text] of Object.entries(one.files ?? {}))
    files[`/workspace/${path.replace(/^\/+/, "")}`] = text;
  try {
    const sandbox = await Sandbox.create({ files, env: ENV, ...options });
    await sandbox.run(SETUP);
    const { stdout, stderr, exitCode } = await sandbox.run(one.code);
    await sandbox.close();
    return { stdout, stderr, exitCode, ok: stdout === one.stdout && exitCode === one.status };
  } catch (error) {
    return { stdout: `<host: ${error.stack}>`, stderr: "", exitCode: -1, ok: false };
  }
}

async function main(path, ...options) {
  const value = (name, other) =>
    options.includes(name) ? options[options.indexOf(name) + 1] : other;
  const only = value("--only", ""),
    every = Number(value("--every", 1)),
    show = Number(value("--show", 0));
  const cases = readCases(path).filter((one, i) => one.id.includes(only) && i % every === 0);
  const helpers = helpersOf(dirname(path)),
    known = knownOf(path);
  let passed = 0,
    unknown = 0,
    shown = 0;
  for (const one of cases) {
    const got = await runCase(one, helpers);
    if (got.ok) passed++;
    if (got.ok || known.has(one.id)) continue;
    unknown++;
    if (options.includes("--list-failed")) console.log("FAILED", one.id);
    if (shown++ < show)
      console.log(
        `--- ${one.id}\n${one.code}--- expected (status ${one.status})\n${one.stdout}--- got (status ${got.exitCode})\n${got.stdout}--- stderr\n${got.stderr}`,
      );
  }
  console.log(
    `${passed} of ${cases.length} cases agree (${((100 * passed) / Math.max(1, cases.length)).toFixed(1)} %), ${unknown} differ that are not known to`,
  );
  return unknown ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length < 3) throw new Error("usage: node tools/cases.mjs FOLDER/CASES.jsonl");
  process.exitCode = await main(...process.argv.slice(2));
}
