/* node.ts: pinfold in Node, Deno and Bun: the programs lie beside this file, in ../images. */
import { randomFillSync } from "node:crypto";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip, gunzipSync } from "node:zlib";
import { InvalidError, UnsupportedError } from "./base/error.ts";
import { setRandom } from "./base/random.ts";
import { Issuer as IssuerCore, Token as TokenCore } from "./capability/token.ts";
import { Images, type ImageSource, type Manifest } from "./cpu/image.ts";
import { Http as HttpCore, type HttpOptions } from "./http/http.ts";
import { nodeTransport } from "./http/node.ts";
import { type Addon, findAddon, needAddon } from "./native/addon.ts";
import { lacking, NativeSandbox, type SandboxFace } from "./native/sandbox.ts";
import type { SandboxOptions } from "./options.ts";
import type { RestoreOptions } from "./requests.ts";
import { Sandbox as Core } from "./sandbox.ts";
import { type Replay, type ReplayOptions, replayOf } from "./trace/replaying.ts";
import { openDirectory } from "./mount/host_dir.ts";
import { setDirectories } from "./mount/mounts.ts";
import { setTraceFiles } from "./trace/sink.ts";
import { Connection, type Thread } from "./worker/connection.ts";
import type { FromWorker } from "./worker/protocol.ts";
import { connectionOf, patienceOf, WorkerSandbox as Remote } from "./worker/remote.ts";

export * from "./index.ts";

setRandom(randomFillSync);
setDirectories(openDirectory);
setTraceFiles((path) => {
  const fd = openSync(path, "w", 0o600);
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    },
    end: () => closeSync(fd),
  };
});

const folder = new URL("../images/", import.meta.url);

type Read = {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly length: number;
};
const plain = (bytes: Read): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

const unpack = promisify(gunzip);
const packed = (file: string): boolean => file.endsWith(".gz");

const source: ImageSource = {
  read: async (file) => {
    const bytes = await readFile(new URL(file, folder));
    return plain(packed(file) ? await unpack(plain(bytes)) : bytes);
  },
  readNow: (file) => {
    const bytes = readFileSync(new URL(file, folder));
    return plain(packed(file) ? gunzipSync(plain(bytes)) : bytes);
  },
};

let images: Promise<Images> | undefined;

/** The programs of this package, read when they are first needed. */
export function packageImages(): Promise<Images> {
  images ??= readFile(new URL("manifest.json", folder), "utf8").then(
    (text) => new Images(JSON.parse(text) as Manifest, source),
  );
  return images;
}

/* ---- which engine */

export interface EngineOptions {
  /**
   * "native": the library that is compiled for this machine, or an exception; "wasm": the portable
   * one. Default: PINFOLD_ENGINE of the environment, else native where it is there and has what
   * the other options ask for.
   */
  engine?: "native" | "wasm";
}

const own = createRequire(import.meta.url);

function native(): Addon | string {
  const version = (): string => (own("../package.json") as { version: string }).version;
  const load = (file: URL): unknown => own(fileURLToPath(file));
  return findAddon(new URL("../prebuilt/", import.meta.url), version, load);
}

/** Deno asks for a permission to look. */
function engineOfEnvironment(): string | undefined {
  try {
    return process.env["PINFOLD_ENGINE"] || undefined;
  } catch {
    return undefined;
  }
}

/** The native library for these options; undefined: the portable engine is to have them. */
function pick(engine: string | undefined, options: object): Addon | undefined {
  const asked = engine ?? engineOfEnvironment();
  if (asked !== undefined && asked !== "native" && asked !== "wasm")
    throw new InvalidError(`the engine is "native" or "wasm", not "${String(asked).slice(0, 64)}"`);
  if (asked === "wasm") return undefined;
  const missing = lacking(options);
  if (engine === "native" && missing.length)
    throw new UnsupportedError(
      `engine "native" has no option ${missing.join(", ")}; engine "wasm" may have`,
    );
  if (asked === "native") return missing.length ? undefined : needAddon(native());
  const found = missing.length ? "" : native();
  return typeof found === "string" ? undefined : found;
}

