/*
 * share.ts: a sandbox as a link: the snapshot, the tools and the policy in the fragment, which a
 * browser sends to nobody.
 */
import { checkConfig, type Config } from "./config.ts";

/** Of what a browser takes as a link. */
const LINK_MAX = 1_900_000;
const NAME = "#s=";

/* A length u32, that many bytes of JSON, the snapshot. */
function packed(config: Config, data: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(config));
  const all = new Uint8Array(4 + head.length + data.length);
  new DataView(all.buffer).setUint32(0, head.length, true);
  all.set(head, 4);
  all.set(data, 4 + head.length);
  return all;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function linkOf(config: Config, data: Uint8Array): string {
  const url = new URL(location.href);
  url.hash = NAME + base64(packed(config, data));
  if (url.href.length > LINK_MAX)
    throw new Error(
      `this sandbox would be a link of ${(url.href.length / 1e6).toFixed(1)} MB, more than browsers take: remove large files, or save the snapshot`,
    );
  return url.href;
}

export interface Shared {
  readonly config: Config;
  readonly data: Uint8Array;
}

export function sharedIn(bytes: Uint8Array): Shared {
  const cut = new Error("the link was cut short: copy all of it");
  if (bytes.length < 4) throw cut;
  const len = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (bytes.length <= 4 + len) throw cut;
  const config = checkConfig(JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + len))));
  return { config, data: bytes.slice(4 + len) };
}

/** What the page's own address holds; undefined: nothing. */
export function sharedHere(): Shared | undefined {
  if (!location.hash.startsWith(NAME)) return undefined;
  const text = location.hash.slice(NAME.length).replaceAll("-", "+").replaceAll("_", "/");
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new Error("the link was cut short: copy all of it");
  }
  return sharedIn(bytes);
}

export { packed as fileOf };
