/*
 * snapshot/snapshot.ts: a sandbox as bytes, and back, in the native library's format:
 * docs/snapshot.md.
 *
 * It is data, never authority: tools, capabilities and limits come from the embedder at restore.
 */
import { PF } from "../abi.ts";
import { Buffer, latin, text, unlatin } from "../base/bytes.ts";
import { SnapshotError, StateError } from "../base/error.ts";
import type { Image, Template } from "../cpu/image.ts";
import type { Instance } from "../cpu/instance.ts";
import { callBytes } from "../machine/calls.ts";
import { Kernel } from "../machine/kernel.ts";
import { Machine, type MachineSettings } from "../machine/machine.ts";
import { judgeAgain } from "../machine/rejudge.ts";
import { Run } from "../machine/run.ts";
import { forgetTools, writeTools } from "../machine/toolfiles.ts";
import { Reader, Writer } from "./codec.ts";
import { type Entry, Mount, type MountRequest, Mounts } from "../mount/mounts.ts";
import { attachMounts } from "../mount/place.ts";
import { putFiles } from "./filemap.ts";
import type { Frame } from "./frame.ts";
import { deadOf, getInstance, putInstance } from "./memory.ts";

const LIMIT_NAMES = [undefined, "cpu_seconds", "wall_seconds"];
const BASE_IMAGE = 0,
  BASE_SESSION = 1;
const TICK_NS = 1e7,
  FOREVER = 2n ** 63n - 1n,
  GRACE_NS = 250e6;

/** Of a mount's file: host/mount/digest.c. */
const MOUNT_DIGEST = 24;
/** Behind the list of files: SNAPSHOT_TRAILER of host/snapshot/filemap.h. */
const TRAILER = 16;

/* ---- writing */

function putRun(w: Writer, machine: Machine): void {
  const { run } = machine;
  const limit = run.on
    ? Math.max(0, LIMIT_NAMES.indexOf(run.limit))
    : Math.max(0, LIMIT_NAMES.indexOf(run.limit));
  w.u32(
    Number(run.on) |
      (Number(run.foregroundDone) << 1) |
      (Number(run.stdinOpen) << 2) |
      (Number(run.truncated[0]) << 3) |
      (Number(run.truncated[1]) << 4) |
      (run.session << 5),
  );
  w.u32(run.on && run.stage === "interrupted" ? 1 : 0);
  w.u32(limit);
  const fixed = (machine.clockFixed && machine.seedFixed) || machine.tape?.replays === true;
  const measured = run.on && !fixed;
  const cpu = run.wallNs - run.sleptNs;
  w.u32(measured ? Math.round(cpu / TICK_NS) : 0);
  w.u64(measured ? Math.round(run.wallNs) : 0);
  w.u64(measured ? Math.round(cpu) : 0);
  w.u64(run.toolCalls);
  w.u64(run.asked);
  w.bytes(run.input.subarray(run.inputAt));
  w.bytes(run.output[0].bytes);
  w.bytes(run.output[1].bytes);
  w.bytes(run.value.bytes);
}

function putCalls(w: Writer, machine: Machine): void {
  w.u32(machine.calls.length);
  for (const call of machine.calls) {
    w.u64(call.id);
    w.u32(call.op);
    w.u32(Number(call.handedOut));
    w.u32(call.capability);
    w.text(call.method);
    w.text(call.name);
    w.text(call.params);
  }
}

function templateOf(machine: Machine, image: Image, use: "start" | "kernel" | "session"): Template {
  const ready = image.ready(use, machine.memoryOf(image));
  if (!ready) throw new StateError(`${image.info.name} is not loaded`);
  return ready.template;
}

function putProcesses(w: Writer, machine: Machine): void {
  const live = [...machine.procs.entries()].filter(
    (pair): pair is [number, Instance] => pair[1] !== undefined,
  );
  w.u32(live.length);
  for (const [proc, instance] of live) {
    w.u32(proc);
    w.u32(instance.ofSession ? BASE_SESSION : BASE_IMAGE);
    w.text(instance.image.info.name);
    putInstance(
      w,
      instance,
      templateOf(machine, instance.image, instance.ofSession ? "session" : "start"),
      [],
    );
  }
}

/** The images of which a snapshot needs the template that programs start from. */
export async function loadBases(machine: Machine): Promise<void> {
  for (const instance of machine.procs)
    if (instance && !instance.ofSession)
      await instance.image.load("start", machine.memoryOf(instance.image));
}

function putMounts(w: Writer, machine: Machine): void {
  const items = machine.mounts?.items ?? [];
  w.u32(items.length);
  for (const mount of items) {
    w.text(mount.guest);
    w.u32(Number(mount.copy));
    w.u32(mount.entries.size);
    for (const [path, entry] of mount.sorted()) {
      w.bytes(unlatin(path));
      w.u32(entry.kind.charCodeAt(0));
      w.u32(entry.mode);
      w.u32(Number(entry.digest !== undefined));
      w.out.add(entry.digest ?? new Uint8Array(MOUNT_DIGEST));
    }
  }
}

