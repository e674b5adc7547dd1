/*
 * trace/head.ts: the first line of a trace: what is recorded of a sandbox that is made, and a
 * machine that is made of it again: host/trace/head.c.
 *
 * What a trace says is its author's. It may ask for less than the embedder's bounds, never for
 * more.
 */
import { text } from "../base/bytes.ts";
import { BoundError, SnapshotError, TraceError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { Gate } from "../capability/gate.ts";
import type { Images } from "../cpu/image.ts";
import { defaultLimits, type MachineLimits } from "../machine/limits.ts";
import { Machine, type MachineSettings } from "../machine/machine.ts";
import { checkEnv } from "../machine/place.ts";
import { LIMIT_NAMES } from "../machine/tape.ts";
import { Mounts } from "../mount/mounts.ts";
import { policyOf, type SandboxOptions } from "../options.ts";
import { Frame } from "../snapshot/frame.ts";
import { loadPortable } from "../snapshot/portable.ts";
import { load, mostBytes } from "../snapshot/snapshot.ts";
import { schemaText } from "../tool.ts";
import { bigOf, bytesOf, hex, numberOf, TRACE_FORMAT, unhex } from "./lines.ts";
import { type HeadFacts, Recorder, type Sink } from "./record.ts";
import type { Replayer } from "./replay.ts";
import { sinkOf } from "./sink.ts";

const SEED = 32;
const TIME_MAX = 2n ** 62n;

/* ---- recording */

/** Settings with a recorder. */
function recorded(
  settings: MachineSettings,
  options: SandboxOptions,
  frame: Frame,
  sink: Sink,
  snapshot: Uint8Array | undefined,
): MachineSettings {
  const facts: HeadFacts = {
    version: settings.images.manifest.version,
    policy: options.capabilities === undefined ? undefined : policyOf(options.capabilities),
    catchAll: options.toolHandler !== undefined,
    tools: Object.entries(options.tools ?? {}).map(([name, one]) => ({
      name,
      description: one.description,
      schema: schemaText(name, one),
    })),
    seed: settings.seed,
    envChanged: settings.envChanged,
    redact: options.redact === true,
    snapshot,
  };
  return { ...settings, openTape: (machine) => new Recorder(machine, sink, frame, facts) };
}

/** Makes a machine that is recorded where the options say so. */
export async function made(
  images: Images,
  options: SandboxOptions,
  settings: MachineSettings,
  snapshot: Uint8Array | undefined,
  make: (settings: MachineSettings) => Promise<Machine> | Machine,
): Promise<Machine> {
  const { record } = options;
  if (record === undefined) return make(settings);
  const frame = await Frame.load(images);
  const sink = sinkOf(record);
  try {
    const machine = await make(recorded(settings, options, frame, sink, snapshot));
    machine.tape?.leave(machine);
    return machine;
  } catch (error) {
    sink.end();
    throw error;
  }
}

/* ---- replaying */

/** A limit of the trace is the author's; what it may be is the embedder's. */
export function traceLimits(
  base: MachineLimits,
  given: JsonValue | undefined,
  most: MachineLimits,
): MachineLimits {
  const limits = { ...base };
  for (const [key, value] of Object.entries((given ?? {}) as JsonObject)) {
    const name = LIMIT_NAMES.find((one) => one === key);
    if (!name) throw new TraceError(`the trace has a limit that does not exist: ${key.slice(0, 64)}`);
    limits[name] = typeof value === "bigint" ? Infinity : numberOf({ value }, "value");
  }
  for (const name of LIMIT_NAMES)
    if (limits[name] > most[name]) {
      const wanted = limits[name] === Infinity ? "no limit" : String(limits[name]);
      const allowed = most[name] === Infinity ? "none" : String(most[name]);
      throw new BoundError(
        `the trace asks for ${name} as ${wanted}, and this replay allows ${allowed}: if the trace is ` +
          "to be trusted, allow it: replay(trace, {limits})",
      );
    }
  return limits;
}

function checkHead(head: JsonObject, frame: Frame, version: string): void {
  const format = bigOf(head, "pinfold_trace") ?? 0n;
  if (format !== BigInt(TRACE_FORMAT))
    throw new TraceError(
      `the trace has format ${format}; this pinfold (${version}) reads format ${TRACE_FORMAT}`,
    );
  if (head.build !== hex(frame.buildName))
    throw new TraceError(
      "the trace comes from another build of pinfold; replay it with the one that recorded it",
    );
  const start = bigOf(head, "start_ns");
  if (start === undefined || start < -TIME_MAX || start > TIME_MAX)
    throw new TraceError("the trace does not say when it was recorded");
  if (!unhex(head.seed, SEED)) throw new TraceError("the trace has no seed");
}

function gateOf(head: JsonObject, engine: WebAssembly.Module): Gate {
  const gate = Gate.create(engine);
  for (const one of Array.isArray(head.tools) ? head.tools : []) {
    const entry = (typeof one === "object" && one !== null ? one : {}) as JsonObject;
    if (typeof entry.name !== "string") throw new TraceError("the tools of the trace are malformed");
    const description = text(bytesOf(entry, "description") ?? new Uint8Array(0));
    gate.addTool(entry.name, description, text(bytesOf(entry, "schema") ?? new Uint8Array(0)));
  }
  const policy = bytesOf(head, "policy");
  if (policy) gate.setPolicy(text(policy));
  gate.finish(head.catch_all === true);
  return gate;
}

function envOf(head: JsonObject): string[] {
  const env = Array.isArray(head.env) ? head.env : [];
  if (!env.every((one) => typeof one === "string" && one.includes("=")))
    throw new TraceError("the environment of the trace is malformed");
  checkEnv(env as string[]);
  return env as string[];
}

async function restored(
  snapshot: Uint8Array,
  frame: Frame,
  settings: MachineSettings,
): Promise<Machine> {
  try {
    const contents = frame.open(snapshot, undefined, 0, mostBytes(settings), true);
    return await (frame.isPortable(snapshot) ? loadPortable : load)(contents, settings, frame);
  } catch (error) {
    throw error instanceof SnapshotError ? new TraceError(error.message) : error;
  }
}

/** The machine that the head of a trace describes, within the embedder's bounds. */
export async function machineOf(
  head: JsonObject,
  images: Images,
  frame: Frame,
  tape: Replayer,
  most: MachineLimits,
): Promise<Machine> {
  checkHead(head, frame, images.manifest.version);
  const start = bigOf(head, "start_ns") ?? 0n;
  const settings: MachineSettings = {
    images,
    limits: traceLimits(defaultLimits, head.limits, most),
    env: envOf(head),
    envChanged: head.env_changed === true,
    gate: gateOf(head, await images.engine()),
    clock: head.clock_fixed === true ? start : undefined,
    seed: unhex(head.seed, SEED) as Uint8Array,
    seedFixed: head.seed_fixed === true,
    prelude: bytesOf(head, "prelude"),
    openTape: (machine) => {
      machine.realtimeBase = start;
      return tape;
    },
  };
  const snapshot = bytesOf(head, "snapshot");
  /* Its key is not known, and it is the trace's. */
  if (snapshot) return restored(snapshot, frame, settings);
  const { memory_bytes, process_memory_bytes } = settings.limits;
  await images.ready(memory_bytes, Math.min(process_memory_bytes, memory_bytes));
  const machine = Machine.boot(settings);
  machine.mounts = new Mounts(frame);
  return machine;
}
