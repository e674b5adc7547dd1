/*
 * The C tests of host/capability, in the module that decides here: what a policy means is the same.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const build = process.env.PINFOLD_BUILD ?? fileURLToPath(new URL("../../build", import.meta.url));
const runner = `import { WASI } from "node:wasi"; import { readFileSync, writeSync } from "node:fs";
  const wasi = new WASI({ version: "preview1", returnOnExit: true });
  const module = new WebAssembly.Module(readFileSync(process.argv[1]));
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
  globalThis.held = [wasi, instance]; /* Node frees them under its own feet otherwise */
  writeSync(1, "status " + wasi.start(instance)); /* its word counts: Node's WASI sometimes faults while the process ends */`;
/* It counts pointers of 64 bits. */
const KNOWN = { pattern: "read > 10 && refused > 5" };

for (const name of ["constraint", "gate", "pattern", "policy", "regex", "schema"]) {
  const file = `${build}/engine/test_capability_${name}.wasm`;
  test(name, { skip: existsSync(file) ? false : "make js has not built it" }, () => {
    const args = ["--no-warnings", "--input-type=module", "--eval", runner, file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const failures = stderr
      .split("\n")
      .filter((line) => line.includes("not so: ") || line.includes(", not "));
    assert.deepEqual(
      failures.map((line) => line.split("not so: ")[1]),
      KNOWN[name] ? [KNOWN[name]] : [],
      stderr,
    );
    assert.match(stdout, KNOWN[name] ? /^\d{2,} passed, 1 failed/ : /^\d{2,} passed, 0 failed/);
    assert.match(stdout, KNOWN[name] ? /status 1$/ : /status 0$/);
  });
}
