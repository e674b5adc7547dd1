/*
 * mount/guest_tree.ts: a mount as it is now inside the sandbox: host/mount/guest_tree.c.
 */
import { ERRNO, LAYOUT, PF } from "../abi.ts";
import { Buffer, compareBytes, latin, text, unlatin, utf8 } from "../base/bytes.ts";
import { BoundError } from "../base/error.ts";
import { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from "../base/mode.ts";
import { guestError, listNames, openFile } from "../machine/files.ts";
import { type Machine, monotonic } from "../machine/machine.ts";
import { tapeAct } from "../machine/tape.ts";
import type { Mount } from "./mounts.ts";

const S = LAYOUT.stat;
const SLASH = utf8("/");

/** One file of the tree. */
export interface TreeFile {
  /** Below the mount, as bytes in a text of one character each; "" is the mount. */
  readonly path: string;
  readonly full: Uint8Array;
  readonly kind: "d" | "f" | "l" | "?";
  /** It is as it came, and was not read. */
  readonly untouched: boolean;
  /** Its contents are with the host. */
  readonly absent: boolean;
  readonly mode: number;
  readonly size: number;
  readonly target: Uint8Array;
}

export type Visit = (file: TreeFile) => void;

function kindOf(mode: number): TreeFile["kind"] {
  const type = mode & S_IFMT;
  return type === S_IFDIR ? "d" : type === S_IFREG ? "f" : type === S_IFLNK ? "l" : "?";
}

class Walk {
  readonly #machine: Machine;
  readonly #mount: Mount;
  readonly #root: Uint8Array;
  readonly #until: number;
  readonly #seconds: number;
  /** Directories that were gone into, by their number. */
  readonly #met = new Set<bigint>();

  constructor(machine: Machine, mount: Mount, seconds: number) {
    this.#machine = machine;
    this.#mount = mount;
    this.#root = utf8(mount.guest);
    this.#seconds = seconds;
    this.#until = monotonic() + seconds * 1e9;
  }

  #fail(result: number, path: Uint8Array): never {
    throw guestError(this.#machine, result, text(path));
  }

  #ask(name: "HOST_SOURCE" | "READLINKAT", path: Uint8Array, max: number): Uint8Array {
    const args = name === "READLINKAT" ? [PF.AT_FDCWD] : [];
    const result = this.#machine.host(name, args, path, max);
    if (result < 0) this.#fail(result, path);
    return this.#machine.kernel.out.slice();
  }

  /** Is it still with the host, in the place that it came to, and as it came? */
  #untouched(source: Uint8Array, relative: Uint8Array, mode: number): boolean {
    const found = source.length ? this.#machine.mounts?.of(source) : undefined;
    if (found?.mount !== this.#mount || compareBytes(found.path, relative) !== 0) return false;
    const entry = this.#mount.entries.get(latin(relative));
    return relative.length === 0 || (entry !== undefined && entry.mode === (mode & 0o777));
  }

  /** About the file itself, not what it links to. Its directory was listed: nothing comes in. */
  #look(path: Uint8Array): { file: TreeFile; number: bigint } {
    if (monotonic() > this.#until)
      throw new BoundError(
        `changes of ${this.#mount.guest.slice(0, 500)}: not done after maxSeconds, ${this.#seconds}: ` +
          "raise it if that is meant",
      );
    const machine = this.#machine;
    const result = machine.host("FSTATAT", [PF.AT_FDCWD, PF.AT_SYMLINK_NOFOLLOW], path, S.SIZE);
    const out = machine.kernel.out.slice();
    if (result < 0 || out.length < S.SIZE) this.#fail(result < 0 ? result : -ERRNO.EIO, path);
    const view = new DataView(out.buffer);
    const mode = view.getUint32(S.mode, true),
      kind = kindOf(mode);
    const source = this.#ask("HOST_SOURCE", path, PF.PATH_MAX + 31);
    const target =
      kind === "l" ? this.#ask("READLINKAT", path, PF.PATH_MAX - 1) : new Uint8Array(0);
    const relative = path.subarray(Math.min(path.length, this.#root.length + 1));
    const file: TreeFile = {
      path: latin(relative),
      full: path,
      kind,
      untouched: this.#untouched(source, relative, mode),
      absent: source.length > 0,
      mode: mode & 0o7777,
      size: Number(view.getBigInt64(S.size, true)),
      target,
    };
    return { file, number: view.getBigUint64(S.ino, true) };
  }

  /** No honest kernel has a directory in two places. */
  #enter(path: Uint8Array, number: bigint): Uint8Array[] {
    if (this.#met.has(number) || this.#met.size > PF.FILES_MAX) this.#fail(-ERRNO.ELOOP, path);
    this.#met.add(number);
    const machine = this.#machine;
    tapeAct(machine, "list", text(path));
    machine.showTime();
    const names = listNames(machine, path);
    return typeof names === "number" ? this.#fail(names, path) : names.sort(compareBytes);
  }

  /**
   * Tells of everything that is there, a directory before its files. What is still with the host and
   * would be equal is told as untouched, and nothing below it.
   */
  go(visit: Visit): void {
    const levels: { path: Uint8Array; names: Uint8Array[]; at: number }[] = [];
    const step = (path: Uint8Array): void => {
      const { file, number } = this.#look(path);
      visit(file);
      if (file.kind === "d" && !file.untouched)
        levels.push({ path, names: this.#enter(path, number), at: 0 });
    };
    step(this.#root);
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const name = level.names[level.at++];
      if (!name) {
        levels.pop();
        continue;
      }
      /* A name whose path would be too long cannot be asked for: what it lies in is told. */
      if (level.path.length + 1 + name.length >= PF.PATH_MAX || name.includes(47)) continue;
      const path = new Buffer();
      for (const part of [level.path, SLASH, name]) path.add(part);
      step(path.bytes.slice());
    }
  }
}

/** Opens a file of the tree: it may come in, and was looked at now. */
export function openTreeFile(machine: Machine, file: TreeFile): number {
  const path = text(file.full);
  tapeAct(machine, "read", path);
  machine.showTime();
  return openFile(machine, path, file.full).fd;
}

export function walkMount(machine: Machine, mount: Mount, seconds: number, visit: Visit): void {
  /* First everything comes in that is going to, so that the entries are at rest. */
  new Walk(machine, mount, seconds).go((file) => {
    if (file.kind === "f" && file.absent && !file.untouched)
      machine.host("CLOSE", [openTreeFile(machine, file)]);
  });
  new Walk(machine, mount, seconds).go(visit);
}

/** A path in a mount as text. */
export const fullPath = (mount: Mount, path: string): string =>
  `${mount.guest}/${text(unlatin(path))}`;
