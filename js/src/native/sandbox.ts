/*
 * native/sandbox.ts: a sandbox of the native library: what sandbox.ts is for the portable engine.
 * Programs run on threads of the addon's; handlers of tools run where they were given.
 */
import { fileURLToPath } from "node:url";
import { StateError } from "../base/error.ts";
import { Distant, type Listener, plainOptions, RemoteMounted } from "../distant.ts";
import { defaultLimits, type LimitName, readLimits } from "../machine/limits.ts";
import { withHttp } from "../http/granting.ts";
import type { Mounted } from "../mount/changes.ts";
import { askedMounts } from "../mount/mounts.ts";
import {
  checkClock,
  checkRestored,
  envOf,
  policyOf,
  type SandboxOptions,
  seedOf,
} from "../options.ts";
import {
  checkFork,
  type ForkOptions,
  jsonOf,
  RECORDED_SHARES_NOTHING,
  type RestoreOptions,
} from "../requests.ts";
import type { Sandbox } from "../sandbox.ts";
import type { RecordTo } from "../trace/sink.ts";
import type { Addon, Handle, Settings } from "./addon.ts";
import { absolute, NativeLine, type Origin } from "./line.ts";

/** What every engine's sandbox is. */
export type SandboxFace = Omit<
  { [name in keyof Sandbox]: Sandbox[name] },
  "files" | "state" | "handOut" | "listen" | "fork" | "mounted"
> & {
  readonly files: { [name in keyof Sandbox["files"]]: Sandbox["files"][name] };
  /** An independent copy, waiting calls included, with counters and random numbers of its own. */
  fork(how?: ForkOptions): Promise<SandboxFace>;
  /** What became of a directory that was given with `mounts`, by its place. */
  mounted(place: string): { [name in keyof Mounted]: Mounted[name] };
};

/** The options that the native library has: another one asks for the portable engine. */
const HAS: ReadonlySet<string> = new Set([
  "tools",
  "capabilities",
  "toolHandler",
  "approve",
  "http",
  "files",
  "env",
  "mounts",
  "limits",
  "clock",
  "seed",
  "record",
  "redact",
  "onDecision",
  "key",
  "minCounter",
]);

/** Those of the options given that it does not have. */
export function lacking(options: object): string[] {
  return Object.entries(options)
    .filter(([name, value]) => value !== undefined && !HAS.has(name))
    .map(([name]) => name);
}

function settingsOf(options: SandboxOptions, terms: Partial<RestoreOptions>): Settings {
  const { tools, env, limits, clock, seed, handled, decisions } = plainOptions(options);
  checkClock(clock);
  envOf(env);
  return {
    limits: Object.entries(readLimits(defaultLimits, limits))
      .filter(([name, value]) => value !== defaultLimits[name as LimitName])
      .flat(),
    env: Object.entries(env ?? {}).flat(),
    tools: tools.flatMap(({ name, description, schema }) => [name, description, schema]),
    policy: options.capabilities === undefined ? undefined : policyOf(options.capabilities),
    catchAll: handled,
    clock: clock && BigInt(clock.getTime()) * 1000000n,
    seed: seed === undefined ? undefined : new DataView(seedOf(seed).buffer).getBigUint64(0, true),
    key: terms.key,
    minCounter: terms.minCounter ?? 0,
    decisions,
    mounts: askedMounts(options.mounts).flatMap(({ place, path, copy }) => [
      path === null ? undefined : pathOf(path),
      place,
      copy,
    ]),
    record: isFile(options.record) ? pathOf(options.record) : undefined,
    recordHere: options.record !== undefined && !isFile(options.record),
    redact: options.redact === true,
  };
}

/** The library writes to a file itself. */
const isFile = (to: RecordTo | undefined): to is string | URL =>
  typeof to === "string" || to instanceof URL;

const pathOf = (path: string | URL): string =>
  path instanceof URL ? fileURLToPath(path) : path;

export class NativeSandbox extends Distant<NativeLine> implements SandboxFace {
  private constructor(addon: Addon, options: SandboxOptions, origin: Origin) {
    const limits = readLimits(defaultLimits, options.limits);
    super(options, (listener: Listener) => new NativeLine(addon, limits, listener, origin));
    const { record } = options;
    if (record !== undefined && !isFile(record)) this.sendTrace(record);
  }

  /** As Sandbox.create(). */
  static async make(addon: Addon, given: SandboxOptions): Promise<NativeSandbox> {
    const options = withHttp(given, true);
    const settings = settingsOf(options, {});
    const files = Object.entries(options.files ?? {}).flatMap(([path, content]) => [
      absolute(path),
      content,
    ]);
    return new NativeSandbox(addon, options, { settings, files }).begin("make", []);
  }

  /** As Sandbox.restore(). */
  static async remake(
    addon: Addon,
    data: Uint8Array,
    options: RestoreOptions,
  ): Promise<NativeSandbox> {
    const { key, minCounter, ...rest } = withHttp(options, false);
    const own = rest as SandboxOptions;
    checkRestored(own);
    const settings = settingsOf(own, { key, minCounter });
    return new NativeSandbox(addon, own, { settings, data }).begin("remake", []);
  }

  /** As Sandbox.refusal(). */
  refusal(method: string, params: object = {}): string | undefined {
    return this.line.addon.refusal(this.line.resting(), method, jsonOf(params));
  }

  /** As Sandbox.callsLeft(). */
  callsLeft(capability: number): number {
    const left = this.line.addon.left(this.line.resting(), capability);
    return left < 0 ? Infinity : left;
  }

  /** As Sandbox.mounted(). */
  mounted(place: string): RemoteMounted {
    return new RemoteMounted(place, (act, args) => this.act(act, args));
  }

  /** As Sandbox.fork(). */
  async fork(how: ForkOptions = {}): Promise<NativeSandbox> {
    checkFork(how);
    const share = how.budget === "share";
    if (share && this.options.record !== undefined) throw new StateError(RECORDED_SHARES_NOTHING);
    const record = this.branchRecord(how);
    const { clock, seed, ...rest } = this.options;
    const options = { ...rest, record };
    const anew = record !== undefined || this.options.record !== undefined;
    const settings = anew ? settingsOf(options, {}) : undefined;
    const branch = (await this.act("fork", [share, settings])) as Handle;
    const sandbox = new NativeSandbox(this.line.addon, { ...options, clock, seed }, { branch });
    sandbox.line.look();
    return sandbox;
  }

  protected override async end(recorded: boolean): Promise<void> {
    if (!recorded) return;
    this.line.resting();
    await this.line.do("end record", []);
  }
}
