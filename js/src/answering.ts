/* answering.ts: a run to its end: calls of tools go to their handlers, as many as there are. */
import { DeadError, InvalidError, PinfoldError, StateError, ToolError } from "./base/error.ts";
import type { PendingCall } from "./call.ts";
import { callTool } from "./handling.ts";
import { Alarm } from "./machine/drive.ts";
import type { SandboxOptions } from "./options.ts";
import type { Result } from "./result.ts";
import type { Failure } from "./requests.ts";

/** A sandbox, here or in a worker, as far as a run goes through it. */
export interface Runnable {
  readonly running: boolean;
  readonly result: Result | undefined;
  step(): PendingCall | undefined;
  pending(): PendingCall[];
  resume(call: bigint, value: unknown): Promise<void>;
  fail(call: bigint, message: string, kind?: Failure): Promise<void>;
  advance(): Promise<void>;
  waitMs(): number | undefined;
  stop(): void;
  kill(): void;
}

/** Between two looks at a run that was told to end while its calls wait. */
const ABORTED_MS = 20;

/** A handler's result that is no JSON is the call's failure. */
async function resumeOrFail(run: Runnable, id: bigint, value: unknown): Promise<void> {
  try {
    await run.resume(id, value);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    await run.fail(id, error.message, "invalid");
  }
}

/** As the native faces: a ToolError's own text, else "Name: message". */
async function failWith(run: Runnable, id: bigint, error: unknown): Promise<void> {
  let message = "the handler failed, with what is no text";
  try {
    if (error instanceof ToolError) return await run.fail(id, error.message, error.code);
    message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch (other) {
    if (other instanceof PinfoldError) throw other;
  }
  return run.fail(id, message);
}

/** Of one run: what its handlers are told, made when there is one. */
class Handlers {
  readonly bell = new Alarm();
  /** Those that have not answered. */
  open = 0;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.bell.ring();
  }
}

async function answerAll(run: Runnable, options: SandboxOptions, to: Handlers): Promise<void> {
  const done: { id: bigint; give: () => Promise<void> }[] = [];
  const { bell } = to;
  while (run.running) {
    for (let call = run.step(); call; call = run.step()) {
      const { id } = call;
      to.open++;
      void callTool(call, options, to.signal)
        .then(
          (value) => done.push({ id, give: () => resumeOrFail(run, id, value) }),
          (error: unknown) => done.push({ id, give: () => failWith(run, id, error) }),
        )
        .then(() => {
          to.open--;
          bell.ring();
        });
    }
    const next = done.shift();
    if (next) {
      if (run.pending().some((one) => one.id === next.id)) await next.give();
      continue;
    }
    if (to.aborted) await run.advance(); /* what was told to end may need time for it */
    if (run.running) await bell.wait(to.aborted ? ABORTED_MS : (run.waitMs() ?? Infinity));
    if (run.running && done.length === 0) await run.advance();
  }
}

/** Nobody is there to answer its calls: it is over, and the sandbox can be used. */
async function giveUp(run: Runnable): Promise<void> {
  run.kill();
  /* Each time somebody of the embedder's may throw once more. */
  for (let tries = 0; run.running && tries < 5; tries++) await run.advance().catch(() => {});
}

/**
 * Begins a run, answers its calls by the handlers of the options, and gives its result. `brought`:
 * the run is there already.
 */
export async function untilDone(
  run: Runnable,
  options: SandboxOptions,
  signal: AbortSignal | undefined,
  begin: () => Promise<void>,
  brought = false,
): Promise<Result> {
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function")
    throw new InvalidError("signal is an AbortSignal");
  signal?.throwIfAborted();
  const others = run.running && !brought;
  const handlers = new Handlers();
  const abort = (): void => {
    handlers.abort(signal?.reason);
    run.stop();
  };
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await begin();
    await answerAll(run, options, handlers);
  } catch (error) {
    /* A StateError may be about a run that somebody else is at. */
    const own = !others && !(error instanceof StateError) && !(error instanceof DeadError);
    if (own && run.running) await giveUp(run);
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    if (handlers.open) handlers.abort();
  }
  signal?.throwIfAborted();
  const { result } = run;
  if (!result) throw new StateError("the run has no result");
  return result;
}
