/*
 * cpu/module.ts: the two changes that a host in JavaScript makes to a module before it is compiled.
 *
 * A process is copied from a template, so its data segments are not needed: the package leaves them
 * out. And WebAssembly has no other bound for a memory than the one that its module names: so a
 * program's module names the limit of the sandbox that runs it.
 */
import { InvalidError } from "../base/error.ts";

const MEMORY = 5,
  DATA = 11,
  DATA_COUNT = 12;

function leb(value: number): number[] {
  const out: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>>= 7;
    if (value === 0) return [...out, low];
    out.push(low | 0x80);
  }
}

function readLeb(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at];
  }
  throw new InvalidError("a module of the package is damaged");
}

function* sections(
  bytes: Uint8Array,
): Generator<{ id: number; body: Uint8Array; whole: Uint8Array }> {
  for (let at = 8; at < bytes.length;) {
    const [len, begin] = readLeb(bytes, at + 1);
    yield {
      id: bytes[at],
      body: bytes.subarray(begin, begin + len),
      whole: bytes.subarray(at, begin + len),
    };
    at = begin + len;
  }
}

function join(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The module without its data segments and its names. */
export function withoutData(bytes: Uint8Array): Uint8Array {
  const parts = [bytes.subarray(0, 8)];
  for (const { id, whole } of sections(bytes))
    if (id !== DATA && id !== DATA_COUNT && id !== 0) parts.push(whole);
  return join(parts);
}

/** The module with a memory that grows to `pages` of 64 KiB at most. */
export function withPages(bytes: Uint8Array, pages: number): Uint8Array {
  const parts = [bytes.subarray(0, 8)];
  for (const { id, body, whole } of sections(bytes)) {
    if (id !== MEMORY) {
      parts.push(whole);
      continue;
    }
    const [low, at] = readLeb(body, 2);
    const [high] = readLeb(body, at);
    if (body[0] !== 1 || body[1] !== 1)
      throw new InvalidError("a module of the package is damaged");
    const changed = [1, 1, ...leb(low), ...leb(Math.max(low, Math.min(high, pages)))];
    parts.push(Uint8Array.from([MEMORY, ...leb(changed.length), ...changed]));
  }
  return join(parts);
}
