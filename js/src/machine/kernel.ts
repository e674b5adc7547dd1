/*
 * machine/kernel.ts: the host's own messages to the kernel, as process 0.
 *
 * If the kernel faults, the sandbox is lost and says so. Every number that it returns is checked as
 * if an attacker had written it.
 */
import { CALL, ERRNO, LAYOUT, PF } from "../abi.ts";
import { InvalidError } from "../base/error.ts";
import { Instance } from "../cpu/instance.ts";

export type CallName = keyof typeof CALL;
/** Of a message; what a double cannot hold is a bigint. */
export type Arg = number | bigint;

export interface KernelEvent {
  readonly kind: number;
  readonly proc: number;
  readonly pid: number;
  readonly image: number;
  /** Monotonic nanoseconds; Infinity: no timer. */
  readonly deadline: number;
}

const M = LAYOUT.message,
  B = LAYOUT.mailbox;
const TWO32 = 4294967296;
/** One path needs at most two fills for each of its names, and for each link on it. */
const FILLS_MAX = 65536;
const NONE = new Uint8Array(0);

export class Kernel {
  readonly instance: Instance;
  readonly mailbox: number;
  readonly inArea: number;
  readonly inCap: number;
  /** Why it is lost, once it is. */
  dead: string | undefined;
  /** Called when a call needs what is absent; it has to be filled in, or refused. */
  onFill: () => void = () => {};
  /** Called before each entry: how many bytes the sandbox may still use. */
  room: () => number = () => 0;

  constructor(instance: Instance, mailbox: number) {
    this.instance = instance;
    this.mailbox = mailbox;
    const size = instance.u8.length;
    if (mailbox % 8 !== 0 || mailbox + B.SIZE > size)
      throw new InvalidError("the kernel's mailbox is nowhere");
    this.inArea = instance.view.getUint32(mailbox + B.in_area, true);
    this.inCap = instance.view.getUint32(mailbox + B.in_cap, true);
    if (this.inArea + this.inCap > size || this.inCap < PF.MESSAGE_IN_MAX)
      throw new InvalidError("the kernel's input area is nowhere");
  }

  lose(why: string): void {
    this.dead ??= why;
  }

  /** It faulted, or ended in the middle of a call. */
  fault(error: unknown): void {
    this.lose(`its kernel faulted (${String(error)})`);
  }

  word(at: number): number {
    return this.instance.view.getUint32(this.mailbox + at, true);
  }

  setWord(at: number, value: number): void {
    this.instance.view.setUint32(this.mailbox + at, value, true);
  }

  get attention(): number {
    return this.word(B.attention);
  }

  set attention(bits: number) {
    this.setWord(B.attention, bits);
  }

  preempt(): void {
    this.setWord(B.preempt, 1);
  }

  showTime(realtime: bigint, monotonic: number): void {
    const { view } = this.instance;
    view.setBigInt64(this.mailbox + B.realtime_ns, BigInt.asIntN(64, realtime), true);
    view.setUint32(this.mailbox + B.monotonic_ns, monotonic % TWO32, true);
    view.setInt32(this.mailbox + B.monotonic_ns + 4, Math.floor(monotonic / TWO32), true);
  }

  showRoom(): void {
    const room = this.room();
    this.setWord(B.room, room % TWO32);
    this.setWord(B.room + 4, Math.floor(room / TWO32));
  }

  /** What leaves nothing behind: the room that is shown afterwards is that of the call before. */
  keepingRoom(act: () => void): void {
    const room = [this.word(B.room), this.word(B.room + 4)];
    try {
      act();
    } finally {
      this.setWord(B.room, room[0]);
      this.setWord(B.room + 4, room[1]);
    }
  }

  /** Bytes of its memory that hold nothing. */
  get clean(): number {
    return this.word(B.clean) + this.word(B.clean + 4) * TWO32;
  }

  /**
   * Handles the message in the mailbox for a process: an action of abi/message.h. Throws what the
   * kernel faulted with; it is lost then.
   */
  enter(proc: number): number {
    const { instance } = this;
    this.showRoom();
    try {
      const action = instance.exports.pf_kernel_call(proc);
      if (instance.moved) instance.look();
      return action;
    } catch (error) {
      this.fault(error);
      throw error;
    }
  }

  #say(number: number, args: readonly Arg[], input: Uint8Array, outCap: number): number {
    const { view, u8 } = this.instance;
    const at = this.mailbox;
    u8.fill(0, at, at + M.SIZE);
    view.setUint32(at + M.call, number, true);
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (typeof arg === "bigint") {
        view.setBigInt64(at + M.arg + 8 * i, arg, true);
        continue;
      }
      view.setUint32(at + M.arg + 8 * i, arg % TWO32, true);
      view.setInt32(at + M.arg + 8 * i + 4, Math.floor(arg / TWO32), true);
    }
    view.setUint32(at + M.in, this.inArea, true);
    view.setUint32(at + M.in_len, input.length, true);
    view.setUint32(at + M.out_cap, outCap, true);
    u8.set(input, this.inArea);
    return this.enter(0);
  }

  /** What the last call() wrote. A copy of it is the caller's to make. */
  out: Uint8Array = NONE;

  /** The kernel's result; -EIO when it is lost. */
  call(name: CallName, args: readonly Arg[] = [], input: Uint8Array = NONE, outCap = 0): number {
    this.out = NONE;
    if (this.dead) return -ERRNO.EIO;
    if (input.length > this.inCap) return -ERRNO.E2BIG;
    try {
      for (let fills = 0; ; fills++) {
        const action = this.#say(CALL[name], args, input, outCap);
        if (action === PF.ACTION_RETURN) break;
        const wants = this.attention & PF.ATTENTION_FILL;
        if (action !== PF.ACTION_BLOCK || !wants || fills === FILLS_MAX) return -ERRNO.EAGAIN;
        this.onFill();
        if (this.dead) return -ERRNO.EIO;
      }
    } catch {
      return -ERRNO.EIO;
    }
    const { view, u8 } = this.instance;
    const len = this.word(M.out_len),
      from = this.word(M.out);
    if (len > outCap || from + len > u8.length) {
      this.lose("its kernel answered with bytes that it has not");
      return -ERRNO.EIO;
    }
    this.out = u8.subarray(from, from + len);
    const at = this.mailbox + M.result;
    return view.getUint32(at, true) + view.getInt32(at + 4, true) * TWO32;
  }

  /** Lets it choose what happens next; undefined: it is lost. */
  next(): KernelEvent | undefined {
    if (this.dead) return undefined;
    this.showRoom();
    try {
      this.instance.exports.pf_kernel_next();
    } catch (error) {
      this.fault(error);
      return undefined;
    }
    if (this.instance.moved) this.instance.look();
    const at = B.event,
      E = LAYOUT.event;
    const kind = this.word(at + E.kind),
      proc = this.word(at + E.proc);
    if (kind !== PF.EVENT_IDLE && (proc === 0 || proc >= PF.PROCESS_TABLE)) {
      this.lose("its kernel named a process that cannot be");
      return undefined;
    }
    const low = this.word(at + E.deadline_ns),
      high = this.word(at + E.deadline_ns + 4) | 0;
    const deadline = high === 0x7fffffff ? Infinity : Math.max(0, low + high * TWO32);
    return {
      kind,
      proc,
      pid: this.word(at + E.pid) | 0,
      image: this.word(at + E.image) | 0,
      deadline,
    };
  }
}
