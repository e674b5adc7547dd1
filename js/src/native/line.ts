/* native/line.ts: a sandbox of the native library, and what is asked of it. */
import { ERRNO } from "../abi.ts";
import {
  BoundError,
  CapabilityError,
  DeadError,
  FileError,
  InvalidError,
  PinfoldError,
  SnapshotError,
  StateError,
  UnsupportedError,
} from "../base/error.ts";
import { fileKind } from "../base/mode.ts";
import type { Line, Listener } from "../distant.ts";
import type { Content, ReadOptions } from "../files.ts";
import type { Call } from "../machine/calls.ts";
import type { FileInfo } from "../machine/files.ts";
import type { MachineLimits } from "../machine/limits.ts";
import { readLimits } from "../machine/limits.ts";
import type { Outcome } from "../machine/run.ts";
import { type ChangesOptions, checkSeconds } from "../mount/changes.ts";
import type { RunOptions, SnapshotOptions } from "../requests.ts";
import type { State } from "../worker/protocol.ts";
import type { Addon, Answer, Handle, Settings, Teller, Told } from "./addon.ts";

type Kinds = Readonly<Record<number, new (message: string) => Error>>;
const NO_MEMORY = -4,
  NOT_FOUND = -5;
/** include/pinfold.h, and js/addon/addon.h for the last. */
const KINDS: Kinds = {
  [-1]: InvalidError,
  [-2]: StateError,
  [-3]: StateError,
  [-5]: StateError /* an id of a call */,
  [-6]: SnapshotError,
  [-7]: DeadError,
  [-9]: UnsupportedError,
  [-12]: UnsupportedError,
  [-13]: BoundError,
  [-100]: CapabilityError,
};
const ERRNO_NAME = new Map(Object.entries(ERRNO).map(([name, number]) => [number as number, name]));
const FILE_ACTS = ["read", "write", "list", "stat", "lstat", "remove", "mkdir"] as const;
/** pf_failure; a result is -1. */
const FAILURES = ["failed", "invalid", "timeout", "denied"];

const HOME = "/workspace/";
export const absolute = (path: string): string => (path.startsWith("/") ? path : HOME + path);

/** What a run may have of its own, by the library's names. */
function limitsOfRun(
  own: MachineLimits,
  given: RunOptions["limits"],
): (string | number)[] | undefined {
  return given === undefined ? undefined : Object.entries(readLimits(own, given, true)).flat();
}

const decoder = new TextDecoder();

/** Each has a NUL behind it. */
const textsOf = (bytes: Uint8Array): string[] => decoder.decode(bytes).split("\0").slice(0, -1);

function outcomeOf(told: readonly any[]): Outcome {
  const [exitCode, stdout, stderr, stdoutTruncated, stderrTruncated, value, limit] = told;
  const [, , , , , , , sessionLost, sessionEnded, cpuNs, wallNs, memoryBytes, toolCalls] = told;
  return {
    exitCode,
    stdout,
    stderr,
    stdoutTruncated,
    stderrTruncated,
    value,
    limit,
    sessionLost,
    sessionEnded,
    cpuNs,
    wallNs,
    memoryBytes,
    toolCalls,
  };
}

function errorOf([status, message, errno]: Answer, path: string, kinds: Kinds): Error {
  if (errno)
    return new FileError(message ?? "", ERRNO_NAME.get(errno) ?? "EIO", errno, path);
  /* The library names the parameter of C and Python. */
  const text = message
    ?.replace(/max_bytes, (\d+), which is .* if that/, "maxBytes, $1: raise it if that")
    .replace(/\btrace_bytes\b/, "traceBytes");
  return new (kinds[status] ?? KINDS[status] ?? PinfoldError)(text ?? `status ${status}`);
}

function infoOf([mode, size, mtime]: readonly number[]): FileInfo {
  return { kind: fileKind(mode), mode: mode & 0o7777, size, mtime: new Date(mtime) };
}

/** How it is made: with the settings of create(), from a snapshot, or as a branch of another. */
export type Origin =
  | { readonly settings: Settings; readonly files: readonly (string | Uint8Array)[] }
  | { readonly settings: Settings; readonly data: Uint8Array }
  | { readonly branch: Handle };

export class NativeLine implements Line {
  readonly addon: Addon;
  readonly #limits: MachineLimits;
  readonly #listener: Listener;
  readonly #calls = new Map<bigint, Call>();
  #handle: Handle | undefined;
  #origin: Origin | undefined;
  #busy = false;
  /** What a listener of the embedder threw, for who awaits the act. */
  #failure: { readonly error: unknown } | undefined;

  constructor(addon: Addon, limits: MachineLimits, listener: Listener, origin: Origin) {
    this.addon = addon;
    this.#limits = limits;
    this.#listener = listener;
    if ("branch" in origin) this.#handle = origin.branch;
    else this.#origin = origin;
  }

  /** Its sandbox, while nobody is in it. */
  resting(): Handle {
    if (!this.#handle) throw new StateError("the sandbox was closed");
    if (this.#busy)
      throw new StateError("the sandbox is in use: await what was asked of it before");
    return this.#handle;
  }

  /** What a branch stands at, whose acts nobody has asked for yet. */
  look(): void {
    this.#tell(this.addon.state(this.resting()));
    this.#trace(this.addon.traced(this.resting()));
  }

  #trace(data: Uint8Array | undefined): void {
    if (data) this.#listener.trace(data);
  }

  readonly #teller: Teller = (kind, payload) => {
    try {
      if (kind < 3) return this.#listener.output(kind === 1 ? "stdout" : "stderr", payload);
      const [id, capability, outcome, method, name, params, message] = payload;
      this.#listener.decision({ id, outcome, method, name, params, capability, message });
    } catch (error) {
      this.#failure ??= { error };
      this.come("stop");
    }
  };

