/*
 * distant.ts: a sandbox that runs elsewhere, in a worker or in the native library: the same
 * interface, over a line on which acts are asked for and answered.
 */
import { type Runnable, untilDone } from "./answering.ts";
import { StateError } from "./base/error.ts";
import { PendingCall } from "./call.ts";
import type { Content, ReadOptions } from "./files.ts";
import type { Decision } from "./machine/calls.ts";
import type { FileInfo } from "./machine/files.ts";
import type { Change, ChangesOptions } from "./mount/changes.ts";
import { checkApprove, checkNames, checkTools, type SandboxOptions } from "./options.ts";
import { Result } from "./result.ts";
import {
  checkRun,
  idOf,
  type Failure,
  type ForkOptions,
  jsonOf,
  type OutputListener,
  type RunOptions,
  type SnapshotOptions,
} from "./requests.ts";
import { RunStream } from "./stream.ts";
import { schemaText } from "./tool.ts";
import type { Sink } from "./trace/record.ts";
import { branchOf, type RecordTo, sinkOf } from "./trace/sink.ts";
import type { PlainOptions, State } from "./worker/protocol.ts";

/** Who is told what comes from a sandbox. */
export interface Listener {
  output(stream: "stdout" | "stderr", data: Uint8Array): void;
  decision(decision: Decision): void;
  trace(data: Uint8Array): void;
  /** What it runs in is gone. */
  lost(): void;
  state(state: State): void;
}

/** How the sandbox is reached. */
export interface Line {
  /** Asks for an act, whose answer comes when the listener was told what it made of the sandbox. */
  do(act: string, args: readonly unknown[]): Promise<unknown>;
  /** What waits for nothing. */
  come(what: "interrupt" | "stop" | "kill"): void;
  /** This call was handed out. */
  handed(call: bigint): void;
  close(): void;
}

const NOTHING: State = { running: false, calls: [], waitMs: undefined, outcome: undefined };

/** A URL cannot be copied to a worker. */
function plainMounts(mounts: SandboxOptions["mounts"]): SandboxOptions["mounts"] {
  if (!mounts) return undefined;
  const plain = <T>(one: T): T | string => (one instanceof URL ? one.href : one);
  return Object.fromEntries(
    Object.entries(mounts).map(([place, source]) => [
      place,
      Array.isArray(source) ? ([plain(source[0]), source[1]] as const) : plain(source),
    ]),
  ) as SandboxOptions["mounts"];
}

/** What became of a directory that was given with `mounts`. */
export class RemoteMounted {
  readonly place: string;
  readonly #ask: (act: string, args: readonly unknown[]) => Promise<unknown>;

  constructor(place: string, ask: (act: string, args: readonly unknown[]) => Promise<unknown>) {
    this.place = place;
    this.#ask = ask;
  }

  /** As Mounted.changes(). */
  async changes(options: ChangesOptions = {}): Promise<Change[]> {
    return (await this.#ask("changes", [this.place, options])) as Change[];
  }
}

/** Options as data, after a look at whether they are some. */
export function plainOptions(options: SandboxOptions): PlainOptions {
  checkNames(options);
  checkApprove(options);
  checkTools(options.tools);
  return {
    tools: Object.entries(options.tools ?? {}).map(([name, one]) => ({
      name,
      description: one.description,
      schema: schemaText(name, one),
    })),
    capabilities: options.capabilities,
    files: options.files,
    mounts: plainMounts(options.mounts),
    env: options.env,
    limits: options.limits,
    clock: options.clock,
    seed: options.seed,
    handled: options.toolHandler !== undefined,
    decisions: options.onDecision !== undefined,
    recorded: options.record !== undefined,
    redact: options.redact,
  };
}

/** The files of a sandbox that runs elsewhere. Relative paths are below /workspace. */
export class RemoteFiles {
  readonly #ask: (act: string, args: readonly unknown[]) => Promise<unknown>;

