/*
 * worker/remote.ts: a sandbox that runs in a worker: the same interface, on another thread, which is
 * ended when it does not answer.
 */
import { type Runnable, untilDone } from "../answering.ts";
import { InvalidError, StateError } from "../base/error.ts";
import { PendingCall } from "../call.ts";
import type { Content, ReadOptions } from "../files.ts";
import type { FileInfo } from "../machine/files.ts";
import type { Change, ChangesOptions } from "../mount/changes.ts";
import { checkNames, checkTools, type SandboxOptions } from "../options.ts";
import { Result } from "../result.ts";
import {
  checkRun,
  idOf,
  type Failure,
  type ForkOptions,
  jsonOf,
  type OutputListener,
  type RestoreOptions,
  type RunOptions,
  type SnapshotOptions,
} from "../requests.ts";
import { RunStream } from "../stream.ts";
import type { Sink } from "../trace/record.ts";
import { branchOf, sinkOf } from "../trace/sink.ts";
import type { Connection, Listener } from "./connection.ts";
import type { PlainOptions, State } from "./protocol.ts";

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

function plainOptions(options: SandboxOptions): PlainOptions {
  checkNames(options);
  checkTools(options.tools);
  return {
    tools: Object.entries(options.tools ?? {}).map(([name, one]) => ({
      name,
      description: one.description,
      schema: JSON.stringify(one.schema),
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

/** The files of a sandbox in a worker. Relative paths are below /workspace. */
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

const connections = new WeakMap<WorkerSandbox, Connection>();

/** Where a sandbox lives: for `beside`. */
export function connectionOf(sandbox: WorkerSandbox): Connection {
  const connection = connections.get(sandbox);
  if (!connection) throw new InvalidError("beside is a WorkerSandbox");
  return connection;
}

/**
 * A sandbox on a thread of its own. What it does is what Sandbox does; refusal() and callsLeft()
 * give promises. Its branches live in the same worker, and end with it.
 */
export class WorkerSandbox implements Runnable {
  readonly files: RemoteFiles;
  /** What a portable snapshot did not bring. */
  leftOut: readonly string[] = [];
  readonly #options: SandboxOptions;
  readonly #connection: Connection;
  readonly #id: number;
  readonly #handed = new Set<bigint>();
  #state: State = NOTHING;
  #heardAt = 0;
  #result: Result | undefined;
  #onOutput: OutputListener | undefined;
  #closed = false;
  /** Where the trace goes that the worker sends. */
  #sink: Sink | undefined;
  /** Why it cannot go there any more. */
  #unrecorded: string | undefined;
  #branches = 0;

  private constructor(connection: Connection, options: SandboxOptions) {
    this.#connection = connection;
    connections.set(this, connection);
    this.#options = options;
    if (options.record !== undefined) this.#sink = sinkOf(options.record);
    const listener: Listener = {
      output: (stream, data) => this.#onOutput?.(stream, data),
      decision: (decision) => options.onDecision?.(decision),
      state: (state) => this.#told(state),
      trace: (data) => this.#record((sink) => sink.write(data)),
      lost: () => this.#endSink(),
    };
    this.#id = connection.name(listener);
    this.files = new RemoteFiles((act, args) => this.#do(act, args));
  }

  /** For web.ts and node.ts, which know where workers come from. */
  static async make(connection: Connection, options: SandboxOptions): Promise<WorkerSandbox> {
    const plain = plainOptions(options);
    const sandbox = new WorkerSandbox(connection, options);
    return sandbox.#begin("make", [plain]);
  }

  /** The same, of a snapshot. */
  static async remake(
    connection: Connection,
    data: Uint8Array,
    options: RestoreOptions,
  ): Promise<WorkerSandbox> {
    const { key, minCounter, ...rest } = options;
    const plain = plainOptions(rest as SandboxOptions);
    const sandbox = new WorkerSandbox(connection, rest as SandboxOptions);
    return sandbox.#begin("remake", [plain, data, { key, minCounter }]);
  }

  async #begin(act: string, args: readonly unknown[]): Promise<WorkerSandbox> {
    try {
      this.leftOut = (await this.#do(act, args)) as readonly string[];
      return this;
    } catch (error) {
      this.#endSink();
      this.#connection.close(this.#id);
      throw error;
    }
  }

  #record(act: (sink: Sink) => void): void {
    try {
      if (this.#sink) act(this.#sink);
    } catch (error) {
      this.#unrecorded ??= `the trace cannot be written: ${String((error as Error)?.message ?? error)}`;
    }
  }

  #endSink(): void {
    this.#record((sink) => sink.end());
    this.#sink = undefined;
  }

  async #do(act: string, args: readonly unknown[] = []): Promise<unknown> {
    if (this.#closed) throw new StateError("the sandbox was closed");
    if (this.#unrecorded !== undefined)
      throw new StateError(`the recording cannot go on: ${this.#unrecorded}`);
    return this.#connection.do(this.#id, act, args);
  }

  #told(state: State): void {
    if (state.running) this.#result = undefined;
    else if (state.outcome) this.#result = new Result(state.outcome);
    for (const id of this.#handed)
      if (!state.calls.some((call) => call.id === id)) this.#handed.delete(id);
    this.#state = state;
    this.#heardAt = performance.now();
  }

  /* ---- steps */

  /** As Sandbox.start(). */
  async start(code: string, options: RunOptions = {}): Promise<void> {
    checkRun(code, options);
    const { onOutput, signal: _, ...rest } = options;
    if (!this.running) this.#onOutput = onOutput;
    await this.#do("start", [code, rest]);
  }

  /** As Sandbox.step(). */
  step(): PendingCall | undefined {
    const call = this.#state.calls.find((one) => !one.handedOut && !this.#handed.has(one.id));
    if (!call) return undefined;
    this.#handed.add(call.id);
    this.#connection.send({ kind: "handed", sandbox: this.#id, call: call.id });
    return new PendingCall(call);
  }

  /** All unanswered calls, handed out or not, oldest first. */
  pending(): PendingCall[] {
    return this.#state.calls.map((call) => new PendingCall(call));
  }

  /** As Sandbox.resume(). */
  async resume(call: PendingCall | bigint, value: unknown): Promise<void> {
    await this.#do("resume", [idOf(call), jsonOf(value)]);
  }

  /** As Sandbox.fail(). */
  async fail(call: PendingCall | bigint, message: string, kind: Failure = "failed"): Promise<void> {
    await this.#do("fail", [idOf(call), message, kind]);
  }

  /** As Sandbox.advance(). */
  async advance(): Promise<void> {
    await this.#do("advance");
  }

  /** As Sandbox.waitMs(). */
  waitMs(): number | undefined {
    const { waitMs } = this.#state;
    return waitMs === undefined
      ? undefined
      : Math.max(0, waitMs - (performance.now() - this.#heardAt));
  }

  get running(): boolean {
    return this.#state.running;
  }

  get result(): Result | undefined {
    return this.#result;
  }

  /* ---- whole runs */

  /** As Sandbox.run(). */
  async run(code: string, options: RunOptions = {}): Promise<Result> {
    return untilDone(this, this.#options, options.signal, () => this.start(code, options));
  }

  /** As Sandbox.stream(). */
  stream(code: string, options: Omit<RunOptions, "onOutput"> = {}): RunStream {
    return new RunStream((onOutput) => this.run(code, { ...options, onOutput }));
  }

  /** As Sandbox.finish(). */
  async finish(options: { signal?: AbortSignal; onOutput?: OutputListener } = {}): Promise<Result> {
    if (options.onOutput) this.#onOutput = options.onOutput;
    this.#handed.clear();
    return untilDone(this, this.#options, options.signal, async () => {
      await this.#do("go on");
    });
  }

  /** As Ctrl-C: the foreground of the run gets SIGINT. */
  interrupt(): void {
    this.#connection.send({ kind: "come", sandbox: this.#id, what: "interrupt" });
  }

  /** The same, and what the run has still going after a second more is killed. */
  stop(): void {
    this.#connection.send({ kind: "come", sandbox: this.#id, what: "stop" });
  }

  /** Everything that ran in the run is killed; files stay. */
  kill(): void {
    this.#connection.send({ kind: "come", sandbox: this.#id, what: "kill" });
  }

  /** Ends the worker itself, its branches with it: nothing of them is left. */
  terminate(): void {
    this.#connection.lose("it was terminated");
  }

  /* ---- authority and life */

  /** As Sandbox.mounted(). */
  mounted(place: string): RemoteMounted {
    return new RemoteMounted(place, (act, args) => this.#do(act, args));
  }

  /** As Sandbox.refusal(). */
  async refusal(method: string, params: object = {}): Promise<string | undefined> {
    return (await this.#do("refusal", [method, jsonOf(params)])) as string | undefined;
  }

  /** As Sandbox.callsLeft(). */
  async callsLeft(capability: number): Promise<number> {
    return (await this.#do("callsLeft", [capability])) as number;
  }

  /** As Sandbox.fork(), in the same worker. */
  async fork({ record }: ForkOptions = {}): Promise<WorkerSandbox> {
    const trunk = this.#options.record;
    let to = record === false ? undefined : record;
    if (record === undefined && trunk !== undefined) to = branchOf(trunk, ++this.#branches);
    const branch = new WorkerSandbox(this.#connection, { ...this.#options, record: to });
    try {
      await this.#do("fork", [branch.#id, to !== undefined]);
    } catch (error) {
      branch.#endSink();
      this.#connection.close(branch.#id);
      throw error;
    }
    /* It stands where this one stands, but its calls have ids of their own. */
    await branch.#do("look");
    return branch;
  }

  /** As Sandbox.snapshot(). */
  async snapshot(options: SnapshotOptions = {}): Promise<Uint8Array> {
    const { onLeftOut, ...rest } = options;
    const { data, left } = (await this.#do("snapshot", [rest])) as {
      data: Uint8Array;
      left: readonly string[];
    };
    if (left.length) onLeftOut?.(left);
    return data;
  }

  /** As Sandbox.endRecord(). */
  async endRecord(): Promise<void> {
    await this.#do("end record");
    this.#endSink();
    this.#demandRecorded();
  }

  #demandRecorded(): void {
    if (this.#unrecorded !== undefined)
      throw new StateError(`the recording is incomplete: ${this.#unrecorded}`);
  }

  /** Nothing can be asked of it any more. The promise is that of a recording's last lines. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const recorded = this.#sink !== undefined,
      asked = this.#do("close");
    this.#closed = true;
    if (!recorded) asked.catch(() => {});
    try {
      if (recorded) await asked;
    } finally {
      this.#endSink();
      this.#connection.close(this.#id);
    }
    this.#demandRecorded();
  }
}

/** Milliseconds that a worker may be silent, from the options. */
export function patienceOf(given: number | undefined): number {
  if (given === undefined) return 5000;
  if (typeof given !== "number" || !(given >= 100))
    throw new InvalidError("unresponsiveMs is a number of 100 or more");
  return given;
}