/** For who is of another build; then where kernel and list begin, counted from the end. */
function putFileList(w: Writer, machine: Machine, kernelAt: number): void {
  const filesAt = w.out.length;
  putFiles(w, machine, templateOf(machine, machine.images.kernel, "kernel"));
  const end = w.out.length + TRAILER;
  w.u64(end - kernelAt);
  w.u64(end - filesAt);
}

/** The contents, before frame.ts wraps them. */
export function save(machine: Machine): Uint8Array {
  const w = new Writer();
  w.u32(
    Number(machine.clockFixed) |
      (Number(machine.seedFixed) << 1) |
      (Number(machine.toolFiles) << 2),
  );
  w.u64(machine.monotonicNs);
  w.u64(machine.realtimeBase);
  w.u64(machine.deadlineNs === Infinity ? FOREVER : machine.deadlineNs);
  w.u32(machine.sessions);
  w.u64(machine.nextCall);
  w.u64(machine.forks);
  putRun(w, machine);
  putCalls(w, machine);
  w.text(machine.gate.counters());
  const kernelAt = w.out.length;
  putInstance(
    w,
    machine.kernel.instance,
    templateOf(machine, machine.images.kernel, "kernel"),
    deadOf(machine.kernel),
  );
  putProcesses(w, machine);
  putMounts(w, machine);
  putFileList(w, machine, kernelAt);
  return w.out.bytes;
}

/* ---- reading */

function bufferOf(bytes: Uint8Array): Buffer {
  const buffer = new Buffer();
  buffer.add(bytes);
  return buffer;
}

function getState(r: Reader, machine: Machine): void {
  const flags = r.u32();
  const monotonic = r.number(),
    base = r.u64(),
    deadline = r.u64();
  machine.sessions = r.u32();
  machine.nextCall = r.u64();
  machine.forks = r.u64();
  r.demand(
    flags <= 7 && machine.sessions >> PF.SESSIONS === 0 && (machine.nextCall & 0xffffffffn) !== 0n,
  );
  r.demand(monotonic <= Number.MAX_SAFE_INTEGER && deadline <= FOREVER);
  machine.seedFixed = (flags & 2) !== 0;
  machine.toolFiles = (flags & 4) !== 0;
  machine.monotonicNs = monotonic;
  machine.deadlineNs = deadline === FOREVER ? Infinity : Number(deadline);
  if (flags & 1) {
    machine.clockFixed = true;
    machine.realtimeBase = BigInt.asIntN(64, base);
  } else {
    machine.realtimeBase -= BigInt(monotonic);
    machine.clockOrigin -= monotonic;
  }
}

function getRun(r: Reader, machine: Machine): void {
  const run = new Run(),
    { limits } = machine;
  const flags = r.u32(),
    stage = r.u32(),
    limit = r.u32();
  run.on = (flags & 1) !== 0;
  run.foregroundDone = (flags & 2) !== 0;
  run.stdinOpen = (flags & 4) !== 0;
  run.truncated = [(flags & 8) !== 0, (flags & 16) !== 0];
  run.session = flags >>> 5;
  r.demand(run.session <= PF.SESSIONS && stage <= 1 && limit <= 2);
  run.limit = LIMIT_NAMES[limit];
  run.stage = stage ? "interrupted" : "running";
  r.u32(); /* ticks: the CPU time below is more exact */
  run.wallNs = Math.min(r.number(), Number.MAX_SAFE_INTEGER / 4);
  run.sleptNs = Math.max(0, run.wallNs - r.number());
  run.toolCalls = r.number();
  run.asked = r.number();
  run.input = r.bytes().slice();
  run.output = [bufferOf(r.bytes()), bufferOf(r.bytes())];
  run.value = bufferOf(r.bytes());
  run.fit(limits);
  if (run.input.length > limits.stdin_bytes)
    throw new SnapshotError(
      `the run of the snapshot has ${run.input.length} bytes of stdin left, more than the limit stdinBytes (${limits.stdin_bytes})`,
    );
  const ended = run.stage === "interrupted";
  run.stopWallNs = ended ? run.wallNs + GRACE_NS : limits.wall_ms * 1e6;
  run.stopCpuNs = ended ? run.wallNs - run.sleptNs + GRACE_NS : limits.cpu_ms * 1e6;
  machine.run = run;
}

