/* http/transport.ts: what makes the requests that http/engine.ts has judged: node.ts, page.ts. */
import { ToolError } from "../base/error.ts";
import type { HttpEngine, Plan } from "./engine.ts";

export interface Order {
  readonly plan: Plan;
  readonly body: Uint8Array | undefined;
  /** For all of it. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** An encoding that cannot be taken away is an error, for nobody knows what is in it. */
  readonly strict: boolean;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
}

/** What a server said; its body without the encodings, which then are gone from the headers. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

export interface Transport {
  send(order: Order): Promise<Answer>;
}

/** Makes one for an Http. */
export type TransportMaker = (engine: HttpEngine, ca: CertificateAuthorities | undefined) => Transport;

/** Certificates as PEM texts. */
export type CertificateAuthorities = string | Uint8Array | readonly (string | Uint8Array)[];

/* ---- what programs are told, by curl's words: guests derive exit statuses from them */

export const FAILED = "Failure when receiving data from the peer";

export const tooLarge = (maxBytes: number): ToolError =>
  new ToolError(`Maximum file size exceeded: an answer has at most ${maxBytes} bytes`);

export const tooLate = (timeoutMs: number): ToolError =>
  new ToolError(`Operation timed out after ${Math.round(timeoutMs)} milliseconds`, "timeout");

/** Hosts that are no names, and what stands for this machine. */
export function bareHost({ host }: Plan): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/** Node and browsers write methods in capitals of their own: what was judged is what is sent. */
export function checkMethod({ method }: Plan): void {
  if (method !== method.toUpperCase())
    throw new ToolError(
      `http/request: the method ${method} would be sent as ${method.toUpperCase()}: write it so`,
      "invalid",
    );
}

/**
 * What a file of gzip begins with, as far as `most`; nothing of what is none. Of one that is damaged,
 * or has something else behind it, nothing may be said (undefined): other programs give what they have
 * read of it.
 */
export async function unpackedStart(
  data: Uint8Array,
  most: number,
): Promise<Uint8Array | undefined> {
  if (data[0] !== 0x1f || data[1] !== 0x8b || data[2] !== 8) return new Uint8Array(0);
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  const written = writer.write(data as BufferSource).then(() => writer.close());
  written.catch(() => {}); /* the reader sees it */
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = stream.readable.getReader();
  try {
    while (size < most) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      size += value.length;
    }
  } catch {
    return undefined;
  }
  void reader.cancel().catch(() => {});
  return joined(pieces, size);
}

export function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
