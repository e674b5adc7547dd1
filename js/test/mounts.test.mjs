/* Host directories inside: what comes in, what can never come in, and what became of it. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as anyTest } from "node:test";
import { pathToFileURL } from "node:url";
import { InvalidError, replay, Sandbox, UnsupportedError, WorkerSandbox } from "../dist/node.js";

const linux = process.platform === "linux";
const test = (name, act) => anyTest(name, { skip: !linux && "mounts need Linux" }, act);

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "pinfold-mount-"));
  mkdirSync(join(folder, "sub/deep"), { recursive: true });
  writeFileSync(join(folder, "a"), "one\n");
  writeFileSync(
    join(folder, "sub/deep/b"),
    Uint8Array.from({ length: 256 }, (_, i) => i),
  );
  writeFileSync(join(folder, "run.sh"), "#!/bin/sh\necho ran\n");
  chmodSync(join(folder, "run.sh"), 0o755);
  symlinkSync("sub/deep/b", join(folder, "link"));
  utimesSync(join(folder, "a"), 1e9, 1e9);
  return folder;
}

test("a read-only mount is read, and nothing else", async () => {
  const sandbox = await Sandbox.create({ mounts: { "/data": newFolder() } });
  const { stdout } = await sandbox.run(
    "cat /data/a; wc -c < /data/link; /data/run.sh; stat -c %Y /data/a; ls /data",
  );
  assert.equal(stdout, "one\n256\nran\n1000000000\na\nlink\nrun.sh\nsub\n");
  for (const attempt of [
    "echo x > /data/a",
    "touch /data/new",
    "rm /data/a",
    "mkdir /data/sub/x",
    "chmod 777 /data/a",
    "mv /data/a /data/c",
  ]) {
    const { exitCode, stderr } = await sandbox.run(attempt);
    assert.notEqual(exitCode, 0, attempt);
    assert.match(stderr, /ermission denied|not permitted/, attempt);
  }
  assert.deepEqual(await sandbox.mounted("/data").changes(), []);
  assert.equal((await sandbox.files.read("/data/sub/deep/b")).length, 256);
});

const CHANGES = [
  ["M", "/workspace/a"],
  ["A", "/workspace/n"],
  ["A", "/workspace/n/l"],
  ["A", "/workspace/n/x"],
  ["D", "/workspace/run.sh"],
  ["M", "/workspace/sub/deep/b"], // chmod follows the link
];

test("a copy is written to, and the host does not see it", async () => {
  const folder = newFolder();
  const mounts = { "/workspace": [pathToFileURL(folder), "copy"] };
  const sandbox = await Sandbox.create({ mounts });
  await sandbox.run(
    "echo two >> a; rm run.sh; mkdir n; echo x > n/x; ln -s ../a n/l; chmod 600 link",
  );
  const mounted = sandbox.mounted("/workspace");
  assert.deepEqual(await mounted.changes(), CHANGES);
  const again = await Sandbox.restore(await sandbox.snapshot(), { mounts });
  assert.deepEqual(await again.mounted("/workspace").changes(), CHANGES);
  const branch = await sandbox.fork();
  await branch.run("rm a");
  const [first] = await branch.mounted("/workspace").changes();
  assert.deepEqual(first, ["D", "/workspace/a"]);
  await sandbox.run("printf 'one\\n' > a"); // as it came
  assert.ok(!(await mounted.changes()).some(([, path]) => path === "/workspace/a"));
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "one\n");
  assert.ok(existsSync(join(folder, "run.sh")) && !existsSync(join(folder, "n")));
});

test("no link, no name and no change meanwhile leads out", async () => {
  const outside = mkdtempSync(join(tmpdir(), "pinfold-outside-"));
  writeFileSync(join(outside, "secret"), "TOP");
  const folder = newFolder();
  symlinkSync(join(outside, "secret"), join(folder, "file"));
  symlinkSync(outside, join(folder, "dir"));
  symlinkSync("../../../../../../../../" + join(outside, "secret"), join(folder, "up"));
  const sandbox = await Sandbox.create({ mounts: { "/data": folder } });
  const { stdout, stderr } = await sandbox.run(
    "cd /data; ls sub; cat file dir/secret up ../data/../../etc/shadow sub/../../../proc/1/environ; echo done",
  );
  assert.equal(stdout, "deep\ndone\n");
  assert.ok(!stderr.includes("TOP"));
  /* A directory that was looked into becomes a link out of here, and so does a file. */
  renameSync(join(folder, "sub/deep"), join(folder, "sub/was"));
  symlinkSync(outside, join(folder, "sub/deep"));
  rmSync(join(folder, "a"));
  symlinkSync(join(outside, "secret"), join(folder, "a"));
  const later = await sandbox.run("ls sub/deep; cat sub/deep/secret a; cat run.sh | head -1", {
    cwd: "/data",
  });
  assert.equal(later.stdout, "#!/bin/sh\n");
  assert.match(later.stderr, /Input\/output error|No such file/);
});

