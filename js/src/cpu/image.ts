/*
 * cpu/image.ts: the programs of this build, and what processes start from.
 *
 * The bytes come from a source: a folder of the package (node.ts) or a server (web.ts). A module is
 * compiled when a process first needs it, once for each limit of memory, and kept for all
 * sandboxes.
 */
import { UnsupportedError } from "../base/error.ts";
import { withPages } from "./module.ts";

/** What is at [from, to) of a memory, in the bytes of its template; everything else is zero. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** An instance that was started by the build and stands still: see host/cpu/baked.h. */
export interface TemplateInfo {
  readonly use: "start" | "kernel" | "session";
  readonly size: number;
  readonly rewinding: boolean;
  readonly asyncify: number;
  readonly asyncifyStack: Run;
  readonly stackPointer: number;
  readonly runs: readonly Run[];
  /** The file that holds the bytes of the runs, one after the other. */
  readonly file: string;
}

export interface ImageInfo {
  readonly name: string;
  readonly applets: readonly string[];
  /** Bytes of its C stack, which is [0, stack) of its memory. */
  readonly stack: number;
  readonly module: string;
  readonly templates: readonly TemplateInfo[];
}

/** What images/manifest.json says. */
export interface Manifest {
  readonly format: number;
  readonly version: string;
  /** SHA-256 of the programs, as snapshots and traces name them. */
  readonly digest: string;
  readonly mailbox: number;
  readonly sessionProc: number;
  /** The kernel first. */
  readonly images: readonly ImageInfo[];
  readonly engine: string;
  readonly snapshots: string;
  /**
   * The standard library of python3: an index of [path, from, length], length -1 for directories,
   * and its bytes.
   */
  readonly library: { readonly index: string; readonly data: string } | null;
  /** What asks a session of Python for its names: host/snapshot/state.py. */
  readonly state: string;
}

export interface LibraryEntry {
  readonly from: number;
  readonly len: number;
  readonly directory: boolean;
}

export interface Library {
  readonly entries: ReadonlyMap<string, LibraryEntry>;
  readonly data: Uint8Array;
}

function readLibrary(index: Uint8Array, data: Uint8Array): Library {
  const list = JSON.parse(new TextDecoder().decode(index)) as [string, number, number][];
  return {
    entries: new Map(
      list.map(([path, from, len]) => [path, { from, len: Math.max(0, len), directory: len < 0 }]),
    ),
    data,
  };
}

/** What a file of images/ holds: most are gzip's, unless a server unpacked them on the way. */
export async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const packed = new Blob([bytes as BlobPart]).stream();
  const stream = packed.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Where the files of images/ come from, unpacked(). */
export interface ImageSource {
  read(file: string): Promise<Uint8Array>;
  /**
   * The same at once, where that is possible: for a program that is started while another one is
   * parked.
   */
  readNow?(file: string): Uint8Array;
}

export interface Template {
  readonly info: TemplateInfo;
  readonly data: Uint8Array;
}

const PAGE = 65536;

export class Image {
  readonly info: ImageInfo;
  readonly #source: ImageSource;
  #bytes: Uint8Array | undefined;
  readonly #modules = new Map<number, WebAssembly.Module>();
  readonly #templates = new Map<string, Template>();

  constructor(info: ImageInfo, source: ImageSource) {
    this.info = info;
    this.#source = source;
  }

