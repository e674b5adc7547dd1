/*
 * snapshot/guests.ts: asks the guest's sessions what they hold, and hands it to others:
 * host/snapshot/guests.c.
 *
 * Both are runs like any, with other texts: the shell knows its own (guest/programs/sh/state.h), a
 * session of Python runs state.py.
 */
import { Buffer, text, utf8 } from "../base/bytes.ts";
import { base64 } from "../base/json.ts";
import { Alarm, drive } from "../machine/drive.ts";
import type { Machine } from "../machine/machine.ts";
import { start } from "../machine/run.ts";

const NOTHING = new Uint8Array(0);

/** What a session answers, or why it does not; then a run may still be on. */
export type Answer = { readonly records: Uint8Array } | { readonly why: string };

/** Does a run, and gives its value. */
async function ask(machine: Machine, language: "shell" | "python", code: Uint8Array): Promise<Answer> {
  start(machine, {
    code,
    language,
    stdin: NOTHING,
    isolated: false,
    cwd: undefined,
    env: [],
    limits: machine.ownLimits,
    ownLimits: false,
    onOutput: undefined,
  });
  if (machine.run.on) await drive(machine, new Alarm());
  const { run } = machine;
  if (run.on || !run.outcome) return { why: "it waits for something" };
  if (run.limit !== undefined) return { why: run.limit };
  if (run.outcome.exitCode !== 0) return { why: "it refuses" };
  if (run.valueVoid) return { why: "it says nothing" };
  return { records: run.value.bytes.slice() };
}

/** The session is asked for its records (`take` undefined), or given those of another one. */
export async function askShell(machine: Machine, take?: Uint8Array): Promise<Answer> {
  const code = new Buffer();
  code.add(utf8(`#!pinfold-state ${take ? "take" : "give"}\n`));
  code.add(take ?? NOTHING);
  return ask(machine, "shell", code.bytes);
}

/** The same for the session of Python. */
export async function askPython(machine: Machine, take?: Uint8Array): Promise<Answer> {
  const program = base64(await machine.images.state());
  await machine.images.loadLibrary();
  const given = take ? `'${base64(take)}'` : "None";
  const code = `exec(__import__('base64').b64decode('${program}'),{'__name__':'_state','_take':${given}})`;
  return ask(machine, "python", utf8(code));
}

/** Records of a session, each some fields; undefined: they are malformed. */
export function readRecords(data: Uint8Array): Uint8Array[][] | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.length),
    records: Uint8Array[][] = [];
  let at = 0;
  const u32 = (): number => ((at += 4) > data.length ? Infinity : view.getUint32(at - 4, true));
  while (at < data.length) {
    const count = u32(),
      fields: Uint8Array[] = [];
    if (count === 0 || count > (data.length - at) / 4) return undefined;
    for (let i = 0; i < count; i++) {
      const len = u32();
      if (len > data.length - at) return undefined;
      fields.push(data.subarray(at, at + len));
      at += len;
    }
    records.push(fields);
  }
  return records;
}

/** What those say that was left out. */
export function leftIn(records: readonly Uint8Array[][]): string[] {
  return records
    .filter(([kind, what]) => kind.length === 4 && text(kind) === "left" && !what?.includes(0))
    .filter((fields) => fields.length === 2)
    .map(([, what]) => text(what));
}
