/*
 * machine/fork.ts: a branch: an independent copy of a whole sandbox.
 *
 * Between two acts of the embedder a sandbox is plain bytes and a few counters, so a branch is
 * those, copied.
 */
import { Kernel } from "./kernel.ts";
import { Machine } from "./machine.ts";
import { judgeAgain } from "./rejudge.ts";

/**
 * As host/machine/fork.c: 31 bits that follow from those of the parent and from its branches so
 * far.
 */
function firstId(parent: Machine): bigint {
  const mask = (1n << 64n) - 1n;
  parent.forks++;
  let x = ((((parent.nextCall >> 32n) << 32n) | parent.forks) + 0x9e3779b97f4a7c15n) & mask;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
  x = (x ^ (x >> 31n)) >> 33n;
  return ((x || 1n) << 32n) | 1n;
}

/**
 * `seed`: what the branch's random numbers start from; undefined: those of the parent go on. `twin`:
 * it does not know that it is a branch, and has the same ids. `share`: both spend from the same budgets.
 */
export function fork(
  parent: Machine,
  seed: Uint8Array | undefined,
  { twin = false, share = false }: { twin?: boolean; share?: boolean } = {},
): Machine {
  const branch = Machine.like({
    images: parent.images,
    limits: parent.ownLimits,
    env: parent.env,
    envChanged: false,
    gate: parent.gate.copy(share),
    clock: parent.clockFixed ? parent.realtimeBase : undefined,
    seed: new Uint8Array(0),
    seedFixed: parent.seedFixed,
  });
  branch.limits = parent.limits;
  branch.run = parent.run.copy();
  branch.nextCall = twin ? parent.nextCall : firstId(parent);
  branch.forks = twin ? parent.forks : 0n;
  branch.monotonicNs = parent.monotonicNs;
  branch.clockOrigin = parent.clockOrigin;
  branch.realtimeBase = parent.realtimeBase;
  branch.deadlineNs = parent.deadlineNs;
  branch.sessions = parent.sessions;
  branch.toolFiles = parent.toolFiles;
  branch.mounts = parent.mounts?.fork();
  branch.stirred = parent.stirred;
  branch.adopt(new Kernel(parent.kernel.instance.copy(), parent.kernel.mailbox));
  parent.procs.forEach((instance, proc) => {
    if (!instance) return;
    const copy = instance.copy(branch.trampoline);
    copy.ofSession = instance.ofSession;
    branch.adoptProcess(copy, proc);
  });
  branch.calls = parent.calls.map((call) => {
    branch.used += call.charged;
    return twin ? { ...call } : { ...call, id: branch.nextCall++ };
  });
  branch.peak = branch.used;
  if (seed) branch.host("HOST_SEED", [], seed);
  if (share) judgeAgain(branch, false);
  return branch;
}
