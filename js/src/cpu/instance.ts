/*
 * cpu/instance.ts: one live program or kernel: its linear memory, and how it is entered, unwound
 * and copied.
 *
 * While the host holds a program it is unwound: its C stack lies in its own memory, so its memory
 * and its stack pointer are all of it. The two globals of Asyncify are at rest then, and need no
 * copy.
 */
import type { Image, Template } from "./image.ts";
import { Gone, signalOf } from "./trap.ts";

interface Exports {
  memory: WebAssembly.Memory;
  __stack_pointer: WebAssembly.Global;
  pf_start(): void;
  asyncify_start_unwind(data: number): void;
  asyncify_stop_unwind(): void;
  asyncify_start_rewind(data: number): void;
  asyncify_stop_rewind(): void;
  asyncify_get_state(): number;
  pf_kernel_call(proc: number): number;
  pf_kernel_next(): void;
}

/**
 * What a program's only import does with a message; the machine's trampoline. A promise: the program
 * is suspended until then, which `suspends` has to allow.
 */
export type Trampoline = (instance: Instance, address: number) => void | Promise<void>;

/** How a program came back. */
export type Exit =
  | { how: "unwound" }
  | { how: "parked" }
  | { how: "gone" }
  | { how: "trap"; signal: number }
  | { how: "dead"; error: unknown };

/** The engine's way to suspend native frames: JavaScript Promise Integration. */
interface Suspension {
  readonly Suspending: new (call: (address: number) => void | Promise<void>) => object;
  promising(entry: () => void): () => Promise<void>;
}
const suspension = ("Suspending" in WebAssembly && "promising" in WebAssembly
  ? WebAssembly
  : undefined) as unknown as Suspension | undefined;
/** Programs that call from frames that cannot be unwound: interpreters. */
const PARKING: ReadonlySet<string> = new Set(["js", "python", "python-bare"]);

const PARKED: Exit = { how: "parked" };
const UNWOUND: Exit = { how: "unwound" };
const GONE: Exit = { how: "gone" };

export class Instance {
  readonly image: Image;
  readonly exports: Exports;
  readonly module: WebAssembly.Module;
  readonly asyncify: number;
  u8!: Uint8Array;
  i32!: Int32Array;
  view!: DataView;
  /** Index in the kernel's table; 0 for the kernel. */
  proc = 0;
  /** Started, but its C stack is not back yet. */
  rewinding = false;
  /** It waits on the native stack, in a call that cannot be unwound: it cannot be copied. */
  parked = false;
  /** The engine can suspend it: enter() it, rather than run() it. */
  readonly suspends: boolean;
  /** By enter(), not by run(): it may be suspended now. */
  #entered = false;
  #running: Promise<Exit> | undefined;
  #onPark: () => void = () => {};
  #goOn: (() => void) | undefined;
  /**
   * It began as the session that the build booted, and is the difference from that in a snapshot.
   */
  ofSession = false;
  /** Bytes that its sandbox was charged with. */
  charged = 0;

  private constructor(
    image: Image,
    module: WebAssembly.Module,
    asyncify: number,
    trampoline?: Trampoline,
  ) {
    this.image = image;
    this.module = module;
    this.asyncify = asyncify;
    this.suspends = suspension !== undefined && PARKING.has(image.info.name);
    const call = trampoline && ((address: number) => trampoline(this, address >>> 0));
    const imports =
      call &&
      ({
        pf: { call: suspension && this.suspends ? new suspension.Suspending(call) : call },
      } as WebAssembly.Imports | undefined);
    this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.look();
  }

  /**
   * A process, session or kernel as the build left it; `spare` is one to be written over.
   * RangeError: the engine has no memory.
   */
  static wake(
    image: Image,
    module: WebAssembly.Module,
    template: Template,
    trampoline?: Trampoline,
    spare?: Instance,
  ): Instance {
    const { info, data } = template;
    const made = spare ?? new Instance(image, module, info.asyncify, trampoline);
    made.grow(info.size);
    let at = 0,
      end = info.stackPointer & ~4095;
    for (const { from, to } of info.runs) {
      if (spare && from > end) made.u8.fill(0, end, from);
      made.u8.set(data.subarray(at, at + to - from), from);
      at += to - from;
      end = to;
    }
    if (spare) made.u8.fill(0, end);
    made.exports.__stack_pointer.value = info.stackPointer;
    made.rewinding = info.rewinding;
    made.ofSession = false;
    return made;
  }

