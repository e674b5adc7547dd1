/* result.ts: what a run gave. */
import { text } from "./base/bytes.ts";
import { parseExact } from "./base/exact.ts";
import type { Outcome } from "./machine/run.ts";

export interface Usage {
  /** Milliseconds that programs ran; handlers of tools are not counted. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most that was charged to the sandbox at once. */
  readonly memoryBytes: number;
  /** Tool calls that were allowed. */
  readonly toolCalls: number;
}

/** What a run gave: its output, its exit status, and what a JavaScript program returned. */
export class Result {
  readonly exitCode: number;
  readonly stdoutBytes: Uint8Array;
  readonly stderrBytes: Uint8Array;
  /** Output was more than outputBytes: what came later is lost. */
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /** What a JavaScript program returned; undefined for a shell's. */
  readonly value: unknown;
  /** "cpu_seconds", "wall_seconds", "memory_bytes" or "processes", when that ended the run. */
  readonly limit: string | undefined;
  /** The session's shell or Python was killed with it; the next run starts a new one. */
  readonly sessionLost: boolean;
  /** It is gone, also by its own `exit`. */
  readonly sessionEnded: boolean;
  readonly usage: Usage;

  constructor(outcome: Outcome) {
    this.exitCode = outcome.exitCode;
    this.stdoutBytes = outcome.stdout;
    this.stderrBytes = outcome.stderr;
    this.stdoutTruncated = outcome.stdoutTruncated;
    this.stderrTruncated = outcome.stderrTruncated;
    this.value = outcome.value ? parseExact(text(outcome.value)) : undefined;
    this.limit = outcome.limit;
    this.sessionLost = outcome.sessionLost;
    this.sessionEnded = outcome.sessionEnded;
    this.usage = {
      cpuMs: outcome.cpuNs / 1e6,
      wallMs: outcome.wallNs / 1e6,
      memoryBytes: outcome.memoryBytes,
      toolCalls: outcome.toolCalls,
    };
  }

  get ok(): boolean {
    return this.exitCode === 0;
  }

  /** Output as text; what is not UTF-8 is replaced. */
  get stdout(): string {
    return text(this.stdoutBytes);
  }

  get stderr(): string {
    return text(this.stderrBytes);
  }
}