test("devices are not there, and what cannot be read says so", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "big"), "x".repeat(100_000));
  const sandbox = await Sandbox.create({
    mounts: { "/data": folder, "/dev2": "/dev" },
    limits: { filesystemBytes: 4 << 20 },
  });
  assert.equal((await sandbox.run("ls /dev2 | grep -cx null")).stdout, "0\n");
  assert.equal((await sandbox.run("wc -c < /data/big")).stdout, "100000\n");
  writeFileSync(join(folder, "big2"), "x".repeat(8 << 20));
  const small = await Sandbox.create({
    mounts: { "/data": folder },
    limits: { filesystemBytes: 4 << 20 },
  });
  assert.match((await small.run("cat /data/big2")).stderr, /No space left on device/);
});

test("what was not read is asked for again, or left", async () => {
  const folder = newFolder();
  const first = await Sandbox.create({ mounts: { "/data": folder } });
  await first.run("cat /data/a");
  const data = await first.snapshot();
  await assert.rejects(Sandbox.restore(data), /has not read all of the host directory mounted at/);
  await assert.rejects(
    Sandbox.restore(data, { mounts: { "/data": [folder, "copy"] } }),
    /mount at \/data is read-only/,
  );
  await assert.rejects(Sandbox.restore(data, { mounts: { "/other": folder } }), /no mount at/);
  const without = await Sandbox.restore(data, { mounts: { "/data": null } });
  const { stdout, stderr } = await without.run("cat /data/a /data/run.sh");
  assert.equal(stdout, "one\n");
  assert.match(stderr, /Input\/output error/);
  const again = await Sandbox.restore(data, { mounts: { "/data": folder } });
  assert.equal((await again.run("/data/run.sh")).stdout, "ran\n");
});

test("a replay needs no host", async () => {
  const folder = newFolder(),
    parts = [];
  const sandbox = await Sandbox.create({
    mounts: { "/data": folder, "/w/x": [folder, "copy"] },
    record: (bytes) => parts.push(bytes),
  });
  const { stdout } = await sandbox.run(
    "cat /data/a /data/link | od -c; ls -la /data /w; cat /data/nothing; echo x > /w/x/new",
  );
  await sandbox.mounted("/w/x").changes();
  await sandbox.close();
  rmSync(folder, { recursive: true });
  const again = await replay(Buffer.concat(parts));
  assert.equal(again.results[0].stdout, stdout);
  assert.equal(await again.files.readText("/w/x/new"), "x\n");
});

test("what is no mount is refused", async () => {
  const folder = newFolder();
  for (const [place, source] of [
    ["data", folder],
    ["/", folder],
    ["/data/", folder],
    ["/a//b", folder],
    ["/a/../b", folder],
    ["/data", [folder, "ro"]],
    ["/data", 7],
    ["/data", join(folder, "nothing")],
    ["/data", join(folder, "a")],
    ["/etc", folder],
    ["/data", null],
  ])
    await assert.rejects(
      Sandbox.create({ mounts: { [place]: source } }),
      InvalidError,
      `${place} ${source}`,
    );
  const sandbox = await Sandbox.create();
  await assert.rejects(async () => sandbox.mounted("/data").changes(), /nothing is mounted at/);
});

test("a sandbox in a worker has them too", async () => {
  const folder = newFolder();
  const sandbox = await WorkerSandbox.create({
    mounts: { "/data": [pathToFileURL(folder), "copy"] },
  });
  assert.equal((await sandbox.run("cat /data/a; rm /data/a")).stdout, "one\n");
  assert.deepEqual(await sandbox.mounted("/data").changes(), [["D", "/data/a"]]);
  await assert.rejects(sandbox.mounted("/none").changes(), /nothing is mounted/);
  await sandbox.close();
});

anyTest("elsewhere they are refused with what to do", { skip: linux && "this is Linux" }, async () => {
  await assert.rejects(Sandbox.create({ mounts: { "/data": tmpdir() } }), UnsupportedError);
});
