/*
 * worker/server.ts: the side of a worker: its sandboxes, and what the other side asks of them. What
 * waits for nothing (an interrupt, a ping) is dealt with between two turns of a run.
 */
import { InvalidError } from "../base/error.ts";
import { parseExact } from "../base/exact.ts";
import type { Images, Manifest } from "../cpu/image.ts";
import { type Files } from "../files.ts";
import type { SandboxOptions } from "../options.ts";
import type { ForkOptions, RestoreOptions, RunOptions, SnapshotOptions } from "../requests.ts";
import { Sandbox } from "../sandbox.ts";
import type { JsonSchema, Tool } from "../tool.ts";
import {
  type FromWorker,
  type PlainOptions,
  plainError,
  type Port,
  type ToWorker,
} from "./protocol.ts";

/** A sandbox, what of it was told already, and the last thing that it was asked for. */
class Held {
  readonly sandbox: Sandbox;
  told: unknown;
  last: Promise<unknown> = Promise.resolve();
  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }
}

const FILE_ACTS = ["read", "write", "list", "stat", "mkdir", "remove", "exists"] as const;

export class Server {
  readonly #port: Port<FromWorker>;
  readonly #imagesOf: (manifest: Manifest | undefined, port: Port<FromWorker>) => Promise<Images>;
  readonly #held = new Map<number, Held>();
  #images: Promise<Images> | undefined;

  constructor(
    port: Port<FromWorker>,
    imagesOf: (manifest: Manifest | undefined, port: Port<FromWorker>) => Promise<Images>,
  ) {
    this.#port = port;
    this.#imagesOf = imagesOf;
  }

  receive(message: ToWorker): void {
    const held = "sandbox" in message ? this.#held.get(message.sandbox) : undefined;
    if (message.kind === "begin") this.#images = this.#imagesOf(message.manifest, this.#port);
    else if (message.kind === "ping") this.#port.post({ kind: "pong", id: message.id });
    else if (message.kind === "come") held?.sandbox[message.what]();
    else if (message.kind === "handed") held?.sandbox.handOut(message.call);
    else if (message.kind === "do") void this.#answer(message);
  }

