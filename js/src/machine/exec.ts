/* machine/exec.ts: a program to start, in the form that the kernel takes (abi/types.h). */
import { LAYOUT, PF } from "../abi.ts";
import { utf8 } from "../base/bytes.ts";
import type { Machine } from "./machine.ts";

const E = LAYOUT.exec,
  A = LAYOUT.spawn_action;

export function execBlock(
  path: string,
  argv: readonly string[],
  env: readonly string[],
  cwd: string,
): Uint8Array {
  const strings = [path, ...argv, ...env].map((text) => utf8(text + "\0"));
  const folder = utf8(cwd + "\0");
  const before = E.SIZE + strings.reduce((sum, bytes) => sum + bytes.length, 0);
  const end = before + folder.length;
  const actions = Math.ceil(end / 8) * 8;
  const block = new Uint8Array(actions + A.SIZE),
    view = new DataView(block.buffer);
  let at: number = E.SIZE;
  for (const bytes of [...strings, folder]) {
    block.set(bytes, at);
    at += bytes.length;
  }
  view.setUint32(E.argc, argv.length, true);
  view.setUint32(E.envc, env.length, true);
  view.setUint32(E.actions_offset, actions, true);
  view.setUint32(E.action_count, 1, true);
  view.setUint32(E.strings_offset, E.SIZE, true);
  view.setUint32(E.strings_len, end - E.SIZE, true);
  view.setUint32(actions + A.kind, PF.SPAWN_CHDIR, true);
  view.setUint32(actions + A.path_offset, before, true);
  return block;
}

/** Starts the leader of a session: its pid, or a negative errno. */
export function startSession(machine: Machine, session: number): number {
  const program = ["/usr/bin/bash", "/usr/bin/python3"][session];
  const name = program.slice(program.lastIndexOf("/") + 1);
  return machine.host(
    "HOST_SESSION",
    [session],
    execBlock(program, [name, "--session"], machine.env, "/workspace"),
  );
}
