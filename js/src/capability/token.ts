/*
 * capability/token.ts: signed capabilities, which whoever holds them can narrow and pass on, and
 * nobody can widen: docs/policy.md. Keys and format are the C engine's (js/engine/token.c).
 */
import { parseExact } from "../base/exact.ts";
import { CapabilityError, DeadError, InvalidError } from "../base/error.ts";
import { randomSeed } from "../base/random.ts";
import { type Capabilities, type Capability, policyOf } from "../options.ts";
import { Engine, type EngineCall } from "./engine.ts";

/** When a token expires: at a time, or in so many seconds. */
export interface Expiry {
  expires?: Date;
  expiresInSeconds?: number;
}

/** What a token that was checked grants: Sandbox.create({capabilities}). */
export interface Grant {
  readonly capabilities: readonly Capability[];
  /** The last moment that a Date can tell, where the token expires after that. */
  readonly expires: Date;
}

const KEY_BYTES = 32;
/** PF_INVALID of include/pinfold.h. */
const INVALID = -1;
/** As the engine has it: until the token's own end. */
const SAME = -1;
const LAST_DATE = 8.64e12;

const engines = new WeakMap<WebAssembly.Module, Engine>();

/** Calls an instance that has no other work; a failed one is not asked again. */
function call(
  module: WebAssembly.Module,
  ...[name, ...given]: Parameters<Engine["call"]>
): Engine {
  let engine = engines.get(module);
  if (!engine) engines.set(module, (engine = new Engine(module)));
  let status: number;
  try {
    status = engine.call(name, ...given);
  } catch (error) {
    engines.delete(module);
    throw error;
  }
  if (status === 0) return engine;
  if (status === INVALID) throw new CapabilityError(engine.message);
  throw new DeadError(engine.message || "out of memory");
}

function bytes(what: string, value: unknown, length?: number): Uint8Array {
  if (!(value instanceof Uint8Array))
    throw new InvalidError(`${what} is a Uint8Array, not ${value === null ? "null" : typeof value}`);
  if (length !== undefined && value.length !== length)
    throw new InvalidError(`${what} is ${length} bytes, not ${value.length}`);
  return value.slice();
}

function secondsOf(name: string, time: unknown): number {
  if (!(time instanceof Date) || !Number.isFinite(time.getTime()))
    throw new InvalidError(`${name} is a valid Date`);
  return Math.floor(time.getTime() / 1000);
}

/** Seconds since 1970; undefined: nothing was said. */
function endOf(given: Expiry): number | undefined {
  for (const name of Object.keys(given))
    if (name !== "expires" && name !== "expiresInSeconds")
      throw new InvalidError(`there is no option "${name}": expires or expiresInSeconds`);
  const { expires, expiresInSeconds: seconds } = given;
  if (expires === undefined && seconds === undefined) return undefined;
  if (expires !== undefined && seconds !== undefined)
    throw new InvalidError("a token has expires or expiresInSeconds, not both");
  if (expires !== undefined) return secondsOf("expires", expires);
  const end = typeof seconds === "number" ? Math.floor(Date.now() / 1000 + seconds) : NaN;
  if (!(Math.abs(end) <= LAST_DATE))
    throw new InvalidError("expiresInSeconds is a number of seconds");
  return end;
}

/** A token. It is a bearer's: keep it as secret as what it grants. */
export class Token {
  readonly #module: WebAssembly.Module;
  readonly #data: Uint8Array;

  /** For node.ts and web.ts, whose Token.open() has the engine. */
  constructor(module: WebAssembly.Module, data: Uint8Array) {
    this.#module = module;
    this.#data = bytes("a token", data);
  }

  /** The token as bytes, to be stored or sent. */
  get data(): Uint8Array {
    return this.#data.slice();
  }

  /**
   * A token for less; a CapabilityError when it would be for more. Without an expiry it has that of
   * this one.
   */
  narrow(capabilities: Capabilities, expiry: Expiry = {}): Token {
    const end = endOf(expiry);
    /* What lies before 1970 is not to be taken for no expiry. */
    if (end !== undefined && end < 0) throw new CapabilityError("a token expires after 1970");
    return this.#made("pf_engine_token_narrow", [end ?? SAME], { sized: policyOf(capabilities) });
  }

  /** The same token, which can be narrowed no more. */
  seal(): Token {
    return this.#made("pf_engine_token_seal", []);
  }

  #made(name: EngineCall, numbers: number[], ...more: { sized: string }[]): Token {
    const engine = call(this.#module, name, numbers, { sized: this.#data }, ...more);
    return new Token(this.#module, engine.answerBytes);
  }

  /**
   * What it grants, if one of the trusted keys has issued it and it is not expired; a CapabilityError
   * says why not.
   */
  verify(trusted: readonly Uint8Array[], { now = new Date() }: { now?: Date } = {}): Grant {
    if (!Array.isArray(trusted)) throw new InvalidError("trusted is a list of public keys");
    const keys = new Uint8Array(trusted.length * KEY_BYTES);
    for (const [i, key] of trusted.entries())
      keys.set(bytes("a public key", key, KEY_BYTES), i * KEY_BYTES);
    const engine = call(
      this.#module,
      "pf_engine_token_verify",
      [secondsOf("now", now)],
      { sized: this.#data },
      { sized: keys },
    );
    const { answer } = engine;
    const space = answer.indexOf(" ");
    const seconds = Math.min(Number(answer.slice(0, space)), LAST_DATE);
    const policy = parseExact(answer.slice(space + 1)) as { capabilities: Capability[] };
    return { capabilities: policy.capabilities, expires: new Date(seconds * 1000) };
  }
}

/** A key that issues tokens, made by Issuer.create(). */
export class Issuer {
  readonly #module: WebAssembly.Module;
  readonly #seed: Uint8Array;
  readonly #publicKey: Uint8Array;

  constructor(module: WebAssembly.Module, seed: Uint8Array = randomSeed()) {
    this.#module = module;
    this.#seed = bytes("a seed", seed, KEY_BYTES);
    this.#publicKey = call(module, "pf_engine_key", [], this.#seed).answerBytes;
  }

  /** What Token.verify() is given. */
  get publicKey(): Uint8Array {
    return this.#publicKey.slice();
  }

  /** The secret, to be kept where secrets are. */
  get seed(): Uint8Array {
    return this.#seed.slice();
  }

  /** A token for these capabilities. It has to expire. */
  issue(capabilities: Capabilities, expiry: Expiry): Token {
    const end = endOf(expiry ?? {});
    if (end === undefined)
      throw new InvalidError("say when the token expires: expires or expiresInSeconds");
    const policy = policyOf(capabilities);
    const engine = call(this.#module, "pf_engine_token_issue", [end], this.#seed, {
      sized: policy,
    });
    return new Token(this.#module, engine.answerBytes);
  }
}
