/*
 * snapshot/filemap.ts: the files of a sandbox as a list that any build reads:
 * host/snapshot/filemap.c. docs/snapshot.md is the reference.
 *
 * The kernel tells its tree in bulk, and is afterwards to the byte what it was. Paths are bytes,
 * here as texts of one character a byte.
 */
import { LAYOUT, PF } from "../abi.ts";
import { latin, unlatin, utf8, zeroEnded } from "../base/bytes.ts";
import { SnapshotError } from "../base/error.ts";
import { S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG } from "../base/mode.ts";
import type { Template } from "../cpu/image.ts";
import { ROOT_TIME_NS } from "../machine/library.ts";
import type { Machine } from "../machine/machine.ts";
import type { Writer } from "./codec.ts";
import { deadOf, pageOf } from "./memory.ts";

/** As an address: the bytes follow. */
export const INLINE = 0xffffffff;
/** Of a file: its contents, or names, are with a mount's directory. */
export const UNREAD = 1;
const PAGE = 4096;
/** Fewer bytes are not worth an address. */
const THERE_MIN = 16;
/** Of a path: no name is shorter than one byte and its slash. */
const DEPTH_MAX = PF.PATH_MAX / 2;
/** Entries that an honest kernel gives: of each file, and again for each part of a large one. */
const ENTRIES_MAX = 4 * PF.FILES_MAX;

/** What each sandbox starts with, and nobody but the embedder writes to. */
const BOOTS = ["/bin", "/dev", "/proc", "/tools", "/usr/bin", "/usr/lib", "/usr/share"];
/** Below what each sandbox starts with, and the embedder may have written to. */
const SYSTEM = /^\/(?:etc|usr|var)(?:\/|$)/;
const E = LAYOUT.tree_entry,
  P = LAYOUT.tree_piece;

class Walk {
  readonly #w: Writer;
  readonly #machine: Machine;
  /** undefined: all contents are written here, and mounts are left out. */
  readonly #base: Template | undefined;
  readonly #links = new Map<bigint, number>();
  count = 0;
  #entries = 0;
  #bytes = 0;
  /* The name that was met last. */
  #depth = 0;
  /** Of each directory on its way; undefined: left out. */
  readonly #paths: (string | undefined)[] = [""];
  #path = "";
  /** It is listed with its contents: how many parts, which is written here, up to this place. */
  #listed = false;
  #partsAt = 0;
  #parts = 0;
  #end = 0;
  #size = 0;

  constructor(w: Writer, machine: Machine, base: Template | undefined) {
    this.#w = w;
    this.#machine = machine;
    this.#base = base;
  }

