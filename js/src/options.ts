/* options.ts: what an embedder asks for, checked as it is given. */
import { CapabilityError, InvalidError } from "./base/error.ts";
import { stringifyExact } from "./base/exact.ts";
import { randomSeed } from "./base/random.ts";
import { Gate } from "./capability/gate.ts";
import type { Images } from "./cpu/image.ts";
import type { Content } from "./files.ts";
import type { Decision } from "./machine/calls.ts";
import { defaultLimits, type Limits, readLimits } from "./machine/limits.ts";
import type { MachineSettings } from "./machine/machine.ts";
import { checkEnv } from "./machine/place.ts";
import type { PendingCall } from "./call.ts";
import type { Http } from "./http/http.ts";
import type { MountSource } from "./mount/mounts.ts";
import { type CallContext, schemaText, type Tool } from "./tool.ts";
import type { RecordTo } from "./trace/sink.ts";

/** One grant, as docs/policy.md describes it. */
export interface Capability {
  /** A method or a pattern: "stripe/charges/*". */
  method: string;
  max_calls?: number;
  /** {param, op, value}, or the short form {amount: {"<=": 100}}. */
  constraints?: readonly object[] | object;
  /** Every call has to be approved: `approve`, or step() and resume(). */
  ask?: boolean;
}

/** A list of grants (a text grants every call of that pattern), or a whole policy. */
export type Capabilities =
  | readonly (Capability | string)[]
  | { readonly capabilities: readonly Capability[]; readonly version?: 1 };

export interface SandboxOptions {
  /** What programs may see, by name. Without a capability a tool cannot be called. */
  tools?: Record<string, Tool<any, any>>;
  /** What programs may call. Default: nothing. */
  capabilities?: Capabilities;
  /** Answers calls of granted methods that no declared tool has. */
  toolHandler?: (method: string, params: any, context: CallContext) => unknown;
  /** Decides about calls of capabilities with `ask`; true and nothing else approves. Without it
   * run() refuses them. */
  approve?: (call: PendingCall) => boolean | Promise<boolean>;
  /** Lets programs make HTTP requests: Http.create(). */
  http?: Http;
  /** Files to begin with; relative paths are below /workspace. */
  files?: Record<string, Content>;
  /**
   * Host directories, by the absolute path where they are inside: a directory (read-only), or
   * [directory, "copy"], to which the sandbox can write without the host seeing it. In Node, on
   * Linux. At a restore null is: go on without.
   */
  mounts?: Record<string, MountSource | null>;
  env?: Record<string, string>;
  limits?: Limits;
  /** Fixes the clock: it starts here and moves only with sleeps and by a step per reading. */
  clock?: Date;
  /** Fixes the random numbers. */
  seed?: number | bigint;
  /**
   * Writes every input of the sandbox to a trace, which replay() runs again: a path, where there are
   * files, or a function that is given the bytes.
   */
  record?: RecordTo;
  /** Leaves the results of tools out of the trace. */
  redact?: boolean;
  /** Called for every decision when it is made, before anything comes of it. */
  onDecision?: (decision: Decision) => void;
}

const DEFAULT_ENV = {
  PATH: "/usr/bin:/bin:/tools/bin",
  HOME: "/workspace",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TZ: "UTC",
  HOSTNAME: "pinfold",
};

const KNOWN = new Set([
  "tools",
  "capabilities",
  "toolHandler",
  "approve",
  "http",
  "files",
  "mounts",
  "env",
  "limits",
  "clock",
  "seed",
  "record",
  "redact",
  "onDecision",
]);

/** The grants of a list or a policy; none of what is neither, which policyOf() refuses. */
export function grantsOf(capabilities: Capabilities | undefined): readonly Capability[] {
  const list: unknown = Array.isArray(capabilities)
    ? capabilities
    : (capabilities as { capabilities?: unknown } | null | undefined)?.capabilities;
  if (!Array.isArray(list)) return [];
  return (list as readonly (Capability | string)[]).map((one) =>
    typeof one === "string" ? { method: one } : one,
  );
}

/** Capabilities as the text of a policy. */
export function policyOf(capabilities: Capabilities): string {
  if (Array.isArray(capabilities))
    return stringifyExact({ capabilities: grantsOf(capabilities) }) ?? "";
  if (typeof capabilities !== "object" || capabilities === null)
    throw new CapabilityError("capabilities is a list of grants or a policy");
  return stringifyExact(capabilities) ?? "";
}

