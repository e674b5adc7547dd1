/*
 * mount/fill.ts: brings what the kernel wants: from a host's directory, from a tape, or from the
 * build's own library (machine/library.ts): host/mount/fill.c.
 *
 * The source is a guest's word: which mount, and a path below it; or, without a number, a path in
 * the library.
 */
import { ERRNO, PF } from "../abi.ts";
import { Buffer, text } from "../base/bytes.ts";
import { S_IFDIR, S_IFLNK, S_IFMT } from "../base/mode.ts";
import { libraryFill } from "../machine/library.ts";
import type { Machine } from "../machine/machine.ts";
import { type Fill, type FillName, replays, tapeFill } from "../machine/tape.ts";

const SLASH = 47;
const NOTHING = new Uint8Array(0),
  NUL = new Uint8Array(1);
const failed = (error: number): Fill => ({ error, names: [], data: NOTHING });

/** A name as the guest is to see it: a read-only mount can be read by everybody. */
function guestMode(mode: number, copy: boolean): number {
  if (copy || (mode & S_IFMT) === S_IFLNK) return mode;
  return (mode & (S_IFMT | 0o555)) | (mode & 0o100 ? 0o555 : 0o444);
}

function fetch(machine: Machine, source: Uint8Array, directory: boolean): Fill {
  const { mount, path } = machine.mounts?.of(source) ?? {};
  if (!mount?.root || !path) return failed(ERRNO.EIO); /* restored without it */
  if (directory) {
    const names = mount.root.names(path);
    if (typeof names === "number") return failed(names);
    const { copy } = mount;
    return {
      error: 0,
      names: names.map((one) => ({ ...one, mode: guestMode(one.mode, copy) })),
      data: NOTHING,
    };
  }
  const { filesystem_bytes, memory_bytes } = machine.limits;
  /* More than 4 GiB no kernel's memory can have. */
  const data = mount.root.contents(path, Math.min(filesystem_bytes, memory_bytes, 2 ** 32 - 1));
  return typeof data === "number" ? failed(data) : { error: 0, names: [], data };
}

function putNames(machine: Machine, names: readonly FillName[]): number {
  for (const one of names) {
    const input = new Buffer();
    for (const part of [one.name, NUL, one.target, NUL]) input.add(part);
    const result = machine.kernel.call(
      "HOST_FILL_NAME",
      [one.mode, one.size, one.mtimeNs],
      input.bytes,
    );
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

function bring(machine: Machine, source: Uint8Array, directory: boolean): Fill {
  if (source[0] === SLASH) return libraryFill(machine.images, text(source), directory);
  if (replays(machine)) return machine.tape?.fill(machine, source, directory) ?? failed(ERRNO.EIO);
  const fill = fetch(machine, source, directory);
  tapeFill(machine, source, directory, fill);
  return fill;
}

/** PF_ATTENTION_FILL was set. What is not there is an I/O error inside. */
export function fill(machine: Machine): void {
  const { kernel } = machine;
  kernel.attention &= ~PF.ATTENTION_FILL;
  const type = kernel.call("HOST_WANTED", [], undefined, PF.PATH_MAX + 31);
  if (type < 0) return;
  const source = kernel.out.slice(),
    directory = type === S_IFDIR;
  const came = bring(machine, source, directory);
  let { error } = came;
  if (!error) error = directory ? putNames(machine, came.names) : putContents(machine, came.data);
  if (!error && source[0] !== SLASH)
    machine.mounts?.remember(source, directory, came.names, came.data);
  kernel.call("HOST_FILLED", [error]);
}
