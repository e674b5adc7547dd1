/* files.ts: the files of a sandbox, for its embedder. */
import { text, utf8 } from "./base/bytes.ts";
import { FileError, InvalidError } from "./base/error.ts";
import {
  type FileInfo,
  listFiles,
  makeDirectory,
  readFile,
  removeFile,
  statFile,
  writeFile,
} from "./machine/files.ts";
import type { Machine } from "./machine/machine.ts";

export type Content = string | Uint8Array;

export interface ReadOptions {
  /** More than this is refused before it is read. Default: memoryBytes, at most 1 GiB. */
  maxBytes?: number;
}

const HOME = "/workspace/";
const absolute = (path: string): string => (path.startsWith("/") ? path : HOME + path);

/** Relative paths are below /workspace. The embedder has all permissions. */
export class Files {
  readonly #enter: <T>(act: (machine: Machine) => T) => T;

  constructor(enter: <T>(act: (machine: Machine) => T) => T) {
    this.#enter = enter;
  }

  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return this.#enter((machine) =>
      readFile(
        machine,
        absolute(path),
        options.maxBytes ?? Math.min(machine.ownLimits.memory_bytes, 2 ** 30),
      ),
    );
  }

  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return text(await this.read(path, options));
  }

  /** Makes the directories on the way. */
  async write(path: string, content: Content): Promise<void> {
    const bytes = typeof content === "string" ? utf8(content) : content;
    if (!(bytes instanceof Uint8Array))
      throw new InvalidError("the contents of a file are a text or a Uint8Array");
    this.#enter((machine) => writeFile(machine, absolute(path), bytes));
  }

  async list(path = "/workspace"): Promise<string[]> {
    return this.#enter((machine) => listFiles(machine, absolute(path)));
  }

  /** A file, or a directory that is empty. */
  async remove(path: string): Promise<void> {
    this.#enter((machine) => removeFile(machine, absolute(path)));
  }

  async mkdir(path: string): Promise<void> {
    this.#enter((machine) => makeDirectory(machine, absolute(path)));
  }

  /** `follow`: what a symbolic link leads to, rather than the link. */
  async stat(path: string, follow = true): Promise<FileInfo> {
    return this.#enter((machine) => statFile(machine, absolute(path), follow));
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      if (error instanceof FileError && (error.code === "ENOENT" || error.code === "ENOTDIR"))
        return false;
      throw error;
    }
  }
}