/** Throws for what tool() did not make. */
export function checkTools(tools: SandboxOptions["tools"]): void {
  if (tools != null && (typeof tools !== "object" || Array.isArray(tools)))
    throw new InvalidError("tools is an object: {name: tool({…})}");
  for (const [name, one] of Object.entries(tools ?? {}))
    if (typeof one !== "object" || one === null || typeof one.schema !== "object")
      throw new InvalidError(
        `tools.${name} is not made by tool({description, inputSchema, execute})`,
      );
}

/** Throws for an approver that no call can come to: it would look like a check, and be none. */
export function checkApprove({ approve, capabilities }: SandboxOptions): void {
  if (approve === undefined) return;
  if (typeof approve !== "function") throw new InvalidError("approve is a function");
  const freely = new Set<string>(); /* what those before allow, whatever the arguments */
  for (const one of grantsOf(capabilities)) {
    if (typeof one !== "object" || one === null) return; /* the engine says what is wrong */
    const { method, ask, max_calls, constraints } = one;
    if (ask && max_calls !== 0 && !freely.has(method) && !freely.has("**")) return;
    if (!ask && max_calls === undefined && constraints === undefined) freely.add(method);
  }
  throw new CapabilityError(
    "approve is given, and no call can ever reach it: a capability with ask: true says which calls" +
      " it is for, and the first that allows a call decides",
  );
}

/** The gate of these options; every mistake in them is an exception. */
export function makeGate(options: SandboxOptions, engine: WebAssembly.Module): Gate {
  const gate = Gate.create(engine);
  checkTools(options.tools);
  for (const [name, one] of Object.entries(options.tools ?? {}))
    gate.addTool(name, one.description, schemaText(name, one));
  if (options.capabilities !== undefined) gate.setPolicy(policyOf(options.capabilities));
  gate.finish(options.toolHandler !== undefined);
  return gate;
}

/** The whole environment, and whether it is another than the default. */
export function envOf(given: Record<string, string> | undefined): { env: string[]; changed: boolean } {
  /* As in the native library, what is given anew stands at the end. */
  const all = new Map<string, string>(Object.entries(DEFAULT_ENV));
  for (const [name, value] of Object.entries(given ?? {})) {
    if (typeof value !== "string")
      throw new InvalidError(`env.${name} is a text, not ${typeof value}`);
    if (name === "" || name.includes("="))
      throw new InvalidError(
        `"${name.slice(0, 64)}" cannot be the name of an environment variable`,
      );
    all.delete(name);
    all.set(name, value);
  }
  const env = [...all].map(([name, value]) => `${name}=${value}`);
  checkEnv(env);
  return { env, changed: Object.keys(given ?? {}).length > 0 };
}

/** The seed of the random stream. */
export function seedOf(given: number | bigint | undefined): Uint8Array {
  if (given === undefined) return randomSeed();
  if (typeof given !== "bigint" && !Number.isSafeInteger(given))
    throw new InvalidError("seed is an integer");
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(given)), true);
  return seed;
}

/** Throws for an option that does not exist, or is a listener and none that can be called. */
export function checkNames(options: SandboxOptions): void {
  for (const key of Object.keys(options))
    if (!KNOWN.has(key))
      throw new InvalidError(
        `there is no option "${key}"; the options are: ${[...KNOWN].join(", ")}`,
      );
  for (const key of ["onDecision", "toolHandler"] as const)
    if (options[key] !== undefined && typeof options[key] !== "function")
      throw new InvalidError(`${key} is a function, not ${typeof options[key]}`);
}

/** Throws for what restore() does not take. */
export function checkRestored(options: SandboxOptions): void {
  for (const name of ["files", "clock", "seed"] as const)
    if (options[name] !== undefined) throw new InvalidError(`${name}: a snapshot brings its own`);
}

/** Throws for a clock that tells no time. */
export function checkClock(clock: Date | undefined): void {
  if (clock !== undefined && !(clock instanceof Date && Number.isFinite(clock.getTime())))
    throw new InvalidError("clock is a valid Date");
}

export function settingsOf(options: SandboxOptions, images: Images, gate: Gate): MachineSettings {
  checkNames(options);
  checkApprove(options);
  const { env, changed } = envOf(options.env);
  checkClock(options.clock);
  return {
    images,
    limits: readLimits(defaultLimits, options.limits),
    env,
    envChanged: changed,
    gate,
    clock: options.clock && BigInt(options.clock.getTime()) * 1000000n,
    seed: seedOf(options.seed),
    seedFixed: options.seed !== undefined,
  };
}
