/*
 * mount/mounts.ts: host directories in a sandbox, and what came in with them: host/mount/mount.h.
 *
 * A mount is lazy: when the sandbox is made it is one directory that the kernel knows to be absent.
 * The names of a directory come when it is first looked into, the contents of a file when it is
 * first opened (fill.ts). Files that have come in stay as they were then; what the sandbox changes
 * stays inside. A read-only mount belongs to root, a copy-on-write one to the sandbox's user. What
 * came in is remembered, so that changes can be told, also after a snapshot; and it is an input: a
 * tape records it, and a replay needs no host.
 */
import { InvalidError, UnsupportedError } from "../base/error.ts";
import { PF } from "../abi.ts";
import { latin, utf8 } from "../base/bytes.ts";
import { S_IFDIR, S_IFLNK, S_IFMT } from "../base/mode.ts";
import type { FillName } from "../machine/tape.ts";
import type { Frame } from "../snapshot/frame.ts";

/** A host's directory. Paths are below it; a number is an errno of the sandbox. */
export interface HostDirectory {
  readonly mode: number;
  readonly mtimeNs: bigint;
  /** All names of a directory, sorted by their bytes. */
  names(path: Uint8Array): FillName[] | number;
  /** A regular file's contents; one of more than `max` bytes is ENOSPC. */
  contents(path: Uint8Array, max: number): Uint8Array | number;
}

/** A directory (read-only), or a directory and "copy" or "read". */
export type MountSource = string | URL | readonly [string | URL, "copy" | "read"];

export interface MountRequest {
  readonly place: string;
  /** null, at a restore: it goes on without. */
  readonly directory: HostDirectory | null;
  readonly copy: boolean;
}

type Opener = (path: string | URL) => HostDirectory;
let open: Opener | undefined;

/** How a host's directory is opened, on an engine that has some: node.ts. */
export function setDirectories(opener: Opener): void {
  open = opener;
}

function checkPlace(place: string): void {
  const bad =
    place.length < 2 ||
    !place.startsWith("/") ||
    place.endsWith("/") ||
    /\/\/|\/\.\.?\//.test(place) ||
    place.includes("\0") ||
    utf8(place).length >= PF.PATH_MAX;
  if (bad)
    throw new InvalidError(`a mount's place "${place.slice(0, 500)}" is no plain absolute path`);
}

type Given = Readonly<Record<string, MountSource | null>> | undefined;

/** What an embedder asked for; null: a mount that a snapshot goes on without. */
export function askedMounts(
  given: Given,
): { place: string; path: string | URL | null; copy: boolean }[] {
  return Object.entries(given ?? {}).map(([place, source]) => {
    checkPlace(place);
    if (source === null) return { place, path: null, copy: false };
    const [path, mode]: readonly unknown[] = Array.isArray(source) ? source : [source, "read"];
    if ((typeof path !== "string" && !(path instanceof URL)) || (mode !== "copy" && mode !== "read"))
      throw new InvalidError(`mounts["${place}"] is a directory, or [directory, "copy" or "read"]`);
    return { place, path, copy: mode === "copy" };
  });
}

/** The same, opened. */
export function mountRequests(given: Given): MountRequest[] {
  const all = askedMounts(given);
  if (all.length && !open)
    throw new UnsupportedError(
      "mounts: there are no directories to mount here (a page has none); give `files` instead",
    );
  return all.map(({ place, path, copy }) => ({
    place,
    directory: path === null ? null : (open as Opener)(path),
    copy,
  }));
}

/** What came in. Paths are bytes, as texts of one character a byte. */
export interface Entry {
  readonly kind: "d" | "f" | "l";
  readonly mode: number;
  /** Of its contents or target, once they have come. */
  readonly digest: Uint8Array | undefined;
}

export class Mount {
  readonly guest: string;
  readonly copy: boolean;
  root: HostDirectory | undefined;
  readonly entries: Map<string, Entry>;

  constructor(guest: string, copy: boolean, root?: HostDirectory, entries?: Map<string, Entry>) {
    this.guest = guest;
    this.copy = copy;
    this.root = root;
    this.entries = new Map(entries);
  }

  remember(path: string, kind: Entry["kind"], mode: number): void {
    if (!this.entries.has(path))
      this.entries.set(path, { kind, mode: mode & 0o777, digest: undefined });
  }

  rememberContents(path: string, digest: Uint8Array): void {
    const entry = this.entries.get(path);
    if (entry) this.entries.set(path, { ...entry, digest });
  }

  /** By path, in the order of bytes. */
  sorted(): [string, Entry][] {
    return [...this.entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }
}

export class Mounts {
  readonly items: Mount[];
  /** Makes digests. */
  readonly frame: Frame;

  constructor(frame: Frame, items: Mount[] = []) {
    this.frame = frame;
    this.items = items;
  }

  /** For a branch: what comes in there does not come in here. */
  fork(): Mounts {
    const copies = this.items.map((one) => new Mount(one.guest, one.copy, one.root, one.entries));
    return new Mounts(this.frame, copies);
  }

  find(place: string): Mount {
    const mount = this.items.find((one) => one.guest === place);
    if (!mount) throw new InvalidError(`nothing is mounted at ${place.slice(0, 500)}`);
    return mount;
  }

  /** Keeps what came for a source: the number of its mount, a slash, and the path below it. */
  remember(
    source: Uint8Array,
    directory: boolean,
    names: readonly FillName[],
    data: Uint8Array,
  ): void {
    const { mount, path } = this.of(source) ?? {};
    if (!mount || path === undefined) return;
    const at = latin(path);
    if (!directory) return mount.rememberContents(at, this.frame.digest(data));
    for (const one of names) {
      const type = one.mode & S_IFMT;
      const kind = type === S_IFDIR ? "d" : type === S_IFLNK ? "l" : "f";
      const inner = (at === "" ? "" : at + "/") + latin(one.name);
      mount.remember(inner, kind, one.mode);
      if (kind === "l") mount.rememberContents(inner, this.frame.digest(one.target));
    }
  }

  /** The mount of a source, which is a guest's word, and the path below it. */
  of(source: Uint8Array): { mount: Mount; path: Uint8Array } | undefined {
    const slash = source.indexOf(47);
    const digits = latin(source.subarray(0, Math.max(0, slash)));
    if (slash < 1 || !/^\d{1,9}$/.test(digits)) return undefined;
    const mount = this.items[Number(digits)];
    return mount && { mount, path: source.subarray(slash + 1) };
  }
}
