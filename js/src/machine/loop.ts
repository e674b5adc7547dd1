/*
 * machine/loop.ts: the loop that everything runs in.
 *
 * One turn: deal with what the kernel asks attention for, let it choose, run that process until it
 * comes back. It stops where a thread would wait, and says for what; drive.ts waits and calls it
 * again.
 */
import { LAYOUT, PF } from "../abi.ts";
import { SIGABRT, SIGINT, SIGKILL } from "../cpu/trap.ts";
import type { Image } from "../cpu/image.ts";
import type { Exit, Instance } from "../cpu/instance.ts";
import { cancelCalls, takeCalls } from "./calls.ts";
import type { KernelEvent } from "./kernel.ts";
import { type Machine, monotonic } from "./machine.ts";
import { postpone, sleepInPark } from "./park.ts";
import { drainOutput, drainValue, feedStdin, finish, tell } from "./run.ts";
import { replays, struck, tapeProcess } from "./tape.ts";

export type Stop =
  | { kind: "embedder" } /* only an answer can make something happen, or the run is over */
  | { kind: "load"; image: Image }
  | { kind: "enter"; instance: Instance } /* a program that the engine may suspend */
  | { kind: "pause" }
  | { kind: "sleep"; ns: number }
  | { kind: "resume" } /* the parked program that was asked for may go on */
  | { kind: "gone" } /* it was killed */
  | { kind: "deadlock" }
  | { kind: "dead" };

const GRACE_MAX_NS = 250e6,
  GRACE_MIN_NS = 20e6,
  STOP_GRACE_NS = 1e9,
  KILLED_NS = 2e9;
/** A kernel has so many free ranges only if it makes them up. */
const DROPS_MAX = 65536;
/** Turns that only put off a parked program: some are nothing, and then time has to pass. */
const POSTPONED_AT_ONCE = 100;
/** So long nothing else happens, and what the topmost waits for is the one below it. */
const DEADLOCK_NS = 5e9;
const EMBEDDER: Stop = { kind: "embedder" };

/* ---- limits of time */

function askToEnd(machine: Machine, grace: number): void {
  const { run } = machine;
  run.stage = "interrupted";
  run.stopWallNs = run.wallAt(machine) + grace;
  run.stopCpuNs = run.cpuAt(machine) + grace;
  machine.host("HOST_INTERRUPT", [SIGINT]);
}

function killRun(machine: Machine): void {
  const { run } = machine;
  if (run.stage === "killed") return;
  run.stage = "killed";
  run.killedAt = monotonic();
  machine.host("HOST_KILL", [0]);
  cancelCalls(machine, run.limit);
}

function strike(machine: Machine, limit: string, ms: number): void {
  if (machine.run.stage !== "running") {
    killRun(machine);
    return;
  }
  machine.run.limit = limit;
  askToEnd(machine, Math.max(GRACE_MIN_NS, Math.min(GRACE_MAX_NS, (ms * 1e6) / 5)));
  cancelCalls(machine, limit);
}

function stop(machine: Machine): void {
  const { run } = machine;
  if (run.on && run.stage === "running") askToEnd(machine, STOP_GRACE_NS);
  else machine.host("HOST_INTERRUPT", [SIGINT]);
}

/** In the order in which host/machine/loop.c asks: a replay has it from a trace. */
function lookAtStops(machine: Machine): void {
  const came = machine.interrupt,
    { run, limits } = machine;
  const live = !replays(machine);
  machine.interrupt = "none";
  if (struck(machine, "interrupt", came === "interrupt")) machine.host("HOST_INTERRUPT", [SIGINT]);
  if (struck(machine, "stop", came === "stop")) stop(machine);
  if (!run.on && live) return;
  if (struck(machine, "kill", came === "kill")) killRun(machine);
  const cpuOver = live && run.stage !== "killed" && run.cpuAt(machine) >= run.stopCpuNs;
  if (struck(machine, "cpu_limit", cpuOver)) strike(machine, "cpu_seconds", limits.cpu_ms);
  if (!run.on) return;
  if (run.stage === "killed") {
    if (monotonic() - run.killedAt > KILLED_NS)
      machine.kernel.lose("its kernel did not end what was killed");
    return;
  }
  const wallOver = live && run.wallAt(machine) >= run.stopWallNs;
  if (struck(machine, "wall_limit", wallOver)) strike(machine, "wall_seconds", limits.wall_ms);
}

