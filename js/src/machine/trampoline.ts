/*
 * machine/trampoline.ts: a program's only way out.
 *
 * Copies one message between two memories and calls the kernel; interprets nothing. It runs on the
 * program's stack: what it throws goes through the program's frames, which are abandoned.
 */
import { CALL, ERRNO, LAYOUT, PF } from "../abi.ts";
import type { Instance } from "../cpu/instance.ts";
import { needStackForCall } from "../cpu/stack.ts";
import { Gone, SIGSEGV } from "../cpu/trap.ts";
import type { Machine } from "./machine.ts";
import { parkAside } from "./park.ts";

const M = LAYOUT.message,
  B = LAYOUT.mailbox;
const WORDS = M.SIZE / 4;
const GONE = new Gone();
/** Calls between two looks at the clock. */
const LOOK_EVERY = 32;

/** The kernel's answer, back into the caller's memory. False: the answer is nonsense. */
function deliver(
  machine: Machine,
  instance: Instance,
  address: number,
  out: number,
  outCap: number,
  flags: number,
): boolean {
  const kernel = machine.kernel.instance;
  const at = machine.kernel.mailbox >> 2,
    k = kernel.i32,
    caller = address >> 2;
  const len = k[at + M.out_len / 4] >>> 0;
  if (len) {
    const from = k[at + M.out / 4] >>> 0;
    if (len > outCap || from + len > kernel.u8.length) return false;
    instance.u8.set(kernel.u8.subarray(from, from + len), out);
  }
  const words = instance.i32;
  words[caller + M.out_len / 4] = len;
  words[caller + M.flags / 4] = (flags & 0xff) | (k[at + M.flags / 4] & PF.MSG_SIGNAL);
  words[caller + M.result / 4] = k[at + M.result / 4];
  words[caller + M.result / 4 + 1] = k[at + M.result / 4 + 1];
  return true;
}

/** Puts the caller's message into the kernel's mailbox, and has it handled: an action. */
export function send(machine: Machine, instance: Instance, address: number): number {
  needStackForCall();
  const { kernel } = machine;
  const words = instance.i32,
    caller = address >> 2,
    at = kernel.mailbox >> 2;
  const input = words[caller + M.in / 4] >>> 0,
    inLen = words[caller + M.in_len / 4] >>> 0;
  const k = kernel.instance.i32;
  for (let i = 0; i < WORDS; i++) k[at + i] = words[caller + i];
  k[at + M.in / 4] = kernel.inArea;
  k[at + M.out / 4] = 0;
  k[at + M.out_len / 4] = 0;
  if (inLen) kernel.instance.u8.set(instance.u8.subarray(input, input + inLen), kernel.inArea);
  machine.moment++;
  if (--machine.untilLook <= 0) {
    machine.untilLook = LOOK_EVERY;
    if (machine.preempts()) k[at + B.preempt / 4] = 1;
  }
  if (words[caller] === CALL.CLOCK) machine.showTime();
  let action: number;
  try {
    action = kernel.enter(instance.proc);
  } catch (error) {
    throw new Gone(0, error);
  }
  machine.settle();
  if (kernel.dead) throw new Gone(0, new Error(kernel.dead));
  return action;
}

/** pf.call(address) of a program. */
export function trampoline(
  machine: Machine,
  instance: Instance,
  address: number,
): void | Promise<void> {
  if (instance.moved) {
    instance.look();
    machine.charge(instance);
  }
  if (instance.rewinding) {
    if (!instance.sound) throw new Gone(SIGSEGV);
    instance.rewound();
  }
  const size = instance.u8.length;
  if (address + M.SIZE > size || address % 8 !== 0) throw new Gone(SIGSEGV);
  const words = instance.i32,
    caller = address >> 2;
  const flags = words[caller + M.flags / 4],
    inLen = words[caller + M.in_len / 4] >>> 0;
  const out = words[caller + M.out / 4] >>> 0,
    outCap = words[caller + M.out_cap / 4] >>> 0;
  if (inLen > PF.MESSAGE_IN_MAX) {
    words[caller + M.result / 4] = -ERRNO.E2BIG;
    words[caller + M.result / 4 + 1] = -1;
    words[caller + M.out_len / 4] = 0;
    return;
  }
  if ((words[caller + M.in / 4] >>> 0) + inLen > size || out + outCap > size)
    throw new Gone(SIGSEGV);
  for (;;) {
    const action = send(machine, instance, address);
    if (action === PF.ACTION_RETURN) {
      if (!deliver(machine, instance, address, out, outCap, flags)) {
        machine.kernel.lose("its kernel answered a program with what it has not");
        throw new Gone(0, new Error("a wrong answer"));
      }
      return;
    }
    if (action === PF.ACTION_GONE) throw GONE;
    const unwinds = (flags & PF.MSG_UNWIND) !== 0;
    if (action === PF.ACTION_BLOCK) {
      machine.action = PF.ACTION_BLOCK;
      if (!unwinds) {
        const suspended = parkAside(instance, address);
        if (suspended) return suspended.then(() => trampoline(machine, instance, address));
        machine.park(instance, address);
        continue;
      }
    } else if (action === PF.ACTION_FORK && unwinds) {
      machine.action = PF.ACTION_FORK;
      machine.forkChild = machine.kernel.word(M.arg);
    } else {
      machine.kernel.lose("its kernel answered with an action that cannot be");
      throw new Gone(0, new Error("a wrong action"));
    }
    if (!instance.sound) throw new Gone(SIGSEGV);
    instance.unwind();
    return;
  }
}
