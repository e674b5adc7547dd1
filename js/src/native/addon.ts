/* native/addon.ts: the functions of pinfold.node, which js/addon writes in C. */
import { UnsupportedError } from "../base/error.ts";

/** A sandbox of the native library. */
export type Handle = object;

/** status (0: done), why not, errno, value, state, what is new in its recording. */
export type Answer = readonly [
  number,
  string | undefined,
  number,
  unknown,
  Told | undefined,
  Uint8Array | undefined,
];

/**
 * running, milliseconds until it wants to go on or -1, calls that were not told before (six
 * elements each), ids of all that wait, and the result if that is new.
 */
export type Told = readonly [
  boolean,
  number,
  readonly unknown[] | undefined,
  BigUint64Array | undefined,
  readonly any[] | undefined,
];

/** Output (1, 2) or a decision (3), on its way. */
export type Teller = (kind: number, payload: any) => void;

export interface Settings {
  readonly limits: readonly (string | number)[];
  readonly env: readonly string[];
  readonly tools: readonly string[];
  readonly policy: string | undefined;
  readonly catchAll: boolean;
  readonly clock: bigint | undefined;
  readonly seed: bigint | undefined;
  readonly key: string | Uint8Array | undefined;
  readonly minCounter: number;
  readonly decisions: boolean;
  /** Host or undefined, place, may it be changed. */
  readonly mounts: readonly (string | boolean | undefined)[];
  /** A path. */
  readonly record: string | undefined;
  /** The trace comes with the answers. */
  readonly recordHere: boolean;
  readonly redact: boolean;
}

export interface RunSettings {
  readonly language: string;
  readonly stdin: string | Uint8Array | undefined;
  readonly cwd: string | undefined;
  readonly isolated: boolean;
  readonly listens: boolean;
  readonly env: readonly string[];
  readonly limits: readonly (string | number)[] | undefined;
}

export interface Addon {
  readonly version: string;
  make(
    settings: Settings,
    files: readonly (string | Uint8Array)[],
    teller: Teller,
  ): [Handle, Promise<Answer>];
  remake(settings: Settings, data: Uint8Array, teller: Teller): [Handle, Promise<Answer>];
  /** With settings it has those, and a recording or none. */
  fork(handle: Handle, share: boolean, settings: Settings | undefined): Promise<Answer>;
  /** Ends its recording. */
  endRecord(handle: Handle): Promise<Answer>;
  changes(handle: Handle, place: string, maxSeconds: number): Promise<Answer>;
  start(handle: Handle, code: string, run: RunSettings, teller: Teller): Promise<Answer>;
  answer(handle: Handle, id: bigint, kind: number, text: string, teller: Teller): Promise<Answer>;
  advance(handle: Handle, listens: boolean | undefined, teller: Teller): Promise<Answer>;
  snapshot(
    handle: Handle,
    key: string | Uint8Array | undefined,
    counter: number,
    portable: boolean,
  ): Promise<Answer>;
  file(handle: Handle, act: number, path: string, given: unknown): Promise<Answer>;
  come(handle: Handle, what: "interrupt" | "stop" | "kill"): void;
  close(handle: Handle): void;
  state(handle: Handle): Told;
  traced(handle: Handle): Uint8Array | undefined;
  refusal(handle: Handle, method: string, params: string): string | undefined;
  left(handle: Handle, capability: number): number;
}

let loaded: Addon | undefined;
let why: string | undefined;

/** The addon below `folder`, or why there is none. */
export function findAddon(
  folder: URL,
  version: () => string,
  load: (file: URL) => unknown,
): Addon | string {
  if (loaded) return loaded;
  if (why) return why;
  const { platform, arch } = process;
  const file = new URL(`${platform}-${arch}/pinfold.node`, folder);
  try {
    const found = load(file) as Addon;
    if (found.version === version()) return (loaded = found);
    why = `${file.pathname} is of version ${found.version}, not ${version()}`;
  } catch (error) {
    why = `no native library for ${platform}-${arch} can be loaded: ${(error as Error).message.split("\n")[0]}`;
  }
  return why;
}

/** The addon, or an exception that says what to do. */
export function needAddon(found: Addon | string): Addon {
  if (typeof found !== "string") return found;
  throw new UnsupportedError(`engine "native": ${found}; engine "wasm" needs none`);
}
