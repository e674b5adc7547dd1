/*
 * machine/machine.ts: one sandbox: a kernel, its processes, the run that is on, the calls that wait
 * for the embedder. What host/machine/machine.h is to the native library.
 *
 * The machine knows no files, pipes or shells. It runs one instance until it blocks or ends,
 * carries its message to the kernel, asks the kernel who runs next, and hands out tool calls.
 * Everything here is synchronous; drive.ts waits where a thread would.
 *
 * Files: loop.ts (who runs) trampoline.ts (messages from programs) kernel.ts (messages to the
 * kernel) run.ts (one run, from start to result) calls.ts (tool calls) files.ts (the embedder's
 * files) exec.ts (what to start) place.ts (a run's own cwd and environment) fork.ts (a branch)
 * toolfiles.ts (/tools) tape.ts (what is recorded).
 */
import { PF } from "../abi.ts";
import { DeadError, InvalidError, SnapshotError, StateError } from "../base/error.ts";
import type { Gate } from "../capability/gate.ts";
import type { Image, Images } from "../cpu/image.ts";
import { Instance, type Trampoline } from "../cpu/instance.ts";
import { Gone, SIGKILL, SIGSYS } from "../cpu/trap.ts";
import type { Call, Decision } from "./calls.ts";
import { type Arg, Kernel, type KernelEvent } from "./kernel.ts";
import { fill } from "../mount/fill.ts";
import type { Mounts } from "../mount/mounts.ts";
import type { MachineLimits } from "./limits.ts";
import { park } from "./park.ts";
import { writeTools } from "./toolfiles.ts";
import { Run } from "./run.ts";
import { type OpenTape, struck, type Tape } from "./tape.ts";
import { trampoline } from "./trampoline.ts";

/** Ended processes that a sandbox keeps, and the size of their memory above which it does not. */
const SPARE_MAX = 8,
  SPARE_BYTES_MAX = 8 << 20;
/** Of a sandbox's memory, what programs leave to the kernel, whose output could be lost else. */
const RESERVE_MAX = 4 << 20;

/** Between two turns of the event loop. */
export const SLICE_NS = 20e6;

export type Interrupt = "none" | "interrupt" | "stop" | "kill";

/** Nanoseconds that pass on the host, whatever its clock says. */
export function monotonic(): number {
  return Math.round(performance.now() * 1e6);
}

export function realtime(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}

export interface MachineSettings {
  readonly images: Images;
  readonly limits: MachineLimits;
  /** NAME=value of everything that runs. */
  readonly env: readonly string[];
  readonly envChanged: boolean;
  readonly gate: Gate;
  /** Unix time in nanoseconds that a fixed clock starts at. */
  readonly clock: bigint | undefined;
  readonly seed: Uint8Array;
  readonly seedFixed: boolean;
  /** What every JavaScript program runs first: a recording may have one. */
  readonly prelude?: Uint8Array;
  /** Records it, or replays a recording. */
  readonly openTape?: OpenTape;
}

export class Machine {
  readonly images: Images;
  readonly gate: Gate;
  readonly env: readonly string[];
  readonly prelude: Uint8Array | undefined;
  kernel!: Kernel;
  readonly procs: (Instance | undefined)[] = [];
  readonly #spares: Instance[] = [];
  /** In force: with those of the run that is on, or of the last. */
  limits: MachineLimits;
  ownLimits: MachineLimits;
  readonly trampoline: Trampoline = (instance, address) => trampoline(this, instance, address);

  /* Memory. */
  used = 0;
  peak = 0;
  clean = 0;

  /* By the trampoline: why the running program came back, and where it forks to. */
  action: number = PF.ACTION_RETURN;
  forkChild = 0;
  /** Messages, turns and acts so far: see host/machine/tape.h. */
  moment = 0;
  /** Messages until preempts() is asked again. */
  untilLook = 1;
  /** What a portable snapshot did not bring. */
  leftOut: readonly string[] = [];
  /** Host directories. */
  mounts: Mounts | undefined;
  /** What is recorded, or replayed. */
  tape: Tape | undefined;
  /** Somebody looks at it, and it goes on with nothing: a replay. */
  lookOnly = false;

