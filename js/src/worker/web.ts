/*
 * worker/web.ts: the worker of a page. Programs come as messages; before the first one runs, what
 * leads out of the worker is taken away.
 */
import { UnsupportedError } from "../base/error.ts";
import { Images, type ImageSource, type Manifest } from "../cpu/image.ts";
import { lock } from "./lock.ts";
import type { FromWorker, Port, ToWorker } from "./protocol.ts";
import { Server } from "./server.ts";

const scope = globalThis as unknown as {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};
const post = scope.postMessage.bind(scope);
const left = lock(globalThis);
const port: Port<FromWorker> = { post: (message, transfer = []) => post(message, transfer) };

let nextFile = 1;
const wanted = new Map<number, { give(bytes: Uint8Array): void; fail(error: Error): void }>();

/** Files of the package, which the page fetches. */
const source: ImageSource = {
  read: (file) =>
    new Promise((give, fail) => {
      const id = nextFile++;
      wanted.set(id, { give, fail });
      port.post({ kind: "want", id, file });
    }),
};

const server = new Server(port, async (manifest: Manifest | undefined) => {
  if (left.length)
    throw new UnsupportedError(`this worker cannot be closed: it keeps ${left.join(", ")}`);
  if (!manifest) throw new UnsupportedError("the page did not say which programs there are");
  return new Images(manifest, source);
});

scope.onmessage = ({ data }) => {
  if (data.kind !== "file") return server.receive(data);
  const waiting = wanted.get(data.id);
  wanted.delete(data.id);
  if (data.bytes) waiting?.give(data.bytes);
  else waiting?.fail(new Error(data.why));
};
