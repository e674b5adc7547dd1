/* compare.ts: what is different in two moments: their files, looked at in two sandboxes. */
import type { WorkerSandbox } from "pinfold";
import { dialog, h, toast } from "./dom.ts";
import type { Moment } from "./history.ts";
import type { Session } from "./session.ts";

const ROOTS = ["/workspace", "/tmp", "/etc"];
const TEXT_MAX = 256 << 10,
  FILES_MAX = 5000;

async function walk(
  sandbox: WorkerSandbox,
  path: string,
  found: Map<string, Uint8Array>,
): Promise<void> {
  let names: string[];
  try {
    names = await sandbox.files.list(path);
  } catch {
    return;
  }
  for (const name of names) {
    if (found.size >= FILES_MAX) return;
    const full = `${path}/${name}`;
    const { kind } = await sandbox.files.stat(full, false);
    if (kind === "directory") await walk(sandbox, full, found);
    else if (kind === "file") found.set(full, await sandbox.files.read(full));
  }
}

async function filesOf(session: Session, moment: Moment): Promise<Map<string, Uint8Array>> {
  const sandbox = await session.look(moment.data, moment.config);
  try {
    const found = new Map<string, Uint8Array>();
    for (const root of ROOTS) await walk(sandbox, root, found);
    return found;
  } finally {
    sandbox.close();
  }
}

const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
const isText = (bytes: Uint8Array): boolean => bytes.length <= TEXT_MAX && !bytes.includes(0);

/** The sandbox's own diff compares two texts. */
async function diff(scratch: WorkerSandbox, a: Uint8Array, b: Uint8Array): Promise<string> {
  await scratch.files.write("/tmp/a", a);
  await scratch.files.write("/tmp/b", b);
  return (await scratch.run("diff -u /tmp/a /tmp/b | tail -n +3", { isolated: true })).stdout;
}

function lines(text: string): HTMLElement {
  const kind = (line: string): string =>
    ({ "+": "added", "-": "removed", "@": "place" })[line[0]] ?? "";
  return h(
    "pre",
    { className: "diff", tabIndex: 0 },
    ...text.split("\n").map((line) => h("span", { className: kind(line) }, line + "\n")),
  );
}

export async function compare(session: Session, one: Moment, two: Moment): Promise<void> {
  const [before, after] = [await filesOf(session, one), await filesOf(session, two)];
  const scratch = await session.look(two.data, two.config);
  if (scratch.running) {
    scratch.kill();
    await scratch.advance();
  }
  const none = new Uint8Array(0);
  const parts: Node[] = [];
  try {
    for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const a = before.get(path),
        b = after.get(path);
      if (a && b && equal(a, b)) continue;
      const what = !a ? "new" : !b ? "removed" : "changed";
      parts.push(h("h3", {}, h("code", {}, path), h("span", { className: `tag ${what}` }, what)));
      if (isText(a ?? none) && isText(b ?? none))
        parts.push(lines(await diff(scratch, a ?? none, b ?? none)));
      else
        parts.push(
          h("p", { className: "quiet" }, `${a?.length ?? 0} bytes, then ${b?.length ?? 0}`),
        );
    }
  } finally {
    scratch.close();
  }
  if (parts.length === 0) return toast("Their files are the same");
  await dialog(`${one.label} → ${two.label}`, parts, undefined);
}