  /* Time. */
  clockFixed: boolean;
  seedFixed: boolean;
  monotonicNs = 0;
  clockOrigin = monotonic();
  realtimeBase: bigint;
  /** Host's monotonic time at which this drive began. */
  enteredNs = 0;
  deadlineNs = 0;
  /** The loop waits for the deadline. */
  asleep = false;
  /** When the loop is to let others of its thread run. */
  pauseAt = Infinity;

  /** Sessions that lived when the guest ran last, a bit for each. */
  sessions = 0;
  interrupt: Interrupt = "none";
  /** Programs that wait on the native stack, the deepest last: park.ts. */
  readonly parked: Instance[] = [];
  /** A program that cannot be loaded at once: what the loop does first when it goes on. */
  loading: KernelEvent | undefined;
  calls: Call[] = [];
  nextCall = 1n;
  forks = 0n;
  run = new Run();
  onDecision: ((decision: Decision) => void) | undefined;
  toolFiles = false;
  /** Calls were refused since the guest ran last: it can go on with that. */
  stirred = false;

  private constructor(settings: MachineSettings) {
    this.images = settings.images;
    this.gate = settings.gate;
    this.env = settings.env;
    this.limits = this.ownLimits = settings.limits;
    this.clockFixed = settings.clock !== undefined;
    this.seedFixed = settings.seedFixed;
    this.realtimeBase = settings.clock ?? realtime();
    this.prelude = settings.prelude;
    this.tape = settings.openTape?.(this);
    if (!this.tape?.replays) return;
    /* A replay looks at each message and behind it. */
    Object.defineProperty(this, "untilLook", { get: () => 1, set: () => {} });
    this.trampoline = (instance, address) =>
      this.#afterCall(trampoline(this, instance, address));
  }

  /**
   * A machine with a booted kernel and a session that waits. load() of both has to have been
   * called.
   */
  static boot(settings: MachineSettings): Machine {
    try {
      return Machine.#boot(settings);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const { memory_bytes, process_memory_bytes } = settings.limits;
      throw new InvalidError(
        `memoryBytes (${memory_bytes}), processMemoryBytes (${process_memory_bytes}) or the host's memory ` +
          "is too small for another sandbox",
      );
    }
  }