  /** A copy of an unwound program or a kernel, in this sandbox or another. */
  copy(trampoline?: Trampoline, spare?: Instance): Instance {
    const made = spare ?? new Instance(this.image, this.module, this.asyncify, trampoline);
    made.grow(this.u8.length);
    const from = this.asyncify ? this.stackFrom() : 0;
    made.u8.set(from ? this.u8.subarray(from) : this.u8, from);
    made.exports.__stack_pointer.value = this.exports.__stack_pointer.value;
    made.rewinding = this.rewinding;
    made.ofSession = false;
    return made;
  }

  /** Can it be written over by another process of its sandbox? */
  get reusable(): boolean {
    if (this.moved) this.look();
    return !this.parked && this.exports.asyncify_get_state() === 0;
  }

  /** Below this address of its C stack nothing means anything. */
  stackFrom(): number {
    const sp = (this.exports.__stack_pointer.value as number) & ~15;
    return sp > 0 && sp <= this.image.info.stack ? sp : 0;
  }

  /** Lets its memory have `size` bytes. RangeError: the engine has none, or the module's bound. */
  grow(size: number): void {
    const more = (size - this.u8.length) / 65536;
    if (more > 0) {
      this.exports.memory.grow(more);
      this.look();
    }
  }

  /** After the program or the kernel ran: its memory may be another one. */
  look(): void {
    const buffer = this.exports.memory.buffer;
    this.u8 = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.view = new DataView(buffer);
  }

  get moved(): boolean {
    return this.u8.length === 0;
  }

  /**
   * Is the Asyncify stack as Asyncify's own functions demand? A program can write there what it
   * likes.
   */
  get sound(): boolean {
    if (this.moved) this.look();
    const current = this.view.getUint32(this.asyncify, true);
    return current <= this.view.getUint32(this.asyncify + 4, true);
  }

  /** Starts unwinding: for the trampoline, which then returns into the program. */
  unwind(): void {
    this.exports.asyncify_start_unwind(this.asyncify);
  }

  /** The program is back where it made its call. */
  rewound(): void {
    this.exports.asyncify_stop_rewind();
    this.rewinding = false;
  }

  /** Runs the program until it waits, ends or faults. */
  run(): Exit {
    try {
      if (this.rewinding) this.exports.asyncify_start_rewind(this.asyncify);
      this.exports.pf_start();
      return this.#unwound();
    } catch (error) {
      return exitOf(error);
    }
  }

  #unwound(): Exit {
    if (!this.sound) return { how: "trap", signal: 11 };
    this.exports.asyncify_stop_unwind();
    this.rewinding = true;
    return UNWOUND;
  }

  async #runSuspendable(): Promise<Exit> {
    try {
      if (this.rewinding) this.exports.asyncify_start_rewind(this.asyncify);
      await suspension?.promising(this.exports.pf_start)();
      return this.#unwound();
    } catch (error) {
      return exitOf(error);
    }
  }

  /** As run(), of a program that may be suspended: also goes on with one that is. */
  async enter(): Promise<Exit> {
    const parked = new Promise<Exit>((resolve) => (this.#onPark = () => resolve(PARKED)));
    const goOn = this.#goOn;
    this.#goOn = undefined;
    this.parked = false;
    this.#entered = true;
    if (goOn) goOn();
    else this.#running = this.#runSuspendable();
    try {
      return await Promise.race([this.#running as Promise<Exit>, parked]);
    } finally {
      this.#entered = false;
    }
  }

  /** For the trampoline: suspended until the next enter(); undefined: it cannot be now. */
  suspend(): Promise<void> | undefined {
    if (!this.#entered) return undefined;
    this.parked = true;
    this.#onPark();
    return new Promise((resolve) => (this.#goOn = resolve));
  }

  /** It was suspended by suspend(), and no frames lie on it. */
  get suspended(): boolean {
    return this.#goOn !== undefined;
  }
}

function exitOf(error: unknown): Exit {
  if (error instanceof Gone) {
    if (error.signal) return { how: "trap", signal: error.signal };
    return error.kernel ? { how: "dead", error: error.kernel } : GONE;
  }
  const signal = signalOf(error);
  return signal ? { how: "trap", signal } : { how: "dead", error };
}
