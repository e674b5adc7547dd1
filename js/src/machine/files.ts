/* machine/files.ts: the embedder's way to the sandbox's files, by the kernel's own file calls. */
import { ERRNO, ERRNO_TEXT, LAYOUT, PF } from "../abi.ts";
import { Buffer, compareBytes, text, utf8 } from "../base/bytes.ts";
import { FileError, InvalidError, StateError } from "../base/error.ts";
import { type FileKind, fileKind, S_IFDIR, S_IFLNK, S_IFMT } from "../base/mode.ts";
import type { Machine } from "./machine.ts";
import { tapeAct, tapeMake, tapeWrite } from "./tape.ts";

const ERRNO_NAME = new Map(Object.entries(ERRNO).map(([name, number]) => [number as number, name]));
const OWNER = 1000;

export interface FileInfo {
  readonly kind: FileKind;
  /** Permission bits. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
  readonly mtime: Date;
}

export function guestError(machine: Machine, result: number, path: string): Error {
  machine.checkAlive();
  const number = -result;
  const why = ERRNO_TEXT[number] ?? "Unknown error";
  return new FileError(
    `${path.slice(0, 900)}: ${why}`,
    ERRNO_NAME.get(number) ?? "EIO",
    number,
    path,
  );
}

/** The bytes of a path that is absolute and short enough. */
export function checkPath(path: string): Uint8Array {
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new InvalidError(`the path "${String(path).slice(0, 900)}" is not absolute`);
  if (path.includes("\0")) throw new InvalidError("a path has no NUL");
  const bytes = utf8(path);
  if (bytes.length >= PF.PATH_MAX)
    throw new InvalidError(`the path has ${bytes.length} bytes, more than ${PF.PATH_MAX - 1}`);
  return bytes;
}

/** Makes the directories above a path that are missing. */
export function makeParents(machine: Machine, path: Uint8Array, owner: number): number {
  for (let i = 1; i < path.length; i++) {
    if (path[i] !== 47 || path[i - 1] === 47) continue;
    const part = path.subarray(0, i);
    let result = machine.host("MKDIRAT", [PF.AT_FDCWD, 0o755], part);
    if (result === 0) result = machine.host("FCHOWNAT", [PF.AT_FDCWD, owner, owner, 0], part);
    if (result < 0 && result !== -ERRNO.EEXIST) return result;
  }
  return 0;
}

function writeBytes(machine: Machine, fd: number, data: Uint8Array): number {
  for (let at = 0; at < data.length;) {
    const piece = data.subarray(at, at + PF.IO_MAX);
    const n = machine.host("WRITE", [fd], piece);
    if (n < 0) return n;
    if (n === 0 || n > piece.length) return -ERRNO.EIO;
    at += n;
  }
  return 0;
}

/** 0, or a negative errno. */
export function putFile(
  machine: Machine,
  path: Uint8Array,
  data: Uint8Array,
  mode: number,
  owner: number,
): number {
  const flags = PF.O_WRONLY | PF.O_CREAT | PF.O_TRUNC | PF.O_NONBLOCK;
  const open = (): number => machine.host("OPENAT", [PF.AT_FDCWD, flags, mode], path);
  let fd = open();
  if (fd === -ERRNO.ENOENT) {
    const made = makeParents(machine, path, owner);
    if (made < 0) return made;
    fd = open();
  }
  if (fd < 0) return fd;
  let result = writeBytes(machine, fd, data);
  if (result === 0 && owner)
    result = machine.host("FCHOWNAT", [fd, owner, owner, PF.AT_EMPTY_PATH]);
  machine.host("CLOSE", [fd]);
  return Math.min(0, result);
}

function demandChange(machine: Machine): void {
  machine.checkRecording();
  if (machine.lookOnly)
    throw new StateError("this is a replay: its files are only to be read");
}

export function writeFile(machine: Machine, path: string, data: Uint8Array): void {
  const bytes = checkPath(path);
  demandChange(machine);
  tapeWrite(machine, path, data);
  machine.showTime();
  const result = putFile(machine, bytes, data, 0o644, OWNER);
  if (result < 0) throw guestError(machine, result, path);
}

function status(machine: Machine, path: Uint8Array, follow: boolean): FileInfo | number {
  const S = LAYOUT.stat;
  const result = machine.host(
    "FSTATAT",
    [PF.AT_FDCWD, follow ? 0 : PF.AT_SYMLINK_NOFOLLOW],
    path,
    S.SIZE,
  );
  const { out } = machine.kernel;
  if (result < 0) return result;
  if (out.length < S.SIZE) return -ERRNO.EIO;
  const view = new DataView(out.buffer, out.byteOffset, S.SIZE);
  const mode = view.getUint32(S.mode, true);
  return {
    kind: fileKind(mode),
    mode: mode & 0o7777,
    size: Number(view.getBigInt64(S.size, true)),
    mtime: new Date(Number(view.getBigInt64(S.mtime_ns, true) / 1000000n)),
  };
}

export function statFile(machine: Machine, path: string, follow = true): FileInfo {
  const bytes = checkPath(path);
  tapeAct(machine, follow ? "stat" : "lstat", path); /* it may look into a mount */
  machine.showTime();
  const info = status(machine, bytes, follow);
  if (typeof info === "number") throw guestError(machine, info, path);
  return info;
}

/** Opens a regular file; throws what is in the way. */
export function openFile(
  machine: Machine,
  path: string,
  bytes: Uint8Array,
): { fd: number; size: number } {
  /* Looked at first: who waits for the other end of a FIFO is not to be woken. */
  const info = status(machine, bytes, true);
  if (typeof info === "number") throw guestError(machine, info, path);
  if (info.kind !== "file")
    throw guestError(machine, info.kind === "directory" ? -ERRNO.EISDIR : -ERRNO.EINVAL, path);
  const fd = machine.host("OPENAT", [PF.AT_FDCWD, PF.O_RDONLY | PF.O_NONBLOCK], bytes);
  if (fd < 0) throw guestError(machine, fd, path);
  /* A byte of it, so that the time of its last access does not depend on what is read of it. */
  const first = machine.host("PREAD", [fd, 0], undefined, 1);
  if (first >= 0) return { fd, size: info.size };
  machine.host("CLOSE", [fd]);
  throw guestError(machine, first, path);
}

/** What a recorded reading did to the sandbox, without the contents. */
export function touchFile(machine: Machine, path: string): void {
  const bytes = checkPath(path);
  machine.moment++; /* the act */
  machine.showTime();
  machine.host("CLOSE", [openFile(machine, path, bytes).fd]);
}

/** The contents. More than `max` bytes are refused before they are read. */
export function readFile(machine: Machine, path: string, max: number): Uint8Array {
  const bytes = checkPath(path);
  tapeAct(machine, "read", path); /* it may change the file's access time */
  machine.showTime();
  const { fd, size } = openFile(machine, path, bytes);
  const tooMuch = new InvalidError(
    `reading ${path.slice(0, 500)}: more than maxBytes, ${max}: raise it if that is meant`,
  );
  if (size > max) {
    machine.host("CLOSE", [fd]);
    throw tooMuch;
  }
  const all = new Buffer();
  let n: number;
  while (
    (n = machine.host("READ", [fd], undefined, PF.IO_MAX)) > 0 &&
    machine.kernel.out.length &&
    all.length <= max
  )
    all.add(machine.kernel.out);
  machine.host("CLOSE", [fd]);
  if (n < 0) throw guestError(machine, n, path);
  if (all.length > max) throw tooMuch;
  return all.bytes;
}

export function removeFile(machine: Machine, path: string): void {
  const bytes = checkPath(path);
  demandChange(machine);
  tapeAct(machine, "remove", path);
  machine.showTime();
  let result = machine.host("UNLINKAT", [PF.AT_FDCWD, 0], bytes);
  if (result === -ERRNO.EISDIR)
    result = machine.host("UNLINKAT", [PF.AT_FDCWD, PF.AT_REMOVEDIR], bytes);
  if (result < 0) throw guestError(machine, result, path);
}

/** A directory that is not there yet: `mode` with its type. 0, or a negative errno. */
function putDirectory(machine: Machine, bytes: Uint8Array): number {
  let result = makeParents(machine, bytes, OWNER);
  if (result >= 0) result = machine.host("MKDIRAT", [PF.AT_FDCWD, 0o755], bytes);
  if (result !== -ERRNO.EEXIST) return result;
  const info = status(machine, bytes, true);
  return typeof info === "number" ? info : info.kind === "directory" ? 0 : -ERRNO.EEXIST;
}

/** In the place of whatever but a directory is there. */
function putLink(machine: Machine, bytes: Uint8Array, target: Uint8Array): number {
  let result = machine.host("UNLINKAT", [PF.AT_FDCWD, 0], bytes);
  if (result === -ERRNO.ENOENT) result = makeParents(machine, bytes, OWNER);
  if (result < 0) return result;
  const both = new Buffer();
  for (const part of [target, NUL, bytes, NUL]) both.add(part);
  return machine.host("SYMLINKAT", [PF.AT_FDCWD], both.bytes);
}

const NUL = new Uint8Array(1);

/** A file of any kind, with mode and time: host/machine/put.c. `mode` has its type. */
export function makeFile(
  machine: Machine,
  path: string,
  mode: number,
  mtimeNs: bigint,
  data: Uint8Array,
): void {
  const bytes = checkPath(path);
  demandChange(machine);
  tapeMake(machine, path, mode, mtimeNs, data);
  machine.showTime();
  const type = mode & S_IFMT;
  const at = type === S_IFLNK ? PF.AT_SYMLINK_NOFOLLOW : 0;
  let result: number;
  if (type === S_IFDIR) result = putDirectory(machine, bytes);
  else if (type === S_IFLNK) result = putLink(machine, bytes, data);
  else result = putFile(machine, bytes, data, 0o644, OWNER);
  if (result >= 0 && (type === S_IFDIR || type === S_IFLNK))
    result = machine.host("FCHOWNAT", [PF.AT_FDCWD, OWNER, OWNER, at], bytes);
  if (result >= 0 && type !== S_IFLNK)
    result = machine.host("FCHMODAT", [PF.AT_FDCWD, mode & 0o7777, 0], bytes);
  if (result >= 0)
    result = machine.host("UTIMENSAT", [PF.AT_FDCWD, at, mtimeNs, mtimeNs], bytes);
  if (result < 0) throw guestError(machine, result, path);
}

export function makeDirectory(machine: Machine, path: string): void {
  let found: FileInfo | undefined;
  try {
    found = statFile(machine, path);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "ENOENT") throw error;
  }
  if (found?.kind === "directory") return;
  if (found) throw guestError(machine, -ERRNO.EEXIST, path);
  const now = machine.realtimeBase + BigInt(Math.round(machine.monotonicNs));
  makeFile(machine, path, S_IFDIR | 0o755, now, new Uint8Array(0));
}