/* ---- one turn */

function dropFreeMemory(machine: Machine): void {
  const S = LAYOUT.kernel_stats,
    { kernel } = machine;
  for (let i = 0; i < DROPS_MAX; i++) {
    if (machine.host("HOST_STATS", [], undefined, S.SIZE) < 0 || kernel.out.length < S.SIZE) return;
    const view = new DataView(kernel.out.buffer, kernel.out.byteOffset, S.SIZE);
    const from = Number(view.getBigUint64(S.trim_offset, true)),
      len = Number(view.getBigUint64(S.trim_len, true));
    if (len === 0) return;
    if (from + len > kernel.instance.u8.length || from % 4096 || len % 4096)
      return kernel.lose("its kernel gave back memory that it has not");
    kernel.instance.u8.fill(0, from, from + len);
  }
}

function attend(machine: Machine, attention: number): void {
  machine.kernel.attention = 0;
  if (attention & PF.ATTENTION_OUTPUT) drainOutput(machine);
  if (attention & PF.ATTENTION_STDIN) feedStdin(machine);
  if (attention & PF.ATTENTION_OP) takeCalls(machine);
  if (attention & PF.ATTENTION_VALUE) drainValue(machine);
  if (attention & PF.ATTENTION_RUN_DONE) machine.run.foregroundDone = true;
  if (attention & PF.ATTENTION_MEMORY) dropFreeMemory(machine);
}

function died(machine: Machine, proc: number, signal: number): void {
  if (machine.action === PF.ACTION_FORK) machine.host("HOST_FORK_DONE", [machine.forkChild, 0]);
  machine.host("HOST_TRAP", [proc, signal]);
}

/** What its coming back means. */
export function cameBack(machine: Machine, instance: Instance, exit: Exit): void {
  const { proc } = instance;
  if (exit.how === "dead")
    return machine.kernel.lose(`a program ended in no known way (${String(exit.error)})`);
  if (machine.kernel.attention & PF.ATTENTION_FILL) machine.kernel.onFill();
  if (exit.how === "trap") return died(machine, proc, exit.signal);
  if (exit.how === "gone" || exit.how === "parked") return;
  if (machine.action === PF.ACTION_FORK) {
    const { forkChild } = machine;
    const ok = machine.copy(instance, forkChild);
    machine.host("HOST_FORK_DONE", [forkChild, ok ? 1 : 0]);
    tapeProcess(machine, "fork", forkChild, 0);
  } else if (machine.action !== PF.ACTION_BLOCK) {
    died(machine, proc, SIGABRT);
  }
}

/** A stop: somebody has to enter() it, and to say that it cameBack(). */
function runProcess(machine: Machine, proc: number, nested: boolean): Stop | undefined {
  const instance = machine.procs[proc];
  if (!instance) {
    machine.kernel.lose("its kernel wanted to run a process that does not exist");
    return undefined;
  }
  machine.action = PF.ACTION_RETURN;
  if (machine.tape?.replays && struck(machine, "cut", false)) {
    cameBack(machine, instance, { how: "trap", signal: SIGKILL });
    return undefined;
  }
  if (instance.suspends && !nested) return { kind: "enter", instance };
  cameBack(machine, instance, instance.run());
  return undefined;
}

/** Who called exec() is gone already, and nobody there can be told why. */
function notLoaded(machine: Machine, event: KernelEvent, name: string, why: string): void {
  tell(machine, `pinfold: a program (${name}) cannot be loaded: ${why}\n`);
  machine.host("HOST_TRAP", [event.proc, SIGKILL]);
}

/** Makes a process of an image, and runs it; a stop: what has to come first. */
function load(machine: Machine, event: KernelEvent, nested: boolean): Stop | undefined {
  const image = machine.images.programs[event.image];
  if (!image) {
    machine.kernel.lose("its kernel asked for a program that does not exist");
    return undefined;
  }
  const bytes = machine.memoryOf(image);
  if (!image.ready("start", bytes)) {
    if (!nested) {
      machine.loading = event;
      return { kind: "load", image };
    }
    const began = monotonic();
    const loaded = image.loadNow("start", bytes);
    machine.enteredNs += monotonic() - began; /* no program computed meanwhile */
    if (loaded) return load(machine, event, nested);
    machine.tape?.unsupported("this host cannot load a program while another one waits");
    notLoaded(
      machine,
      event,
      image.info.name,
      "this host cannot load it while another program waits",
    );
    return undefined;
  }
  if (machine.load(event.proc, image)) return runProcess(machine, event.proc, nested);
  machine.run.starved = true;
  notLoaded(machine, event, image.info.name, "the memory of the sandbox or of its host is used up");
  return undefined;
}

