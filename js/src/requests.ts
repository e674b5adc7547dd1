/* requests.ts: what is asked of a sandbox: the options of its calls, and what stands for values. */
import { PF } from "./abi.ts";
import { InvalidError, StateError } from "./base/error.ts";
import { stringifyExact } from "./base/exact.ts";
import type { PendingCall } from "./call.ts";
import type { Limits } from "./machine/limits.ts";
import type { Language } from "./machine/run.ts";
import type { SandboxOptions } from "./options.ts";
import type { Key } from "./snapshot/frame.ts";
import type { RecordTo } from "./trace/sink.ts";

export type OutputListener = (stream: "stdout" | "stderr", data: Uint8Array) => void;

export interface RunOptions {
  /** Default "shell". */
  language?: Language;
  stdin?: string | Uint8Array;
  /** Shell, Python: a fresh process of its own instead of the session's. */
  isolated?: boolean;
  cwd?: string;
  /** Besides the sandbox's, for this run alone. */
  env?: Record<string, string>;
  /** Of this run alone: cpuMs, wallMs, outputBytes, toolCalls, codeBytes, stdinBytes. */
  limits?: Limits;
  /** Called as output appears; the sandbox is busy meanwhile. */
  onOutput?: OutputListener;
  /** Ends the run as Ctrl-C does; what is still there after a second is killed. */
  signal?: AbortSignal;
}

export interface SnapshotOptions {
  /** Authenticates it with a secret of 16 bytes or more. */
  key?: Key;
  /** A rising number that restore() can ask for; it needs a key. */
  counter?: number;
  /**
   * What any later version takes over: files, the shell's state, Python's names, budgets, of a
   * sandbox that is idle. Default: all of it, for this build.
   */
  portable?: boolean;
  /** Is told what a portable one does not hold. */
  onLeftOut?: (what: readonly string[]) => void;
}

export interface ForkOptions {
  /**
   * "share": both spend from the same max_calls, and so do branches that are made so of either; a
   * call that waits is judged in the branch as if it were made there now. Default: "own", so each
   * has all that was left. What is recorded shares nothing.
   */
  budget?: "own" | "share";
  /**
   * Where the branch is recorded, in a trace of its own that begins with a snapshot of it; false:
   * nowhere. Default: nowhere, and beside what is recorded in `run.jsonl`: in `run.1.jsonl`.
   */
  record?: RecordTo | false;
}

/** Throws for options that are none, or exclude each other. */
export function checkFork(how: ForkOptions): void {
  for (const key of Object.keys(how))
    if (key !== "budget" && key !== "record")
      throw new InvalidError(
        `there is no option "${key}" of a branch; they are: budget, record`,
      );
  const { budget = "own", record } = how;
  if (budget !== "own" && budget !== "share")
    throw new InvalidError(`budget is "own" or "share", not "${String(budget).slice(0, 64)}"`);
  if (budget === "share" && record !== undefined && record !== false)
    throw new StateError(RECORDED_SHARES_NOTHING);
}

export const RECORDED_SHARES_NOTHING =
  "the sandbox is recorded: what others spend is no input of it, so it shares no budget";

export interface RestoreOptions extends Omit<SandboxOptions, "files" | "clock" | "seed"> {
  /** What it was made with. */
  key?: Key;
  /** An older one than that of this counter is refused. */
  minCounter?: number;
}

export const FAILURES = {
  failed: PF.OP_FAILED,
  invalid: PF.OP_INVALID,
  timeout: PF.OP_TIMEOUT,
  denied: PF.OP_DENIED,
} as const;
export type Failure = keyof typeof FAILURES;

const RUN_OPTIONS = new Set([
  "language",
  "stdin",
  "isolated",
  "cwd",
  "env",
  "limits",
  "onOutput",
  "signal",
]);

/** Throws for an option that does not exist, or cannot be what it is. */
export function checkRun(code: string, options: RunOptions): void {
  for (const key of Object.keys(options))
    if (!RUN_OPTIONS.has(key))
      throw new InvalidError(
        `there is no option "${key}" of a run; they are: ${[...RUN_OPTIONS].join(", ")}`,
      );
  if (typeof code !== "string") throw new InvalidError(`the code is a text, not ${typeof code}`);
  const { stdin, cwd, env, onOutput } = options;
  if (stdin !== undefined && typeof stdin !== "string" && !(stdin instanceof Uint8Array))
    throw new InvalidError(`stdin is a text or a Uint8Array, not ${typeof stdin}`);
  if (cwd !== undefined && typeof cwd !== "string")
    throw new InvalidError(`cwd is a text, not ${typeof cwd}`);
  if (env != null && typeof env !== "object")
    throw new InvalidError(`env is an object of texts, not ${typeof env}`);
  if (onOutput !== undefined && typeof onOutput !== "function")
    throw new InvalidError(`onOutput is a function, not ${typeof onOutput}`);
}

/** A value as JSON; a BigInt is exactly this integer. */
export function jsonOf(value: unknown): string {
  let json: string | undefined;
  try {
    json = stringifyExact(value ?? null);
  } catch (error) {
    throw new InvalidError(`the result is no JSON: ${String(error)}`);
  }
  if (json === undefined) throw new InvalidError(`the result is no JSON: ${typeof value}`);
  return json;
}

/** The id of a call, or of what stands for one. */
export function idOf(call: PendingCall | bigint): bigint {
  const id = typeof call === "bigint" ? call : call?.id;
  if (typeof id !== "bigint")
    throw new InvalidError("no call was given: step() has none left, pending() has all that wait");
  return id;
}
