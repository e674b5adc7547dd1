/* machine/toolfiles.ts: what programs can read about the tools, under /tools: host/machine/toolfiles.c, in the
 * engine, which writes through these. */
import { PF } from "../abi.ts";
import { putFile } from "./files.ts";
import type { Machine } from "./machine.ts";

export function writeTools(machine: Machine): void {
  machine.gate.writeToolFiles({
    write: (path, data, mode, owner) => putFile(machine, path, data, mode, owner),
    unlink: (path) => machine.host("UNLINKAT", [PF.AT_FDCWD, 0], path),
  });
  machine.checkAlive();
}
