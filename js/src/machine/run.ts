/* machine/run.ts: one run, from its text to its result. */
import { ERRNO, LAYOUT, PF } from "../abi.ts";
import { Buffer, utf8 } from "../base/bytes.ts";
import { InvalidError, StateError } from "../base/error.ts";
import { execBlock, startSession } from "./exec.ts";
import { guestError } from "./files.ts";
import type { MachineLimits } from "./limits.ts";
import { type Machine, monotonic } from "./machine.ts";
import { tapeOutput, tapeResult, tapeStart } from "./tape.ts";
import { checkPlace, findPlace, hasPlace, type Place, placeText, runEnv } from "./place.ts";

interface LanguageOf {
  readonly program: string;
  readonly flag?: string;
  /** Whose runs go to one process, unless they are isolated. */
  readonly session?: number;
}

const SHELL: LanguageOf = { program: "/usr/bin/bash", session: PF.SESSION_SHELL };
const JS: LanguageOf = { program: "/usr/bin/js" };
const TS: LanguageOf = { program: "/usr/bin/js", flag: "--typescript" };
const PYTHON: LanguageOf = { program: "/usr/bin/python3", session: PF.SESSION_PYTHON };
const LANGUAGES = {
  shell: SHELL,
  bash: SHELL,
  sh: SHELL,
  javascript: JS,
  js: JS,
  node: JS,
  typescript: TS,
  ts: TS,
  python: PYTHON,
  py: PYTHON,
} as const;
export type Language = keyof typeof LANGUAGES;

export type OutputFn = (stream: 1 | 2, data: Uint8Array) => void;

export interface Request extends Place {
  readonly code: Uint8Array;
  readonly language: Language;
  readonly stdin: Uint8Array;
  readonly isolated: boolean;
  readonly limits: MachineLimits;
  /** A trace's: the words of the code are operands, none of them options. */
  readonly endOptions?: boolean;
  /** The run has limits of its own. */
  readonly ownLimits: boolean;
  readonly onOutput: OutputFn | undefined;
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /** What a JavaScript program returned, as JSON. */
  readonly value: Uint8Array | undefined;
  readonly limit: string | undefined;
  readonly sessionLost: boolean;
  readonly sessionEnded: boolean;
  readonly cpuNs: number;
  readonly wallNs: number;
  readonly memoryBytes: number;
  readonly toolCalls: number;
}

/** No session: the run has a process of its own. */
const NO_SESSION = PF.SESSIONS;

/** The run that is on, or the last one. */
export class Run {
  on = false;
  foregroundDone = false;
  /** There was no memory to load a program, or for one to grow. */
  starved = false;
  session: number = NO_SESSION;
  stage: "running" | "interrupted" | "killed" = "running";
  limit: string | undefined;
  stopWallNs = Infinity;
  stopCpuNs = Infinity;
  killedAt = 0;
  /** Used while the machine ran, up to its last entry. */
  wallNs = 0;
  sleptNs = 0;
  toolCalls = 0;
  asked = 0;
  overTold = false;
  stdinOpen = false;
  input: Uint8Array = new Uint8Array(0);
  inputAt = 0;
  output: [Buffer, Buffer] = [new Buffer(), new Buffer()];
  truncated: [boolean, boolean] = [false, false];
  value = new Buffer();
  valueVoid = false;
  onOutput: OutputFn | undefined;
  outcome: Outcome | undefined;

  wallAt(machine: Machine): number {
    return this.wallNs + (machine.enteredNs ? monotonic() - machine.enteredNs : 0);
  }

  cpuAt(machine: Machine): number {
    return this.wallAt(machine) - this.sleptNs;
  }

  /** Is a limit reached when this drive has taken `driven` nanoseconds? */
  strikesAt(driven: number): boolean {
    if (!this.on) return false;
    const wall = this.wallNs + driven;
    return (
      this.stage === "killed" || wall >= this.stopWallNs || wall - this.sleptNs >= this.stopCpuNs
    );
  }