/** See sandbox.ts. */
export type Sandbox = SandboxFace;
export const Sandbox = {
  /**
   * A new sandbox: a booted Unix with bash, JavaScript and the usual commands, and the tools that
   * are given.
   */
  async create(options: SandboxOptions & EngineOptions = {}): Promise<Sandbox> {
    const { engine, ...rest } = options;
    const addon = pick(engine, rest);
    return addon ? NativeSandbox.make(addon, rest) : Core.make(await packageImages(), rest);
  },
  /** A sandbox that goes on where a snapshot was made, by either engine. */
  async restore(data: Uint8Array, options: RestoreOptions & EngineOptions = {}): Promise<Sandbox> {
    const { engine, ...rest } = options;
    const addon = pick(engine, rest);
    return addon
      ? NativeSandbox.remake(addon, data, rest)
      : Core.remake(await packageImages(), data, rest);
  },
  /** Is the native library there? A text: it is not, and why. */
  native(): true | string {
    const found = native();
    return typeof found === "string" ? found : true;
  },
};

/**
 * Runs a recording again, without handlers, and compares all it does with the trace: a path, or its
 * bytes. A ReplayError shows the first difference.
 */
export async function replay(
  trace: string | URL | Uint8Array,
  options: ReplayOptions = {},
): Promise<Replay> {
  const bytes = trace instanceof Uint8Array ? trace : plain(await readFile(trace));
  return replayOf(await packageImages(), bytes, options);
}

/* ---- HTTP */

/** See http/http.ts. */
export type Http = HttpCore;
export const Http = {
  /** HTTP for sandboxes, by these rules: Sandbox.create({http}). docs/http.md has their language. */
  async create(options: HttpOptions): Promise<HttpCore> {
    return new HttpCore(await (await packageImages()).engine(), nodeTransport, options);
  },
};

/* ---- tokens */

/** See capability/token.ts. */
export type Issuer = IssuerCore;
export const Issuer = {
  /** A key that issues tokens; without a seed, which is 32 secret bytes, a new one is made. */
  async create({ seed }: { seed?: Uint8Array } = {}): Promise<IssuerCore> {
    return new IssuerCore(await (await packageImages()).engine(), seed);
  },
};

/** See capability/token.ts. */
export type Token = TokenCore;
export const Token = {
  /** A token that came as bytes. */
  async open(data: Uint8Array): Promise<TokenCore> {
    return new TokenCore(await (await packageImages()).engine(), data);
  },
};

/* ---- on a thread of its own */

export interface NodeWorkerOptions {
  /** A worker that is silent for so long while something is asked of it is ended. Default 5000. */
  unresponsiveMs?: number;
  /** Shares the worker of that sandbox, and with it the programs that are compiled there. */
  beside?: Remote;
}

function threadOf(worker: Worker): Thread {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (onMessage, onError) => {
      worker.on("message", (message: FromWorker) => onMessage(message));
      worker.on("error", (error: Error) => onError(error.message));
      worker.on("exit", () => onError("it ended"));
      worker.unref(); /* a sandbox that is only kept does not keep its program */
    },
    end: () => void worker.terminate(),
    hold: (on) => (on ? worker.ref() : worker.unref()),
  };
}

function connect({ unresponsiveMs, beside }: NodeWorkerOptions): Connection {
  if (beside) return connectionOf(beside);
  const patience = patienceOf(unresponsiveMs);
  const worker = new Worker(new URL("./worker/node.js", import.meta.url));
  const connection = new Connection(threadOf(worker), undefined, patience);
  connection.send({ kind: "begin", manifest: undefined });
  return connection;
}

/** A sandbox in a thread of its own, which is ended when it does not answer: worker/remote.ts. */
export type WorkerSandbox = Remote;
export const WorkerSandbox = {
  async create(options: SandboxOptions & NodeWorkerOptions = {}): Promise<Remote> {
    const { unresponsiveMs, beside, ...rest } = options;
    return Remote.make(connect({ unresponsiveMs, beside }), rest);
  },
  async restore(
    data: Uint8Array,
    options: RestoreOptions & NodeWorkerOptions = {},
  ): Promise<Remote> {
    const { unresponsiveMs, beside, ...rest } = options;
    return Remote.remake(connect({ unresponsiveMs, beside }), data, rest);
  },
};
