/*
 * trace/replay.ts: a recorded run, again: the tape that reads a trace: host/trace/replay.c.
 *
 * Inputs come from the trace at their moments; what the guest does is compared with what it did.
 * Nothing outside is asked: no clock, no random source, no handler. The first line that differs
 * ends the replay.
 */
import { ERRNO } from "../abi.ts";
import { compareBytes, text, utf8 } from "../base/bytes.ts";
import { BoundError, type PinfoldError, ReplayError, UnsupportedError } from "../base/error.ts";
import { type JsonObject, member } from "../base/json.ts";
import { type Machine, monotonic } from "../machine/machine.ts";
import { type Fill, type FillName, type Strike, STRIKES, type Tape } from "../machine/tape.ts";
import { bigOf, bytesOf, numberOf, parseLine, type TraceLines } from "./lines.ts";

/** Bytes of a line in a message. */
const SHOWN = 380;
/** Messages between two looks at how long the replay has taken. */
const LOOK_EVERY = 256;
const HEAD = /^\{"n":\d+,"at":(\d+)/;
const NO_FILL: Fill = { error: ERRNO.EIO, names: [], data: new Uint8Array(0) };

const shown = (bytes: Uint8Array): string =>
  text(bytes.subarray(0, SHOWN)) + (bytes.length < SHOWN ? "" : "…");

function namesOf(line: JsonObject): FillName[] | undefined {
  if (!Array.isArray(line.names)) return undefined;
  const names: FillName[] = [];
  for (const one of line.names) {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return undefined;
    const name = bytesOf(one, "name");
    if (!name) return undefined;
    names.push({
      name,
      mode: numberOf(one, "mode"),
      size: numberOf(one, "size"),
      mtimeNs: bigOf(one, "mtime_ns") ?? 0n,
      target: bytesOf(one, "target") ?? new Uint8Array(0),
    });
  }
  return names;
}

export class Replayer implements Tape {
  readonly replays = true;
  readonly redact = false;
  readonly failed = undefined;
  ended = false;
  readonly lines: TraceLines;
  /** The line to be done or compared next; where to stop. */
  next = 1;
  readonly #until: number;
  readonly #seconds: number;
  readonly #untilNs: number;
  #looks = 0;
  /** Why it goes no further. */
  why: PinfoldError | Error | undefined;
  /* The next line that came from outside, read ahead. */
  #lookedAt = -1;
  #kind: Strike | "time" | "fill" | undefined;
  #moment = 0;
  #ns = 0;
  readonly #aborted: () => unknown;

  constructor(
    lines: TraceLines,
    until: number,
    seconds: number,
    aborted: () => unknown = () => undefined,
  ) {
    this.lines = lines;
    this.#until = until;
    this.#seconds = seconds;
    this.#untilNs = monotonic() + seconds * 1e9;
    this.#aborted = aborted;
    this.#endWhereCut();
  }

  /** What a recording that was cut short did behind its last line, nobody knows. */
  #endWhereCut(): void {
    const { items, complete } = this.lines;
    if (this.next >= this.#until || (this.next >= items.length && !complete)) this.ended = true;
  }

  /** Every act was done, or it was to stop here. */
  get done(): boolean {
    const { items, complete } = this.lines;
    return this.next >= items.length - (complete ? 1 : 0) || this.next >= this.#until;
  }

  advance(): void {
    this.next++;
    this.#endWhereCut();
  }

  over(why: PinfoldError | Error): void {
    this.why ??= why;
    this.ended = true;
  }

  differ(got: Uint8Array | string): void {
    const line = this.lines.items[this.next] ?? utf8("(the end)");
    const ours = typeof got === "string" ? utf8(got) : got;
    this.over(
      new ReplayError(
        `the replay differs from the trace at line ${this.next}:\n  trace:  ${shown(line)}\n` +
          `  replay: ${shown(ours)}`,
      ),
    );
  }

  /** It did not do what stands next in the trace, and went on. */
  #differBy(machine: Machine, what: string): void {
    this.differ(`${what}, at moment ${machine.moment}`);
  }

  /** Is its time over, or has somebody had enough of it? Then so is the replay. */
  outOfTime(): void {
    const reason = this.#aborted();
    if (reason !== undefined) {
      this.why ??= reason instanceof Error ? reason : new Error(String(reason));
      this.ended = true;
    } else if (monotonic() >= this.#untilNs) {
      this.over(
        new BoundError(
          `the replay was not done after maxSeconds, ${this.#seconds}, at line ${this.next} of the ` +
            "trace: raise it if that is meant",
        ),
      );
    }
  }

  /* ---- what comes from outside */

  #lookAhead(): void {
    if (this.#lookedAt === this.next) return;
    this.#lookedAt = this.next;
    this.#kind = undefined;
    this.#moment = 0;
    const line = this.lines.items[this.next];
    if (!line || this.next >= this.#until) return;
    const head = text(line.subarray(0, 80));
    const found = HEAD.exec(head);
    this.#moment = found ? Number(found[1]) : 0;
    if (!head.includes(',"in":"')) return; /* most lines are not, and need no parsing */
    const value = parseLine(line);
    this.#ns = bigOf(value, "ns") === undefined ? -1 : numberOf(value, "ns");
    const name = value.in;
    if (name === "time" || name === "fill") this.#kind = name;
    else this.#kind = STRIKES.find((one) => one === name);
  }

  #due(machine: Machine, kind: Strike | "time" | "fill"): boolean {
    if (this.ended) return false;
    this.#lookAhead();
    if (this.#moment < machine.moment)
      this.#differBy(machine, "something else: the guest goes on without that");
    return !this.ended && this.#kind === kind && this.#moment === machine.moment;
  }

  time(machine: Machine): void {
    if (!this.#due(machine, "time")) return;
    if (this.#ns < machine.monotonicNs || this.#ns > Number.MAX_SAFE_INTEGER)
      return this.#differBy(machine, "no such time: it comes after the one before");
    machine.monotonicNs = this.#ns;
    this.advance();
  }

  /** In the recorded run a sleep ended at the next moment, and something from outside ended it. */
  wait(machine: Machine): void {
    if (this.ended) return;
    this.#lookAhead();
    const wakes = this.#kind !== undefined && !["fill", "preempt", "cut"].includes(this.#kind);
    if (!wakes || this.#moment !== machine.moment + 1) this.#differBy(machine, "everything sleeps");
  }

  postpones(machine: Machine): boolean {
    if (this.ended) return false;
    this.#lookAhead();
    if (this.#kind === "preempt" && this.#moment === machine.moment + 1) return true;
    this.unsupported("a program goes on while another one waits in a synchronous call above it");
    return false;
  }

  strikes(machine: Machine, what: Strike, _now: boolean): boolean {
    if (what === "preempt" && !this.ended && ++this.#looks % LOOK_EVERY === 0) this.outOfTime();
    const strikes = this.#due(machine, what);
    if (strikes) this.advance();
    /* A program that does not wait leaves the guest by being preempted. */
    return strikes || (what === "preempt" && this.ended);
  }

  fill(machine: Machine, source: Uint8Array, directory: boolean): Fill {
    if (this.ended) return NO_FILL;
    const line = this.#due(machine, "fill") ? parseLine(this.lines.items[this.next]) : undefined;
    const theirs = line && bytesOf(line, "source");
    if (line && theirs && compareBytes(theirs, source) === 0) {
      const error = numberOf(line, "errno");
      const names = error || !directory ? [] : namesOf(line);
      const data = error || directory ? new Uint8Array(0) : bytesOf(line, "data");
      if (names && data) {
        this.advance();
        return { error, names, data };
      }
    }
    if (!this.ended)
      this.differ(
        `{"n":${this.next},"at":${machine.moment},"in":"fill"${member("source", source)}`,
      );
    return NO_FILL;
  }

  /* ---- what the guest does */

  out(machine: Machine, members: string): void {
    if (this.ended) return;
    const got = utf8(`{"n":${this.next},"at":${machine.moment}${members}`);
    const line = this.lines.items[this.next];
    if (line && line.length === got.length && compareBytes(line, got) === 0) this.advance();
    else this.differ(got);
  }

  act(): void {} /* the replay does it itself */
  filled(): void {}
  leave(): void {}
  end(): void {}

  unsupported(why: string): void {
    this.over(new UnsupportedError(`the replay stops at line ${this.next} of the trace: ${why}`));
  }
}
