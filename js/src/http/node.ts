/*
 * http/node.ts: how Node makes the requests of http.ts.
 *
 * A name is resolved once, each of its addresses is judged, and the connection goes to one that
 * was: what the name means a moment later does not matter. No proxy, no cookies, no redirects, and
 * no connection is used for a second request. All of an answer comes within one deadline.
 */
import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { gunzip, inflate, inflateRaw } from "node:zlib";
import { ToolError, UnsupportedError } from "../base/error.ts";
import type { HttpEngine, Plan } from "./engine.ts";
import {
  type Answer,
  bareHost,
  type CertificateAuthorities,
  FAILED,
  joined,
  type Order,
  tooLarge,
  tooLate,
  type TransportMaker,
} from "./transport.ts";

/** Of the head of an answer. */
const HEAD_BYTES = 1 << 18;

type Failure = Error & { code?: string; reason?: string };

/** The time of one request, and what ends with it. */
class Deadline {
  readonly order: Order;
  /** What the parser said of an answer that has begun. */
  failure: Error | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #open = new Set<{ destroy(error: Error): unknown }>();
  #over: ToolError | undefined;
  #reject: ((error: Error) => void) | undefined;
  readonly #abort = (): void => this.#end(new ToolError(`${FAILED}: the run has ended`));

  constructor(order: Order) {
    this.order = order;
    const late = (): void => this.#end(tooLate(order.timeoutMs));
    this.#timer = setTimeout(late, Math.min(order.timeoutMs, 2 ** 31 - 1));
    order.signal.addEventListener("abort", this.#abort, { once: true });
    if (order.signal.aborted) this.#abort();
  }

  #end(error: ToolError): void {
    this.#over ??= error;
    for (const one of this.#open) one.destroy(error);
    this.#reject?.(error);
  }

  /** Destroyed when time is over, or the request is. */
  hold<T extends { destroy(error: Error): unknown }>(one: T): T {
    this.#open.add(one);
    if (this.#over) one.destroy(this.#over);
    return one;
  }

  /** The act, or the end of time. */
  async race<T>(act: Promise<T>): Promise<T> {
    act.catch(() => {});
    if (this.#over) throw this.#over;
    return Promise.race([act, new Promise<never>((_, reject) => (this.#reject = reject))]);
  }

  /** What ended it, rather than what came of that. */
  why(error: unknown): unknown {
    return this.#over ?? error;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.order.signal.removeEventListener("abort", this.#abort);
    for (const one of this.#open) one.destroy(new Error("the request is over"));
  }
}

/* ---- connections */

async function resolve(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    return [...new Set(found.map(({ address }) => address))];
  } catch {
    throw new ToolError(`Could not resolve host: ${host}`);
  }
}

/** `address` is a number: nothing resolves it again. */
function dial(address: string, port: number, deadline: Deadline): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = deadline.hold(connect({ host: address, port, noDelay: true }));
    socket.once("connect", () => done(socket)).once("error", fail);
  });
}

async function reach(engine: HttpEngine, plan: Plan, deadline: Deadline): Promise<Socket> {
  let refused: string | undefined, failed: unknown;
  for (const address of await deadline.race(resolve(bareHost(plan)))) {
    const why = engine.address(plan.url, address);
    refused ??= why;
    if (why !== undefined) continue;
    try {
      return await deadline.race(dial(address, plan.port, deadline));
    } catch (error) {
      failed = deadline.why(error);
      if (failed instanceof ToolError) throw failed;
    }
  }
  if (failed === undefined && refused !== undefined)
    throw new ToolError(`http/request is denied: ${refused}`, "denied");
  throw new ToolError(
    `Failed to connect to ${plan.host} port ${plan.port}: Couldn't connect to server`,
  );
}

function tlsFailure({ code = "", message }: Failure): ToolError {
  const about = /CERT|ISSUER|SIGNATURE|CRL|VERIFY|SIGNED/.test(code) && !code.startsWith("ERR_SSL");
  return new ToolError(
    about ? `SSL certificate problem: ${message}` : `SSL connect error: ${message}`,
  );
}

function secure(
  plan: Plan,
  socket: Socket,
  ca: CertificateAuthorities | undefined,
  deadline: Deadline,
): Promise<TLSSocket> {
  return new Promise((done, fail) => {
    const host = bareHost(plan);
    const tls = connectTls({
      socket,
      host,
      servername: isIP(host) ? "" : host,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true, /* whatever the environment says */
      ca: ca as string | string[] | undefined,
    });
    deadline.hold(tls).once("secureConnect", () => done(tls));
    tls.once("error", (error) => fail(tlsFailure(error)));
  });
}

/* ---- a request */

/** Bytes of UTF-8, as Node wants the values of headers. */
const raw = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

function headersOf({ plan, body }: Order): string[] {
  const headers = ["Host", plan.authority];
  for (const [name, value] of plan.headers) headers.push(name, raw(value));
  const bare = ["GET", "HEAD", "OPTIONS", "DELETE"].includes(plan.method);
  if (body !== undefined || !bare) headers.push("Content-Length", String(body?.length ?? 0));
  return headers;
}

/** Why a request, or the answer to it, failed, by curl's words. */
function failureOf(error: Failure): Error {
  const { code = "", message } = error;
  if (error instanceof ToolError) return error;
  if (code === "HPE_HEADER_OVERFLOW")
    return new ToolError(`${FAILED}: the headers are too large`);
  if (/^HPE_INVALID_(CONSTANT|VERSION|STATUS)$/.test(code))
    return new ToolError("Received HTTP/0.9 when not allowed");
  if (code.startsWith("HPE_")) return new ToolError(`${FAILED}: ${error.reason || message}`);
  if (message === "socket hang up") return new ToolError("Empty reply from server");
  if (code === "EPIPE") return new ToolError("Failed sending data to the peer");
  if (code === "ECONNRESET") return new ToolError(`${FAILED}: the connection was reset`);
  return error;
}

function ask(order: Order, socket: Socket, deadline: Deadline): Promise<IncomingMessage> {
  const { plan, body } = order;
  return new Promise((done, fail) => {
    const asked: ClientRequest = request({
      createConnection: () => socket,
      method: plan.method,
      path: plan.target,
      headers: headersOf(order),
      setHost: false,
      maxHeaderSize: HEAD_BYTES,
      insecureHTTPParser: false,
    } as object);
    deadline.hold(asked);
    asked.once("response", done);
    asked.once("upgrade", () =>
      fail(new ToolError(`${FAILED}: the server switched to another protocol`)),
    );
    asked.on("error", (error) => fail((deadline.failure ??= failureOf(error))));
    asked.end(body);
  });
}

function pairsOf({ rawHeaders }: IncomingMessage): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    rawHeaders[2 * i],
    rawHeaders[2 * i + 1],
  ]);
}

async function bodyOf(said: IncomingMessage, deadline: Deadline): Promise<Uint8Array> {
  const { maxBytes } = deadline.order;
  const declared = Number(said.headers["content-length"] ?? NaN);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of said as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > maxBytes || declared > maxBytes) throw tooLarge(maxBytes);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ToolError) throw error;
    /* It ended too early: below. */
  }
  if (!said.complete) {
    if (deadline.failure?.message.startsWith(FAILED)) throw deadline.failure;
    throw new ToolError(
      declared > size
        ? `transfer closed with ${declared - size} bytes remaining to read`
        : "transfer closed with outstanding read data remaining",
    );
  }
  return joined(pieces, size);
}

