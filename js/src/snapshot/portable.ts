/*
 * snapshot/portable.ts: a sandbox as what any later version takes over: files, the shell's state,
 * Python's names, budgets: host/snapshot/portable.c. docs/snapshot.md is the reference of the parts.
 *
 * The guest says what it holds: a copy of the sandbox is asked, so the original does not notice. At
 * a restore a new sandbox takes that over before anybody may use it: without tools, without time,
 * and within the limits of who restores.
 */
import { LAYOUT } from "../abi.ts";
import { text, utf8 } from "../base/bytes.ts";
import { SnapshotError, StateError } from "../base/error.ts";
import { fork } from "../machine/fork.ts";
import type { MachineLimits } from "../machine/limits.ts";
import { Machine, type MachineSettings } from "../machine/machine.ts";
import { PF } from "../abi.ts";
import { Run } from "../machine/run.ts";
import { Reader, Writer } from "./codec.ts";
import { putFiles } from "./filemap.ts";
import type { Frame } from "./frame.ts";
import { type Answer, askPython, askShell, leftIn, readRecords } from "./guests.ts";
import { putBack } from "./put_back.ts";

/** What asking and handing over may take, and no more than the sandbox's own limits. */
const ASK_MS = 10000;
/** Of memory, besides what the sandbox has. */
const ASK_BYTES = 128 << 20;
/** Of texts that say what was left out. */
const LEFT_BYTES = 64 << 10;
/** Who does not know the part cannot restore the snapshot. */
const NEEDED = 1;
const PARTS = ["INFO", "FILE", "SHEL", "PYTH", "CNTS", "LEFT"] as const;
type Part = (typeof PARTS)[number];

/** No tool can be called, and nothing takes long. */
function setApart(limits: MachineLimits, more = 0): MachineLimits {
  return {
    ...limits,
    memory_bytes: limits.memory_bytes + more,
    tool_calls: 0,
    code_bytes: Infinity,
    cpu_ms: Math.min(limits.cpu_ms, ASK_MS),
    wall_ms: Math.min(limits.wall_ms, ASK_MS),
    tool_result_bytes: limits.memory_bytes,
  };
}

/* ---- writing */

function putPart(w: Writer, part: Part, flags: number, data: Uint8Array): void {
  w.out.add(utf8(part));
  w.u32(flags);
  w.bytes(data);
}

function infoOf(machine: Machine): Uint8Array {
  const w = new Writer();
  w.text(machine.images.manifest.version);
  w.u32(Number(machine.clockFixed) | (Number(machine.seedFixed) << 1));
  w.u64(machine.monotonicNs);
  w.u64(machine.realtimeBase);
  w.u64(machine.nextCall);
  w.u64(machine.forks);
  return w.out.bytes;
}

/** What no guest is asked for. */
function noteLeft(machine: Machine, left: string[]): void {
  const S = LAYOUT.run_state;
  machine.host("HOST_RUN_STATE", [], undefined, S.SIZE);
  const { out } = machine.kernel;
  const background =
    out.length < S.SIZE
      ? 0
      : new DataView(out.buffer, out.byteOffset, S.SIZE).getUint32(S.background, true);
  if (background) left.push(`processes in the background: ${background}`);
  for (const { guest } of machine.mounts?.items ?? [])
    left.push(`the mount, which a restore is given anew, and what was changed below it: ${guest}`);
}

function putSession(w: Writer, part: "SHEL" | "PYTH", answer: Answer, left: string[]): void {
  const records = "records" in answer ? readRecords(answer.records) : undefined;
  if ("records" in answer && records) {
    left.push(...leftIn(records));
    return putPart(w, part, NEEDED, answer.records);
  }
  const why = "why" in answer ? answer.why : "what it says is malformed";
  left.push(`${part === "SHEL" ? "all of the shell's state" : "all of Python's names"}: ${why}`);
}

function textsOf(left: readonly string[]): Uint8Array {
  const w = new Writer();
  for (const one of left) {
    const bytes = utf8(one + "\0");
    if (w.out.length + bytes.length <= LEFT_BYTES) w.out.add(bytes);
  }
  return w.out.bytes;
}

/** The contents, before frame.ts wraps them, and what they do not hold. */
export async function savePortable(
  machine: Machine,
): Promise<{ contents: Uint8Array; left: string[] }> {
  if (machine.run.on)
    throw new StateError(
      "a run is on: a portable snapshot is one of a sandbox that is idle; an exact one holds it",
    );
  const w = new Writer(),
    left: string[] = [],
    twin = fork(machine, undefined, { twin: true });
  noteLeft(twin, left);
  putPart(w, "INFO", NEEDED, infoOf(twin));
  const files = new Writer();
  putFiles(files, twin);
  putPart(w, "FILE", NEEDED, files.out.bytes);
  putPart(w, "CNTS", NEEDED, utf8(twin.gate.counters()));
  const { sessions } = twin;
  twin.limits = twin.ownLimits = setApart(twin.ownLimits, ASK_BYTES);
  twin.configure();
  if (sessions & (1 << PF.SESSION_SHELL)) putSession(w, "SHEL", await askShell(twin), left);
  if (sessions & (1 << PF.SESSION_PYTHON)) {
    if (twin.run.on) left.push("all of Python's names: the shell is busy");
    else putSession(w, "PYTH", await askPython(twin), left);
  }
  putPart(w, "LEFT", 0, textsOf(left));
  return { contents: w.out.bytes, left };
}

