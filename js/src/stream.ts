/* stream.ts: the output of a run as it appears, for `for await`. */
import type { Result } from "./result.ts";

export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly data: Uint8Array;
}

/**
 * A run that is on: its output, and its result. Output that nobody takes is kept, at most
 * outputBytes of each stream; who stops taking it does not stop the run.
 */
export class RunStream implements AsyncIterable<OutputChunk> {
  /** As run() gives it; rejects as that does. */
  readonly result: Promise<Result>;
  readonly #chunks: OutputChunk[] = [];
  #wake: (() => void) | undefined;
  #over = false;

  constructor(run: (onOutput: (stream: OutputChunk["stream"], data: Uint8Array) => void) => Promise<Result>) {
    this.result = run((stream, data) => {
      this.#chunks.push({ stream, data });
      this.#wake?.();
    });
    const over = (): void => {
      this.#over = true;
      this.#wake?.();
    };
    this.result.then(over, over);
  }

  /** What was written so far and what comes; throws what `result` rejects with. One reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk, void, undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) yield chunk;
      else if (this.#over) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    await this.result;
  }

  /** Standard output as a stream of bytes. It takes the output, as iterating does. */
  get readable(): ReadableStream<Uint8Array> {
    const chunks = this[Symbol.asyncIterator]();
    return new ReadableStream({
      async pull(controller) {
        for (;;) {
          const { value, done } = await chunks.next();
          if (done) return controller.close();
          if (value.stream === "stdout") return controller.enqueue(value.data);
        }
      },
    });
  }
}
