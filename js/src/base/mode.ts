/* base/mode.ts: the type of a file within its mode, as <sys/stat.h> of POSIX has it. */

export const S_IFMT = 0o170000,
  S_IFREG = 0o100000,
  S_IFDIR = 0o040000,
  S_IFLNK = 0o120000,
  S_IFIFO = 0o010000;

export type FileKind = "file" | "directory" | "symlink" | "other";

const KINDS: ReadonlyMap<number, FileKind> = new Map<number, FileKind>([
  [S_IFREG, "file"],
  [S_IFDIR, "directory"],
  [S_IFLNK, "symlink"],
]);

export function fileKind(mode: number): FileKind {
  return KINDS.get(mode & S_IFMT) ?? "other";
}
