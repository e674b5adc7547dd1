/*
 * web.ts: pinfold in a browser: the programs come from ../images beside this file, or from another
 * URL.
 */
import { UnsupportedError } from "./base/error.ts";
import { Issuer as IssuerCore, Token as TokenCore } from "./capability/token.ts";
import { Images, type ImageSource, type Manifest, unpacked } from "./cpu/image.ts";
import { Http as HttpCore, type HttpOptions } from "./http/http.ts";
import { pageTransport } from "./http/page.ts";
import type { SandboxOptions } from "./options.ts";
import type { RestoreOptions } from "./requests.ts";
import { Sandbox as Core } from "./sandbox.ts";
import { type Replay, type ReplayOptions, replayOf } from "./trace/replaying.ts";
import { Connection, type Thread } from "./worker/connection.ts";
import type { FromWorker } from "./worker/protocol.ts";
import { connectionOf, patienceOf, WorkerSandbox as Remote } from "./worker/remote.ts";

export * from "./index.ts";

export interface WebOptions {
  /** The URL of the package's folder images/, with a slash at its end. */
  images?: string | URL;
}

export interface WebWorkerOptions extends WebOptions {
  /** Makes a worker of the package's dist/worker.js: for a bundler or a policy that wants to. */
  worker?: () => Worker;
  /** A worker that is silent for so long while something is asked of it is ended. Default 5000. */
  unresponsiveMs?: number;
  /** Shares the worker of that sandbox, and with it the programs that are compiled there. */
  beside?: Remote;
}

const known = new Map<string, Promise<Images>>();

async function get(url: URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return unpacked(new Uint8Array(await response.arrayBuffer()));
}

const packageFolder = (): URL => new URL("../images/", import.meta.url);

/** The programs below a URL, fetched when they are first needed. */
export function imagesAt(base: string | URL): Promise<Images> {
  const folder = new URL(base, globalThis.document?.baseURI ?? import.meta.url);
  const source: ImageSource = { read: (file) => get(new URL(file, folder)) };
  let images = known.get(folder.href);
  if (!images) {
    images = get(new URL("manifest.json", folder)).then(
      (bytes) => new Images(JSON.parse(new TextDecoder().decode(bytes)) as Manifest, source),
    );
    images.catch(() => known.delete(folder.href)); /* it may be there later */
    known.set(folder.href, images);
  }
  return images;
}

/** See sandbox.ts. */
export type Sandbox = Core;
export const Sandbox = {
  /** As in Node; `images`: the URL of the package's folder images/, with a slash at its end. */
  async create(options: SandboxOptions & WebOptions = {}): Promise<Core> {
    const { images = packageFolder(), ...rest } = options;
    return Core.make(await imagesAt(images), rest);
  },
  async restore(data: Uint8Array, options: RestoreOptions & WebOptions = {}): Promise<Core> {
    const { images = packageFolder(), ...rest } = options;
    return Core.remake(await imagesAt(images), data, rest);
  },
};

/** As in Node, of a trace's bytes: a page has no files. */
export async function replay(
  trace: Uint8Array,
  options: ReplayOptions & WebOptions = {},
): Promise<Replay> {
  const { images = packageFolder(), ...rest } = options;
  return replayOf(await imagesAt(images), trace, rest);
}

/** See http/http.ts. */
export type Http = HttpCore;
export const Http = {
  /**
   * As in Node, by the browser's fetch(), which pins no address: names are asked by https alone,
   * and redirects are failures. See http/page.ts.
   */
  async create(options: HttpOptions & WebOptions): Promise<HttpCore> {
    const { images = packageFolder(), ...rest } = options;
    return new HttpCore(await (await imagesAt(images)).engine(), pageTransport, rest);
  },
};

/* ---- tokens: see capability/token.ts */

export type Issuer = IssuerCore;
export const Issuer = {
  /** A key that issues tokens; without a seed, which is 32 secret bytes, a new one is made. */
  async create(options: { seed?: Uint8Array } & WebOptions = {}): Promise<IssuerCore> {
    const { images = packageFolder(), seed } = options;
    return new IssuerCore(await (await imagesAt(images)).engine(), seed);
  },
};

export type Token = TokenCore;
export const Token = {
  /** A token that came as bytes. */
  async open(data: Uint8Array, { images = packageFolder() }: WebOptions = {}): Promise<TokenCore> {
    return new TokenCore(await (await imagesAt(images)).engine(), data);
  },
};

/* ---- on a thread of its own */

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy;
}
const workerUrl = new URL("./worker.js", import.meta.url).href;
let policy: TrustedPolicy | undefined;

/** Under Trusted Types: the policy "pinfold" lets this one URL through. */
function trustedUrl(): string {
  const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
  if (!factory) return workerUrl;
  try {
    policy ??= factory.createPolicy("pinfold", {
      createScriptURL: (url) => {
        if (url !== workerUrl) throw new TypeError(`${url} is not the worker of pinfold`);
        return url;
      },
    });
  } catch {
    throw new UnsupportedError(
      'the page\'s Content-Security-Policy does not allow the worker: name pinfold in "trusted-types", ' +
        "or give a `worker`",
    );
  }
  return policy.createScriptURL(workerUrl);
}

function threadOf(worker: Worker): Thread {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (onMessage, onError) => {
      worker.onmessage = (event: MessageEvent<FromWorker>) => onMessage(event.data);
      worker.onerror = (event) => {
        event.preventDefault();
        onError(event.message || "it could not be loaded");
      };
      worker.onmessageerror = () => onError("a message could not be read");
    },
    end: () => worker.terminate(),
  };
}

async function connect(options: WebWorkerOptions): Promise<Connection> {
  if (options.beside) return connectionOf(options.beside);
  const patience = patienceOf(options.unresponsiveMs);
  const { manifest, source } = await imagesAt(options.images ?? packageFolder());
  const worker = options.worker?.() ?? new Worker(trustedUrl(), { type: "module" });
  const connection = new Connection(threadOf(worker), (file) => source.read(file), patience);
  connection.send({ kind: "begin", manifest });
  return connection;
}

function split<T extends WebWorkerOptions>(
  given: T,
): [WebWorkerOptions, Omit<T, keyof WebWorkerOptions>] {
  const { images, worker, unresponsiveMs, beside, ...rest } = given;
  return [{ images, worker, unresponsiveMs, beside }, rest];
}

/** A sandbox in a Web Worker, which reaches nothing of the page. See worker/remote.ts. */
export type WorkerSandbox = Remote;
export const WorkerSandbox = {
  async create(options: SandboxOptions & WebWorkerOptions = {}): Promise<Remote> {
    const [own, rest] = split(options);
    return Remote.make(await connect(own), rest);
  },
  async restore(
    data: Uint8Array,
    options: RestoreOptions & WebWorkerOptions = {},
  ): Promise<Remote> {
    const [own, rest] = split(options);
    return Remote.remake(await connect(own), data, rest);
  },
};
