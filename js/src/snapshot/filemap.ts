/*
 * snapshot/filemap.ts: the files of a sandbox as a list that any build reads:
 * host/snapshot/filemap.c. docs/snapshot.md is the reference.
 *
 * Paths are bytes, here as texts of one character a byte.
 */
import { CALL, ERRNO, LAYOUT, PF } from "../abi.ts";
import { compareBytes } from "../base/bytes.ts";
import { SnapshotError } from "../base/error.ts";
import type { Template } from "../cpu/image.ts";
import { listNames } from "../machine/files.ts";
import { lookAt } from "../machine/fork.ts";
import { ROOT_TIME_NS } from "../machine/library.ts";
import type { Machine } from "../machine/machine.ts";
import { Writer } from "./codec.ts";
import { deadOf, pageOf } from "./memory.ts";

const TYPE = 0o170000,
  IS_FILE = 0o100000,
  IS_DIR = 0o040000,
  IS_LINK = 0o120000,
  IS_FIFO = 0o010000;
const INLINE = 0xffffffff,
  UNREAD = 1;
const SEEK_TO_DATA = 3,
  SEEK_TO_HOLE = 4;
const PAGE = 4096;
/** Fewer bytes are not worth an address. */
const THERE_MIN = 16;

/** What each sandbox starts with, and nobody but the embedder writes to. */
const BOOTS = new Set(["/bin", "/dev", "/proc", "/tools", "/usr/bin", "/usr/lib", "/usr/share"]);
/** Below what each sandbox starts with, and the embedder may have written to. */
const SYSTEM = /^\/(?:etc|usr|var)(?:\/|$)/;

const bytesOf = (path: string): Uint8Array => Uint8Array.from(path, (char) => char.charCodeAt(0));
function pathOf(bytes: Uint8Array): string {
  let path = "";
  for (const byte of bytes) path += String.fromCharCode(byte);
  return path;
}

interface Segment {
  readonly from: number;
  readonly to: number;
}

interface Status {
  readonly ino: bigint;
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly size: number;
  readonly blocks: number;
  readonly mtime: bigint;
  readonly ctime: bigint;
}

class Walk {
  readonly body = new Writer();
  readonly #look: Machine;
  readonly #origin: Machine;
  readonly #base: Template;
  readonly #seen = new Map<bigint, number>();
  count = 0;
  /** That were seen: an honest kernel has no more than fit into it. */
  #bytes = 0;
  #names = 0;

  constructor(origin: Machine, base: Template) {
    this.#origin = origin;
    this.#look = lookAt(origin);
    this.#base = base;
  }