/** Names in a directory as bytes, without . and .., or a negative errno. */
export function listNames(machine: Machine, path: Uint8Array): Uint8Array[] | number {
  const D = LAYOUT.dirent,
    names: Uint8Array[] = [];
  const fd = machine.host("OPENAT", [PF.AT_FDCWD, PF.O_DIRECTORY], path);
  if (fd < 0) return fd;
  let n: number;
  while ((n = machine.host("GETDENTS", [fd], undefined, PF.IO_MAX)) > 0) {
    const { out } = machine.kernel;
    const view = new DataView(out.buffer, out.byteOffset, out.length);
    if (out.length === 0 || names.length > PF.FILES_MAX) n = -ERRNO.EIO;
    for (let at = 0; n > 0 && at < out.length;) {
      const len = at + D.SIZE <= out.length ? view.getUint32(at + D.name_len, true) : Infinity;
      if (len > PF.NAME_MAX || at + D.SIZE + len > out.length) n = -ERRNO.EIO;
      if (n < 0) break;
      const name = out.slice(at + D.SIZE, at + D.SIZE + len);
      if (text(name) !== "." && text(name) !== "..") names.push(name);
      at += Math.ceil((D.SIZE + len) / 8) * 8;
    }
    if (n < 0) break;
  }
  machine.host("CLOSE", [fd]);
  return n < 0 ? n : names;
}

/** Names in a directory, sorted by their bytes. */
export function listFiles(machine: Machine, path: string): string[] {
  const bytes = checkPath(path);
  tapeAct(machine, "list", path);
  machine.showTime();
  const names = listNames(machine, bytes);
  if (typeof names === "number") throw guestError(machine, names, path);
  return names.sort(compareBytes).map(text);
}
