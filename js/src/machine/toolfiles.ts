/*
 * machine/toolfiles.ts: what programs can read about the tools, under /tools:
 * host/machine/toolfiles.c, in the engine, which writes through these.
 */
import { PF } from "../abi.ts";
import { compareBytes, utf8 } from "../base/bytes.ts";
import type { ToolFiles } from "../capability/engine.ts";
import { listNames, putFile } from "./files.ts";
import type { Machine } from "./machine.ts";

function filesOf(machine: Machine): ToolFiles {
  return {
    write: (path, data, mode, owner) => putFile(machine, path, data, mode, owner),
    unlink: (path) => machine.host("UNLINKAT", [PF.AT_FDCWD, 0], path),
    list: (path) => {
      const names = listNames(machine, path);
      return typeof names === "number" ? names : names.sort(compareBytes);
    },
  };
}

export function writeTools(machine: Machine): void {
  machine.gate.writeToolFiles(filesOf(machine));
  machine.toolFiles = machine.gate.hasTools;
  if (machine.prelude) putFile(machine, utf8("/tools/prelude.js"), machine.prelude, 0o644, 0);
  machine.checkAlive();
}

/** Removes the files of tools that a restored sandbox has no more. */
export function forgetTools(machine: Machine): void {
  machine.gate.forgetToolFiles(filesOf(machine));
  machine.checkAlive();
}
