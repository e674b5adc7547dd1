/*
 * trace/record.ts: the tape that writes a trace: host/trace/record.c.
 *
 * A reading of the clock is written only if the guest could have noticed it: the kernel counts its
 * readings, so what was shown is known to matter at the earliest when the next time is shown. Lines
 * in between are held back, so that the time stands where it was shown. Everything is with the sink
 * whenever the embedder has the sandbox.
 *
 * A trace has a bound, traceBytes: the line that would go over it is left out, and a last one says
 * so. Then the tape has failed, as when a disk is full: the guest comes to rest, and nothing goes
 * on.
 */
import { LAYOUT } from "../abi.ts";
import { Buffer, utf8 } from "../base/bytes.ts";
import { jsonText, member } from "../base/json.ts";
import { StateError } from "../base/error.ts";
import { type Machine, monotonic } from "../machine/machine.ts";
import { type Fill, LIMIT_NAMES, limitsText, type Strike, type Tape } from "../machine/tape.ts";
import type { Frame } from "../snapshot/frame.ts";
import { Chain, hex, TRACE_FORMAT, TRACE_FULL } from "./lines.ts";

/** Where a trace goes. What it throws ends the recording. */
export interface Sink {
  write(bytes: Uint8Array): void;
  end(): void;
}

/** What the head of a trace says of a sandbox that the machine itself does not know. */
export interface HeadFacts {
  readonly version: string;
  readonly policy: string | undefined;
  readonly catchAll: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: string;
  }[];
  readonly seed: Uint8Array;
  readonly envChanged: boolean;
  readonly redact: boolean;
  /** What it was restored from. */
  readonly snapshot: Uint8Array | undefined;
}

/** The last line of a trace, with its sum. */
const LAST_LINE = 128;
const HELD_MAX = 1 << 20;
const READS = LAYOUT.mailbox.clock_reads;

/** Everything that a sandbox starts from. */
function headOf(machine: Machine, frame: Frame, facts: HeadFacts): string {
  const { limits, env } = machine;
  const tools = facts.tools.map(
    ({ name, description, schema }) =>
      `{"name":${jsonText(name)}${member("description", description)}${member("schema", schema)}}`,
  );
  return [
    `,"pinfold_trace":${TRACE_FORMAT},"version":"${facts.version}"`,
    `,"build":"${hex(frame.buildName)}","clock_fixed":${machine.clockFixed}`,
    `,"start_ns":${machine.realtimeBase},"seed_fixed":${machine.seedFixed}`,
    `,"seed":"${hex(facts.seed)}","catch_all":${facts.catchAll},"redacted":${facts.redact}`,
    `,"limits":{${limitsText(limits, LIMIT_NAMES)}}`,
    `,"env_changed":${facts.envChanged},"env":[${env.map(jsonText).join(",")}]`,
    facts.policy === undefined ? "" : member("policy", facts.policy),
    `,"tools":[${tools.join(",")}]`,
    facts.snapshot ? member("snapshot", facts.snapshot) : "",
  ].join("");
}

export class Recorder implements Tape {
  readonly replays = false;
  readonly ended = false;
  readonly redact: boolean;
  failed: string | undefined;
  /** All of it is in the trace: the recording was ended. */
  complete = false;
  readonly #chain: Chain;
  readonly #most: number;
  #sink: Sink | undefined;
  #lines = 0;
  #bytes = 0;
  /** A time that was shown and not decided about. */
  #shown: { at: number; ns: number; reads: number } | undefined;
  /** Members of lines that come after it. */
  #held: string[] = [];
  #heldLen = 0;
  /** Lines on their way to the sink. */
  #text = new Buffer();

  constructor(machine: Machine, sink: Sink, frame: Frame, facts: HeadFacts) {
    this.#sink = sink;
    this.#chain = new Chain(frame);
    this.#most = machine.limits.trace_bytes;
    this.redact = facts.redact;
    this.#put(headOf(machine, frame, facts));
    this.#flush();
    if (this.failed !== undefined) throw new StateError(this.failed);
  }

  #addLine(members: string): void {
    const line = utf8(`{"n":${this.#lines++}${members}`);
    const tail = utf8(`,"sum":"${this.#chain.add(line)}"}\n`);
    this.#text.add(line);
    this.#text.add(tail);
    this.#bytes += line.length + tail.length;
  }

  #put(members: string): void {
    if (this.failed !== undefined) return;
    if (this.#bytes + utf8(members).length + 2 * LAST_LINE > this.#most) {
      this.#addLine(TRACE_FULL);
      this.failed = `the trace has come to its bound, traceBytes (${this.#most})`;
      return;
    }
    this.#addLine(members);
  }

  /** Decides about the time that was shown last, and lets what was held back go. */
  #settle(machine: Machine, noticed: boolean): void {
    const shown = this.#shown;
    this.#shown = undefined;
    if (shown && (noticed || machine.kernel.word(READS) !== shown.reads))
      this.#put(`,"at":${shown.at},"in":"time","ns":${shown.ns}`);
    for (const members of this.#held) this.#put(members);
    this.#held = [];
    this.#heldLen = 0;
  }

  #hold(machine: Machine, members: string, moment = machine.moment): void {
    if (this.failed !== undefined) return;
    this.#held.push(`,"at":${moment}${members}`);
    this.#heldLen += members.length;
  }

  #flush(): void {
    if (!this.#sink || this.#text.length === 0) return;
    const bytes = this.#text.bytes;
    this.#text = new Buffer();
    try {
      this.#sink.write(bytes);
    } catch (error) {
      this.failed ??= `the trace cannot be written: ${String((error as Error)?.message ?? error)}`;
    }
  }

  time(machine: Machine): void {
    this.#settle(machine, false);
    machine.monotonicNs = Math.max(machine.monotonicNs, monotonic() - machine.clockOrigin);
    this.#shown = {
      at: machine.moment,
      ns: machine.monotonicNs,
      reads: machine.kernel.word(READS),
    };
  }

  strikes(machine: Machine, what: Strike, now: boolean): boolean {
    if (now) this.#hold(machine, `,"in":"${what}"`);
    return now;
  }

  postpones(machine: Machine): boolean {
    this.#hold(machine, ',"in":"preempt"', machine.moment + 1);
    machine.untilLook = Math.max(2, machine.untilLook); /* and not twice */
    return true;
  }

  wait(): void {}

  out(machine: Machine, members: string): void {
    this.#hold(machine, members);
    if (this.#heldLen <= HELD_MAX) return; /* not for ever in memory */
    this.#settle(machine, true);
    this.#flush();
  }

  filled(machine: Machine, members: string): void {
    this.out(machine, members);
  }

  act(machine: Machine, members: string): void {
    this.#settle(machine, true);
    this.out(machine, members);
  }

  fill(): Fill {
    throw new StateError("a recorder has nothing to fill in");
  }

  unsupported(why: string): void {
    this.failed ??= why;
  }

  leave(machine: Machine): void {
    this.#settle(machine, true);
    this.#flush();
  }

  end(machine: Machine): void {
    const sink = this.#sink;
    if (!sink) return;
    if (machine.kernel && !machine.dead) this.#settle(machine, true);
    /* There is room for it: LAST_LINE. */
    if (this.failed === undefined) this.#addLine(`,"at":${machine.moment},"end":true`);
    this.#flush();
    this.#sink = undefined;
    try {
      sink.end();
    } catch (error) {
      this.failed ??= `the trace cannot be written: ${String((error as Error)?.message ?? error)}`;
    }
    this.complete = this.failed === undefined;
    this.failed ??= "it was ended";
  }
}