  constructor(ask: (act: string, args: readonly unknown[]) => Promise<unknown>) {
    this.#ask = ask;
  }

  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return (await this.#ask("files.read", [path, options])) as Uint8Array;
  }

  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  /** Makes the directories on the way. */
  async write(path: string, content: Content): Promise<void> {
    await this.#ask("files.write", [path, content]);
  }

  async list(path = "/workspace"): Promise<string[]> {
    return (await this.#ask("files.list", [path])) as string[];
  }

  /** A file, or a directory that is empty. */
  async remove(path: string): Promise<void> {
    await this.#ask("files.remove", [path]);
  }

  async mkdir(path: string): Promise<void> {
    await this.#ask("files.mkdir", [path]);
  }

  /** `follow`: what a symbolic link leads to, rather than the link. */
  async stat(path: string, follow = true): Promise<FileInfo> {
    return (await this.#ask("files.stat", [path, follow])) as FileInfo;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#ask("files.exists", [path])) as boolean;
  }
}

/** What is the same wherever it runs. */
export abstract class Distant<To extends Line> implements Runnable {
  readonly files: RemoteFiles;
  /** What a portable snapshot did not bring. */
  leftOut: readonly string[] = [];
  protected readonly line: To;
  protected readonly options: SandboxOptions;
  readonly #handed = new Set<bigint>();
  #state: State = NOTHING;
  #heardAt = 0;
  #result: Result | undefined;
  #onOutput: OutputListener | undefined;
  #starting = false;
  #closed = false;
  /** Where the trace goes that comes over the line. */
  #sink: Sink | undefined;
  /** Why it cannot go there any more. */
  #unrecorded: string | undefined;
  #branches = 0;

  protected constructor(options: SandboxOptions, connect: (listener: Listener) => To) {
    this.options = options;
    this.line = connect({
      output: (stream, data) => this.#onOutput?.(stream, data),
      decision: (decision) => options.onDecision?.(decision),
      trace: (data) => this.#record((sink) => sink.write(data)),
      lost: () => this.lost(),
      state: (state) => this.#told(state),
    });
    this.files = new RemoteFiles((act, args) => this.act(act, args));
  }

  /** Its first act; where that fails there is no sandbox. */
  protected async begin(act: string, args: readonly unknown[]): Promise<this> {
    try {
      this.leftOut = (await this.act(act, args)) as readonly string[];
      return this;
    } catch (error) {
      this.lost();
      this.line.close();
      throw error;
    }
  }

  protected async act(act: string, args: readonly unknown[] = []): Promise<unknown> {
    if (this.#closed) throw new StateError("the sandbox was closed");
    if (this.#unrecorded !== undefined)
      throw new StateError(`the recording cannot go on: ${this.#unrecorded}`);
    return this.line.do(act, args);
  }

  /* ---- its recording */

  /** From here on the trace goes there. */
  protected sendTrace(to: RecordTo): void {
    this.#sink = sinkOf(to);
  }

  #record(act: (sink: Sink) => void): void {
    try {
      if (this.#sink) act(this.#sink);
    } catch (error) {
      this.#unrecorded ??= `the trace cannot be written: ${String((error as Error)?.message ?? error)}`;
    }
  }

  /** There is no more of it. */
  protected lost(): void {
    this.#record((sink) => sink.end());
    this.#sink = undefined;
  }

  /** Where a branch is recorded. */
  protected branchRecord({ record }: ForkOptions): RecordTo | undefined {
    const trunk = this.options.record;
    if (record !== undefined) return record === false ? undefined : record;
    return trunk === undefined ? undefined : branchOf(trunk, ++this.#branches);
  }

  /** As Sandbox.endRecord(). */
  async endRecord(): Promise<void> {
    await this.act("end record");
    this.lost();
    this.#demandRecorded();
  }

  #demandRecorded(): void {
    if (this.#unrecorded !== undefined)
      throw new StateError(`the recording is incomplete: ${this.#unrecorded}`);
  }

  #told(state: State): void {
    if (state.running) this.#result = undefined;
    else if (state.outcome) this.#result = new Result(state.outcome);
    if (this.#handed.size) {
      const waiting = new Set(state.calls.map((call) => call.id));
      for (const id of this.#handed) if (!waiting.has(id)) this.#handed.delete(id);
    }
    this.#state = state;
    this.#heardAt = performance.now();
  }

  /* ---- steps */

  /** As Sandbox.start(). */
  async start(code: string, options: RunOptions = {}): Promise<void> {
    checkRun(code, options);
    const { onOutput, signal: _, ...rest } = options;
    const fresh = !this.running;
    if (fresh) {
      this.#onOutput = onOutput;
      this.#starting = true;
    }
    try {
      await this.act("start", [code, rest, onOutput !== undefined]);
    } finally {
      if (fresh) this.#starting = false;
    }
  }

  /** As Sandbox.step(). */
  step(): PendingCall | undefined {
    const call = this.#state.calls.find((one) => !one.handedOut && !this.#handed.has(one.id));
    if (!call) return undefined;
    this.#handed.add(call.id);
    this.line.handed(call.id);
    return new PendingCall(call);
  }

  /** All unanswered calls, handed out or not, oldest first. */
  pending(): PendingCall[] {
    return this.#state.calls.map((call) => new PendingCall(call));
  }

  /** As Sandbox.resume(). */
  async resume(call: PendingCall | bigint, value: unknown): Promise<void> {
    await this.act("resume", [idOf(call), jsonOf(value)]);
  }

  /** As Sandbox.fail(). */
  async fail(call: PendingCall | bigint, message: string, kind: Failure = "failed"): Promise<void> {
    await this.act("fail", [idOf(call), message, kind]);
  }

  /** As Sandbox.advance(). */
  async advance(): Promise<void> {
    await this.act("advance");
  }

  /** As Sandbox.waitMs(). */
  waitMs(): number | undefined {
    const { waitMs } = this.#state;
    return waitMs === undefined
      ? undefined
      : Math.max(0, waitMs - (performance.now() - this.#heardAt));
  }

  get running(): boolean {
    return this.#starting || this.#state.running;
  }

  get result(): Result | undefined {
    return this.#starting ? undefined : this.#result;
  }

  /* ---- whole runs */

  /** As Sandbox.run(). */
  async run(code: string, options: RunOptions = {}): Promise<Result> {
    return untilDone(this, this.options, options.signal, () => this.start(code, options));
  }

  /** As Sandbox.stream(). */
  stream(code: string, options: Omit<RunOptions, "onOutput"> = {}): RunStream {
    return new RunStream((onOutput) => this.run(code, { ...options, onOutput }));
  }

  /** As Sandbox.finish(). */
  async finish(options: { signal?: AbortSignal; onOutput?: OutputListener } = {}): Promise<Result> {
    if (options.onOutput) this.#onOutput = options.onOutput;
    this.#handed.clear();
    const goOn = async (): Promise<void> => {
      await this.act("go on", [options.onOutput !== undefined]);
    };
    return untilDone(this, this.options, options.signal, goOn, true);
  }

  /** As Ctrl-C: the foreground of the run gets SIGINT. */
  interrupt(): void {
    this.line.come("interrupt");
  }

  /** The same, and what the run has still going after a second more is killed. */
  stop(): void {
    this.line.come("stop");
  }

  /** Everything that ran in the run is killed; files stay. */
  kill(): void {
    this.line.come("kill");
  }

  /** As Sandbox.snapshot(). */
  async snapshot(options: SnapshotOptions = {}): Promise<Uint8Array> {
    const { onLeftOut, ...rest } = options;
    const { data, left } = (await this.act("snapshot", [rest])) as {
      data: Uint8Array;
      left: readonly string[];
    };
    if (left.length) onLeftOut?.(left);
    return data;
  }

  /** Nothing can be asked of it any more. The promise is that of a recording's last lines. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#unrecorded !== undefined)
        throw new StateError(`the recording cannot go on: ${this.#unrecorded}`);
      await this.end(this.options.record !== undefined);
    } finally {
      this.lost();
      this.line.close();
    }
    this.#demandRecorded();
  }

  /** Its last act. */
  protected async end(_recorded: boolean): Promise<void> {}
}
