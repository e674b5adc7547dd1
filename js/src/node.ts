/* node.ts: pinfold in Node, Deno and Bun: the programs lie beside this file, in ../images. */
import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Images, type ImageSource, type Manifest } from "./cpu/image.ts";
import { type SandboxOptions, setRandom } from "./options.ts";
import { type RestoreOptions, Sandbox as Core } from "./sandbox.ts";

export * from "./index.ts";

setRandom(randomFillSync);

const folder = new URL("../images/", import.meta.url);

type Read = {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly length: number;
};
const plain = (bytes: Read): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

const source: ImageSource = {
  read: async (file) => plain(await readFile(new URL(file, folder))),
  readNow: (file) => plain(readFileSync(new URL(file, folder))),
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