  #template(use: TemplateInfo["use"]): TemplateInfo {
    const info = this.info.templates.find((one) => one.use === use);
    if (!info)
      throw new UnsupportedError(`the package has no template of ${this.info.name} for ${use}`);
    return info;
  }

  /** What is needed to make an instance; undefined: load() it first. */
  ready(
    use: TemplateInfo["use"],
    bytes: number,
  ): { module: WebAssembly.Module; template: Template } | undefined {
    const module = this.#modules.get(pagesOf(bytes));
    const template = this.#templates.get(use);
    return module && template ? { module, template } : undefined;
  }

  async load(use: TemplateInfo["use"], bytes: number): Promise<void> {
    const pages = pagesOf(bytes);
    if (!this.#templates.has(use)) {
      const info = this.#template(use);
      this.#templates.set(use, { info, data: await this.#source.read(info.file) });
    }
    if (this.#modules.has(pages)) return;
    this.#bytes ??= await this.#source.read(this.info.module);
    const module = await WebAssembly.compile(withPages(this.#bytes, pages) as BufferSource);
    if (!this.#modules.has(pages)) this.#modules.set(pages, module);
  }

  /** load(), at once; false: this source cannot. */
  loadNow(use: TemplateInfo["use"], bytes: number): boolean {
    const read = this.#source.readNow?.bind(this.#source);
    if (!read) return false;
    const pages = pagesOf(bytes);
    const info = this.#template(use);
    if (!this.#templates.has(use)) this.#templates.set(use, { info, data: read(info.file) });
    this.#bytes ??= read(this.info.module);
    if (!this.#modules.has(pages))
      this.#modules.set(
        pages,
        new WebAssembly.Module(withPages(this.#bytes, pages) as BufferSource),
      );
    return true;
  }
}

function pagesOf(bytes: number): number {
  return Math.min(65535, Math.max(1, Math.floor(bytes / PAGE)));
}

/** The programs of one package, shared by all sandboxes that use it. */
export class Images {
  readonly manifest: Manifest;
  readonly kernel: Image;
  readonly programs: readonly Image[];
  readonly source: ImageSource;

  constructor(manifest: Manifest, source: ImageSource) {
    if (manifest.format !== 1)
      throw new UnsupportedError("images/manifest.json is of another version of pinfold");
    this.manifest = manifest;
    this.source = source;
    const [kernel, ...programs] = manifest.images.map((info) => new Image(info, source));
    this.kernel = kernel;
    this.programs = programs;
  }

  #engine: Promise<WebAssembly.Module> | undefined;

  /** What decides about calls: capability/engine.ts. */
  engine(): Promise<WebAssembly.Module> {
    this.#engine ??= this.source
      .read(this.manifest.engine)
      .then((bytes) => WebAssembly.compile(bytes as BufferSource));
    return this.#engine;
  }

  #library: Library | undefined;

  /** The library, for a program that is about to need it. */
  async loadLibrary(): Promise<void> {
    const { library } = this.manifest;
    if (!library || this.#library) return;
    const [index, data] = await Promise.all([
      this.source.read(library.index),
      this.source.read(library.data),
    ]);
    this.#library = readLibrary(index, data);
  }

  /** undefined: it is not loaded, and this source cannot read it at once. */
  libraryNow(): Library | undefined {
    const { library } = this.manifest,
      read = this.source.readNow?.bind(this.source);
    if (library && read) this.#library ??= readLibrary(read(library.index), read(library.data));
    return this.#library;
  }

  #snapshots: Promise<WebAssembly.Module> | undefined;

  /** What makes and reads snapshots: snapshot/frame.ts. */
  snapshots(): Promise<WebAssembly.Module> {
    this.#snapshots ??= this.source
      .read(this.manifest.snapshots)
      .then((bytes) => WebAssembly.compile(bytes as BufferSource));
    return this.#snapshots;
  }

  /** See snapshot/guests.ts. */
  state(): Promise<Uint8Array> {
    return this.source.read(this.manifest.state);
  }

  #build: Promise<Uint8Array> | undefined;

  /**
   * What names this build in a snapshot once it is hashed: host/snapshot/memory.c,
   * snapshot_build().
   */
  buildBytes(): Promise<Uint8Array> {
    this.#build ??= this.#readBuild();
    return this.#build;
  }

  async #readBuild(): Promise<Uint8Array> {
    const info = this.kernel.info.templates[0];
    const data = await this.source.read(info.file);
    const out = new Uint8Array(40 + 8 * info.runs.length + data.length),
      view = new DataView(out.buffer);
    for (let i = 0; i < 32; i++)
      out[i] = parseInt(this.manifest.digest.slice(2 * i, 2 * i + 2), 16);
    view.setUint32(32, info.size, true);
    let at = 40,
      from = 0;
    for (const run of info.runs) {
      const len = run.to - run.from;
      view.setUint32(at, run.from, true);
      view.setUint32(at + 4, run.to, true);
      out.set(data.subarray(from, from + len), at + 8);
      at += 8 + len;
      from += len;
    }
    return out;
  }

  /** Loads what every sandbox starts with: its kernel and its shell. */
  async ready(kernelBytes: number, programBytes: number): Promise<void> {
    const shell = this.programs.find((image) => image.info.name === "sh");
    await Promise.all([
      this.kernel.load("kernel", kernelBytes),
      shell?.load("session", programBytes),
    ]);
  }
}
