/*
 * base/json.ts: JSON as host/base writes and reads it: texts escaped as yyjson escapes them, and
 * whole numbers that a double cannot hold.
 */
import { text, utf8 } from "./bytes.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HEX = /\\(?:u00[01][0-9a-f]|[\s\S])/g;

/** Bytes as text; undefined: they are not UTF-8. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text that is well-formed, in quotes. */
function quoted(value: string): string {
  return JSON.stringify(value).replace(HEX, (pair) =>
    pair[1] === "u" ? pair.slice(0, 2) + pair.slice(2).toUpperCase() : pair,
  );
}

/** A text in quotes; halves of surrogates are replaced, as everywhere where bytes are made of it. */
export function jsonText(value: string): string {
  return quoted(text(utf8(value)));
}

const DIGITS = utf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");

export function base64(bytes: Uint8Array): string {
  const out = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  for (let at = 0, to = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    out[to++] = DIGITS[bits >> 18];
    out[to++] = DIGITS[(bits >> 12) & 63];
    out[to++] = DIGITS[left > 1 ? (bits >> 6) & 63 : 64];
    out[to++] = DIGITS[left > 2 ? bits & 63 : 64];
  }
  return text(out);
}

const VALUES = new Int8Array(256).fill(-1);
for (let i = 0; i < 64; i++) VALUES[DIGITS[i]] = i;

/** undefined: it is no base64, padded as it is written. */
export function fromBase64(coded: string): Uint8Array | undefined {
  const from = utf8(coded);
  const pad = coded.endsWith("==") ? 2 : coded.endsWith("=") ? 1 : 0;
  if (from.length % 4) return undefined;
  const out = new Uint8Array((from.length / 4) * 3);
  for (let at = 0, to = 0; at < from.length; at += 4) {
    let bits = 0;
    for (let i = 0; i < 4; i++) {
      const value = at + i >= from.length - pad ? 0 : VALUES[from[at + i]];
      if (value < 0) return undefined;
      bits = (bits << 6) | value;
    }
    out[to++] = bits >> 16;
    out[to++] = bits >> 8;
    out[to++] = bits;
  }
  return out.subarray(0, out.length - pad);
}

/** A member of an object, with a comma before it; what is not UTF-8 is `NAME_base64`. */
export function member(name: string, value: Uint8Array | string): string {
  if (typeof value === "string") return `,"${name}":${jsonText(value)}`;
  const readable = strictText(value);
  if (readable !== undefined) return `,"${name}":${quoted(readable)}`;
  return `,"${name}_base64":"${base64(value)}"`;
}

/* ---- reading */

export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const DEPTH_MAX = 16;

/** JSON in which a whole number beyond 2^53 is a BigInt. Throws a SyntaxError. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at !== this.#source.length) this.#fail();
    return value;
  }

  #fail(): never {
    throw new SyntaxError(`it is no JSON at character ${this.#at}`);
  }

  #space(): string {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#source);
    this.#at = SPACE.lastIndex;
    return this.#source[this.#at] ?? "";
  }

  #take(word: string): void {
    if (!this.#source.startsWith(word, this.#at)) this.#fail();
    this.#at += word.length;
  }

  #value(depth: number): JsonValue {
    const first = this.#space();
    if (depth > DEPTH_MAX) this.#fail();
    if (first === '"') return this.#text();
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const)
      if (this.#source.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    return this.#number();
  }

  #text(): string {
    let end = this.#at;
    for (;;) {
      end = this.#source.indexOf('"', end + 1);
      if (end < 0) this.#fail();
      let before = end;
      while (this.#source[before - 1] === "\\") before--;
      if ((end - before) % 2 === 0) break;
    }
    const value = JSON.parse(this.#source.slice(this.#at, end + 1)) as string;
    this.#at = end + 1;
    return value;
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#source);
    if (!found) this.#fail();
    this.#at = NUMBER.lastIndex;
    const [digits, fraction, exponent] = found;
    const value = Number(digits);
    return fraction || exponent || Number.isSafeInteger(value) ? value : BigInt(digits);
  }

  #array(depth: number): JsonValue[] {
    const all: JsonValue[] = [];
    this.#at++;
    if (this.#space() === "]") return (this.#at++, all);
    for (;;) {
      all.push(this.#value(depth + 1));
      if (this.#space() === "]") return (this.#at++, all);
      this.#take(",");
    }
  }

  #object(depth: number): JsonObject {
    const all = Object.create(null) as JsonObject;
    this.#at++;
    if (this.#space() === "}") return (this.#at++, all);
    for (;;) {
      if (this.#space() !== '"') this.#fail();
      const name = this.#text();
      this.#space();
      this.#take(":");
      all[name] = this.#value(depth + 1);
      if (this.#space() === "}") return (this.#at++, all);
      this.#take(",");
    }
  }
}

export function parseJson(source: string): JsonValue {
  return new Parser(source).whole();
}