  /**
   * Lets it fit the limits of who restored it: output is cut, a value that is too large is none.
   */
  fit(limits: MachineLimits): void {
    this.output.forEach((kept, i) => {
      if (kept.length <= limits.output_bytes) return;
      kept.length = limits.output_bytes;
      this.truncated[i] = true;
    });
    if (this.value.length <= limits.tool_result_bytes) return;
    this.value = new Buffer();
    this.valueVoid = true;
  }

  copy(): Run {
    const other = Object.assign(new Run(), this);
    other.output = [this.output[0].copy(), this.output[1].copy()];
    other.truncated = [...this.truncated];
    other.value = this.value.copy();
    other.onOutput = undefined;
    return other;
  }
}

/* ---- streams */

function keep(machine: Machine, stream: 1 | 2, bytes: Uint8Array): void {
  const { run, limits } = machine;
  const kept = run.output[stream - 1];
  const room = Math.max(0, limits.output_bytes - kept.length);
  if (bytes.length > room) run.truncated[stream - 1] = true;
  const part = bytes.subarray(0, Math.min(bytes.length, room));
  if (part.length) give(machine, stream, part.slice());
}

function give(machine: Machine, stream: 1 | 2, part: Uint8Array): void {
  const { run } = machine;
  run.output[stream - 1].add(part);
  tapeOutput(machine, stream, part);
  if (!run.onOutput) return;
  const began = monotonic();
  run.onOutput(stream, part);
  machine.enteredNs += monotonic() - began;
}

/** A stream holds PF_STREAM_SIZE bytes, so few pieces empty both, unless the kernel lies. */
const OUTPUT_PIECES = 128;

/** Takes what programs have written. */
export function drainOutput(machine: Machine): void {
  for (let piece = 0; piece < OUTPUT_PIECES; piece++) {
    const n = machine.host("HOST_OUTPUT", [], undefined, PF.IO_MAX);
    const { kernel } = machine;
    if (n <= 0 || kernel.out.length === 0) return;
    const stream = kernel.word(LAYOUT.message.arg) === 1 ? 1 : 2;
    const again = machine.attentionAgain(PF.ATTENTION_OUTPUT);
    keep(machine, stream, kernel.out);
    if (!again) return;
  }
}

export function feedStdin(machine: Machine): void {
  const { run } = machine;
  while (run.stdinOpen) {
    const left = run.input.subarray(run.inputAt);
    const piece = left.subarray(0, PF.IO_MAX);
    const last = piece.length === left.length;
    const n = machine.host("HOST_STDIN", [last ? 1 : 0], piece);
    if (n < 0 || n > piece.length) return;
    run.inputAt += n;
    if (last && n === piece.length) run.stdinOpen = false;
    else if (n < piece.length || n === 0) return;
  }
}

/** Bytes of a value that are asked for at once. */
const VALUE_PIECE = 4096;

export function drainValue(machine: Machine): void {
  const { run, limits } = machine;
  for (;;) {
    const n = machine.host("HOST_RUN_VALUE", [], undefined, VALUE_PIECE);
    const { out } = machine.kernel;
    if (n === 0 || (n > 0 && out.length === 0)) return;
    if (n < 0 || run.valueVoid || run.value.length + out.length > limits.tool_result_bytes) {
      run.value = new Buffer(); /* half a value is none */
      run.valueVoid = true;
      return;
    }
    run.value.add(out);
    if (!machine.attentionAgain(PF.ATTENTION_VALUE)) return;
  }
}

/** A line of the machine's own on the run's standard error; there is none where it does not fit. */
export function tell(machine: Machine, line: string): void {
  const { run, limits } = machine,
    bytes = utf8(line);
  if (bytes.length <= limits.output_bytes - run.output[1].length) give(machine, 2, bytes);
  else run.truncated[1] = true;
}

/* ---- the end */