/* ---- reading */

function malformed(): never {
  throw new SnapshotError("the portable snapshot is malformed");
}

function partsOf(
  contents: Uint8Array,
  version: string,
  left: string[],
): Partial<Record<Part, Uint8Array>> {
  const parts: Partial<Record<Part, Uint8Array>> = {},
    r = new Reader(contents);
  while (r.left > 0) {
    const name = text(r.raw(4)),
      flags = r.u32(),
      data = r.bytes();
    const part = PARTS.find((one) => one === name);
    const shown = name.replace(/[^A-Z]/g, "?");
    if (part && parts[part]) malformed();
    if (part) parts[part] = data;
    else if (flags & NEEDED)
      throw new SnapshotError(
        `the portable snapshot has a part ${shown}, which this pinfold (${version}) does not know: ` +
          "it needs a later version",
      );
    else left.push(`a part that this version does not know: ${shown}`);
  }
  return parts;
}

interface Info {
  readonly clockFixed: boolean;
  readonly seedFixed: boolean;
  readonly monotonicNs: number;
  readonly realtimeBase: bigint;
  readonly nextCall: bigint;
  readonly forks: bigint;
}

function infoIn(data: Uint8Array): Info {
  const r = new Reader(data);
  r.demand(r.bytes().length <= 100); /* the version, for people */
  const flags = r.u32(),
    monotonicNs = r.number(),
    realtimeBase = BigInt.asIntN(64, r.u64()),
    nextCall = r.u64(),
    forks = r.u64();
  const sound = flags <= 3 && monotonicNs <= Number.MAX_SAFE_INTEGER;
  r.demand(sound && (nextCall & 0xffffffffn) !== 0n);
  r.demand(realtimeBase > -(2n ** 61n) && realtimeBase < 2n ** 61n);
  const [clockFixed, seedFixed] = [(flags & 1) !== 0, (flags & 2) !== 0];
  return { clockFixed, seedFixed, monotonicNs, realtimeBase, nextCall, forks };
}

async function takeSession(
  machine: Machine,
  part: "SHEL" | "PYTH",
  data: Uint8Array | undefined,
  left: string[],
): Promise<void> {
  if (!data) return;
  if (!readRecords(data)) malformed();
  const answer = await (part === "SHEL" ? askShell(machine, data) : askPython(machine, data));
  const python = part === "PYTH";
  if (machine.run.on)
    throw new SnapshotError(
      `the snapshot's ${python ? "Python" : "shell"} does not come to rest`,
    );
  if ("why" in answer) {
    left.push(`${python ? "all of Python's names" : "all of the shell's state"}: ${answer.why}`);
    return;
  }
  left.push(...leftIn(readRecords(answer.records) ?? malformed()));
}

/** With the time of the snapshot, which stands still, so that the same data makes the same sandbox. */
async function takeOver(
  machine: Machine,
  parts: Partial<Record<Part, Uint8Array>>,
  info: Info,
  left: string[],
): Promise<void> {
  const { realtimeBase, clockOrigin, tape } = machine;
  machine.tape = undefined;
  machine.clockFixed = true;
  machine.realtimeBase = info.realtimeBase;
  machine.monotonicNs = info.monotonicNs;
  machine.showTime();
  machine.limits = machine.ownLimits = setApart(machine.ownLimits);
  machine.configure();
  putBack(machine, new Reader(parts.FILE as Uint8Array), left);
  await takeSession(machine, "SHEL", parts.SHEL, left);
  await takeSession(machine, "PYTH", parts.PYTH, left);
  machine.tape = tape;
  if (info.clockFixed) return;
  machine.clockFixed = false;
  machine.realtimeBase = realtimeBase - BigInt(machine.monotonicNs);
  machine.clockOrigin = clockOrigin - machine.monotonicNs;
}

/** A new machine that takes over the contents of a portable snapshot. `begin` mounts directories. */
export async function loadPortable(
  contents: Uint8Array,
  settings: MachineSettings,
  frame: Frame,
  begin: (machine: Machine) => void = () => {},
): Promise<Machine> {
  const { images, limits } = settings;
  const told: string[] = [],
    parts = partsOf(contents, images.manifest.version, told);
  if (!parts.INFO || !parts.FILE || !parts.CNTS) malformed();
  const info = infoIn(parts.INFO);
  const before = text(parts.LEFT ?? new Uint8Array(0));
  if (before.length > 2 * LEFT_BYTES || (before !== "" && !before.endsWith("\0"))) malformed();
  const left = [...told, ...before.split("\0").slice(0, -1)];
  await images.ready(limits.memory_bytes, Math.min(limits.process_memory_bytes, limits.memory_bytes));
  const machine = Machine.boot(settings);
  begin(machine);
  await takeOver(machine, parts, info, left);
  machine.gate.loadCounters(text(parts.CNTS));
  machine.run = new Run();
  machine.limits = machine.ownLimits = limits;
  machine.peak = machine.used;
  machine.nextCall = info.nextCall;
  machine.forks = info.forks;
  machine.configure();
  if (info.seedFixed) {
    /* A fixed seed goes on as one that follows from the snapshot. */
    machine.seedFixed = true;
    machine.host("HOST_SEED", [], frame.hash(parts.FILE));
  }
  machine.showTime();
  machine.leftOut = left;
  return machine;
}
