/*
 * mount/changes.ts: how a mount was changed: host/mount/changes.c.
 */
import { PF } from "../abi.ts";
import { Buffer, compareBytes, text } from "../base/bytes.ts";
import { InvalidError } from "../base/error.ts";
import { guestError } from "../machine/files.ts";
import type { Machine } from "../machine/machine.ts";
import { fullPath, openTreeFile, type TreeFile, walkMount } from "./guest_tree.ts";
import type { Entry, Mount } from "./mounts.ts";

/** "A" added, "M" modified, "D" deleted; the path is one of the sandbox. */
export type Change = readonly [what: "A" | "M" | "D", path: string];

const SIZE_BYTES = 8;

function contentsOf(machine: Machine, file: TreeFile): Uint8Array {
  const fd = openTreeFile(machine, file),
    all = new Buffer();
  for (;;) {
    const n = machine.host("PREAD", [fd, all.length], undefined, PF.IO_MAX);
    const { out } = machine.kernel;
    if (n > 0 && out.length && all.length <= file.size) {
      all.add(out);
      continue;
    }
    machine.host("CLOSE", [fd]);
    if (n < 0) throw guestError(machine, n, text(file.full));
    return all.bytes;
  }
}

/** Are the contents as they came? What came has the same size, so it costs no more than that did. */
function sameContents(machine: Machine, entry: Entry, file: TreeFile): boolean {
  const { digest } = entry,
    frame = machine.mounts?.frame;
  if (!digest || !frame) return false;
  const size = new DataView(digest.buffer, digest.byteOffset, SIZE_BYTES).getBigUint64(0, true);
  if (size !== BigInt(file.size)) return false;
  return compareBytes(frame.digest(contentsOf(machine, file)), digest) === 0;
}

/** What one file of the tree now is, against the mount; undefined: equal. */
function compare(machine: Machine, mount: Mount, file: TreeFile): "A" | "M" | undefined {
  if (file.untouched) return undefined;
  const entry = mount.entries.get(file.path);
  if (!entry) return "A";
  if (entry.kind !== file.kind) return "M";
  if (mount.copy && file.kind !== "l" && entry.mode !== (file.mode & 0o777)) return "M";
  if (file.kind === "d") return undefined;
  if (file.kind === "f") return sameContents(machine, entry, file) ? undefined : "M";
  const digest = machine.mounts?.frame.digest(file.target);
  return entry.digest && digest && compareBytes(digest, entry.digest) === 0 ? undefined : "M";
}

export function mountChanges(machine: Machine, mount: Mount, seconds: number): Change[] {
  const changes: Change[] = [],
    seen = new Set<string>();
  walkMount(machine, mount, seconds, (file) => {
    if (file.path === "") return;
    seen.add(file.path);
    const what = compare(machine, mount, file);
    if (what) changes.push([what, fullPath(mount, file.path)]);
  });
  for (const path of mount.entries.keys())
    if (!seen.has(path)) changes.push(["D", fullPath(mount, path)]);
  return changes.sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
}

export interface ChangesOptions {
  /** Takes it longer, that is a BoundError. Default 60; Infinity lifts it. */
  maxSeconds?: number;
}

/** Throws for what is no bound of time. */
export function checkSeconds(maxSeconds: number): void {
  if (typeof maxSeconds !== "number" || !(maxSeconds > 0))
    throw new InvalidError(`maxSeconds is a number above 0, not ${String(maxSeconds)}`);
}

/** A host directory as it is now inside a sandbox. */
export class Mounted {
  readonly place: string;
  readonly #enter: <T>(act: (machine: Machine) => T) => T;

  constructor(place: string, enter: <T>(act: (machine: Machine) => T) => T) {
    this.place = place;
    this.#enter = enter;
  }

  /** What differs from what came in, by path. */
  async changes({ maxSeconds = 60 }: ChangesOptions = {}): Promise<Change[]> {
    checkSeconds(maxSeconds);
    return this.#enter((machine) => {
      const mount = machine.mounts?.find(this.place);
      if (!mount) throw new InvalidError(`nothing is mounted at ${this.place.slice(0, 500)}`);
      return mountChanges(machine, mount, maxSeconds);
    });
  }
}
