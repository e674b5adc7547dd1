/* node.ts: pinfold in Node, Deno and Bun: the programs lie beside this file, in ../images. */
import { randomFillSync } from "node:crypto";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip, gunzipSync } from "node:zlib";
import { Images, type ImageSource, type Manifest } from "./cpu/image.ts";
import { type SandboxOptions, setRandom } from "./options.ts";
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

/** See sandbox.ts. */
export type Sandbox = Core;
export const Sandbox = {
  /**
   * A new sandbox: a booted Unix with bash, JavaScript and the usual commands, and the tools that
   * are given.
   */
  async create(options: SandboxOptions = {}): Promise<Core> {
    return Core.make(await packageImages(), options);
  },
  /** A sandbox that goes on where a snapshot was made, by this or by the native library. */
  async restore(data: Uint8Array, options: RestoreOptions = {}): Promise<Core> {
    return Core.remake(await packageImages(), data, options);
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