function getCalls(r: Reader, machine: Machine): void {
  const count = r.u32(),
    ops = new Set<number>();
  r.demand(count <= PF.OPS_MAX);
  let last = 0n;
  for (let i = 0; i < count; i++) {
    const id = r.u64(),
      op = r.u32(),
      handedOut = r.u32() !== 0,
      capability = r.u32() | 0;
    const method = r.text(),
      name = r.text(),
      params = r.text();
    const branch = machine.nextCall >> 32n;
    r.demand(
      (id & 0xffffffffn) !== 0n && id >> 32n === branch && id < machine.nextCall && id > last,
    );
    r.demand(!ops.has(op) && capability >= 0);
    ops.add(op);
    last = id;
    const charged = callBytes(params.length);
    machine.used += charged;
    machine.calls.push({ id, op, method, name, params, capability, ask: true, charged, handedOut });
  }
}

async function getKernel(r: Reader, machine: Machine): Promise<void> {
  const { images } = machine,
    { kernel } = images;
  await kernel.load("kernel", machine.memoryOf(kernel));
  const base = templateOf(machine, kernel, "kernel");
  const instance = getInstance(r, base, (size) => machine.wakeAs(kernel, "kernel", size));
  machine.adopt(new Kernel(instance, images.manifest.mailbox));
}

async function getProcesses(r: Reader, machine: Machine): Promise<void> {
  for (let count = r.u32(); count > 0; count--) {
    const proc = r.u32(),
      base = r.u32(),
      name = r.text();
    const image = machine.images.programs.find((one) => one.info.name === name);
    r.demand(base <= BASE_SESSION && proc > 0 && proc < PF.PROCESS_TABLE && !machine.procs[proc]);
    const use = base === BASE_SESSION ? "session" : "start";
    if (!image || !image.info.templates.some((one) => one.use === use)) return r.bad();
    await image.load(use, machine.memoryOf(image));
    if (name === "python") await machine.images.loadLibrary();
    const instance = getInstance(r, templateOf(machine, image, use), (size) =>
      machine.wakeAs(image, use, size),
    );
    instance.ofSession = use === "session";
    machine.adoptProcess(instance, proc);
    if (machine.used > machine.limits.memory_bytes)
      throw new SnapshotError("the snapshot does not fit memoryBytes");
  }
}

const KINDS: ReadonlyMap<number, Entry["kind"]> = new Map(
  (["d", "f", "l"] as const).map((kind) => [kind.charCodeAt(0), kind]),
);

function getMount(r: Reader): Mount {
  const guest = r.text(),
    copy = r.u32() !== 0,
    mount = new Mount(guest, copy);
  let last: string | undefined;
  for (let count = r.u32(); count > 0; count--) {
    const path = latin(r.bytes());
    const kind = KINDS.get(r.u32()),
      mode = r.u32(),
      has = r.u32(),
      digest = r.raw(MOUNT_DIGEST).slice();
    if (!kind || has > 1 || (last !== undefined && path <= last)) return r.bad();
    mount.entries.set(path, { kind, mode, digest: has ? digest : undefined });
    last = path;
  }
  return mount;
}

function getMounts(r: Reader, frame: Frame): Mounts | undefined {
  const items: Mount[] = [];
  for (let count = r.u32(); count > 0; count--) items.push(getMount(r));
  return items.length ? new Mounts(frame, items) : undefined;
}

/** More than the contents of any snapshot that these limits would let live. */
export function mostBytes(machine: MachineSettings): number {
  const { memory_bytes, stdin_bytes, output_bytes, tool_result_bytes } = machine.limits;
  return (64 << 20) + memory_bytes + stdin_bytes + 2 * output_bytes + tool_result_bytes;
}

/**
 * A machine that goes on where the contents were written. Its random numbers start anew, unless they
 * were fixed or are to be the `same`. `mounts`: the directories of its mounts again, or those of a
 * branch's trunk.
 */
export async function load(
  contents: Uint8Array,
  settings: MachineSettings,
  frame: Frame,
  mounts: readonly MountRequest[] | Mounts = [],
  same = false,
): Promise<Machine> {
  const machine = Machine.like(settings),
    r = new Reader(contents);
  getState(r, machine);
  getRun(r, machine);
  getCalls(r, machine);
  const map = machine.gate.loadCounters(text(r.bytes()));
  machine.calls = machine.calls.map((call) => ({
    ...call,
    capability: map[call.capability] ?? -1,
  }));
  await getKernel(r, machine);
  await getProcesses(r, machine);
  machine.mounts = getMounts(r, frame);
  r.skipRest(TRAILER); /* the list of files is for other builds */
  machine.showTime();
  machine.configure();
  if (mounts instanceof Mounts) machine.mounts = mounts;
  else attachMounts(machine, mounts, machine.tape?.replays === true);
  if (!machine.seedFixed && !same) machine.host("HOST_SEED", [], settings.seed);
  if (machine.toolFiles) forgetTools(machine);
  writeTools(machine);
  judgeAgain(machine);
  machine.checkAlive();
  return machine;
}
