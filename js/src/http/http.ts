/*
 * http/http.ts: HTTP as a granted tool: the requests that scripts may make, and the secrets that go
 * with them.
 *
 * A sandbox has no network. `http/request` is a tool, whose calls are judged, recorded and replayed
 * like any other's; curl, fetch(), urllib and git make such calls. The C engine decides what is
 * allowed (docs/http.md), a transport makes the connection.
 */
import { compareBytes, text as textOf, utf8 } from "../base/bytes.ts";
import { InvalidError, ToolError } from "../base/error.ts";
import { randomSeed } from "../base/random.ts";
import type { Capability } from "../options.ts";
import type { CallContext, Tool } from "../tool.ts";
import { HttpEngine, type Plan } from "./engine.ts";
import {
  type Answer,
  type CertificateAuthorities,
  checkMethod,
  FAILED,
  type Transport,
  type TransportMaker,
  unpackedStart,
} from "./transport.ts";

/** The id of the tool. */
export const HTTP_METHOD = "http/request";

export interface SecretOptions {
  /** The value; or `env`. */
  value?: string;
  /** The variable of this process's environment that has it. */
  env?: string;
  /**
   * To which it may be sent: "api.example.com", "*.example.com", by https unless another scheme or
   * port is written out: "http://localhost:8000".
   */
  hosts: readonly string[];
  /** In which. Default: ["Authorization"]. */
  headers?: readonly string[];
}

const values = new WeakMap<Secret, string>();

/**
 * A value that a sandbox may use and never sees: scripts have a placeholder in a variable of the
 * environment, which is exchanged for the value on the host, in requests to `hosts`, in `headers`.
 */
export class Secret {
  readonly hosts: readonly string[];
  readonly headers: readonly string[];

  constructor({ value, env, hosts, headers = ["Authorization"] }: SecretOptions) {
    if ((value === undefined) === (env === undefined))
      throw new InvalidError("a Secret has either env, the name of a variable, or its value");
    const found = env === undefined ? value : globalThis.process?.env?.[env];
    if (found === undefined)
      throw new InvalidError(`a Secret is in the variable ${env}, which is not set`);
    if (typeof found !== "string") throw new InvalidError("the value of a Secret is a text");
    values.set(this, found);
    this.hosts = texts("hosts", hosts);
    this.headers = texts("headers", headers);
  }
}

export interface HttpOptions {
  /** Rules: "https://api.example.com/v1/**", "GET,HEAD https://*.wikipedia.org/**". */
  allow: readonly string[];
  /** By the names of the variables that scripts have. */
  secrets?: Record<string, Secret>;
  /** Networks beside the public ones: "10.0.0.0/8", "private", "loopback". */
  addresses?: readonly string[];
  /** Certificates as PEM texts, instead of the engine's own. In Node. */
  ca?: CertificateAuthorities;
  /** The time for all of a request. Default 30000. */
  timeoutMs?: number;
  /** Of an answer, at most. Default 7 MiB. */
  maxBytes?: number;
  /** Requests that are on at once, at most. Default 8. */
  concurrency?: number;
}

const KNOWN = ["allow", "secrets", "addresses", "ca", "timeoutMs", "maxBytes", "concurrency"];

