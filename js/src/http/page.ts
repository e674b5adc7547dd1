/*
 * http/page.ts: how a page makes the requests of http.ts: by fetch().
 *
 * What fetch() connects to nobody is told. So a name is asked by https alone, where a certificate
 * says who answers: nothing of a private network has one for a name of somebody else's. By http go
 * numbers and localhost, which are judged as they are written. It is the browser that verifies
 * certificates, sends its own User-Agent and Origin, and asks servers whether the page may read
 * their answers (CORS). Where a redirect leads it does not say, so one is a failure.
 */
import { ToolError, UnsupportedError } from "../base/error.ts";
import type { HttpEngine, Plan } from "./engine.ts";
import {
  type Answer,
  bareHost,
  FAILED,
  joined,
  type Order,
  tooLarge,
  tooLate,
  type TransportMaker,
} from "./transport.ts";

/** The browser's own; what a script says of them is not sent, and no harm. */
const OWN = new Set(["accept-encoding", "user-agent"]);

const denied = (why: string): ToolError =>
  new ToolError(`http/request is denied: ${why}`, "denied");

const NUMBER = /^[\d.]+$|:/;

/** Throws for what cannot be judged. */
function checkPlace(engine: HttpEngine, plan: Plan): void {
  const host = bareHost(plan);
  const local = host === "localhost" ? "127.0.0.1" : host;
  if (NUMBER.test(local)) {
    const why = engine.address(plan.url, local);
    if (why !== undefined) throw denied(why);
  } else if (plan.scheme !== "https")
    throw denied(
      `a page cannot tell which address ${host} has: by http go numbers and localhost alone`,
    );
}

function requestOf({ plan, body }: Order, signal: AbortSignal): Request {
  const request = new Request(plan.url, {
    method: plan.method,
    body: body as BodyInit | undefined,
    redirect: "manual",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal,
  });
  for (const [name, value] of plan.headers) {
    if (OWN.has(name.toLowerCase())) continue;
    request.headers.append(name, value);
    if (!request.headers.has(name))
      throw new ToolError(`http/request: a page cannot send the header ${name}`, "invalid");
  }
  return request;
}

async function bodyOf(said: Response, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = said.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      void reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    pieces.push(value);
  }
  return joined(pieces, size);
}

async function answerOf(said: Response, { plan, maxBytes }: Order): Promise<Answer> {
  if (said.type === "opaqueredirect")
    throw new ToolError(
      `${FAILED}: ${plan.host} answers with a redirect, and a page is not told where it leads`,
    );
  const body = await bodyOf(said, maxBytes);
  const headers = [...said.headers].filter(
    ([name]) => name !== "content-encoding" && name !== "content-length",
  );
  headers.push(["content-length", String(body.length)]);
  return { status: said.status, reason: said.statusText, headers, body };
}

/** A request's end: its time, or that of the run. */
function endOf({ timeoutMs, signal }: Order): {
  signal: AbortSignal;
  late: () => boolean;
  close: () => void;
} {
  const controller = new AbortController();
  let late = false;
  const abort = (): void => controller.abort();
  const timer = setTimeout(() => {
    late = true;
    abort();
  }, Math.min(timeoutMs, 2 ** 31 - 1));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    late: () => late,
    close: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

export const pageTransport: TransportMaker = (engine, ca) => {
  if (ca !== undefined)
    throw new UnsupportedError("ca: a page has the browser's certificates and no others");
  return {
    send: async (order) => {
      checkPlace(engine, order.plan);
      const end = endOf(order);
      try {
        return await answerOf(await fetch(requestOf(order, end.signal)), order);
      } catch (error) {
        if (error instanceof ToolError) throw error;
        if (end.late()) throw tooLate(order.timeoutMs);
        const { host, port } = order.plan;
        throw new ToolError(
          `Failed to connect to ${host} port ${port}: the browser did not, or may not tell what came back`,
        );
      } finally {
        end.close();
      }
    },
  };
};