  async #answer(message: ToWorker & { kind: "do" }): Promise<void> {
    const { id, sandbox, act, args } = message;
    let value: unknown, error: unknown;
    try {
      value = await this.#act(sandbox, act, args);
    } catch (caught) {
      error = caught ?? new Error("it failed and did not say why");
    }
    const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    this.#port.post(
      {
        kind: "done",
        id,
        value,
        error: error === undefined ? undefined : plainError(error),
        state: this.#state(sandbox),
      },
      transfer,
    );
  }

  #state(id: number): (FromWorker & { kind: "done" })["state"] {
    const held = this.#held.get(id);
    if (!held) return undefined;
    const { running, calls, outcome, waitMs } = held.sandbox.state();
    const fresh = outcome !== held.told;
    held.told = outcome;
    /* A view would bring all that it looks into. */
    const plain = outcome && {
      ...outcome,
      stdout: outcome.stdout.slice(),
      stderr: outcome.stderr.slice(),
      value: outcome.value?.slice(),
    };
    return { running, calls, waitMs, outcome: fresh ? plain : undefined };
  }

  async #act(id: number, act: string, args: readonly any[]): Promise<unknown> {
    if (act === "make" || act === "remake") return this.#make(id, act, args);
    const held = this.#held.get(id);
    if (!held) throw new InvalidError("the worker has no such sandbox");
    /* One after the other: what comes while a program computes waits until that stops. */
    const turn = held.last.then(() => this.#actOn(id, held.sandbox, act, args));
    held.last = turn.catch(() => {});
    return turn;
  }

  async #actOn(id: number, sandbox: Sandbox, act: string, args: readonly any[]): Promise<unknown> {
    switch (act) {
      case "start":
        return sandbox.start(args[0], this.#listening(id, args[1]));
      case "look":
        return undefined;
      case "advance":
        return sandbox.advance();
      case "go on":
        sandbox.listen(this.#listening(id, {}).onOutput);
        return sandbox.advance();
      case "resume":
        return sandbox.resume(args[0], parseExact(args[1]));
      case "fail":
        return sandbox.fail(args[0], args[1], args[2]);
      case "refusal":
        return sandbox.refusal(args[0], parseExact(args[1]) as object);
      case "callsLeft":
        return sandbox.callsLeft(args[0]);
      case "fork":
        return this.#fork(sandbox, args[0], args[1], args[2]);
      case "changes":
        return sandbox.mounted(args[0]).changes(args[1]);
      case "end record":
        return sandbox.endRecord();
      case "snapshot":
        return this.#snapshot(sandbox, args[0] as SnapshotOptions);
      case "close":
        this.#held.delete(id);
        return sandbox.close();
      default:
        return this.#file(sandbox.files, act, args);
    }
  }

  async #fork(
    sandbox: Sandbox,
    id: number,
    recorded: boolean,
    budget: ForkOptions["budget"],
  ): Promise<void> {
    const branch = await sandbox.fork({ record: recorded && this.#recording(id), budget });
    this.#held.set(id, new Held(branch));
  }

  async #snapshot(sandbox: Sandbox, options: SnapshotOptions): Promise<unknown> {
    let left: readonly string[] = [];
    const data = await sandbox.snapshot({ ...options, onLeftOut: (what) => (left = what) });
    return { data: data.slice(), left };
  }

  #recording(id: number): (bytes: Uint8Array) => void {
    return (bytes) => this.#port.post({ kind: "trace", sandbox: id, data: bytes.slice() });
  }

  async #file(files: Files, act: string, args: readonly any[]): Promise<unknown> {
    const name = FILE_ACTS.find((one) => `files.${one}` === act);
    if (!name) throw new InvalidError(`a sandbox in a worker has no ${act}`);
    const value: unknown = await (files[name] as (...given: any[]) => Promise<unknown>).apply(
      files,
      [...args],
    );
    return value instanceof Uint8Array ? value.slice() : value;
  }

  #listening(id: number, options: RunOptions): RunOptions {
    const onOutput: RunOptions["onOutput"] = (stream, data) =>
      this.#port.post({ kind: "output", sandbox: id, stream, data: data.slice() });
    return { ...options, onOutput };
  }

  async #make(id: number, act: string, args: readonly any[]): Promise<unknown> {
    if (!this.#images) throw new InvalidError("the worker was not told which programs it has");
    const images = await this.#images;
    const options = this.#options(id, args[0] as PlainOptions);
    const sandbox =
      act === "make"
        ? await Sandbox.make(images, options)
        : await Sandbox.remake(images, args[1] as Uint8Array, {
            ...options,
            ...(args[2] as Pick<RestoreOptions, "key" | "minCounter">),
          });
    this.#held.set(id, new Held(sandbox));
    return sandbox.leftOut;
  }

  /** Calls are handed out, never handled here. */
  #options(id: number, plain: PlainOptions): SandboxOptions {
    const options: SandboxOptions = {
      tools: Object.fromEntries(
        plain.tools.map(({ name, description, schema }): [string, Tool] => [
          name,
          { description, schema: parseExact(schema) as JsonSchema, standard: undefined, execute: undefined },
        ]),
      ),
    };
    for (const key of ["capabilities", "files", "mounts", "env", "limits", "clock", "seed"] as const)
      if (plain[key] !== undefined) Object.assign(options, { [key]: plain[key] });
    if (plain.recorded) options.record = this.#recording(id);
    if (plain.redact !== undefined) options.redact = plain.redact;
    if (plain.handled) options.toolHandler = () => null;
    if (plain.decisions)
      options.onDecision = (decision) =>
        this.#port.post({ kind: "decision", sandbox: id, decision: { ...decision } });
    return options;
  }
}