/* ---- encodings */

const UNPACK = {
  gzip: [promisify(gunzip)],
  "x-gzip": [promisify(gunzip)],
  deflate: [promisify(inflate), promisify(inflateRaw)],
} as const;

async function unpacked(data: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  for (const unpack of UNPACK[name as keyof typeof UNPACK]) {
    try {
      return new Uint8Array(await unpack(data, { maxOutputLength: maxBytes }));
    } catch (error) {
      const { code } = error as Failure;
      if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
      if (code === "Z_BUF_ERROR")
        throw new ToolError("transfer closed with outstanding read data remaining");
    }
  }
  throw new ToolError(`Error while processing content unencoding: it is not ${name}`);
}

/** The body without its encodings. */
async function decoded(answer: Answer, order: Order): Promise<Answer> {
  const coded = answer.headers.filter(([name]) => name.toLowerCase() === "content-encoding");
  const names = coded
    .flatMap(([, value]) => value.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name && name !== "identity");
  if (!names.length || !answer.body.length) return answer;
  if (names.length > 3 || !names.every((name) => Object.hasOwn(UNPACK, name))) {
    if (!order.strict) return answer;
    throw new ToolError(`Unrecognized content encoding type: ${names.join(", ").slice(0, 100)}`);
  }
  let { body } = answer;
  for (const name of names.reverse()) body = await unpacked(body, name, order.maxBytes);
  const headers = answer.headers.filter(
    ([name]) => !["content-encoding", "content-length"].includes(name.toLowerCase()),
  );
  return { ...answer, headers: [...headers, ["Content-Length", String(body.length)]], body };
}

/* ---- the whole */

export const nodeTransport: TransportMaker = (engine, ca) => {
  const { versions } = process;
  for (const other of ["bun", "deno"])
    if (versions[other])
      throw new UnsupportedError(
        `Http needs Node: ${other} does not promise that node:http connects where it is told to`,
      );
  return {
    send: async (order) => {
      const { plan } = order,
        deadline = new Deadline(order);
      try {
        let socket = await reach(engine, plan, deadline);
        if (plan.scheme === "https")
          socket = await deadline.race(secure(plan, socket, ca, deadline));
        const said = await deadline.race(ask(order, socket, deadline));
        const body = await deadline.race(bodyOf(said, deadline));
        const { statusCode: status = 0, statusMessage: reason = "" } = said;
        return await decoded({ status, reason, headers: pairsOf(said), body }, order);
      } catch (error) {
        throw failureOf(deadline.why(error) as Failure);
      } finally {
        deadline.close();
      }
    },
  };
};
