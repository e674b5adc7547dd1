/*
 * mount/host_dir.ts: a host directory, read so that nothing leads out of it: host/mount/host_dir.c,
 * in Node on Linux.
 *
 * Node has no openat(), but Linux has the descriptors of a process as directories: what is opened as
 * /proc/self/fd/N/NAME is opened in the directory of that descriptor, whatever somebody renames
 * meanwhile, and a name that is not followed cannot lead out of it. Only regular files, directories
 * and links are listed; a file that has become something else since is EIO.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { ERRNO, PF } from "../abi.ts";
import { compareBytes, utf8 } from "../base/bytes.ts";
import { InvalidError, UnsupportedError } from "../base/error.ts";
import type { FillName } from "../machine/tape.ts";
import type { HostDirectory } from "./mounts.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } =
  constants;
/** Of Linux, on each of its processors that Node runs on; Node does not name it. */
const O_PATH = 0o10000000;
const SLASH = 47;
const DOTS = utf8("..");
const NOTHING = new Uint8Array(0);

/** An errno of the sandbox. */
class Refused extends Error {
  readonly errno: number;
  constructor(errno: number) {
    super("a mount");
    this.errno = errno;
  }
}

function guestErrno(error: unknown): number {
  if (error instanceof Refused) return error.errno;
  switch ((error as NodeJS.ErrnoException)?.code) {
    case "ENOENT":
      return ERRNO.ENOENT;
    case "EACCES":
    case "EPERM":
      return ERRNO.EACCES;
    case "ENOMEM":
      return ERRNO.ENOMEM;
    case "ENAMETOOLONG":
      return ERRNO.ENAMETOOLONG;
    default:
      return ERRNO.EIO; /* also a link or a device in a place where there was none */
  }
}

/** A name in the directory of a descriptor. */
function below(fd: number, name: Uint8Array): Buffer {
  return Buffer.concat([utf8(`/proc/self/fd/${fd}/`), name]);
}

function namesOf(path: Uint8Array): Uint8Array[] {
  const names: Uint8Array[] = [];
  for (let at = 0; at < path.length;) {
    const slash = path.indexOf(SLASH, at);
    const end = slash < 0 ? path.length : slash;
    names.push(path.subarray(at, end));
    at = end + 1;
  }
  return names;
}

/** The place at a path, which is not opened: opening a device may do things. The caller closes it. */
function look(root: number, path: Uint8Array): number {
  const names = namesOf(path);
  let at = openSync(`/proc/self/fd/${root}`, O_PATH | O_DIRECTORY);
  try {
    for (const [i, name] of names.entries()) {
      if (name.length === 0 || compareBytes(name, DOTS) === 0) throw new Refused(ERRNO.ENOENT);
      const kind = i < names.length - 1 ? O_DIRECTORY : 0;
      const inner = openSync(below(at, name), O_PATH | O_NOFOLLOW | kind);
      closeSync(at);
      at = inner;
    }
    return at;
  } catch (error) {
    closeSync(at);
    throw error;
  }
}

/** Opens what must be of this type, gives it to `act` and closes it. */
function opened<T>(root: number, path: Uint8Array, type: number, act: (fd: number) => T): T {
  const there = look(root, path);
  try {
    if ((fstatSync(there).mode & S_IFMT) !== type) throw new Refused(ERRNO.EIO);
    /* The same file again, whatever is at the path by now. */
    const fd = openSync(`/proc/self/fd/${there}`, O_RDONLY | O_NONBLOCK);
    try {
      return act(fd);
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(there);
  }
}

function readAll(fd: number, max: number): Uint8Array {
  const { size } = fstatSync(fd);
  if (size > max) throw new Refused(ERRNO.ENOSPC);
  const data = new Uint8Array(size);
  let len = 0;
  while (len < size) {
    /* What grows meanwhile is taken as it was. */
    const n = readSync(fd, data, len, size - len, null);
    if (n === 0) break;
    len += n;
  }
  return data.subarray(0, len);
}

/** undefined: it is none of those that are listed, or gone meanwhile. */
function nameIn(fd: number, name: Uint8Array): FillName | undefined {
  const path = below(fd, name);
  try {
    const st = lstatSync(path, { bigint: true });
    const mode = Number(st.mode),
      type = mode & S_IFMT;
    if (type !== S_IFREG && type !== S_IFDIR && type !== S_IFLNK) return undefined;
    const target = type === S_IFLNK ? readlinkSync(path, { encoding: "buffer" }) : NOTHING;
    if (type === S_IFLNK && (target.length === 0 || target.length >= PF.PATH_MAX)) return undefined;
    return {
      name,
      mode: mode & (S_IFMT | 0o777),
      size: type === S_IFREG ? Number(st.size) : 0,
      mtimeNs: st.mtimeNs,
      target: new Uint8Array(target),
    };
  } catch {
    return undefined;
  }
}

const closing = new FinalizationRegistry<number>((fd) => closeSync(fd));

class Directory implements HostDirectory {
  readonly mode: number;
  readonly mtimeNs: bigint;
  readonly #fd: number;

  constructor(fd: number) {
    const st = fstatSync(fd, { bigint: true });
    this.mode = Number(st.mode) & 0o777;
    this.mtimeNs = st.mtimeNs;
    this.#fd = fd;
    /* Branches share it: it is closed when none of them is left. */
    closing.register(this, fd);
  }

  names(path: Uint8Array): FillName[] | number {
    try {
      return opened(this.#fd, path, S_IFDIR, (fd) => {
        const names = readdirSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }).map(
          (name) => new Uint8Array(name),
        );
        for (const name of names)
          if (path.length + name.length + 2 > PF.PATH_MAX) throw new Refused(ERRNO.ENAMETOOLONG);
        return names
          .sort(compareBytes)
          .map((name) => nameIn(fd, name))
          .filter((one) => one !== undefined);
      });
    } catch (error) {
      return guestErrno(error);
    }
  }

  contents(path: Uint8Array, max: number): Uint8Array | number {
    try {
      return opened(this.#fd, path, S_IFREG, (fd) => readAll(fd, max));
    } catch (error) {
      return guestErrno(error);
    }
  }
}

/** A directory that is to be mounted. */
export function openDirectory(path: string | URL): HostDirectory {
  if (process.platform !== "linux")
    throw new UnsupportedError(
      "mounts need Linux on this host, where nothing can lead out of a directory: give `files` instead",
    );
  try {
    const at = typeof path === "string" && path.startsWith("file://") ? new URL(path) : path;
    return new Directory(openSync(at, O_RDONLY | O_DIRECTORY));
  } catch (error) {
    throw new InvalidError(`mount ${String(path).slice(0, 300)}: ${(error as Error).message}`);
  }
}
