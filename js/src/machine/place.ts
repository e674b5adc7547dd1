/*
 * machine/place.ts: what one run has of its own: working directory and environment. See
 * host/machine/place.c.
 */
import { LAYOUT, PF } from "../abi.ts";
import { utf8, zeroEnded } from "../base/bytes.ts";
import { InvalidError } from "../base/error.ts";
import { S_IFDIR, S_IFMT } from "../base/mode.ts";
import { checkPath, guestError } from "./files.ts";
import type { Machine } from "./machine.ts";

export interface Place {
  readonly cwd: string | undefined;
  /** NAME=value, besides those of the sandbox. */
  readonly env: readonly string[];
}

export function checkEnv(env: readonly string[]): void {
  let sum = 0;
  for (const one of env) {
    if (one.indexOf("=") < 1 || one.includes("\0"))
      throw new InvalidError(`"${one.slice(0, 64)}" is no NAME=VALUE of an environment variable`);
    sum += utf8(one).length + 1;
  }
  if (sum > PF.MESSAGE_IN_MAX / 4)
    throw new InvalidError(`the environment is larger than ${PF.MESSAGE_IN_MAX / 4} bytes`);
}

export function checkPlace(place: Place): void {
  checkEnv(place.env);
  if (place.cwd === undefined) return;
  if (!place.cwd.startsWith("/"))
    throw new InvalidError(`cwd is an absolute path, not "${place.cwd.slice(0, 500)}"`);
  checkPath(place.cwd);
}

/** Throws unless the working directory is there. */
export function findPlace(machine: Machine, place: Place): void {
  if (place.cwd === undefined) return;
  const S = LAYOUT.stat;
  let result = machine.host("FSTATAT", [PF.AT_FDCWD, 0], utf8(place.cwd), S.SIZE);
  if (result >= 0) {
    const { out } = machine.kernel;
    const mode = new DataView(out.buffer, out.byteOffset, out.length).getUint32(S.mode, true);
    if ((mode & S_IFMT) !== S_IFDIR) result = -20;
  }
  if (result < 0) throw guestError(machine, result, place.cwd);
}

const nameOf = (one: string): string => one.slice(0, one.indexOf("="));

/** The environment of a run's own process. */
export function runEnv(env: readonly string[], place: Place): string[] {
  const all = new Map<string, string>();
  const own = new Set(place.env.map(nameOf));
  for (const one of env) if (!own.has(nameOf(one))) all.set(nameOf(one), one);
  for (const one of place.env) {
    all.delete(nameOf(one)); /* the last one of a name counts, and stands where it stands */
    all.set(nameOf(one), one);
  }
  return [...all.values()];
}

export function hasPlace(place: Place): boolean {
  return place.cwd !== undefined || place.env.length > 0;
}

/** What the session reads before the text: PF_RUN_PLACE. */
export function placeText(place: Place): Uint8Array {
  return zeroEnded(place.cwd ?? "", ...place.env, "");
}
