/* worker/protocol.ts: what a page and the worker that runs its sandboxes say to each other. */
import * as errors from "../base/error.ts";
import type { Manifest } from "../cpu/image.ts";
import type { Content } from "../files.ts";
import type { Call, Decision } from "../machine/calls.ts";
import type { Limits } from "../machine/limits.ts";
import type { Outcome } from "../machine/run.ts";
import type { MountSource } from "../mount/mounts.ts";
import type { Capabilities } from "../options.ts";

/** The options of a sandbox as they go to the worker: data only. */
export interface PlainOptions {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: string;
  }[];
  readonly capabilities: Capabilities | undefined;
  readonly files: Record<string, Content> | undefined;
  readonly mounts: Record<string, MountSource | null> | undefined;
  readonly env: Record<string, string> | undefined;
  readonly limits: Limits | undefined;
  readonly clock: Date | undefined;
  readonly seed: number | bigint | undefined;
  readonly handled: boolean;
  readonly decisions: boolean;
  /** The trace comes as messages. */
  readonly recorded: boolean;
  readonly redact: boolean | undefined;
}

/** What a page knows of its sandbox without asking. */
export interface State {
  readonly running: boolean;
  readonly calls: readonly Call[];
  readonly waitMs: number | undefined;
  /** Of the last run, when it is another one than was told before. */
  readonly outcome: Outcome | undefined;
}

export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly path?: unknown;
}

export type ToWorker =
  | { readonly kind: "begin"; readonly manifest: Manifest | undefined }
  | {
      readonly kind: "do";
      readonly id: number;
      readonly sandbox: number;
      readonly act: string;
      readonly args: readonly unknown[];
    }
  | {
      readonly kind: "come";
      readonly sandbox: number;
      readonly what: "interrupt" | "stop" | "kill";
    }
  | { readonly kind: "handed"; readonly sandbox: number; readonly call: bigint }
  | { readonly kind: "ping"; readonly id: number }
  | {
      readonly kind: "file";
      readonly id: number;
      readonly bytes: Uint8Array | undefined;
      readonly why: string;
    };

export type FromWorker =
  | {
      readonly kind: "done";
      readonly id: number;
      readonly value: unknown;
      readonly error: PlainError | undefined;
      readonly state: State | undefined;
    }
  | {
      readonly kind: "output";
      readonly sandbox: number;
      readonly stream: "stdout" | "stderr";
      readonly data: Uint8Array;
    }
  | { readonly kind: "decision"; readonly sandbox: number; readonly decision: Decision }
  | { readonly kind: "trace"; readonly sandbox: number; readonly data: Uint8Array }
  | { readonly kind: "pong"; readonly id: number }
  | { readonly kind: "want"; readonly id: number; readonly file: string };

/** One end of the channel. */
export interface Port<Out> {
  post(message: Out, transfer?: ArrayBuffer[]): void;
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  PinfoldError: errors.PinfoldError,
  InvalidError: errors.InvalidError,
  CapabilityError: errors.CapabilityError,
  StateError: errors.StateError,
  DeadError: errors.DeadError,
  UnsupportedError: errors.UnsupportedError,
  SnapshotError: errors.SnapshotError,
  TraceError: errors.TraceError,
  ReplayError: errors.ReplayError,
  BoundError: errors.BoundError,
  RangeError,
  TypeError,
};

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  if (!(error instanceof errors.FileError)) return { name, message };
  return { name, message, code: error.code, errno: error.errno, path: error.path };
}

export function realError(plain: PlainError): Error {
  const { name, message } = plain;
  if (name === "FileError")
    return new errors.FileError(
      message,
      String(plain.code),
      Number(plain.errno),
      String(plain.path),
    );
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : Error;
  return new known(message);
}
