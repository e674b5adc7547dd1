/* cpu/trap.ts: how a program leaves the engine other than by returning. */

/** Thrown by the trampoline through a program's frames, which are abandoned. */
export class Gone {
  /** A signal that the program dies of; 0: it ended by itself. */
  readonly signal: number;
  /** What the kernel died of, if that is why. */
  readonly kernel: unknown;
  constructor(signal = 0, kernel?: unknown) {
    this.signal = signal;
    this.kernel = kernel;
  }
}

export const SIGABRT = 6,
  SIGFPE = 8,
  SIGKILL = 9,
  SIGSEGV = 11,
  SIGINT = 2,
  SIGSYS = 31;

/**
 * The signal that a fault of a program is, as host/cpu/wasm_rt.c has it; 0: it is none of a
 * program's.
 */
export function signalOf(error: unknown): number {
  if (error instanceof RangeError || (error instanceof Error && error.name === "InternalError"))
    return SIGSEGV;
  if (!(error instanceof WebAssembly.RuntimeError)) return 0;
  const message = error.message;
  if (/unreachable/i.test(message)) return SIGABRT;
  if (
    /divi|remainder|zero|overflow|unrepresentable|truncat|float|NaN/i.test(message) &&
    !/stack/i.test(message)
  )
    return SIGFPE;
  return SIGSEGV;
}