function runState(
  machine: Machine,
  by: "HOST_RUN_STATE" | "HOST_RUN_END" = "HOST_RUN_STATE",
): { status: number; sessions: number } {
  const S = LAYOUT.run_state;
  const result = machine.host(by, [], undefined, S.SIZE);
  if (result < 0 && by === "HOST_RUN_END") return runState(machine); /* none had begun */
  const { out } = machine.kernel;
  if (out.length < S.SIZE) return { status: 0, sessions: 0 };
  const view = new DataView(out.buffer, out.byteOffset, S.SIZE);
  return {
    status: view.getInt32(S.status, true) & 0xff,
    sessions: view.getUint32(S.session_alive, true),
  };
}

/** The foreground is done and nothing else can go on: the result is complete. */
export function finish(machine: Machine): void {
  const { run } = machine,
    { attention } = machine.kernel;
  if (attention & PF.ATTENTION_OUTPUT) drainOutput(machine);
  if (attention & PF.ATTENTION_VALUE) drainValue(machine);
  const { status, sessions } = runState(machine, "HOST_RUN_END");
  const lost = (machine.sessions & ~sessions) !== 0;
  machine.sessions = sessions;
  if (!run.limit && run.starved && status === 128 + 9) run.limit = "memory_bytes";
  run.on = false;
  machine.interrupt = "none";
  const ofSession = run.session < NO_SESSION && status >= 128;
  run.outcome = {
    exitCode: run.limit ? 137 : status,
    stdout: run.output[0].bytes,
    stderr: run.output[1].bytes,
    stdoutTruncated: run.truncated[0],
    stderrTruncated: run.truncated[1],
    value: run.value.length ? run.value.bytes : undefined,
    limit: run.limit,
    sessionLost: lost && (run.limit !== undefined || run.stage === "killed" || ofSession),
    sessionEnded: lost,
    cpuNs: run.cpuAt(machine),
    wallNs: run.wallAt(machine),
    memoryBytes: machine.peak,
    toolCalls: run.toolCalls,
  };
  tapeResult(machine, run.outcome);
}

/* ---- the beginning */

function check(machine: Machine, request: Request): void {
  const { code_bytes, stdin_bytes } = request.limits;
  if (!Object.hasOwn(LANGUAGES, request.language))
    throw new InvalidError(
      `unknown language "${String(request.language).slice(0, 64)}"; use "shell", "javascript", "typescript" or "python"`,
    );
  if (request.code.length > code_bytes)
    throw new InvalidError(
      `the code has ${request.code.length} bytes, more than the limit codeBytes (${code_bytes})`,
    );
  if (request.stdin.length > stdin_bytes)
    throw new InvalidError(
      `stdin has ${request.stdin.length} bytes, more than the limit stdinBytes (${stdin_bytes})`,
    );
  if (machine.run.on)
    throw new StateError("a run is on: answer its calls until it is over before starting another");
  checkPlace(request);
}

function reset(machine: Machine, request: Request, session: number): Run {
  const run = new Run();
  machine.run = run;
  machine.limits = request.limits;
  machine.peak = machine.used;
  machine.interrupt = "none";
  run.session = session;
  run.onOutput = request.onOutput;
  run.stopWallNs = request.limits.wall_ms * 1e6;
  run.stopCpuNs = request.limits.cpu_ms * 1e6;
  machine.enteredNs = monotonic();
  return run;
}

function sendText(machine: Machine, text: Uint8Array): number {
  let result = 0;
  for (let at = 0; result >= 0 && at < text.length; at += Math.max(0, result)) {
    result = machine.host("HOST_RUN_TEXT", [], text.subarray(at, at + PF.MESSAGE_IN_MAX));
    if (result === 0) return -ERRNO.ENOMEM;
  }
  return result;
}

