/*
 * machine/library.ts: files of the build that lie in every sandbox's root and come when they are
 * looked at: the standard library of python3. See host/machine/library.h; mount/fill.ts
 * brings them.
 */
import { ERRNO } from "../abi.ts";
import { utf8 } from "../base/bytes.ts";
import type { Images, LibraryEntry } from "../cpu/image.ts";
import type { Fill, FillName } from "./tape.ts";

/** The time that files of the root bear: 2026-01-01, in nanoseconds. */
export const ROOT_TIME_NS = 1767225600n * 10n ** 9n;
const DIRECTORY = 0o040755,
  FILE = 0o100644;
const NOTHING = new Uint8Array(0);

function namesIn(entries: ReadonlyMap<string, LibraryEntry>, folder: string): FillName[] {
  const before = folder ? folder + "/" : "",
    names: FillName[] = [];
  for (const [path, entry] of entries) {
    const name = path.slice(before.length);
    if (!path.startsWith(before) || name === "" || name.includes("/")) continue;
    names.push({
      name: utf8(name),
      mode: entry.directory ? DIRECTORY : FILE,
      size: entry.len,
      mtimeNs: ROOT_TIME_NS,
      target: NOTHING,
    });
  }
  return names;
}

const missing: Fill = { error: ERRNO.EIO, names: [], data: NOTHING };

/** What is at a source: a slash, and a path in the library. It is of the build, and no input. */
export function libraryFill(images: Images, source: string, directory: boolean): Fill {
  const library = images.libraryNow();
  if (!library) return missing;
  const path = source.slice(1),
    entry = library.entries.get(path);
  if (path ? !entry || entry.directory !== directory : !directory) return missing;
  if (directory) return { error: 0, names: namesIn(library.entries, path), data: NOTHING };
  if (!entry) return missing;
  return { error: 0, names: [], data: library.data.subarray(entry.from, entry.from + entry.len) };
}
