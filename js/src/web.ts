/*
 * web.ts: pinfold in a browser: the programs come from ../images beside this file, or from another
 * URL.
 */
import { Images, type ImageSource, type Manifest } from "./cpu/image.ts";
import type { SandboxOptions } from "./options.ts";
import { type RestoreOptions, Sandbox as Core } from "./sandbox.ts";

export * from "./index.ts";

const known = new Map<string, Promise<Images>>();

async function get(url: URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The programs below a URL, fetched when they are first needed. */
export function imagesAt(base: string | URL): Promise<Images> {
  const folder = new URL(base);
  const source: ImageSource = { read: (file) => get(new URL(file, folder)) };
  let images = known.get(folder.href);
  if (!images) {
    images = get(new URL("manifest.json", folder)).then(
      (bytes) => new Images(JSON.parse(new TextDecoder().decode(bytes)) as Manifest, source),
    );
    known.set(folder.href, images);
  }
  return images;
}

/** See sandbox.ts. */
export type Sandbox = Core;
export const Sandbox = {
  /** As in Node; `images`: the URL of the package's folder images/, with a slash at its end. */
  async create(options: SandboxOptions & { images?: string | URL } = {}): Promise<Core> {
    const { images = new URL("../images/", import.meta.url), ...rest } = options;
    return Core.make(await imagesAt(images), rest);
  },
  async restore(
    data: Uint8Array,
    options: RestoreOptions & { images?: string | URL } = {},
  ): Promise<Core> {
    const { images = new URL("../images/", import.meta.url), ...rest } = options;
    return Core.remake(await imagesAt(images), data, rest);
  },
};
