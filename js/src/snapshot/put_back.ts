/*
 * snapshot/put_back.ts: the files of a portable snapshot, written into a new sandbox:
 * host/snapshot/put_back.c, and the reading half of filemap.c.
 *
 * Paths and contents are anybody's: they go through the kernel's own calls, which hold the limits,
 * and touch nothing but the new sandbox.
 */
import { ERRNO, PF } from "../abi.ts";
import { Buffer, latin, text, unlatin } from "../base/bytes.ts";
import { SnapshotError } from "../base/error.ts";
import { S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG } from "../base/mode.ts";
import { guestError } from "../machine/files.ts";
import type { Machine } from "../machine/machine.ts";
import type { Reader } from "./codec.ts";
import { INLINE, UNREAD } from "./filemap.ts";

const NUL = new Uint8Array(1);
/** What belongs to the build or to who restores. */
const THEIRS = ["/bin", "/dev", "/proc", "/tools", "/usr/bin", "/usr/lib", "/usr/share"];
const FILE_MIN = 44;

interface Segment {
  readonly from: number;
  readonly data: Uint8Array;
}

/** One name. The path is bytes, as a text of one character each. */
interface ListedFile {
  readonly path: string;
  readonly flags: number;
  readonly mode: number;
  readonly uid: number;
  readonly size: number;
  readonly mtimeNs: bigint;
  /** Another name of the file with this number, from 1 on; 0: it is none. */
  readonly link: number;
  readonly segments: readonly Segment[];
}

function readSegments(r: Reader, count: number, size: number): Segment[] {
  const segments: Segment[] = [];
  for (let end = 0; segments.length < count; ) {
    const from = r.number(),
      len = r.number(),
      address = r.u32();
    /* A portable list has all contents in itself. */
    r.demand(address === INLINE && len > 0 && from >= end && from + len <= size);
    segments.push({ from, data: r.raw(len) });
    end = from + len;
  }
  return segments;
}

function readList(r: Reader): ListedFile[] {
  const count = r.u32(),
    files: ListedFile[] = [];
  r.demand(count <= r.left / FILE_MIN);
  while (files.length < count) {
    const path = latin(r.bytes());
    const [flags, mode, uid, size] = [r.u32(), r.u32(), r.u32(), r.number()];
    const mtimeNs = BigInt.asIntN(64, r.u64()),
      link = r.u32(),
      segments = r.u32();
    r.demand(path.startsWith("/") && path.length < PF.PATH_MAX - 1 && !path.includes("\0"));
    r.demand(link <= files.length && size <= PF.FILE_SIZE_MAX);
    r.demand(link === 0 || files[link - 1].link === 0);
    files.push({ path, flags, mode, uid, size, mtimeNs, link, segments: readSegments(r, segments, size) });
  }
  return files;
}

/** Plain, and not below what is somebody else's. */
function isAllowed(path: string): boolean {
  if (THEIRS.some((one) => path === one || path.startsWith(one + "/"))) return false;
  return path
    .slice(1)
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== "..");
}

class Putter {
  readonly #machine: Machine;
  readonly #files: readonly ListedFile[];

  constructor(machine: Machine, files: readonly ListedFile[]) {
    this.#machine = machine;
    this.#files = files;
  }