/** HTTP for sandboxes, made by Http.create(). */
export class Http {
  readonly allow: readonly string[];
  /** Names of the secrets. */
  readonly secrets: readonly string[];
  /** The tool http/request. */
  readonly tool: Tool<any, unknown>;
  readonly #engine: HttpEngine;
  readonly #transport: Transport;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  /** Requests that may begin, and those that wait for one to end. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** For node.ts and web.ts, which know what makes connections. */
  constructor(module: WebAssembly.Module, transport: TransportMaker, options: HttpOptions) {
    for (const name of Object.keys(options))
      if (!KNOWN.includes(name))
        throw new InvalidError(
          `there is no option "${name}" of Http; they are: ${KNOWN.join(", ")}`,
        );
    const { secrets = {}, addresses = [], ca } = options;
    this.allow = texts("allow", options.allow);
    this.secrets = Object.keys(secrets);
    this.#timeoutMs = above0("timeoutMs", options.timeoutMs ?? 30000);
    this.#maxBytes = whole("maxBytes", options.maxBytes ?? 7 << 20);
    this.#free = whole("concurrency", options.concurrency ?? 8);
    this.#engine = new HttpEngine(module, {
      allow: this.allow,
      addresses: texts("addresses", addresses),
      secrets: Object.fromEntries(Object.entries(secrets).map(([name, one]) => [name, valued(name, one)])),
    });
    this.#transport = transport(this.#engine, ca);
    const { description, schema } = this.#engine.tool();
    const execute = (params: any, context: CallContext): Promise<unknown> =>
      this.#request(params, context.signal);
    this.tool = { description, schema, standard: undefined, execute };
  }

  /* ---- what a sandbox is given: options.ts, withHttp() */

  /** What the rules grant, where no capability is about the tool. */
  capabilities(given: readonly Capability[]): Capability[] {
    if (given.some(({ method }) => this.#engine.matches(String(method), HTTP_METHOD))) return [];
    if (!this.allow.length) return [];
    /* One list also for one rule: a denial then shows all of it. */
    return [{ method: HTTP_METHOD, constraints: [{ any: this.allow.map(constraintOf) }] }];
  }

  /** The placeholders of a new sandbox, which are others in each, and of a seed the same. */
  environment(seed: number | bigint | undefined): Record<string, string> {
    const digits = (name: string): string =>
      this.#engine.digest(seed === undefined ? randomSeed().join() : `${seed} ${name}`);
    return Object.fromEntries(
      this.secrets.map((name) => [name, `pfsecret_${name}_${digits(name)}`]),
    );
  }

  /* ---- a call */

  async #request(params: Params, signal: AbortSignal): Promise<unknown> {
    const plan = this.#engine.request(params);
    checkMethod(plan);
    const timeoutMs = Math.min((params.timeout ?? Infinity) * 1000, this.#timeoutMs);
    await this.#turn();
    try {
      const maxBytes = this.#maxBytes,
        strict = this.secrets.length > 0;
      const body = bodyOf(params);
      const answer = await this.#transport.send({ plan, body, timeoutMs, maxBytes, strict, signal });
      return await this.#resultOf(plan, answer);
    } catch (error) {
      throw this.#cleanError(error);
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((done) => this.#waiting.push(done));
    this.#free--;
  }

  /** What a library says may show what was sent. */
  #cleanError(error: unknown): ToolError {
    if (error instanceof ToolError) return new ToolError(this.#clean(error.message), error.code);
    const { name, message } = error as Error;
    return new ToolError(`${FAILED}: ${this.#clean(`${name}: ${message}`)}`);
  }

  async #resultOf(plan: Plan, answer: Answer): Promise<unknown> {
    let { body } = answer;
    if (this.secrets.length) {
      await this.#lookInto(body);
      body = this.#engine.clean(body);
    }
    const result = {
      status: answer.status,
      reason: this.#clean(answer.reason),
      url: plan.url,
      headers: answer.headers.map(([name, value]) => [this.#clean(name), this.#clean(value)]),
    };
    const text = textIn(body);
    if (text === undefined) return { ...result, body_base64: base64(body) };
    if (text || (answer.status !== 204 && answer.status !== 304)) return { ...result, body: text };
    return result;
  }

  /** A secret in a file of gzip cannot be taken out of it. */
  async #lookInto(body: Uint8Array): Promise<void> {
    const inner = await unpackedStart(body, this.#maxBytes);
    const what =
      inner === undefined
        ? "that is damaged"
        : inner.length && compareBytes(this.#engine.clean(inner), inner) !== 0
          ? "with a secret in it"
          : undefined;
    if (what)
      throw new ToolError(`http/request is denied: the answer is a packed file ${what}`, "denied");
  }

  #clean(text: string): string {
    return this.secrets.length ? textOf(this.#engine.clean(utf8(text))) : text;
  }
}

interface Params {
  readonly timeout?: number;
  readonly body?: string;
  readonly body_base64?: string;
}

function valued(name: string, secret: Secret): object {
  const value = values.get(secret);
  if (value === undefined) throw new InvalidError(`secrets.${name} is not a Secret`);
  return { value, hosts: secret.hosts, headers: secret.headers };
}

function texts(what: string, given: unknown): string[] {
  if (!Array.isArray(given) || given.some((one) => typeof one !== "string"))
    throw new InvalidError(`${what} is a list of texts`);
  return [...given];
}

function above0(what: string, given: number): number {
  if (typeof given !== "number" || !(given > 0))
    throw new InvalidError(`${what} is a number above 0`);
  return given;
}

function whole(what: string, given: number): number {
  if (!Number.isSafeInteger(given) || given < 1)
    throw new InvalidError(`${what} is a whole number of at least 1`);
  return given;
}

/** A rule as a constraint of the capability. */
function constraintOf(rule: string): object {
  const blank = rule.indexOf(" ");
  const methods = rule.slice(0, Math.max(0, blank));
  const url = { param: "url", op: "matches_url", value: rule.slice(blank + 1).trim() };
  if (blank < 0 || methods === "*") return url;
  const names = methods.split(",");
  /* A call that leaves it out is a GET. */
  const optional = names.includes("GET") ? { optional: true } : {};
  return { all: [{ param: "method", op: "in", value: names, ...optional }, url] };
}

function bodyOf({ body, body_base64 }: Params): Uint8Array | undefined {
  if (body_base64 !== undefined)
    return Uint8Array.from(atob(body_base64), (char) => char.charCodeAt(0));
  return body === undefined ? undefined : utf8(body);
}

const strictly = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The body as text, if it is one, and is no longer so than it would be in Base64. */
function textIn(body: Uint8Array): string | undefined {
  let text: string;
  try {
    text = strictly.decode(body);
  } catch {
    return undefined;
  }
  let controls = 0;
  for (const byte of body)
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) controls++;
  return controls * 5 <= Math.floor(body.length / 4) + 64 ? text : undefined;
}

function base64(bytes: Uint8Array): string {
  let all = "";
  for (let at = 0; at < bytes.length; at += 0x3000)
    all += btoa(String.fromCharCode(...bytes.subarray(at, at + 0x3000)));
  return all;
}
