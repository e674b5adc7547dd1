/*
 * trace/acts.ts: the embedder's acts of a trace, done again: the second half of
 * host/trace/replay.c, and start.c.
 */
import { PF } from "../abi.ts";
import { text, utf8 } from "../base/bytes.ts";
import { FileError, StateError, TraceError } from "../base/error.ts";
import { stringifyExact } from "../base/exact.ts";
import type { JsonObject } from "../base/json.ts";
import { answer } from "../machine/calls.ts";
import {
  checkPath,
  listFiles,
  makeFile,
  removeFile,
  statFile,
  touchFile,
  writeFile,
} from "../machine/files.ts";
import type { MachineLimits } from "../machine/limits.ts";
import type { Machine } from "../machine/machine.ts";
import { type Language, start } from "../machine/run.ts";
import { tapeAct } from "../machine/tape.ts";
import { Mount } from "../mount/mounts.ts";
import { mountAt } from "../mount/place.ts";
import { traceLimits } from "./head.ts";
import { bigOf, bytesOf, numberOf } from "./lines.ts";

export interface Terms {
  /** Results that were left out of the trace, as JSON. */
  readonly answers: ReadonlyMap<bigint, Uint8Array>;
  /** What the limits of a run may be. */
  readonly most: MachineLimits;
}

const NOTHING = new Uint8Array(0);

function malformed(line: number): never {
  throw new TraceError(`line ${line} of the trace is no act that this pinfold knows`);
}

function variablesOf(act: JsonObject, line: number): string[] {
  const all = text(bytesOf(act, "env") ?? NOTHING);
  if (all !== "" && !all.endsWith("\0")) malformed(line);
  return all.split("\0").slice(0, -1);
}

function doStart(machine: Machine, act: JsonObject, line: number, terms: Terms): void {
  const code = bytesOf(act, "code"),
    cwd = bytesOf(act, "cwd");
  if (!code || typeof act.language !== "string" || cwd?.includes(0)) malformed(line);
  try {
    start(machine, {
      code,
      language: act.language as Language,
      stdin: bytesOf(act, "stdin") ?? NOTHING,
      isolated: act.isolated === true,
      endOptions: act.end_options === true,
      cwd: cwd && text(cwd),
      env: variablesOf(act, line),
      limits: act.limits
        ? traceLimits(machine.ownLimits, act.limits, terms.most)
        : machine.ownLimits,
      ownLimits: act.limits !== undefined,
      onOutput: undefined,
    });
  } catch (error) {
    /* A cwd that was not there was not there then, too. */
    if (!cwd || !(error instanceof FileError)) throw error;
  }
}

function doAnswer(machine: Machine, act: JsonObject, line: number, terms: Terms): void {
  const id = bigOf(act, "id") ?? 0n;
  if (act.do === "fail") {
    const message = bytesOf(act, "message");
    return answer(machine, id, numberOf(act, "outcome"), message ?? malformed(line));
  }
  const json = act.redacted === true ? terms.answers.get(id) : bytesOf(act, "json");
  if (!json && act.redacted === true)
    throw new TraceError(`the result of call ${id} was left out of the trace: supply it`);
  answer(machine, id, PF.OP_OK, json ?? malformed(line));
}

const FILE_ACTS: Readonly<
  Record<string, (machine: Machine, path: string, act: JsonObject, line: number) => unknown>
> = {
  write: (machine, path, act, line) =>
    writeFile(machine, path, bytesOf(act, "data") ?? malformed(line)),
  make: (machine, path, act) =>
    makeFile(
      machine,
      path,
      numberOf(act, "mode"),
      bigOf(act, "mtime_ns") ?? 0n,
      bytesOf(act, "data") ?? NOTHING,
    ),
  remove: removeFile,
  read: touchFile,
  list: listFiles,
  stat: (machine, path) => statFile(machine, path, true),
  lstat: (machine, path) => statFile(machine, path, false),
};

function doFile(machine: Machine, name: string, act: JsonObject, line: number): void {
  if (typeof act.path !== "string" || !Object.hasOwn(FILE_ACTS, name)) malformed(line);
  try {
    FILE_ACTS[name](machine, act.path, act, line);
  } catch (error) {
    /* What failed inside failed then, too. */
    if (!(error instanceof FileError)) throw error;
  }
}

function doMount(machine: Machine, act: JsonObject, line: number): void {
  const { path, source } = act;
  if (typeof path !== "string" || !path.startsWith("/") || typeof source !== "string")
    malformed(line);
  const copy = act.copy === true;
  checkPath(path);
  mountAt(machine, path, source, numberOf(act, "mode"), bigOf(act, "mtime_ns") ?? 0n, copy);
  machine.mounts?.items.push(new Mount(path, copy));
}

/** Begins an act. True: what it set going is to be driven. */
export function doAct(machine: Machine, act: JsonObject, line: number, terms: Terms): boolean {
  const name = act.do;
  try {
    if (name === "start") doStart(machine, act, line, terms);
    else if (name === "resume" || name === "fail") doAnswer(machine, act, line, terms);
    else if (name === "mount") return (doMount(machine, act, line), false);
    else if (name === "advance") tapeAct(machine, "advance");
    else if (typeof name === "string") return (doFile(machine, name, act, line), false);
    else malformed(line);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new TraceError(`line ${line} of the trace cannot be done again: ${error.message}`);
  }
  return machine.run.on;
}

/** Results by the ids of their calls, as JSON. */
export function answersOf(
  given: ReadonlyMap<bigint | number, unknown> | Record<string, unknown> | undefined,
): Map<bigint, Uint8Array> {
  const entries = given instanceof Map ? [...given] : Object.entries(given ?? {});
  return new Map(
    entries.map(([id, value]) => [
      BigInt(id as string),
      utf8(stringifyExact(value ?? null) ?? "null"),
    ]),
  );
}