  #segments(fd: number, file: ListedFile): number {
    for (const { from, data } of file.segments)
      for (let at = 0; at < data.length; ) {
        const piece = data.subarray(at, at + PF.IO_MAX);
        const n = this.#machine.host("PWRITE", [fd, from + at], piece);
        if (n < 0) return n;
        if (n === 0 || n > piece.length) return -ERRNO.EIO;
        at += n;
      }
    return this.#machine.host("FTRUNCATE", [fd, file.size]);
  }

  #contents(path: Uint8Array, file: ListedFile): number {
    const flags = PF.O_WRONLY | PF.O_CREAT | PF.O_TRUNC | PF.O_NONBLOCK | PF.O_NOFOLLOW;
    const fd = this.#machine.host("OPENAT", [PF.AT_FDCWD, flags, 0o600], path);
    if (fd < 0) return fd;
    const result = this.#segments(fd, file);
    this.#machine.host("CLOSE", [fd]);
    return result;
  }

  #link(to: Uint8Array, path: Uint8Array, hard: boolean): number {
    if (to.length >= PF.PATH_MAX) return -ERRNO.ENAMETOOLONG;
    if (to.includes(0)) return -ERRNO.EINVAL;
    const both = new Buffer();
    for (const part of [to, NUL, path, NUL]) both.add(part);
    this.#machine.host("UNLINKAT", [PF.AT_FDCWD, 0], path);
    return hard
      ? this.#machine.host("LINKAT", [PF.AT_FDCWD, PF.AT_FDCWD, 0], both.bytes)
      : this.#machine.host("SYMLINKAT", [PF.AT_FDCWD], both.bytes);
  }

  setTimes(file: ListedFile): number {
    const flags = (file.mode & S_IFMT) === S_IFLNK ? PF.AT_SYMLINK_NOFOLLOW : 0;
    const args = [PF.AT_FDCWD, flags, file.mtimeNs, file.mtimeNs];
    return this.#machine.host("UTIMENSAT", args, unlatin(file.path));
  }

  #setOwner(path: Uint8Array, { mode, uid }: ListedFile): number {
    const link = (mode & S_IFMT) === S_IFLNK;
    const flags = link ? PF.AT_SYMLINK_NOFOLLOW : 0;
    const result = this.#machine.host("FCHOWNAT", [PF.AT_FDCWD, uid, uid, flags], path);
    return result < 0 || link
      ? result
      : this.#machine.host("FCHMODAT", [PF.AT_FDCWD, mode & 0o7777, 0], path);
  }

  #make(path: Uint8Array, file: ListedFile): number {
    switch (file.mode & S_IFMT) {
      case S_IFREG:
        return this.#contents(path, file);
      case S_IFLNK: {
        const [target] = file.segments;
        return file.segments.length === 1 ? this.#link(target.data, path, false) : -ERRNO.EINVAL;
      }
      case S_IFIFO:
        return this.#machine.host("MKNODAT", [PF.AT_FDCWD, file.mode], path);
      case S_IFDIR: {
        const result = this.#machine.host("MKDIRAT", [PF.AT_FDCWD, 0o700], path);
        return result === -ERRNO.EEXIST ? 0 : result;
      }
      default:
        return -ERRNO.EINVAL;
    }
  }

  put(file: ListedFile): number {
    const path = unlatin(file.path);
    if (file.link) return this.#link(unlatin(this.#files[file.link - 1].path), path, true);
    let result = this.#make(path, file);
    if (result >= 0) result = this.#setOwner(path, file);
    return result < 0 || (file.mode & S_IFMT) === S_IFDIR ? result : this.setTimes(file);
  }
}

/** Writes the files of a list. What is not in it is told in `left`. */
export function putBack(machine: Machine, r: Reader, left: string[]): void {
  const files = readList(r),
    putter = new Putter(machine, files);
  const name = (file: ListedFile): string => text(unlatin(file.path));
  for (const file of files) {
    if (!isAllowed(file.path))
      throw new SnapshotError(`the snapshot has a file that none may have: ${name(file).slice(0, 500)}`);
    if (file.flags & UNREAD) {
      left.push(`what was with the host: ${name(file)}`);
      continue;
    }
    const result = putter.put(file);
    if (result < 0) throw guestError(machine, result, name(file));
  }
  for (const file of [...files].reverse()) /* after what is in them */
    if ((file.mode & S_IFMT) === S_IFDIR && !(file.flags & UNREAD)) putter.setTimes(file);
  machine.checkAlive();
}
