/*
 * sandbox.ts: a sandbox: a small Unix whose programs reach the outside only through the tools that
 * you grant.
 */
import { PF } from "./abi.ts";
import { utf8 } from "./base/bytes.ts";
import { type Runnable, untilDone } from "./answering.ts";
import { InvalidError, StateError } from "./base/error.ts";
import { randomSeed } from "./base/random.ts";
import { PendingCall } from "./call.ts";
import type { Images } from "./cpu/image.ts";
import { Files } from "./files.ts";
import { withHttp } from "./http/granting.ts";
import { answer, type Call } from "./machine/calls.ts";
import { Alarm, drive } from "./machine/drive.ts";
import { fork } from "./machine/fork.ts";
import { readLimits } from "./machine/limits.ts";
import { Machine, monotonic } from "./machine/machine.ts";
import { type Outcome, start } from "./machine/run.ts";
import { checkRestored, makeGate, type SandboxOptions, settingsOf } from "./options.ts";
import {
  checkFork,
  checkRun,
  type Failure,
  FAILURES,
  type ForkOptions,
  idOf,
  jsonOf,
  type OutputListener,
  RECORDED_SHARES_NOTHING,
  type RestoreOptions,
  type RunOptions,
  type SnapshotOptions,
} from "./requests.ts";
import { Result } from "./result.ts";
import { RunStream } from "./stream.ts";
import { Frame } from "./snapshot/frame.ts";
import { loadPortable, savePortable } from "./snapshot/portable.ts";
import { load, loadBases, mostBytes, save } from "./snapshot/snapshot.ts";
import { tapeAct } from "./machine/tape.ts";
import { Mounted } from "./mount/changes.ts";
import { mountRequests } from "./mount/mounts.ts";
import { enterMounts } from "./mount/place.ts";
import { made } from "./trace/head.ts";
import type { Recorder } from "./trace/record.ts";
import { branchOf } from "./trace/sink.ts";

export class Sandbox implements Runnable {
  readonly files: Files;
  readonly #machine: Machine;
  readonly #options: SandboxOptions;
  readonly #alarm = new Alarm();
  #busy = false;
  #closed = false;
  /** What a listener of the embedder threw, for who awaits the act. */
  #failure: { readonly error: unknown } | undefined;
  /** That are recorded. */
  #branches = 0;

