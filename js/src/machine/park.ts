/*
 * machine/park.ts: a program that waits in the middle of a call, on the native stack.
 *
 * The native library gives such a program a stack of its own and switches away. Here the machine's
 * loop runs on top of its frames until the kernel lets it go on. That serves what other programs
 * can bring: a pipe, a child, a file. What only the embedder can bring needs the engine to suspend
 * these frames. Where it can (cpu/instance.ts) interpreters are suspended instead, and wait for
 * anything; where it cannot, such a program ends, with a line that says so.
 */
import { PF } from "../abi.ts";
import type { Instance } from "../cpu/instance.ts";
import { needStackToPark } from "../cpu/stack.ts";
import { Gone, SIGSYS } from "../cpu/trap.ts";
import { spin, type Stop } from "./loop.ts";
import { type Machine, monotonic } from "./machine.ts";
import { tell } from "./run.ts";
import { send } from "./trampoline.ts";

/** Frames of parked programs that lie on one stack. */
const DEPTH_MAX = 8;
const addresses = new WeakMap<Instance, number>();

function refuse(machine: Machine, instance: Instance, what: string): never {
  const name = instance.image.info.name;
  tell(
    machine,
    `pinfold: ${name} waits for ${what} in a synchronous call, which this host cannot suspend; ` +
      "use the asynchronous form\n",
  );
  throw new Gone(SIGSYS);
}

/** Waits, on the thread itself: a page's has no other way than to compute. */
export function sleepInPark(machine: Machine, ms: number): void {
  const began = monotonic();
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  } catch {
    const until = performance.now() + ms;
    while (performance.now() < until);
  }
  machine.run.sleptNs += monotonic() - began;
}

export function park(machine: Machine, instance: Instance, address: number): void {
  if (machine.parked.length >= DEPTH_MAX) refuse(machine, instance, `${DEPTH_MAX} others`);
  needStackToPark();
  addresses.set(instance, address);
  instance.parked = true;
  machine.parked.push(instance);
  try {
    if (machine.kernel.attention & PF.ATTENTION_FILL) machine.kernel.onFill();
    for (;;) {
      const stop: Stop = spin(machine, instance);
      switch (stop.kind) {
        case "resume":
          return;
        case "gone":
          throw new Gone();
        case "dead":
          throw new Gone(0, new Error(machine.kernel.dead));
        case "sleep":
          sleepInPark(machine, Math.min(20, Math.max(0, stop.ns / 1e6)));
          break;
        case "deadlock":
          refuse(machine, instance, "a program that waits for it");
        // eslint-disable-next-line no-fallthrough
        default:
          refuse(machine, instance, "the embedder");
      }
    }
  } finally {
    machine.parked.pop();
    instance.parked = false;
  }
}

/** Lets the engine suspend the program; undefined: its frames stay on this stack. */
export function parkAside(instance: Instance, address: number): Promise<void> | undefined {
  const suspended = instance.suspend();
  if (suspended) addresses.set(instance, address);
  return suspended;
}

/** The kernel lets one go on whose frames others lie on: it has to wait for its turn. */
export function postpone(machine: Machine, instance: Instance): void {
  machine.kernel.preempt();
  const action = send(machine, instance, addresses.get(instance) ?? 0);
  if (action !== PF.ACTION_BLOCK && action !== PF.ACTION_GONE)
    machine.kernel.lose("its kernel answered one that is to wait");
}
