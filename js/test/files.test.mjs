/* The embedder's way to the files of a sandbox. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError, Sandbox } from "../dist/node.js";

test("files go in and come out", async () => {
  const sandbox = await Sandbox.create({
    files: { "in/a.txt": "text", "/tmp/b": new Uint8Array([0, 255]) },
  });
  assert.equal(
    (
      await sandbox.run(
        "cat in/a.txt; wc -c < /tmp/b; echo made > in/out; ln -s a.txt in/link; chmod 600 in/out",
      )
    ).stdout,
    "text2\n",
  );
  assert.deepEqual(await sandbox.files.list("in"), ["a.txt", "link", "out"]);
  assert.equal(await sandbox.files.readText("in/out"), "made\n");
  assert.deepEqual([...(await sandbox.files.read("/tmp/b"))], [0, 255]);
  assert.deepEqual(
    (({ kind, mode, size }) => [kind, mode, size])(await sandbox.files.stat("in/out")),
    ["file", 0o600, 5],
  );
  assert.equal((await sandbox.files.stat("in/link", false)).kind, "symlink");
  await sandbox.files.mkdir("in/deep/er");
  await sandbox.files.remove("in/out");
  assert.deepEqual(
    [await sandbox.files.exists("in/out"), await sandbox.files.exists("in/deep/er")],
    [false, true],
  );
  const large = new Uint8Array(3_000_000).fill(7);
  await sandbox.files.write("large", large);
  assert.deepEqual(await sandbox.files.read("large"), large);
});

test("what is not there says so", async () => {
  const sandbox = await Sandbox.create();
  await assert.rejects(
    sandbox.files.read("none"),
    (error) =>
      error instanceof FileError && error.code === "ENOENT" && error.path === "/workspace/none",
  );
  await assert.rejects(sandbox.files.read("/tmp"), { code: "EISDIR" });
  await assert.rejects(sandbox.files.list("/etc/passwd"), { code: "ENOTDIR" });
  await assert.rejects(sandbox.files.write("a\0b", ""), /NUL/);
  await sandbox.run("mkfifo pipe; truncate -s 2000000000 hole");
  await assert.rejects(sandbox.files.read("pipe"), { code: "EINVAL" });
  await assert.rejects(sandbox.files.read("hole", { maxBytes: 1 << 20 }), /more than maxBytes/);
});