  #damaged(): never {
    throw new SnapshotError(`${this.#path || "/"}: the kernel's list of files is damaged`);
  }

  /** Zero in the template, so that what a snapshot says of them is what they are. */
  #plainInBase(base: Template, from: number, to: number): boolean {
    for (let at = from; at < to && at < base.info.size; ) {
      const page = Math.floor(at / PAGE) * PAGE,
        stop = Math.min(page + PAGE, to);
      const bytes = pageOf(base, page);
      if (bytes) for (; at < stop; at++) if (bytes[at - page]) return false;
      at = stop;
    }
    return true;
  }

  /** Are the bytes at this address of the kernel in the snapshot's pages as they are? */
  #liesThere(at: number, len: number): boolean {
    if (!this.#base || len < THERE_MIN) return false;
    for (const dead of deadOf(this.#machine.kernel))
      if (at < dead.to && at + len > dead.from) return false;
    return this.#plainInBase(this.#base, at, at + len);
  }

  /** Where the contents are, from the file's byte #end on. */
  #putParts(pieces: DataView): void {
    const w = this.#w,
      { u8 } = this.#machine.kernel.instance;
    for (let i = 0; i < pieces.byteLength; i += P.SIZE) {
      const offset = Number(pieces.getBigUint64(i + P.offset, true));
      const at = pieces.getUint32(i + P.at, true),
        len = pieces.getUint32(i + P.len, true);
      this.#bytes += len;
      if (len === 0 || at + len > u8.length || offset < this.#end || offset + len > this.#size)
        this.#damaged();
      if (this.#bytes > 2 * u8.length) this.#damaged();
      const there = this.#liesThere(at, len);
      w.u64(offset);
      w.u64(len);
      w.u32(there ? at : INLINE);
      if (!there) w.out.add(u8.subarray(at, at + len));
      this.#end = offset + len;
      this.#parts++;
    }
    new DataView(w.out.data.buffer).setUint32(this.#partsAt, this.#parts, true);
  }

  /** The path of an entry, from its directory's; undefined: left out, and all that is in it. */
  #pathAt(depth: number, name: string): string | undefined {
    this.#depth = depth;
    if (depth > DEPTH_MAX) return undefined;
    const before = this.#paths[depth - 1];
    const path = before === undefined ? undefined : `${before}/${name}`;
    const listed = path !== undefined && path.length < PF.PATH_MAX && !this.#isMount(path);
    this.#paths[depth] = listed ? path : undefined;
    return this.#paths[depth];
  }

  #isMount(path: string): boolean {
    const mounts = this.#base ? undefined : this.#machine.mounts;
    return mounts !== undefined && mounts.items.some((one) => latin(utf8(one.guest)) === path);
  }

  /** A name that was not met yet. */
  #meet(entry: DataView, name: string): void {
    const mode = entry.getUint32(E.mode, true),
      type = mode & S_IFMT;
    const path = this.#pathAt(entry.getUint32(E.depth, true), name);
    this.#listed = false;
    if (path === undefined) return;
    this.#path = path;
    const known = type === S_IFREG || type === S_IFLNK || type === S_IFDIR || type === S_IFIFO;
    const system = SYSTEM.test(path) && entry.getBigInt64(E.ctime_ns, true) === ROOT_TIME_NS;
    if (!known || system || BOOTS.includes(path)) return;
    const contents = type === S_IFREG || type === S_IFLNK;
    this.#size = contents ? Number(entry.getBigUint64(E.size, true)) : 0;
    if (this.#size > PF.FILE_SIZE_MAX) this.#damaged();
    let link = 0;
    if (type === S_IFREG && entry.getUint32(E.nlink, true) > 1) {
      const ino = entry.getBigUint64(E.ino, true);
      link = this.#links.get(ino) ?? 0;
      if (!link) this.#links.set(ino, this.count + 1);
    }
    const absent = (entry.getUint32(E.flags, true) & PF.TREE_ABSENT) !== 0 && !link;
    const w = this.#w;
    w.bytes(unlatin(path));
    w.u32(absent ? UNREAD : 0);
    w.u32(mode);
    w.u32(entry.getUint32(E.uid, true));
    w.u64(this.#size);
    w.u64(entry.getBigInt64(E.mtime_ns, true));
    w.u32(link);
    this.#partsAt = w.out.length;
    w.u32(0);
    this.count++;
    this.#end = this.#parts = 0;
    this.#listed = !link && contents;
  }

  /** What one call gave. */
  #putEntries(data: Uint8Array): void {
    for (let at = 0; at < data.length; ) {
      if (data.length - at < E.SIZE) this.#damaged();
      const entry = new DataView(data.buffer, data.byteOffset + at, E.SIZE);
      const depth = entry.getUint32(E.depth, true),
        nameLen = entry.getUint32(E.name_len, true),
        pieces = P.SIZE * entry.getUint32(E.pieces, true);
      at += E.SIZE;
      const names = Math.ceil(nameLen / 8) * 8;
      if (nameLen === 0 || nameLen > PF.NAME_MAX || names + pieces > data.length - at)
        this.#damaged();
      const name = data.subarray(at, at + nameLen);
      const again = (entry.getUint32(E.flags, true) & PF.TREE_CONTINUED) !== 0;
      const sound =
        depth > 0 && depth <= this.#depth + 1 && !name.includes(47) && !name.includes(0);
      if (!sound || ++this.#entries > ENTRIES_MAX || (again && depth !== this.#depth))
        this.#damaged();
      if (!again) this.#meet(entry, latin(name));
      if (this.#listed)
        this.#putParts(new DataView(data.buffer, data.byteOffset + at + names, pieces));
      at += names + pieces;
    }
  }

  all(): void {
    const { kernel } = this.#machine;
    const left = zeroEnded(...BOOTS);
    try {
      for (let next = 0; ; ) {
        next = kernel.call("HOST_TREE", [next], left, PF.IO_MAX);
        this.#machine.checkAlive();
        if (next < 0) this.#damaged();
        this.#putEntries(kernel.out);
        if (next === 0) break;
      }
    } catch (error) {
      kernel.call("HOST_TREE", [-1]);
      throw error;
    }
  }
}

/**
 * Writes the list. `base`: what the kernel's pages are the difference from; without it all contents
 * are written here, and mounts are left out.
 */
export function putFiles(w: Writer, machine: Machine, base?: Template): void {
  const countAt = w.out.length;
  w.u32(0);
  const walk = new Walk(w, machine, base);
  machine.kernel.keepingRoom(() => walk.all());
  new DataView(w.out.data.buffer).setUint32(countAt, walk.count, true);
}
