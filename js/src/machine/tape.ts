/*
 * machine/tape.ts: where a recording or a replay listens to a sandbox, and the lines of its trace:
 * host/machine/tape.h and tape.c. docs/trace.md lists the lines.
 *
 * A sandbox follows from its inputs alone. The machine tells the tape every one of them, and what
 * the guest did with them. Positions are moments: machine.moment counts the turns of the loop, the
 * messages of programs and the embedder's acts, here as in C, so that a trace of one host replays
 * on the other.
 */
import { LAYOUT, LIMITS, PF } from "../abi.ts";
import { zeroEnded } from "../base/bytes.ts";
import { member } from "../base/json.ts";
import type { Decided } from "../capability/gate.ts";
import type { LimitName, MachineLimits } from "./limits.ts";
import type { Machine } from "./machine.ts";
import type { Outcome, Request } from "./run.ts";

/** What comes from outside at a moment that nothing inside determines, as traces name it. */
export const STRIKES = [
  "preempt",
  "interrupt",
  "stop",
  "kill",
  "cpu_limit",
  "wall_limit",
  "cut",
] as const;
export type Strike = (typeof STRIKES)[number];

/** A name of a directory that comes in with a mount. */
export interface FillName {
  readonly name: Uint8Array;
  /** With its type. */
  readonly mode: number;
  readonly size: number;
  readonly mtimeNs: bigint;
  /** Of a link, else empty. */
  readonly target: Uint8Array;
}

/** What came for something absent: an input. */
export interface Fill {
  /** An errno of the sandbox, or 0. */
  readonly error: number;
  readonly names: readonly FillName[];
  readonly data: Uint8Array;
}

export interface Tape {
  readonly replays: boolean;
  /** A replay that is to go no further: the machine leaves the guest. */
  readonly ended: boolean;
  /** Why nothing can be recorded any more. */
  readonly failed: string | undefined;
  readonly redact: boolean;
  /** Shows the sandbox what time it is: sets monotonicNs. */
  time(machine: Machine): void;
  /** Does it strike here? A recorder is told whether it does, a replayer knows. */
  strikes(machine: Machine, what: Strike, now: boolean): boolean;
  /** Is the next message a preempted one? That of a parked program, which cannot go on yet. */
  postpones(machine: Machine): boolean;
  /** Everything sleeps, and a replay does not wait. */
  wait(machine: Machine): void;
  /** An act of the embedder ("do") or what the guest did ("out"), as members of a JSON object. */
  act(machine: Machine, members: string): void;
  out(machine: Machine, members: string): void;
  /** What came out of a mount: a recorder is given its line, a replayer gives it back. */
  filled(machine: Machine, members: string): void;
  fill(machine: Machine, source: Uint8Array, directory: boolean): Fill;
  /** Something happens that the other hosts do otherwise: nothing can be recorded or replayed. */
  unsupported(why: string): void;
  /** The embedder gets the sandbox back. */
  leave(machine: Machine): void;
  /** Nothing is recorded from here on. */
  end(machine: Machine): void;
}

/** Makes the tape of a new machine, whose settings are complete but which has no kernel yet. */
export type OpenTape = (machine: Machine) => Tape;

export function struck(machine: Machine, what: Strike, now: boolean): boolean {
  return machine.tape ? machine.tape.strikes(machine, what, now) : now;
}

export const replays = (machine: Machine): boolean => machine.tape?.replays === true;

/* ---- the embedder's acts */

function act(machine: Machine, name: string, members: string): void {
  machine.tape?.act(machine, `,"do":"${name}"${members}`);
  machine.moment++;
}

/** An act that has no more to it than a name and, maybe, a path. */
export function tapeAct(machine: Machine, name: string, path?: string): void {
  if (!machine.tape || machine.lookOnly) return;
  act(machine, name, path === undefined ? "" : member("path", path));
}

/** A limit as traces have it: that there is none is the largest number. */
export function limitText(value: number): string {
  return value > Number.MAX_SAFE_INTEGER ? "18446744073709551615" : String(Math.floor(value));
}

export function limitsText(limits: MachineLimits, names: readonly LimitName[]): string {
  return names.map((name) => `"${name}":${limitText(limits[name])}`).join(",");
}

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];
/** Those that hold in one run, in the order in which traces have them. */
export const RUN_LIMITS: readonly LimitName[] = [
  "cpu_ms",
  "wall_ms",
  "output_bytes",
  "tool_calls",
  "code_bytes",
  "stdin_bytes",
];

/** A run that begins, with all that it was given. */
export function tapeStart(machine: Machine, request: Request): void {
  if (!machine.tape) return;
  let line = member("language", request.language) + member("code", request.code);
  if (request.stdin.length) line += member("stdin", request.stdin);
  if (request.isolated) line += ',"isolated":true';
  if (request.endOptions) line += ',"end_options":true';
  if (request.cwd !== undefined) line += member("cwd", request.cwd);
  if (request.env.length) line += member("env", zeroEnded(...request.env));
  if (request.ownLimits) line += `,"limits":{${limitsText(request.limits, RUN_LIMITS)}}`;
  act(machine, "start", line);
}