  private constructor(machine: Machine, options: SandboxOptions) {
    this.#machine = machine;
    this.#options = options;
    machine.onDecision = options.onDecision && this.#guarded(options.onDecision);
    this.files = new Files((act) => this.#within(act));
  }

  /** A new sandbox of the programs of `images`; node.ts and web.ts know where those are. */
  static async make(images: Images, given: SandboxOptions = {}): Promise<Sandbox> {
    const options = withHttp(given, true);
    const gate = makeGate(options, await images.engine());
    const settings = settingsOf(options, images, gate);
    await images.ready(
      settings.limits.memory_bytes,
      Math.min(settings.limits.process_memory_bytes, settings.limits.memory_bytes),
    );
    const requests = mountRequests(options.mounts);
    const frame = requests.length ? await Frame.load(images) : undefined;
    const machine = await made(images, options, settings, undefined, (all) => {
      const machine = Machine.boot(all);
      if (frame) enterMounts(machine, requests, frame);
      return machine;
    });
    const sandbox = new Sandbox(machine, options);
    for (const [path, content] of Object.entries(options.files ?? {}))
      await sandbox.files.write(path, content);
    return sandbox;
  }

  /* ---- who is inside */

  #take(): void {
    if (this.#closed) throw new StateError("the sandbox was closed");
    if (this.#busy)
      throw new StateError("the sandbox is in use: await what was asked of it before");
    this.#machine.checkAlive();
    this.#busy = true;
  }

  #leave(): void {
    const machine = this.#machine;
    if (!machine.dead) machine.tape?.leave(machine);
    this.#busy = false;
  }

  #within<T>(act: (machine: Machine) => T): T {
    this.#take();
    try {
      return act(this.#machine);
    } finally {
      this.#leave();
    }
  }

  async #drive(act: (machine: Machine) => void): Promise<void> {
    this.#take();
    try {
      this.#machine.checkRecording();
      act(this.#machine);
      if (this.#machine.run.on) await drive(this.#machine, this.#alarm);
      if (this.#failure) throw this.#failure.error;
    } finally {
      this.#failure = undefined;
      this.#leave();
    }
  }

  /** What a listener throws must not go through a program: it ends the run, and the act throws it. */
  #guarded<Told extends unknown[]>(listener: (...told: Told) => void): (...told: Told) => void {
    return (...told) => {
      try {
        listener(...told);
      } catch (error) {
        this.#failure ??= { error };
        this.#machine.interrupt = "stop";
      }
    };
  }

  #outputTo(listener: OutputListener): (stream: 1 | 2, data: Uint8Array) => void {
    return this.#guarded((stream, data) => listener(stream === 1 ? "stdout" : "stderr", data));
  }

  /* ---- steps */

  /** Starts a run, and drives it until every process has ended or waits for a tool. */
  async start(code: string, options: RunOptions = {}): Promise<void> {
    checkRun(code, options);
    const { stdin = "", onOutput } = options;
    await this.#drive((machine) =>
      start(machine, {
        code: utf8(code),
        language: options.language ?? "shell",
        stdin: typeof stdin === "string" ? utf8(stdin) : stdin,
        isolated: options.isolated ?? false,
        cwd: options.cwd,
        env: Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`),
        limits: readLimits(machine.ownLimits, options.limits, true),
        ownLimits: options.limits !== undefined,
        onOutput: onOutput && this.#outputTo(onOutput),
      }),
    );
  }

  /**
   * The oldest call that was not handed out yet; undefined: there is none, the run is over or
   * waits.
   */
  step(): PendingCall | undefined {
    this.#machine.checkRecording();
    const call = this.#machine.calls.find((one) => !one.handedOut);
    if (call) call.handedOut = true;
    return call && new PendingCall(call);
  }

  /** All unanswered calls, handed out or not, oldest first. */
  pending(): PendingCall[] {
    return this.#machine.calls.map((call) => new PendingCall(call));
  }

  /** Answers a call with a value of JSON, and drives the run on. */
  async resume(call: PendingCall | bigint, value: unknown): Promise<void> {
    const bytes = utf8(jsonOf(value));
    this.#machine.gate.checkJson(bytes);
    await this.#drive((machine) => answer(machine, idOf(call), PF.OP_OK, bytes));
  }

  /** Answers a call with a failure that the program sees as an error with this text. */
  async fail(call: PendingCall | bigint, message: string, kind: Failure = "failed"): Promise<void> {
    await this.#drive((machine) => answer(machine, idOf(call), FAILURES[kind], utf8(message)));
  }

  /** Drives the run on without an answer: when waitMs() has passed. */
  async advance(): Promise<void> {
    await this.#drive((machine) => {
      if (machine.run.on) tapeAct(machine, "advance");
    });
  }

  /** Milliseconds until a sleeping process wants to go on; undefined: none does. */
  waitMs(): number | undefined {
    const machine = this.#machine;
    if (
      !machine.run.on ||
      machine.deadlineNs === Infinity ||
      (machine.clockFixed && machine.calls.length)
    )
      return undefined;
    return Math.max(0, (machine.deadlineNs - (monotonic() - machine.clockOrigin)) / 1e6);
  }

  /** Is a run on? It is until its result is complete. */
  get running(): boolean {
    return this.#machine.run.on;
  }

  /** Of the last run; undefined while one is on or before the first. */
  get result(): Result | undefined {
    const { run } = this.#machine;
    return run.on || !run.outcome ? undefined : new Result(run.outcome);
  }

  /* ---- a whole run */

  /**
   * Runs a program to its end; calls of tools go to their handlers, as many at once as the program
   * makes. What the program does wrong is in the result.
   *
   * @throws the reason of `signal` when that was aborted; the run has ended then, and the sandbox
   * can be used.
   */
  async run(code: string, options: RunOptions = {}): Promise<Result> {
    return untilDone(this, this.#options, options.signal, () => this.start(code, options));
  }

  /**
   * run(), with its output as it appears: `for await (const {stream, data} of
   * sandbox.stream(code))`.
   */
  stream(code: string, options: Omit<RunOptions, "onOutput"> = {}): RunStream {
    return new RunStream((onOutput) => this.run(code, { ...options, onOutput }));
  }

  /* ---- interrupts */

  /** As Ctrl-C: the foreground of the run gets SIGINT. */
  interrupt(): void {
    this.#come("interrupt");
  }

  /** The same, and what the run has still going after a second more is killed. */
  stop(): void {
    this.#come("stop");
  }

  /** Everything that ran in the run is killed; files stay. */
  kill(): void {
    this.#come("kill");
  }

  #come(what: "interrupt" | "stop" | "kill"): void {
    if (!this.#machine.run.on) return;
    this.#machine.interrupt = what;
    this.#alarm.ring();
  }

  /** What became of a directory that was given with `mounts`. */
  mounted(place: string): Mounted {
    this.#machine.mounts?.find(place);
    return new Mounted(place, (act) => this.#within(act));
  }

  /* ---- authority */

  /** Why the capabilities would not allow this call now; undefined: they would. Spends nothing. */
  refusal(method: string, params: object = {}): string | undefined {
    return this.#machine.gate.refusal(method, jsonOf(params));
  }

  /** Calls that a capability has left, by its index; Infinity: no limit. */
  callsLeft(capability: number): number {
    return this.#machine.gate.left(capability);
  }

  /* ---- its life */

  /** An independent copy, waiting calls included, with counters and random numbers of its own. */
  async fork(how: ForkOptions = {}): Promise<Sandbox> {
    checkFork(how);
    const branch = await this.#branch(how, how.budget === "share");
    if (how.budget === "share" && branch.#machine.stirred) await branch.advance();
    return branch;
  }

  async #branch(how: ForkOptions, share: boolean): Promise<Sandbox> {
    this.#take();
    try {
      const machine = this.#machine;
      machine.refuseParked();
      if (share && machine.tape) throw new StateError(RECORDED_SHARES_NOTHING);
      const options = this.#branchOptions(how);
      const seed = this.#options.seed === undefined ? randomSeed() : undefined;
      const branch = fork(machine, seed, { share });
      return new Sandbox(options.record ? await this.#recorded(branch, options) : branch, options);
    } finally {
      this.#leave();
    }
  }

  #branchOptions({ record }: ForkOptions): SandboxOptions {
    if (record === false) return { ...this.#options, record: undefined };
    if (record !== undefined) return { ...this.#options, record };
    const { record: trunk } = this.#options;
    return trunk === undefined
      ? this.#options
      : { ...this.#options, record: branchOf(trunk, ++this.#branches) };
  }

  /** Through bytes, so that a trace can begin with them. */
  async #recorded(branch: Machine, options: SandboxOptions): Promise<Machine> {
    const { images } = branch;
    await loadBases(branch);
    const frame = await Frame.load(images);
    const data = frame.wrap(save(branch), undefined, 0);
    const { clock, seed, ...rest } = options;
    const settings = settingsOf(rest, images, makeGate(options, await images.engine()));
    const machine = await made(images, options, settings, data, (all) =>
      load(frame.open(data, undefined, 0, mostBytes(settings)), all, frame, branch.mounts),
    );
    machine.run.outcome = branch.run.outcome;
    return machine;
  }

  /**
   * The whole sandbox as bytes, waiting calls included, which the native library reads as well. It
   * is data, never authority. Equal sandboxes with a fixed clock and seed give equal bytes.
   */
  async snapshot(options: SnapshotOptions = {}): Promise<Uint8Array> {
    this.#take();
    try {
      this.#machine.refuseParked();
      const machine = this.#machine,
        { key, counter = 0 } = options;
      const frame = await Frame.load(machine.images);
      if (options.portable) {
        const { contents, left } = await savePortable(machine);
        if (left.length) options.onLeftOut?.(left);
        return frame.wrap(contents, key, counter, true);
      }
      await loadBases(machine);
      return frame.wrap(save(machine), key, counter);
    } finally {
      this.#leave();
    }
  }

  /**
   * A sandbox that goes on where a snapshot was made, with the tools, capabilities and limits given
   * here. Calls that wait are judged by them as if they were made now.
   */
  static async remake(
    images: Images,
    data: Uint8Array,
    options: RestoreOptions = {},
    sameRandom = false,
  ): Promise<Sandbox> {
    if (!(data instanceof Uint8Array)) throw new InvalidError("a snapshot is a Uint8Array");
    const { key, minCounter = 0, ...rest } = withHttp(options, false);
    checkRestored(rest as SandboxOptions);
    const settings = settingsOf(
      rest as SandboxOptions,
      images,
      makeGate(rest as SandboxOptions, await images.engine()),
    );
    const frame = await Frame.load(images),
      requests = mountRequests(rest.mounts);
    const machine = await made(images, rest as SandboxOptions, settings, data, (all) => {
      const contents = frame.open(data, key, minCounter, mostBytes(settings));
      if (!frame.isPortable(data)) return load(contents, all, frame, requests, sameRandom);
      return loadPortable(contents, all, frame, (machine) => enterMounts(machine, requests, frame));
    });
    const sandbox = new Sandbox(machine, rest as SandboxOptions);
    if (machine.stirred) await sandbox.advance();
    return sandbox;
  }

  /** What a portable snapshot did not bring. */
  get leftOut(): readonly string[] {
    return this.#machine.leftOut;
  }

  /* ---- for worker/server.ts */

  /** What a page has to know to go on without asking. */
  state(): {
    running: boolean;
    calls: Call[];
    outcome: Outcome | undefined;
    waitMs: number | undefined;
  } {
    const { run, calls } = this.#machine;
    const outcome = run.on ? undefined : run.outcome;
    return { running: run.on, calls: [...calls], outcome, waitMs: this.waitMs() };
  }

  /** As step(), of this call. */
  handOut(id: bigint): void {
    for (const call of this.#machine.calls) if (call.id === id) call.handedOut = true;
  }

  /** From here on output goes there; calls that somebody else had are handed out again. */
  listen(onOutput: OutputListener | undefined): void {
    const { run, calls } = this.#machine;
    if (onOutput) run.onOutput = this.#outputTo(onOutput);
    for (const call of calls) call.handedOut = false;
  }

  /** Goes on with a run that a snapshot or a branch brought, to its end, as run() does. */
  async finish(options: { signal?: AbortSignal; onOutput?: OutputListener } = {}): Promise<Result> {
    const { signal, onOutput } = options;
    this.listen(onOutput);
    return untilDone(this, this.#options, signal, () => this.advance(), true);
  }

  /**
   * Ends the recording, if there is one: the trace is complete from here on, and nothing goes on in
   * the sandbox. A StateError says what is missing in it.
   */
  endRecord(): void {
    if (this.#closed) throw new StateError("the sandbox was closed");
    if (this.#busy)
      throw new StateError("the sandbox is in use: await what was asked of it before");
    this.#endTape();
  }

  #endTape(): void {
    const machine = this.#machine;
    const tape = machine.tape as Recorder | undefined;
    tape?.end(machine);
    if (tape && !tape.complete)
      throw new StateError(`the recording is incomplete: ${String(tape.failed)}`);
  }

  /**
   * Nothing can be asked of it any more; its memory is given back when nobody holds it. A StateError
   * says that a recording of it is incomplete.
   */
  close(): void {
    if (this.#closed) return;
    if (this.#busy) this.#machine.tape?.unsupported("it was closed while it was in use");
    this.kill();
    this.#closed = true;
    this.#endTape();
  }
}
