/*
 * cpu/stack.ts: is there enough of the engine's native stack left for what must not be cut?
 *
 * A program's frames lie on the engine's stack, and the kernel runs on top of them. A program that
 * runs out of it dies, as it should; a kernel that does is lost in the middle of a change, and the
 * sandbox with it. No interface tells how much is left, but an engine refuses a function whose frame
 * does not fit before it runs a part of it. So this enters functions with large frames, which do
 * nothing else.
 */

/** Variables of one function, 8 bytes each, all of which live while it calls. */
const VARIABLES = 2048;
/** Enough for one message, and for the loop that runs other programs while one is parked. */
const FRAMES_FOR_A_CALL = 5,
  FRAMES_TO_PARK = 12;

const I32 = 0x7f,
  I64 = 0x7e;

function leb(value: number): number[] {
  const out: number[] = [];
  for (; value > 0x7f; value >>>= 7) out.push((value & 0x7f) | 0x80);
  return [...out, value];
}

const section = (id: number, body: number[]): number[] => [id, ...leb(body.length), ...body];

/*
 * (func $probe (param $frames i32) (local i64 …)
 *   if $frames
 *     $frames - 1, call $probe
 *     if $never: load each variable, 0, call $probe, store each variable
 * The variables are never used, and no compiler knows that.
 */
function probeModule(): Uint8Array {
  const END = 0x0b,
    IF = [0x04, 0x40],
    FRAMES = [0x20, 0];
  const zero = [0x41, 0],
    call = [0x10, 0],
    never = [0x23, 0];
  const code = [1, ...leb(VARIABLES), I64];
  code.push(...FRAMES, ...IF, ...FRAMES, 0x41, 1, 0x6b, ...call, ...never, ...IF);
  for (let i = 0; i < VARIABLES; i++)
    code.push(...zero, 0x29, 3, ...leb(8 * i), 0x21, ...leb(i + 1));
  code.push(...zero, ...call);
  for (let i = 0; i < VARIABLES; i++)
    code.push(...zero, 0x20, ...leb(i + 1), 0x37, 3, ...leb(8 * i));
  code.push(END, END, END);
  const name = [...new TextEncoder().encode("probe")];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(6, [1, I32, 1, 0x41, 0, END]),
    ...section(7, [2, name.length, ...name, 0, 0, 5, ...new TextEncoder().encode("never"), 3, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
  ]);
}

let probe: ((frames: number) => void) | undefined;

function enter(frames: number): void {
  if (!probe) {
    const module = new WebAssembly.Module(probeModule() as BufferSource);
    probe = new WebAssembly.Instance(module).exports.probe as (frames: number) => void;
  }
  probe(frames);
}

/** Throws the engine's RangeError where a message to the kernel might not fit. */
export function needStackForCall(): void {
  enter(FRAMES_FOR_A_CALL);
}

/** Throws the engine's RangeError where the machine's loop might not fit. */
export function needStackToPark(): void {
  enter(FRAMES_TO_PARK);
}

