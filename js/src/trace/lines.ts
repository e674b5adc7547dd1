/*
 * trace/lines.ts: the lines of a trace, their sums and their members: host/trace/lines.c.
 */
import { text, utf8 } from "../base/bytes.ts";
import { TraceError } from "../base/error.ts";
import {
  fromBase64,
  type JsonObject,
  type JsonValue,
  parseJson,
  strictText,
} from "../base/json.ts";
import type { Frame } from "../snapshot/frame.ts";

export const TRACE_FORMAT = 2;
/** The members of the last line of one that has come to its bound. */
export const TRACE_FULL = ',"full":true';
/** Digits of the sum that ends a line. */
const SUM = 8;
const TAIL = ',"sum":"'.length + SUM + '"}'.length;
const NEWLINE = 10;

/** A BLAKE2b over all lines so far, which each line ends with the beginning of. */
export class Chain {
  readonly #frame: Frame;
  #state: Uint8Array = new Uint8Array(16);

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  /** Takes one line without its sum and brace; gives the sum. */
  add(line: Uint8Array): string {
    this.#state = this.#frame.chain(this.#state, line);
    return hex(this.#state.subarray(0, SUM / 2));
  }
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function unhex(digits: JsonValue | undefined, len: number): Uint8Array | undefined {
  if (typeof digits !== "string" || digits.length !== 2 * len || /[^0-9a-fA-F]/.test(digits))
    return undefined;
  return Uint8Array.from({ length: len }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

export interface TraceLines {
  /** Without sum and brace. */
  readonly items: readonly Uint8Array[];
  /** The last line is there. */
  readonly complete: boolean;
  /** It came to its bound; the line that says so is not among `items`. */
  readonly full: boolean;
}

function endsWith(line: Uint8Array, end: string): boolean {
  return line.length > end.length && text(line.subarray(line.length - end.length)) === end;
}

/** The recorder's own line: a number and these members. Others have strings that may end so. */
function isFull(line: Uint8Array): boolean {
  return line.length < TRACE_FULL.length + 31 && endsWith(line, TRACE_FULL);
}

/** Splits a trace and checks the chain of its sums; half a line at the end is left out. */
export function splitTrace(trace: Uint8Array, frame: Frame): TraceLines {
  const chain = new Chain(frame),
    items: Uint8Array[] = [];
  let complete = false,
    full = false;
  for (let at = 0; at < trace.length;) {
    const end = trace.indexOf(NEWLINE, at);
    if (end < 0) break; /* it was being written */
    const line = trace.subarray(at, Math.max(at, end - TAIL));
    const tail = text(trace.subarray(at + line.length, end));
    const sound =
      !complete && !full && end - at >= TAIL && tail === `,"sum":"${chain.add(line)}"}`;
    if (!sound) {
      const first = items.length === 0 && !text(trace.subarray(at, end)).includes('"pinfold_trace":');
      throw new TraceError(
        first
          ? "this is not a pinfold trace"
          : `the trace was altered in line ${items.length} or before`,
      );
    }
    complete = endsWith(line, ',"end":true');
    full = items.length > 0 && isFull(line);
    if (!full) items.push(line);
    at = end + 1;
  }
  if (items.length === 0) throw new TraceError("this is not a pinfold trace");
  return { items, complete, full };
}

/** Throws for one that does not go on to the end of its sandbox. */
export function demandWhole(lines: TraceLines): void {
  if (lines.complete) return;
  throw new TraceError(
    lines.full
      ? "the trace came to its bound (traceBytes) and ends before its sandbox did: a partial " +
          "replay goes as far as it goes"
      : "the trace is cut short: its last line is missing (the recording program was killed, or " +
          "still runs)",
  );
}

/** The members of a line. */
export function parseLine(line: Uint8Array): JsonObject {
  const whole = strictText(line);
  let value: JsonValue;
  try {
    if (whole === undefined) throw new SyntaxError("it is not UTF-8");
    value = parseJson(whole + "}");
  } catch (error) {
    throw new TraceError(`a line of the trace cannot be read: ${(error as Error).message}`);
  }
  return value as JsonObject; /* a text that a brace ends is an object */
}

/** A member that member() wrote; undefined: it is not there, or no text. */
export function bytesOf(object: JsonObject, name: string): Uint8Array | undefined {
  const plain = object[name];
  if (typeof plain === "string") return utf8(plain);
  const coded = object[`${name}_base64`];
  return typeof coded === "string" ? fromBase64(coded) : undefined;
}

/** A member that is a whole number; undefined: it is not there, or none. */
export function bigOf(object: JsonObject, name: string): bigint | undefined {
  const value = object[name];
  if (typeof value === "bigint") return value;
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** The same as a number, 0 when it is not there; what is beyond 2^53 is Infinity. */
export function numberOf(object: JsonObject, name: string): number {
  const value = bigOf(object, name) ?? 0n;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(value);
}

