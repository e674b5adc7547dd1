/*
 * machine/drive.ts: drives the guest until it needs the embedder, or the run is over.
 *
 * The loop is synchronous; where a thread would wait, this waits for the event loop instead: for a
 * module that is compiled, for a timer, and every now and then so that others of this thread get
 * their turn.
 */
import { type Machine, monotonic, SLICE_NS } from "./machine.ts";
import { cameBack, spin } from "./loop.ts";

/** The longest that setTimeout() can wait. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Wakes who waits in drive(). */
export class Alarm {
  #wake: (() => void) | undefined;

  ring(): void {
    this.#wake?.();
  }

  /** Until ring(), or for so many milliseconds; Infinity: until ring(). */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        ms === Infinity ? undefined : setTimeout(() => this.#wake?.(), Math.min(ms, TIMER_MAX_MS));
      this.#wake = () => {
        this.#wake = undefined;
        if (timer !== undefined) clearTimeout(timer);
        resolve();
      };
    });
  }
}

/* A message is delivered after what waits already, and not as late as a timer. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

export async function drive(machine: Machine, alarm: Alarm): Promise<void> {
  machine.stirred = machine.asleep = false;
  for (;;) {
    const began = monotonic();
    machine.enteredNs = began;
    machine.pauseAt = began + SLICE_NS;
    let stop = spin(machine);
    while (stop.kind === "enter") {
      const { instance } = stop;
      cameBack(machine, instance, await instance.enter());
      stop = spin(machine);
    }
    const { run } = machine;
    run.wallNs += monotonic() - machine.enteredNs;
    machine.enteredNs = 0;
    switch (stop.kind) {
      case "load":
        await stop.image.load("start", machine.memoryOf(stop.image));
        if (stop.image.info.name === "python") await machine.images.loadLibrary();
        break;
      case "pause":
        await othersTurn();
        break;
      case "sleep": {
        const from = monotonic();
        await alarm.wait(Math.ceil(stop.ns / 1e6));
        const slept = monotonic() - from;
        run.wallNs += slept;
        run.sleptNs += slept;
        break;
      }
      default:
        machine.checkAlive();
        return;
    }
  }
}
