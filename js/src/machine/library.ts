/*
 * machine/library.ts: files of the build that lie in every sandbox's root and come when they are
 * looked at: the standard library of python3. See host/machine/library.h and host/mount/fill.c.
 */
import { ERRNO, PF } from "../abi.ts";
import { text, zeroEnded } from "../base/bytes.ts";
import type { Images, LibraryEntry } from "../cpu/image.ts";
import type { Machine } from "./machine.ts";

/** The time that files of the root bear: 2026-01-01, in nanoseconds. */
export const ROOT_TIME_NS = 1767225600n * 10n ** 9n;
const DIRECTORY = 0o040755,
  FILE = 0o100644;

function putNames(
  machine: Machine,
  entries: ReadonlyMap<string, LibraryEntry>,
  folder: string,
): number {
  const before = folder ? folder + "/" : "";
  for (const [path, entry] of entries) {
    const name = path.slice(before.length);
    if (!path.startsWith(before) || name === "" || name.includes("/")) continue;
    /* As a number it is exact: a multiple of 2^16. */
    const args = [entry.directory ? DIRECTORY : FILE, entry.len, Number(ROOT_TIME_NS)];
    const result = machine.kernel.call("HOST_FILL_NAME", args, zeroEnded(name, ""));
    if (result < 0) return -result;
  }
  return 0;
}

function putContents(machine: Machine, data: Uint8Array): number {
  for (let at = 0; at < data.length;) {
    const piece = data.subarray(at, at + PF.IO_MAX);
    const n = machine.kernel.call("HOST_FILL_DATA", [at], piece);
    if (n < 0 || n > piece.length) return n < 0 ? -n : ERRNO.EIO;
    if (n === 0) return ERRNO.ENOSPC;
    at += n;
  }
  return 0;
}

function fillFrom(machine: Machine, images: Images, source: string, directory: boolean): number {
  const library = images.libraryNow();
  if (!library || !source.startsWith("/")) return ERRNO.EIO;
  const path = source.slice(1),
    entry = library.entries.get(path);
  if (path ? !entry || entry.directory !== directory : !directory) return ERRNO.EIO;
  if (directory) return putNames(machine, library.entries, path);
  return entry
    ? putContents(machine, library.data.subarray(entry.from, entry.from + entry.len))
    : ERRNO.EIO;
}

/**
 * Brings what the kernel wants: PF_ATTENTION_FILL was set. What is not there is an I/O error
 * inside.
 */
export function fill(machine: Machine): void {
  const { kernel } = machine;
  kernel.attention &= ~PF.ATTENTION_FILL;
  const type = kernel.call("HOST_WANTED", [], undefined, PF.PATH_MAX + 32);
  if (type < 0) return;
  const source = text(kernel.out);
  kernel.call("HOST_FILLED", [fillFrom(machine, machine.images, source, type === 0o040000)]);
}