  static #boot(settings: MachineSettings): Machine {
    const machine = new Machine(settings);
    const { manifest, kernel, programs } = settings.images;
    machine.adopt(new Kernel(machine.#wake(kernel, "kernel"), manifest.mailbox));
    if (!settings.envChanged) {
      const shell = programs.find((image) => image.info.name === "sh");
      if (shell) {
        const session = machine.#wake(shell, "session");
        session.ofSession = true;
        machine.#place(session, manifest.sessionProc);
      }
    }
    machine.showTime();
    machine.configure();
    machine.host("HOST_SEED", [], settings.seed);
    writeTools(machine);
    /*
     * With another environment the booted session is no use: its successor starts with the first
     * run.
     */
    if (settings.envChanged) machine.host("HOST_KILL", [1]);
    return machine;
  }

  /** A machine without a kernel yet: fork.ts. */
  static like(settings: MachineSettings): Machine {
    return new Machine(settings);
  }

  adopt(kernel: Kernel): void {
    this.kernel = kernel;
    kernel.room = () => Math.max(0, this.limits.memory_bytes - this.used);
    kernel.onFill = () => fill(this);
    this.settle();
  }

  get dead(): boolean {
    return this.kernel.dead !== undefined;
  }

  checkAlive(): void {
    if (this.dead)
      throw new DeadError(`this sandbox was given up: ${this.kernel.dead}; make another`);
  }

  /** Throws where what changes the sandbox could not be recorded. */
  checkRecording(): void {
    if (this.tape?.failed !== undefined)
      throw new StateError(`the recording cannot go on: ${this.tape.failed}`);
  }

  /** Throws where a program is parked, which cannot be copied. */
  refuseParked(): void {
    const parked = this.procs.find((instance) => instance?.parked);
    if (parked)
      throw new StateError(
        `a process (${parked.image.info.name}) is parked in a synchronous wait and cannot be copied or ` +
          "saved; answer or cancel what it waits for, or use the asynchronous form",
      );
  }

  /* ---- the kernel */

  host(
    name: Parameters<Kernel["call"]>[0],
    args: readonly Arg[] = [],
    input?: Uint8Array,
    outCap = 0,
  ): number {
    const result = this.kernel.call(name, args, input, outCap);
    this.settle();
    return result;
  }

  /** Has the kernel more of what was just taken? Asks once. */
  attentionAgain(bits: number): boolean {
    const { attention } = this.kernel;
    this.kernel.attention = attention & ~bits;
    return (attention & bits) !== 0;
  }

  /** Tells the kernel its limits. */
  configure(): void {
    const { limits } = this;
    const block = new DataView(new ArrayBuffer(56));
    const values = [
      limits.filesystem_bytes,
      limits.files,
      limits.processes,
      limits.open_files,
      limits.tool_argument_bytes,
      limits.tool_result_bytes,
      Math.min(limits.memory_bytes / 4, 32 << 20),
    ];
    values.forEach((value, i) =>
      block.setBigUint64(
        8 * i,
        value >= Number.MAX_SAFE_INTEGER ? 2n ** 64n - 1n : BigInt(Math.floor(value)),
        true,
      ),
    );
    if (this.host("HOST_CONFIGURE", [], new Uint8Array(block.buffer)) < 0) {
      this.checkAlive();
      throw new InvalidError("the kernel refuses these limits");
    }
  }

  /* ---- memory */

  settle(): void {
    const { kernel } = this;
    const size = kernel.instance.u8.length,
      clean = kernel.clean;
    if (clean > size) kernel.lose("its kernel counts more clean memory than it has");
    const now = size - Math.min(clean, size);
    this.used += now - kernel.instance.charged;
    kernel.instance.charged = now;
    if (this.used > this.peak) this.peak = this.used;
  }

  /** A program has grown. It dies here if the sandbox has no room for that. */
  charge(instance: Instance): void {
    const more = instance.u8.length - instance.charged;
    if (more <= 0) return;
    this.used += more;
    instance.charged += more;
    if (this.used > this.peak) this.peak = this.used;
    if (this.used <= this.limits.memory_bytes - this.reserve) return;
    this.run.starved = true;
    throw new Gone(SIGKILL);
  }

  get reserve(): number {
    return Math.min(this.limits.memory_bytes / 16, RESERVE_MAX);
  }

  #room(bytes: number): boolean {
    return this.used + bytes <= this.limits.memory_bytes - this.reserve;
  }

  /* ---- instances */