  #ask(call: keyof typeof CALL, args: readonly number[], input?: Uint8Array, cap = 0): number {
    const result = this.#look.host(call, args, input, cap);
    this.#look.checkAlive();
    return result;
  }

  #lies(path: string): never {
    throw new SnapshotError(`${path.slice(0, 900)}: the kernel's answers do not fit together`);
  }

  /* ---- contents */

  #plainInBase(from: number, to: number): boolean {
    for (let at = from; at < to && at < this.#base.info.size; ) {
      const page = Math.floor(at / PAGE) * PAGE,
        stop = Math.min(page + PAGE, to);
      const bytes = pageOf(this.#base, page);
      for (; at < stop; at++) if (bytes?.[at - page]) return false;
    }
    return true;
  }

  /** Do the bytes that the copy read lie at the same address in the kernel that is written? */
  #liesThere(data: Uint8Array): boolean {
    const { kernel } = this.#origin,
      { u8 } = kernel.instance;
    const at = data.byteOffset,
      end = at + data.length;
    if (data.length < THERE_MIN || end > u8.length) return false;
    for (const dead of deadOf(kernel)) if (at < dead.to && end > dead.from) return false;
    for (let i = 0; i < data.length; i++) if (data[i] !== u8[at + i]) return false;
    return this.#plainInBase(at, end);
  }

  #putSegment(from: number, data: Uint8Array, there: boolean): void {
    this.body.u64(from);
    this.body.u64(data.length);
    this.body.u32(there ? data.byteOffset : INLINE);
    if (!there) this.body.out.add(data);
  }

  #putContents(path: string, fd: number, segments: readonly Segment[]): number | undefined {
    let count = 0;
    for (const { from, to } of segments)
      for (let at = from; at < to; ) {
        const n = this.#ask("PREAD", [fd, at], undefined, Math.min(to - at, PF.IO_MAX));
        const { out } = this.#look.kernel;
        if (n < 0 || out.length === 0) {
          if (count === 0 && (n >= 0 || n === -ERRNO.EIO)) return undefined;
          this.#lies(path);
        }
        this.#bytes += out.length;
        if (this.#bytes > this.#look.kernel.instance.u8.length) this.#lies(path);
        this.#putSegment(at, out, this.#liesThere(out));
        at += out.length;
        count++;
      }
    return count;
  }

  /** Where a file has data, by the kernel. */
  #segments(path: string, fd: number, size: number): Segment[] {
    const found: Segment[] = [];
    for (let at = 0; at < size; ) {
      const from = this.#ask("LSEEK", [fd, at, SEEK_TO_DATA]);
      if (from === -ERRNO.ENXIO) break;
      const to = from < 0 ? from : this.#ask("LSEEK", [fd, from, SEEK_TO_HOLE]);
      if (from < at || to <= from || to > size || found.length > PF.FILE_SIZE_MAX / PAGE)
        this.#lies(path);
      found.push({ from, to });
      at = to;
    }
    return found;
  }

  /* ---- names */

  #status(path: Uint8Array): Status | undefined {
    const S = LAYOUT.stat;
    const args = [PF.AT_FDCWD, PF.AT_SYMLINK_NOFOLLOW];
    if (this.#ask("FSTATAT", args, path, S.SIZE) < 0) return undefined;
    const { out } = this.#look.kernel;
    if (out.length < S.SIZE) this.#lies(pathOf(path));
    const view = new DataView(out.buffer, out.byteOffset, S.SIZE);
    return {
      ino: view.getBigUint64(S.ino, true),
      mode: view.getUint32(S.mode, true),
      nlink: view.getUint32(S.nlink, true),
      uid: view.getUint32(S.uid, true),
      size: Number(view.getBigInt64(S.size, true)),
      blocks: Number(view.getBigInt64(S.blocks, true)),
      mtime: view.getBigInt64(S.mtime_ns, true),
      ctime: view.getBigInt64(S.ctime_ns, true),
    };
  }

  /** The number of the name that this is another one of; 0: it is the first. */
  #linkOf(ino: bigint): number {
    const first = this.#seen.get(ino);
    if (first === undefined) this.#seen.set(ino, this.count + 1);
    return first ?? 0;
  }

  #putFile(path: string, st: Status, size: number, target: Uint8Array | undefined): void {
    const { body } = this,
      bytes = bytesOf(path);
    const isFile = (st.mode & TYPE) === IS_FILE;
    const link = isFile && st.nlink > 1 ? this.#linkOf(st.ino) : 0;
    const fd =
      isFile && !link
        ? this.#ask("OPENAT", [PF.AT_FDCWD, PF.O_RDONLY | PF.O_NONBLOCK], bytes)
        : undefined;
    const dense = st.blocks >= 0 && st.blocks * 512 >= size;
    body.bytes(bytes);
    const flagsAt = body.out.length;
    body.u32(fd !== undefined && fd < 0 ? UNREAD : 0);
    body.u32(st.mode);
    body.u32(st.uid);
    body.u64(size);
    body.u64(st.mtime);
    body.u32(link);
    const countAt = body.out.length;
    body.u32(0);
    let count: number | undefined = 0;
    if (fd !== undefined && fd >= 0) {
      const whole = size > 0 ? [{ from: 0, to: size }] : [];
      count = this.#putContents(path, fd, dense ? whole : this.#segments(path, fd, size));
      this.#ask("CLOSE", [fd]);
    }
    if (target) this.#putSegment(0, target, false);
    const view = new DataView(body.out.data.buffer);
    view.setUint32(countAt, target ? 1 : (count ?? 0), true);
    if (count === undefined) body.out.data[flagsAt] |= UNREAD;
    this.count++;
  }

  #walkOne(path: string, todo: string[]): void {
    const bytes = bytesOf(path),
      st = this.#status(bytes);
    if (++this.#names > 2 * PF.FILES_MAX || (st && st.size > PF.FILE_SIZE_MAX)) this.#lies(path);
    if (!st) return; /* the path is too long */
    const type = st.mode & TYPE;
    if (type === IS_DIR) todo.push(path);
    if (SYSTEM.test(path) && st.ctime === ROOT_TIME_NS) return;
    let target: Uint8Array | undefined;
    if (type === IS_LINK) {
      if (this.#ask("READLINKAT", [PF.AT_FDCWD], bytes, PF.PATH_MAX) < 0) return;
      target = this.#look.kernel.out.slice();
    }
    const size = type === IS_FILE ? Math.max(0, st.size) : (target?.length ?? 0);
    if (type === IS_FILE || type === IS_LINK || type === IS_DIR || type === IS_FIFO)
      this.#putFile(path, st, size, target);
  }

  /** Parents before what is in them. */
  all(): void {
    const todo = ["/"];
    for (const folder of todo) {
      const names = listNames(this.#look, bytesOf(folder));
      this.#look.checkAlive();
      if (typeof names === "number") continue;
      for (const name of names.sort(compareBytes)) {
        const inner = (folder === "/" ? "" : folder) + "/" + pathOf(name);
        if (inner.length < PF.PATH_MAX && !BOOTS.has(inner)) this.#walkOne(inner, todo);
      }
    }
  }
}

/** Writes the list. `base`: what the kernel's pages are the difference from. */
export function putFiles(w: Writer, machine: Machine, base: Template): void {
  const walk = new Walk(machine, base);
  walk.all();
  w.u32(walk.count);
  w.out.add(walk.body.out.bytes);
}
