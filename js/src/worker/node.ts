/* worker/node.ts: the worker of Node: a thread that reads the programs by itself. */
import { parentPort } from "node:worker_threads";
import { packageImages } from "../node.ts";
import type { ToWorker } from "./protocol.ts";
import { Server } from "./server.ts";

const port = parentPort;
if (!port) throw new Error("this is the main program of a worker");
const server = new Server(
  { post: (message, transfer = []) => port.postMessage(message, transfer) },
  () => packageImages(),
);
port.on("message", (message: ToWorker) => server.receive(message));
