/*
 * mount/place.ts: the mounts of a sandbox that is being made, replayed or restored:
 * host/mount/place.c.
 */
import { ERRNO, LAYOUT, PF } from "../abi.ts";
import { utf8, zeroEnded } from "../base/bytes.ts";
import { InvalidError } from "../base/error.ts";
import { guestError } from "../machine/files.ts";
import type { Machine } from "../machine/machine.ts";
import { tapeMount } from "../machine/tape.ts";
import type { Frame } from "../snapshot/frame.ts";
import { Mount, type MountRequest, Mounts } from "./mounts.ts";

const USER = 1000;
const D = LAYOUT.dirent;
/** Of . and .., as struct pf_dirent records. */
const EMPTY = 2 * (Math.ceil((D.SIZE + 2) / 8) * 8);

function makeDirectory(
  machine: Machine,
  path: Uint8Array,
  mode: number,
  owner: number,
  mtimeNs: bigint,
): number {
  let result = machine.host("MKDIRAT", [PF.AT_FDCWD, mode], path);
  if (result < 0 && result !== -ERRNO.EEXIST) return result;
  result = machine.host("FCHMODAT", [PF.AT_FDCWD, mode, 0], path);
  if (result >= 0) result = machine.host("FCHOWNAT", [PF.AT_FDCWD, owner, owner, 0], path);
  if (result >= 0) result = machine.host("UTIMENSAT", [PF.AT_FDCWD, 0, mtimeNs, mtimeNs], path);
  return result;
}

/** Makes the directories above the place that are missing. */
function makeWay(machine: Machine, guest: Uint8Array): number {
  for (let i = 1; i < guest.length; i++) {
    if (guest[i] !== 47) continue;
    const part = guest.subarray(0, i);
    let result = machine.host("FSTATAT", [PF.AT_FDCWD, 0], part, LAYOUT.stat.SIZE);
    if (result === -ERRNO.ENOENT)
      result = makeDirectory(machine, part, 0o755, 0, machine.realtimeBase);
    if (result < 0) return result;
  }
  return 0;
}

/** There must be nothing at the place, or an empty directory. */
function checkPlace(machine: Machine, guest: Uint8Array): number {
  const fd = machine.host("OPENAT", [PF.AT_FDCWD, PF.O_RDONLY | PF.O_DIRECTORY], guest);
  if (fd === -ERRNO.ENOENT) return 0;
  if (fd < 0) return fd;
  const n = machine.host("GETDENTS", [fd], undefined, 1024);
  machine.host("CLOSE", [fd]);
  return n <= EMPTY ? 0 : -ERRNO.ENOTEMPTY;
}

/** Mounts a directory; `source` is its number and a slash. */
export function mountAt(
  machine: Machine,
  guest: string,
  source: string,
  mode: number,
  mtimeNs: bigint,
  copy: boolean,
): void {
  const path = utf8(guest);
  tapeMount(machine, guest, source, mode, mtimeNs, copy);
  machine.showTime();
  let result = checkPlace(machine, path);
  if (result === 0) result = makeWay(machine, path);
  if (result === 0) {
    const seen = copy ? mode & 0o777 : 0o555;
    result = makeDirectory(machine, path, seen, copy ? USER : 0, mtimeNs);
  }
  if (result >= 0) result = machine.host("HOST_MOUNT", [], zeroEnded(guest, source));
  if (result === -ERRNO.ENOTEMPTY)
    throw new InvalidError(`mount at ${guest.slice(0, 500)}: there are files already`);
  if (result < 0) throw guestError(machine, result, guest);
}

/** Of a new sandbox. */
export function enterMounts(
  machine: Machine,
  requests: readonly MountRequest[],
  frame: Frame,
): void {
  machine.mounts = new Mounts(frame);
  requests.forEach(({ place, directory, copy }, i) => {
    if (!directory)
      throw new InvalidError(`mount at ${place.slice(0, 500)}: no directory is given`);
    machine.mounts?.items.push(new Mount(place, copy, directory));
    mountAt(machine, place, `${i}/`, directory.mode, directory.mtimeNs, copy);
  });
}

/** Of a restored one. What was not read of them is needed again, or they are given as null. */
export function attachMounts(
  machine: Machine,
  requests: readonly MountRequest[],
  replays: boolean,
): void {
  const items = machine.mounts?.items ?? [];
  const given = new Set<Mount>();
  for (const { place, directory, copy } of requests) {
    const mount = items.find((one) => one.guest === place);
    if (!mount) throw new InvalidError(`the snapshot has no mount at ${place.slice(0, 500)}`);
    given.add(mount);
    if (!directory) continue;
    if (mount.copy !== copy)
      throw new InvalidError(
        `the snapshot's mount at ${place.slice(0, 500)} is ${mount.copy ? "copy-on-write" : "read-only"}`,
      );
    mount.root = directory;
  }
  if (replays || items.length === 0 || machine.host("HOST_SOURCE") === 0) return;
  const missing = items.find((one) => !given.has(one));
  if (missing)
    throw new InvalidError(
      `the snapshot has not read all of the host directory mounted at ${missing.guest.slice(0, 500)}: ` +
        "name that directory again",
    );
}
