/*
 * worker/remote.ts: a sandbox that runs in a worker: the same interface, on another thread, which is
 * ended when it does not answer.
 */
import { InvalidError } from "../base/error.ts";
import { Distant, type Line, type Listener, plainOptions, RemoteMounted } from "../distant.ts";
import { withHttp } from "../http/granting.ts";
import type { SandboxOptions } from "../options.ts";
import { checkFork, type ForkOptions, jsonOf, type RestoreOptions } from "../requests.ts";
import type { Connection } from "./connection.ts";

/** One sandbox of a worker. */
class WorkerLine implements Line {
  readonly connection: Connection;
  readonly id: number;

  constructor(connection: Connection, listener: Listener) {
    this.connection = connection;
    this.id = connection.name(listener);
  }

  do(act: string, args: readonly unknown[]): Promise<unknown> {
    return this.connection.do(this.id, act, args);
  }

  come(what: "interrupt" | "stop" | "kill"): void {
    this.connection.send({ kind: "come", sandbox: this.id, what });
  }

  handed(call: bigint): void {
    this.connection.send({ kind: "handed", sandbox: this.id, call });
  }

  close(): void {
    this.connection.close(this.id);
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
export class WorkerSandbox extends Distant<WorkerLine> {
  private constructor(connection: Connection, options: SandboxOptions) {
    super(options, (listener) => new WorkerLine(connection, listener));
    connections.set(this, connection);
    if (options.record !== undefined) this.sendTrace(options.record);
  }

  /** For web.ts and node.ts, which know where workers come from. */
  static async make(connection: Connection, given: SandboxOptions): Promise<WorkerSandbox> {
    const options = withHttp(given, true);
    const plain = plainOptions(options);
    return new WorkerSandbox(connection, options).begin("make", [plain]);
  }

  /** The same, of a snapshot. */
  static async remake(
    connection: Connection,
    data: Uint8Array,
    options: RestoreOptions,
  ): Promise<WorkerSandbox> {
    const { key, minCounter, ...rest } = withHttp(options, false);
    const plain = plainOptions(rest as SandboxOptions);
    const sandbox = new WorkerSandbox(connection, rest as SandboxOptions);
    return sandbox.begin("remake", [plain, data, { key, minCounter }]);
  }

  /* ---- authority and life */

  /** As Sandbox.mounted(). */
  mounted(place: string): RemoteMounted {
    return new RemoteMounted(place, (act, args) => this.act(act, args));
  }

  /** As Sandbox.refusal(). */
  async refusal(method: string, params: object = {}): Promise<string | undefined> {
    return (await this.act("refusal", [method, jsonOf(params)])) as string | undefined;
  }

  /** As Sandbox.callsLeft(). */
  async callsLeft(capability: number): Promise<number> {
    return (await this.act("callsLeft", [capability])) as number;
  }

  /** As Sandbox.fork(), in the same worker. */
  async fork(how: ForkOptions = {}): Promise<WorkerSandbox> {
    checkFork(how);
    const to = this.branchRecord(how);
    const branch = new WorkerSandbox(this.line.connection, { ...this.options, record: to });
    try {
      await this.act("fork", [branch.line.id, to !== undefined, how.budget]);
    } catch (error) {
      branch.lost();
      branch.line.close();
      throw error;
    }
    /* It stands where this one stands, but its calls have ids of their own. */
    await branch.act("look");
    return branch;
  }

  /** Ends the worker itself, its branches with it: nothing of them is left. */
  terminate(): void {
    this.line.connection.lose("it was terminated");
  }

  protected override async end(recorded: boolean): Promise<void> {
    const asked = this.line.do("close", []);
    if (recorded) await asked;
    else asked.catch(() => {});
  }
}

/** Milliseconds that a worker may be silent, from the options. */
export function patienceOf(given: number | undefined): number {
  if (given === undefined) return 5000;
  if (typeof given !== "number" || !(given >= 100))
    throw new InvalidError("unresponsiveMs is a number of 100 or more");
  return given;
}
