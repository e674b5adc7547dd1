/*
 * worker/connection.ts: the side of a page: one worker, what was asked of it, and its end when it
 * does not answer.
 */
import { DeadError } from "../base/error.ts";
import type { Listener } from "../distant.ts";
import { type FromWorker, type Port, realError, type ToWorker } from "./protocol.ts";

/** A worker of the web or of Node. */
export interface Thread extends Port<ToWorker> {
  listen(onMessage: (message: FromWorker) => void, onError: (why: string) => void): void;
  end(): void;
  /** In Node: whether its program stays for it. */
  hold?(on: boolean): void;
}

/** Gives files of the package to a worker that may not fetch. */
export type FileGiver = (file: string) => Promise<Uint8Array>;

const PINGS_PER_PATIENCE = 4;

interface Waiting {
  readonly sandbox: number;
  give(value: unknown): void;
  fail(error: Error): void;
}

export class Connection {
  readonly #thread: Thread;
  readonly #files: FileGiver | undefined;
  readonly #patienceMs: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<number, Listener>();
  /** What they threw while an act was on, for who awaits that. */
  readonly #failures = new Map<number, { readonly error: Error }>();
  #next = 1;
  #heardAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dead: string | undefined;

  constructor(thread: Thread, files: FileGiver | undefined, patienceMs: number) {
    this.#thread = thread;
    this.#files = files;
    this.#patienceMs = patienceMs;
    thread.listen(
      (message) => this.#receive(message),
      (why) => this.lose(`its worker failed: ${why}`),
    );
  }

  /** Why it is gone, once it is. */
  get dead(): string | undefined {
    return this.#dead;
  }

  name(listener: Listener): number {
    const id = this.#next++;
    this.#listeners.set(id, listener);
    return id;
  }

  send(message: ToWorker): void {
    if (this.#dead === undefined) this.#thread.post(message);
  }

  do(sandbox: number, act: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((give, fail) => {
      if (this.#dead !== undefined) return fail(this.#error());
      const id = this.#next++;
      if (this.#waiting.size === 0) this.#thread.hold?.(true);
      this.#waiting.set(id, { sandbox, give, fail });
      try {
        this.#thread.post({ kind: "do", id, sandbox, act, args });
      } catch (error) {
        this.#waiting.delete(id);
        return fail(error as Error); /* what cannot be copied to a worker */
      }
      this.#watch();
    });
  }

  /** Forgets a sandbox; the worker ends with its last one. */
  close(sandbox: number): void {
    this.#listeners.delete(sandbox);
    this.#failures.delete(sandbox);
    if (this.#listeners.size === 0) this.lose("it was closed");
  }

  lose(why: string): void {
    if (this.#dead !== undefined) return;
    this.#dead = why;
    clearTimeout(this.#timer);
    this.#thread.end();
    for (const { fail } of this.#waiting.values()) fail(this.#error());
    this.#waiting.clear();
    for (const listener of this.#listeners.values()) listener.lost();
  }

  #error(): DeadError {
    return new DeadError(
      `this sandbox is gone: ${this.#dead}; make another, or restore a snapshot`,
    );
  }

  /* While something was asked, the worker has to answer pings, which it does between two turns. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#heardAt = performance.now();
    const look = (): void => {
      this.#timer = undefined;
      if (this.#waiting.size === 0 || this.#dead !== undefined) return;
      if (performance.now() - this.#heardAt > this.#patienceMs)
        return this.lose(
          `its worker did not answer for ${this.#patienceMs} ms and was ended: a program computed without a call`,
        );
      this.#thread.post({ kind: "ping", id: 0 });
      this.#timer = setTimeout(look, this.#patienceMs / PINGS_PER_PATIENCE);
    };
    this.#timer = setTimeout(look, this.#patienceMs / PINGS_PER_PATIENCE);
  }

  #receive(message: FromWorker): void {
    this.#heardAt = performance.now();
    switch (message.kind) {
      case "done": {
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (!waiting) return;
        if (this.#waiting.size === 0) this.#thread.hold?.(false);
        if (message.state) this.#listeners.get(waiting.sandbox)?.state(message.state);
        const failure = this.#failures.get(waiting.sandbox);
        this.#failures.delete(waiting.sandbox);
        if (failure) waiting.fail(failure.error);
        else if (message.error) waiting.fail(realError(message.error));
        else waiting.give(message.value);
        return;
      }
      case "output":
        return this.#tell(message.sandbox, (to) => to.output(message.stream, message.data));
      case "decision":
        return this.#tell(message.sandbox, (to) => to.decision(message.decision));
      case "trace":
        return this.#tell(message.sandbox, (to) => to.trace(message.data));
      case "want":
        return this.#bring(message.id, message.file);
    }
  }

  /* What a listener of the embedder throws ends the act, before a handler is asked: who was to hear of
   * a decision did not. */
  #tell(sandbox: number, what: (listener: Listener) => void): void {
    const listener = this.#listeners.get(sandbox);
    if (!listener) return;
    try {
      what(listener);
    } catch (error) {
      if (!this.#failures.has(sandbox)) this.#failures.set(sandbox, { error: error as Error });
      this.send({ kind: "come", sandbox, what: "stop" });
    }
  }

  #bring(id: number, file: string): void {
    const reading = this.#files?.(file) ?? Promise.reject(new Error("there are no files"));
    reading.then(
      (bytes) => this.send({ kind: "file", id, bytes, why: "" }),
      (error: unknown) => this.send({ kind: "file", id, bytes: undefined, why: String(error) }),
    );
  }
}