/** The answer to a call: its value, or its message. */
export function tapeAnswer(
  machine: Machine,
  id: bigint,
  outcome: number,
  data: Uint8Array,
): void {
  const { tape } = machine;
  if (!tape) return;
  if (outcome !== PF.OP_OK)
    return act(machine, "fail", `,"id":${id},"outcome":${outcome}${member("message", data)}`);
  act(machine, "resume", `,"id":${id}${tape.redact ? ',"redacted":true' : member("json", data)}`);
}

export function tapeWrite(machine: Machine, path: string, data: Uint8Array): void {
  if (machine.tape) act(machine, "write", member("path", path) + member("data", data));
}

/** A file that is made with its mode, type included, and time. */
export function tapeMake(
  machine: Machine,
  path: string,
  mode: number,
  mtimeNs: bigint,
  data: Uint8Array,
): void {
  if (!machine.tape) return;
  const contents = data.length ? member("data", data) : "";
  act(machine, "make", `${member("path", path)},"mode":${mode},"mtime_ns":${mtimeNs}${contents}`);
}

/** A directory is mounted, with its mode and time. */
export function tapeMount(
  machine: Machine,
  path: string,
  source: string,
  mode: number,
  mtimeNs: bigint,
  copy: boolean,
): void {
  if (!machine.tape) return;
  const place = member("path", path) + member("source", source);
  act(machine, "mount", `${place},"mode":${mode},"mtime_ns":${mtimeNs},"copy":${copy}`);
}

function nameText(one: FillName): string {
  const target = one.target.length ? member("target", one.target) : "";
  const head = `{"mode":${one.mode},"size":${one.size},"mtime_ns":${one.mtimeNs}`;
  return `${head}${member("name", one.name)}${target}}`;
}

/** What the host brought from a mount, or the error that it met. */
export function tapeFill(machine: Machine, source: Uint8Array, directory: boolean, fill: Fill): void {
  if (!machine.tape) return;
  let line = `,"in":"fill"${member("source", source)}`;
  if (fill.error) line += `,"errno":${fill.error}`;
  else if (directory) line += `,"names":[${fill.names.map(nameText).join(",")}]`;
  else line += member("data", fill.data);
  machine.tape.filled(machine, line);
}

/* ---- what the guest does */

/** Bytes that programs wrote; stream 1 is stdout, 2 stderr. */
export function tapeOutput(machine: Machine, stream: 1 | 2, data: Uint8Array): void {
  const name = stream === 1 ? "stdout" : "stderr";
  machine.tape?.out(machine, `,"out":"${name}"${member("text", data)}`);
}

/** What was decided about a call. */
export function tapeDecision(machine: Machine, id: bigint | undefined, decided: Decided): void {
  if (!machine.tape) return;
  let line = ',"out":"call"';
  if (id !== undefined) line += `,"id":${id}`;
  line += member("decision", decided.decided) + member("method", decided.method);
  if (decided.shown !== null) line += member("params", decided.shown);
  if (decided.message !== null) line += member("message", decided.message);
  machine.tape.out(machine, line);
}

/** The program that waited for this call gave it up. */
export function tapeCancel(machine: Machine, id: bigint): void {
  machine.tape?.out(machine, `,"out":"cancel","id":${id}`);
}

/** As MACHINE_PROCESS_NAME of host/machine/machine.h. */
const PROCESS_NAME = 256;

/** `pid` is what is told when the kernel knows the process no more. */
export function tapeProcess(
  machine: Machine,
  what: "exec" | "fork" | "end",
  proc: number,
  pid: number,
): void {
  if (!machine.tape) return;
  const P = LAYOUT.process_info;
  const result = machine.host("HOST_PROCESS", [proc], undefined, P.SIZE + PROCESS_NAME - 1);
  const { out } = machine.kernel;
  let line = `,"pid":${pid}`;
  if (result >= 0 && out.length >= P.SIZE) {
    const view = new DataView(out.buffer, out.byteOffset, out.length);
    const known = view.getInt32(P.pid, true);
    const end = out.indexOf(0, P.SIZE);
    const name = out.subarray(P.SIZE, end < 0 ? out.length : end);
    if (known > 0)
      line = `,"pid":${known},"parent":${view.getInt32(P.ppid, true)}${member("name", name)}`;
  }
  machine.tape.out(machine, `,"out":"${what}"${line}`);
}

/** The run that ended. */
export function tapeResult(machine: Machine, outcome: Outcome): void {
  if (!machine.tape) return;
  let line = `,"out":"result","exit_code":${outcome.exitCode}`;
  if (outcome.limit !== undefined) line += member("limit", outcome.limit);
  if (outcome.value) line += member("value", outcome.value);
  if (outcome.sessionLost) line += ',"session_lost":true';
  if (outcome.stdoutTruncated) line += ',"stdout_truncated":true';
  if (outcome.stderrTruncated) line += ',"stderr_truncated":true';
  machine.tape.out(machine, `${line},"tool_calls":${outcome.toolCalls}`);
}
