/* machine/limits.ts: what an embedder can bound, with the names of include/pinfold.h. */
import { LIMITS } from "../abi.ts";
import { InvalidError } from "../base/error.ts";

export type LimitName = keyof typeof LIMITS;
export type MachineLimits = Record<LimitName, number>;

/**
 * Limits as an embedder of TypeScript writes them; what is left out has its default. Infinity lifts
 * one.
 */
export interface Limits {
  /** Milliseconds that programs of one run may compute. Default 10 000. */
  cpuMs?: number;
  /**
   * Milliseconds that one run may take; what handlers of tools take does not count. Default 60 000.
   */
  wallMs?: number;
  /** Bytes of all memories of the sandbox. Default 512 MiB. */
  memoryBytes?: number;
  /** Bytes of the memory of one program. Default 256 MiB. */
  processMemoryBytes?: number;
  /** Bytes of all files. Default 256 MiB. */
  filesystemBytes?: number;
  /** Files and directories. Default 100 000. */
  files?: number;
  /** Processes at once. Default 128. */
  processes?: number;
  /** Open files of one process. Default 256. */
  openFiles?: number;
  /** Bytes of each of stdout and stderr that a result keeps. Default 1 MiB. */
  outputBytes?: number;
  /** Tool calls of one run, the refused ones too. Default 1000. */
  toolCalls?: number;
  /** Bytes of one result of a tool. Default 10 MiB. */
  toolResultBytes?: number;
  /** Bytes of the arguments of one call. Default 1 MiB. */
  toolArgumentBytes?: number;
  /** Bytes of the code of one run. Default 16 MiB. */
  codeBytes?: number;
  /** Bytes of the input of one run. Default 64 MiB. */
  stdinBytes?: number;
  /** Bytes of the trace of what is recorded. Default 1 GiB. */
  traceBytes?: number;
}

const NAMES: ReadonlyMap<string, LimitName> = new Map(
  (Object.keys(LIMITS) as LimitName[]).map((name) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    name,
  ]),
);

/** Those that hold in one run; the others hold for what outlives it. */
const OF_A_RUN = new Set([
  "cpuMs",
  "wallMs",
  "outputBytes",
  "toolCalls",
  "codeBytes",
  "stdinBytes",
]);

/** The limits with what was given put in; every mistake is an InvalidError that names it. */
export function readLimits(
  base: MachineLimits,
  given: Limits | undefined,
  ofRun = false,
): MachineLimits {
  const limits = { ...base };
  for (const [key, value] of Object.entries(given ?? {})) {
    const name = NAMES.get(key);
    if (!name || (ofRun && !OF_A_RUN.has(key)))
      throw new InvalidError(
        name
          ? `limits.${key} holds for the whole sandbox: give it to Sandbox.create()`
          : `there is no limit "${key}"; the limits are: ${[...NAMES.keys()].join(", ")}`,
      );
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value >= 0))
      throw new InvalidError(`limits.${key} is a number of 0 or more, not ${String(value)}`);
    limits[name] = Math.floor(value);
  }
  return limits;
}

export const defaultLimits: Readonly<MachineLimits> = LIMITS;
