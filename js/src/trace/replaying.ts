/* trace/replaying.ts: recorded runs, again, for an embedder. */
import { InvalidError, ReplayError } from "../base/error.ts";
import { PendingCall } from "../call.ts";
import type { Images } from "../cpu/image.ts";
import { Files } from "../files.ts";
import { Alarm, drive } from "../machine/drive.ts";
import { defaultLimits, type Limits, readLimits } from "../machine/limits.ts";
import type { Machine } from "../machine/machine.ts";
import type { Outcome } from "../machine/run.ts";
import type { RestoreOptions } from "../requests.ts";
import { Result } from "../result.ts";
import { Sandbox } from "../sandbox.ts";
import { loadBases, save } from "../snapshot/snapshot.ts";
import { Frame } from "../snapshot/frame.ts";
import { answersOf, doAct, type Terms } from "./acts.ts";
import { machineOf } from "./head.ts";
import { demandWhole, numberOf, parseLine, splitTrace } from "./lines.ts";
import { Replayer } from "./replay.ts";

export interface ReplayOptions {
  /** Stops before this line, also in the middle of a run. */
  until?: number;
  /** The results of tools that were left out (`redact`), by the ids of their calls. */
  results?: ReadonlyMap<bigint | number, unknown> | Record<string, unknown>;
  /** Accepts a trace whose program was killed, or that came to its bound. */
  partial?: boolean;
  /** A trace that asks for more is refused. Default: the limits of a sandbox, any time. */
  limits?: Limits;
  /** A replay that takes longer is ended. Default 300; Infinity lifts it. */
  maxSeconds?: number;
  /** Ends it, between two turns of the machine. */
  signal?: AbortSignal;
}

const KNOWN = new Set(["until", "results", "partial", "limits", "maxSeconds", "signal"]);

/** What a replay came to: its results, and a sandbox to look at. */
export class Replay {
  /** What each run of the recording gave, in order. */
  readonly results: readonly Result[];
  /** The files as they are where the replay stopped. Only to be read. */
  readonly files: Files;
  /** The line of the trace that would have been next. */
  readonly line: number;
  readonly #machine: Machine;

  /** See replayOf(). */
  constructor(machine: Machine, results: readonly Result[], line: number) {
    this.#machine = machine;
    this.results = results;
    this.line = line;
    this.files = new Files((act) => act(machine));
  }

  /** The calls without an answer, oldest first. */
  pending(): PendingCall[] {
    return this.#machine.calls.map((call) => new PendingCall(call));
  }

  /**
   * A live sandbox that goes on from here: what might have come next. As Sandbox.restore() of a
   * snapshot: authority is what the options give, so without tools and capabilities the calls that
   * wait are denied. They keep their ids, and random numbers go on as in the recording.
   */
  async branch(options: Omit<RestoreOptions, "key" | "minCounter"> = {}): Promise<Sandbox> {
    const machine = this.#machine,
      { images } = machine;
    machine.refuseParked();
    await loadBases(machine);
    const frame = await Frame.load(images);
    return Sandbox.remake(images, frame.wrap(save(machine), undefined, 0), options, true);
  }
}

function checkOptions(options: ReplayOptions): void {
  const { until, maxSeconds } = options;
  for (const key of Object.keys(options))
    if (!KNOWN.has(key))
      throw new InvalidError(
        `there is no option "${key}" of a replay; they are: ${[...KNOWN].join(", ")}`,
      );
  if (until !== undefined && !(Number.isSafeInteger(until) && until >= 0))
    throw new InvalidError(`until is the number of a line, not ${String(until)}`);
  if (maxSeconds !== undefined && !(typeof maxSeconds === "number" && maxSeconds > 0))
    throw new InvalidError(`maxSeconds is a number above 0, not ${String(maxSeconds)}`);
}

/** Does everything of a trace again. Gives the results; throws where something differs. */
async function run(machine: Machine, tape: Replayer, terms: Terms): Promise<Result[]> {
  const results: Result[] = [],
    alarm = new Alarm();
  let last: Outcome | undefined;
  machine.lookOnly = true;
  if (tape.why) throw tape.why;
  while (!tape.done) {
    tape.outOfTime();
    if (tape.why) throw tape.why;
    const line = tape.next,
      act = parseLine(tape.lines.items[line]);
    if (act.do === undefined) tape.differ("nothing: the guest has come to rest");
    else if (numberOf(act, "at") !== machine.moment)
      tape.differ("the guest came to rest at another moment");
    if (tape.why) throw tape.why;
    machine.lookOnly = false;
    tape.advance();
    try {
      if (doAct(machine, act, line, terms)) await drive(machine, alarm);
    } catch (error) {
      throw tape.why ?? error;
    }
    machine.lookOnly = true;
    if (tape.why) throw tape.why;
    if (machine.run.outcome && machine.run.outcome !== last)
      results.push(new Result((last = machine.run.outcome)));
  }
  return results;
}

/** See node.ts and web.ts, which know where the programs and the trace are. */
export async function replayOf(
  images: Images,
  trace: Uint8Array,
  options: ReplayOptions = {},
): Promise<Replay> {
  checkOptions(options);
  if (!(trace instanceof Uint8Array)) throw new InvalidError("a trace is bytes, a Uint8Array");
  const { signal, until = Infinity, maxSeconds = 300, limits } = options;
  signal?.throwIfAborted();
  const frame = await Frame.load(images);
  const lines = splitTrace(trace, frame);
  if (!options.partial) demandWhole(lines);
  const most = limits
    ? readLimits(defaultLimits, limits)
    : { ...defaultLimits, cpu_ms: Infinity, wall_ms: Infinity };
  const terms = { answers: answersOf(options.results), most };
  const tape = new Replayer(lines, until, maxSeconds, () =>
    signal?.aborted ? (signal.reason ?? new ReplayError("it was aborted")) : undefined,
  );
  const machine = await machineOf(parseLine(lines.items[0]), images, frame, tape, most);
  return new Replay(machine, await run(machine, tape, terms), tape.next);
}
