/*
 * trace/sink.ts: where a trace goes: a file, or who is given its bytes.
 */
import { InvalidError, UnsupportedError } from "../base/error.ts";
import type { Sink } from "./record.ts";

/** A path, where there are files, or a function that is given the trace's bytes as they come. */
export type RecordTo = string | URL | ((bytes: Uint8Array) => void);

type Opener = (path: string | URL) => Sink;
let openFile: Opener | undefined;

/** How a file for a trace is made, on an engine that has files: node.ts. */
export function setTraceFiles(open: Opener): void {
  openFile = open;
}

export function sinkOf(to: RecordTo): Sink {
  if (typeof to === "function") return { write: (bytes) => to(bytes), end: () => {} };
  if (typeof to !== "string" && !(to instanceof URL))
    throw new InvalidError("record is a path, or a function that is given the trace's bytes");
  if (!openFile)
    throw new UnsupportedError(
      "there are no files here: give `record` a function, which is given the trace's bytes",
    );
  return openFile(to);
}

/** Where a branch is recorded that says nothing of it: `run.jsonl` has `run.1.jsonl`. */
export function branchOf(to: RecordTo, number: number): RecordTo {
  if (typeof to === "function")
    throw new InvalidError(
      "the sandbox is recorded by a function: say where its branch is, fork({record}), or false",
    );
  const path = to instanceof URL ? to.href : to;
  const found = /^(.*[^/\\])(\.[^./\\]+)$/s.exec(path);
  const plain = !found || /^\.\d+$/.test(found[2]); /* that of a branch, without another */
  const name = plain ? `${path}.${number}` : `${found[1]}.${number}${found[2]}`;
  return to instanceof URL ? new URL(name) : name;
}