/** Nothing can run. undefined: go on, something may now. */
function idle(machine: Machine, deadline: number): Stop | undefined {
  const { run } = machine;
  machine.deadlineNs = deadline;
  if (!run.on) return EMBEDDER;
  if (run.foregroundDone || run.stage === "killed") {
    if (machine.parked.length === 0) finish(machine);
    return EMBEDDER;
  }
  if (machine.calls.length) return EMBEDDER;
  if (deadline === Infinity) {
    /* Every process waits for something that cannot come: no call, no timer, no input. */
    strike(machine, "wall_seconds", machine.limits.wall_ms);
    return undefined;
  }
  if (machine.clockFixed) {
    machine.monotonicNs = deadline;
    return undefined;
  }
  if (replays(machine)) {
    machine.tape?.wait(machine);
    return undefined;
  }
  machine.asleep = true;
  return asleep(machine);
}

/**
 * What a loop that slept has to do first: to sleep on when it woke for nothing, since its turns are
 * counted.
 */
function asleep(machine: Machine): Stop | undefined {
  if (!machine.asleep) return undefined;
  const { run } = machine;
  const ns = Math.min(
    machine.deadlineNs - (monotonic() - machine.clockOrigin),
    run.stopWallNs - run.wallAt(machine),
  );
  machine.asleep = ns > 0 && machine.interrupt === "none";
  return machine.asleep ? { kind: "sleep", ns } : undefined;
}

/** The beginning of a turn; undefined: the kernel is lost. */
function choose(machine: Machine): KernelEvent | undefined {
  const { kernel } = machine;
  machine.moment++;
  machine.showTime();
  if (machine.overTime()) lookAtStops(machine);
  if (machine.run.on && machine.run.stage === "killed") machine.host("HOST_KILL", [0]);
  const { attention } = kernel;
  if (attention) attend(machine, attention);
  return kernel.next();
}

/**
 * Runs the guest until only somebody else can make something happen; for a parked program: until it
 * may go on.
 */
export function spin(machine: Machine, until?: Instance): Stop {
  const { kernel } = machine;
  let postponedAt = 0;
  for (let postponed = 0; !kernel.dead; ) {
    if (until && machine.procs[until.proc] !== until) return { kind: "gone" };
    if (machine.tape?.ended) return until ? { kind: "gone" } : EMBEDDER;
    const before = machine.loading;
    machine.loading = undefined;
    if (!before) {
      if (!until && monotonic() >= machine.pauseAt) return { kind: "pause" };
      const sleeps = asleep(machine);
      if (sleeps) return sleeps;
    }
    const event = before ?? choose(machine);
    if (!event) break;
    if (event.kind === PF.EVENT_IDLE) {
      const stop = kernel.attention ? undefined : idle(machine, event.deadline);
      if (stop) return stop;
    } else if (event.kind === PF.EVENT_FREE) {
      tapeProcess(machine, "end", event.proc, event.pid);
      machine.drop(event.proc);
    } else if (event.kind === PF.EVENT_LOAD) {
      if (!before) tapeProcess(machine, "exec", event.proc, event.pid);
      const stop = load(machine, event, until !== undefined);
      if (stop) return stop;
    } else if (event.kind === PF.EVENT_RUN) {
      const instance = machine.procs[event.proc];
      if (until && instance === until) return { kind: "resume" };
      if (instance?.parked && (until || !instance.suspended)) {
        if (machine.tape?.postpones(machine) === false) continue;
        postpone(machine, instance);
        if (++postponed === 1) postponedAt = monotonic();
        if (postponed <= POSTPONED_AT_ONCE) continue;
        if (machine.clockFixed || monotonic() - postponedAt > DEADLOCK_NS)
          return { kind: "deadlock" };
        sleepInPark(machine, 1);
        continue;
      }
      postponed = 0;
      const stop = runProcess(machine, event.proc, until !== undefined);
      if (stop) return stop;
    } else {
      kernel.lose("its kernel asked for something that does not exist");
    }
  }
  return { kind: "dead" };
}
