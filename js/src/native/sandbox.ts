/*
 * native/sandbox.ts: a sandbox of the native library: what sandbox.ts is for the portable engine.
 * Programs run on threads of the addon's; handlers of tools run where they were given.
 */
import { UnsupportedError } from "../base/error.ts";
import { Distant, type Listener, plainOptions } from "../distant.ts";
import { defaultLimits, type LimitName, readLimits } from "../machine/limits.ts";
import { withHttp } from "../http/granting.ts";
import type { Mounted } from "../mount/changes.ts";
import {
  checkClock,
  checkRestored,
  envOf,
  policyOf,
  type SandboxOptions,
  seedOf,
} from "../options.ts";
import { type ForkOptions, jsonOf, type RestoreOptions } from "../requests.ts";
import type { Sandbox } from "../sandbox.ts";
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
  "limits",
  "clock",
  "seed",
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
  };
}

export class NativeSandbox extends Distant<NativeLine> implements SandboxFace {
  private constructor(addon: Addon, options: SandboxOptions, origin: Origin) {
    const limits = readLimits(defaultLimits, options.limits);
    super(options, (listener: Listener) => new NativeLine(addon, limits, listener, origin));
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

  /** It has none: mounts are given to the other engine. */
  mounted(place: string): never {
    throw new UnsupportedError(`${place}: engine "native" has no mounts; engine "wasm" has`);
  }

  /** As Sandbox.endRecord(): nothing is recorded here. */
  async endRecord(): Promise<void> {}

  /** As Sandbox.fork(). */
  async fork({ record }: ForkOptions = {}): Promise<NativeSandbox> {
    if (record !== undefined && record !== false)
      throw new UnsupportedError('engine "native" has no option record; engine "wasm" has');
    const branch = (await this.act("fork")) as Handle;
    const sandbox = new NativeSandbox(this.line.addon, this.options, { branch });
    sandbox.line.look();
    return sandbox;
  }
}