  #tell([running, waitMs, fresh = [], ids = new BigUint64Array(), outcome]: Told): void {
    for (let at = 0; at < fresh.length; at += 6) {
      const [id, method, name, params, capability, ask] = fresh.slice(at, at + 6) as any[];
      const rest = { op: 0, charged: 0, handedOut: false };
      this.#calls.set(id, { id, method, name, params, capability, ask, ...rest });
    }
    const calls: Call[] = [];
    for (const id of ids) calls.push(this.#calls.get(id)!);
    if (this.#calls.size > calls.length) {
      this.#calls.clear();
      for (const call of calls) this.#calls.set(call.id, call);
    }
    const state: State = {
      running,
      calls,
      waitMs: waitMs < 0 ? undefined : waitMs,
      outcome: outcome && outcomeOf(outcome),
    };
    this.#listener.state(state);
  }

  /** What it gives may have been told already when it returns. */
  async #await(act: () => Promise<Answer>, path: string, kinds = KINDS): Promise<unknown> {
    this.#busy = true;
    try {
      const answer = await act();
      if (answer[4]) this.#tell(answer[4]);
      this.#trace(answer[5]);
      if (answer[0] !== 0) throw errorOf(answer, path, kinds);
      if (this.#failure) throw this.#failure.error;
      return answer[3];
    } finally {
      this.#failure = undefined;
      this.#busy = false;
    }
  }

  async do(act: string, args: readonly any[]): Promise<unknown> {
    if (this.#origin) return this.#begin(this.#origin);
    const { addon } = this;
    const handle = this.resting();
    switch (act) {
      case "start":
        return this.#start(handle, args[0], args[1], args[2]);
      case "resume":
        return this.#await(() => addon.answer(handle, args[0], -1, args[1], this.#teller), "");
      case "fail": {
        const kind = Math.max(0, FAILURES.indexOf(args[2]));
        return this.#await(() => addon.answer(handle, args[0], kind, args[1], this.#teller), "");
      }
      case "advance":
        return this.#await(() => addon.advance(handle, undefined, this.#teller), "");
      case "go on":
        return this.#await(() => addon.advance(handle, args[0], this.#teller), "");
      case "fork":
        return this.#await(() => addon.fork(handle, args[0], args[1]), "");
      case "end record":
        return this.#await(() => addon.endRecord(handle), "");
      case "changes": {
        const [place, { maxSeconds = 60 }] = args as [string, ChangesOptions];
        checkSeconds(maxSeconds);
        const act = (): Promise<Answer> => addon.changes(handle, place, maxSeconds);
        const all = await this.#await(act, "", { [NOT_FOUND]: InvalidError });
        return textsOf(all as Uint8Array)
          .map((one) => [one[0], one.slice(1)])
          .sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
      }
      case "snapshot": {
        const { key, counter = 0, portable = false } = args[0] as SnapshotOptions;
        const act = (): Promise<Answer> => addon.snapshot(handle, key, counter, portable);
        const [data, left] = (await this.#await(act, "")) as [Uint8Array, Uint8Array];
        return { data, left: textsOf(left) };
      }
      default:
        return this.#file(handle, act.replace("files.", ""), args[0], args[1]);
    }
  }

  async #begin(origin: Origin): Promise<readonly string[]> {
    if ("branch" in origin) return [];
    this.#origin = undefined;
    const begin = (): Promise<Answer> => {
      const [handle, promise] =
        "data" in origin
          ? this.addon.remake(origin.settings, origin.data, this.#teller)
          : this.addon.make(origin.settings, origin.files, this.#teller);
      this.#handle = handle;
      return promise;
    };
    const left = await this.#await(begin, "", "data" in origin ? { [NO_MEMORY]: SnapshotError } : {});
    return left ? textsOf(left as Uint8Array) : [];
  }

  #start(handle: Handle, code: string, options: RunOptions, listens: boolean): Promise<unknown> {
    const { language = "shell", stdin, cwd, isolated = false, env, limits } = options;
    const run = {
      language,
      stdin,
      cwd,
      isolated,
      listens,
      env: Object.entries(env ?? {}).map(([name, value]) => `${name}=${value}`),
      limits: limitsOfRun(this.#limits, limits),
    };
    return this.#await(() => this.addon.start(handle, code, run, this.#teller), cwd ?? "");
  }

  async #file(handle: Handle, name: string, given: string, more: unknown): Promise<unknown> {
    if (name === "exists") return this.#exists(handle, given);
    const act = name === "stat" && more === false ? "lstat" : name;
    const path = absolute(String(given));
    const last = act === "read" ? ((more as ReadOptions).maxBytes ?? 0) : (more as Content);
    const number = FILE_ACTS.indexOf(act as (typeof FILE_ACTS)[number]);
    const value = await this.#await(() => this.addon.file(handle, number, path, last), path);
    if (act === "list") return textsOf(value as Uint8Array);
    return act.endsWith("stat") ? infoOf(value as number[]) : value;
  }

  async #exists(handle: Handle, path: string): Promise<boolean> {
    try {
      await this.#file(handle, "stat", path, true);
      return true;
    } catch (error) {
      if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR"))
        return false;
      throw error;
    }
  }

  come(what: "interrupt" | "stop" | "kill"): void {
    if (this.#handle) this.addon.come(this.#handle, what);
  }

  handed(): void {}

  close(): void {
    if (this.#handle) this.addon.close(this.#handle);
    this.#handle = undefined;
  }
}