/** Begins the run, with as much of its text as fits in one message; the rest comes after. */
function beginWith(
  machine: Machine,
  flags: number,
  head: Uint8Array,
  execLen: number,
  code: Uint8Array,
): number {
  const { session } = machine.run;
  const kind = session < NO_SESSION ? PF.RUN_SESSION : PF.RUN_SPAWN;
  const all = new Buffer();
  all.add(head);
  all.add(code);
  const first = all.bytes.subarray(0, PF.MESSAGE_IN_MAX);
  if (execLen > first.length) return -ERRNO.E2BIG;
  const result = machine.host("HOST_RUN_BEGIN", [kind, flags, session, execLen], first);
  return result < 0 ? result : sendText(machine, all.bytes.subarray(first.length));
}

function begin(machine: Machine, language: LanguageOf, request: Request): number {
  let flags: number = request.stdin.length ? PF.RUN_STDIN : 0;
  if (machine.run.session < NO_SESSION) {
    if (request.endOptions) flags |= PF.RUN_END_OPTIONS;
    const place = hasPlace(request);
    const head = place ? placeText(request) : new Uint8Array(0);
    return beginWith(machine, flags | (place ? PF.RUN_PLACE : 0), head, 0, request.code);
  }
  const argv = [language.program.slice(language.program.lastIndexOf("/") + 1), "--run"];
  if (language.flag) argv.push(language.flag);
  const block = execBlock(
    language.program,
    argv,
    runEnv(machine.env, request),
    request.cwd ?? "/workspace",
  );
  return beginWith(machine, flags, block, block.length, request.code);
}

/**
 * The sandbox has no room for another process: that is how the run ends, and no mistake of the
 * embedder's.
 */
function notBegun(machine: Machine, language: LanguageOf, result: number): void {
  const memory = result === -ERRNO.ENOMEM;
  machine.run.limit = memory ? "memory_bytes" : "processes";
  const name = language.program.slice(language.program.lastIndexOf("/") + 1);
  tell(
    machine,
    `${name}: cannot start: ${memory ? "Cannot allocate memory" : "Resource temporarily unavailable"}\n`,
  );
  finish(machine);
}

const isFull = (result: number): boolean => result === -ERRNO.EAGAIN || result === -ERRNO.ENOMEM;

/**
 * Sees to it that the session lives, which is known of one that did when the last run ended: nothing
 * runs in between. Below 0: there is no room for its process.
 */
function wakeSession(machine: Machine, session: number, language: LanguageOf): number {
  if (session >= NO_SESSION || machine.sessions & (1 << session)) return 0;
  machine.sessions = runState(machine).sessions;
  if (machine.sessions & (1 << session)) return 0;
  const pid = startSession(machine, session);
  machine.checkAlive();
  if (isFull(pid)) return pid;
  if (pid < 0) throw guestError(machine, pid, language.program);
  machine.sessions |= 1 << session;
  return 0;
}

/** Gives the kernel the program; then it only has to be driven. */
export function start(machine: Machine, request: Request): void {
  check(machine, request);
  const language: LanguageOf = LANGUAGES[request.language];
  const session = request.isolated ? NO_SESSION : (language.session ?? NO_SESSION);
  tapeStart(machine, request);
  machine.showTime();
  findPlace(machine, request);
  const full = wakeSession(machine, session, language);
  const run = reset(machine, request, session);
  if (full) return notBegun(machine, language, full);
  run.input = request.stdin;
  run.stdinOpen = request.stdin.length > 0;
  let result = begin(machine, language, request);
  if (result === -ERRNO.ESRCH && session < NO_SESSION) {
    /* A snapshot said that it lives. */
    machine.sessions &= ~(1 << session);
    result = wakeSession(machine, session, language) || begin(machine, language, request);
  }
  machine.checkAlive();
  if (isFull(result)) return notBegun(machine, language, result);
  if (result < 0) {
    machine.host("HOST_RUN_END");
    throw guestError(machine, result, language.program);
  }
  run.on = true;
  feedStdin(machine);
}