  #wake(image: Image, use: "start" | "kernel" | "session"): Instance {
    const ready = image.ready(use, this.memoryOf(image));
    if (!ready) throw new InvalidError(`${image.info.name} is not loaded`);
    const { module, template } = ready;
    if (image === this.images.kernel) return Instance.wake(image, module, template);
    return Instance.wake(
      image,
      module,
      template,
      this.trampoline,
      this.#spare(image, template.info.size),
    );
  }

  /** An ended process of the image, to be written over: new memory costs more than its copy. */
  #spare(image: Image, size: number): Instance | undefined {
    for (let i = this.#spares.length - 1; i >= 0; i--) {
      const one = this.#spares[i];
      if (one.image === image && one.u8.length <= size) return this.#spares.splice(i, 1)[0];
    }
    return undefined;
  }

  #keep(instance: Instance): void {
    if (!instance.reusable || instance.u8.length > SPARE_BYTES_MAX) return;
    if (this.#spares.length >= SPARE_MAX) this.#spares.shift();
    this.#spares.push(instance);
  }

  /** The bound of its memory. */
  memoryOf(image: Image): number {
    const { memory_bytes, process_memory_bytes } = this.ownLimits;
    return image === this.images.kernel
      ? memory_bytes
      : Math.min(process_memory_bytes, memory_bytes);
  }

  /** A kernel or a process whose pages are about to be written over: snapshot/snapshot.ts. */
  wakeAs(image: Image, use: "start" | "kernel" | "session", size: number): Instance {
    const tooSmall =
      "the snapshot does not fit memoryBytes or processMemoryBytes, or the host has no memory";
    if (image !== this.images.kernel && (size > this.memoryOf(image) || !this.#room(size)))
      throw new SnapshotError(tooSmall);
    try {
      const instance = this.#wake(image, use);
      instance.grow(size);
      return instance;
    } catch (error) {
      throw error instanceof RangeError ? new SnapshotError(tooSmall) : error;
    }
  }

  #place(instance: Instance, proc: number): void {
    instance.proc = proc;
    this.procs[proc] = instance;
    instance.charged = instance.u8.length;
    this.used += instance.charged;
    if (this.used > this.peak) this.peak = this.used;
  }

  drop(proc: number): void {
    const instance = this.procs[proc];
    if (!instance) return;
    this.procs[proc] = undefined;
    this.used -= instance.charged;
    this.#keep(instance);
  }

  /** A fresh process of an image that is loaded; false: there is no memory for it. */
  load(proc: number, image: Image): boolean {
    this.drop(proc);
    const info = image.info.templates.find((one) => one.use === "start");
    if (!info || info.size > this.memoryOf(image) || !this.#room(info.size)) return false;
    try {
      this.#place(this.#wake(image, "start"), proc);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** Copies an unwound process to another index; false: there is no memory for it. */
  copy(parent: Instance, child: number): boolean {
    if (
      child <= 0 ||
      child >= PF.PROCESS_TABLE ||
      this.procs[child] ||
      !this.#room(parent.u8.length)
    )
      return false;
    try {
      this.#place(parent.copy(this.trampoline, this.#spare(parent.image, parent.u8.length)), child);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** Takes over an instance of another machine: fork.ts. */
  adoptProcess(instance: Instance, proc: number): void {
    this.#place(instance, proc);
  }

  park(instance: Instance, address: number): void {
    try {
      park(this, instance, address);
    } catch (error) {
      if (error instanceof Gone && error.signal === SIGSYS)
        this.tape?.unsupported(
          `a program (${instance.image.info.name}) waits in a synchronous call that this host cannot suspend`,
        );
      throw error;
    }
  }

  /* In the recorded run it was ended here: it made no more calls. */
  #afterCall(waits?: void | Promise<void>): void | Promise<void> {
    if (waits) return waits.then(() => this.#afterCall());
    if (struck(this, "cut", false)) throw new Gone(SIGKILL);
  }

  /* ---- time */

  showTime(): void {
    if (this.tape && !this.clockFixed) this.tape.time(this);
    else if (!this.clockFixed)
      this.monotonicNs = Math.max(this.monotonicNs, monotonic() - this.clockOrigin);
    this.kernel.showTime(this.realtimeBase + BigInt(this.monotonicNs), this.monotonicNs);
  }

  /** Is there something for the loop to look at: a limit, or an interrupt? */
  overTime(): boolean {
    if (this.tape?.replays) return true;
    return this.interrupt !== "none" || this.run.strikesAt(monotonic() - this.enteredNs);
  }

  /**
   * Is the program that runs to be cut short for that? With a fixed clock others of this thread
   * wait for the end of its turn, so that equal runs stay equal.
   */
  preempts(): boolean {
    if (this.tape?.replays) return this.tape.strikes(this, "preempt", false);
    const now = monotonic();
    const pause = now >= this.pauseAt && !this.clockFixed;
    /* Below a parked program nobody has a turn: it is a slice of the others' time. */
    if (pause && this.parked.length) this.pauseAt = now + SLICE_NS;
    return struck(
      this,
      "preempt",
      this.interrupt !== "none" || pause || this.run.strikesAt(now - this.enteredNs),
    );
  }
}
