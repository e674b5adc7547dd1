/*
 * machine/calls.ts: tool calls, from the guest's words to the embedder and back.
 *
 * Every call passes the gate before the embedder can see it. What was checked is what is handed
 * out: the gate's own re-serialised parameters.
 */
import { ERRNO, LAYOUT, PF } from "../abi.ts";
import { Buffer, utf8 } from "../base/bytes.ts";
import { StateError } from "../base/error.ts";
import type { Decided } from "../capability/gate.ts";
import type { Machine } from "./machine.ts";
import { tapeAnswer, tapeCancel, tapeDecision } from "./tape.ts";

/** A call that was allowed and waits for its answer. */
export interface Call {
  readonly id: bigint;
  /** The kernel's number of it. */
  readonly op: number;
  readonly method: string;
  readonly name: string;
  /** The checked object, as JSON. */
  readonly params: string;
  readonly capability: number;
  readonly ask: boolean;
  readonly charged: number;
  handedOut: boolean;
}

/** What was decided about a call, as an embedder is told. */
export interface Decision {
  /** Of the call if it was allowed. */
  readonly id: bigint | undefined;
  readonly outcome: string;
  readonly method: string;
  readonly name: string;
  /** The JSON object; undefined when it could not be read. */
  readonly params: string | undefined;
  readonly capability: number;
  readonly message: string | undefined;
}

/** The payload, or a call's strings and the tree that was checked: about twice its length. */
export const callBytes = (len: number): number => 512 + 2 * len;

/* ---- answers */

function cut(bytes: Uint8Array, max: number): Uint8Array {
  while (max > 0 && max < bytes.length && (bytes[max] & 0xc0) === 0x80) max--;
  return bytes.subarray(0, max);
}

/** Sends a reply in pieces that fit a message. */
function reply(machine: Machine, op: number, outcome: number, data: Uint8Array): number {
  if (outcome !== PF.OP_OK && data.length > machine.limits.tool_result_bytes)
    data = cut(data, machine.limits.tool_result_bytes);
  for (let at = 0; ;) {
    const piece = data.subarray(at, at + PF.MESSAGE_IN_MAX);
    const last = at + piece.length === data.length;
    const result = machine.host("HOST_OP_REPLY", [op, outcome, last ? 1 : 0], piece);
    if (result < 0 || last) return result;
    if (result === 0) return -ERRNO.ENOMEM;
    at += result;
  }
}

export function refuse(machine: Machine, op: number, outcome: number, message: string): void {
  if (reply(machine, op, outcome, utf8(message)) === -ERRNO.ENOMEM)
    reply(machine, op, outcome, new Uint8Array(0));
}

function forget(machine: Machine, call: Call): void {
  machine.calls = machine.calls.filter((one) => one !== call);
  machine.used -= call.charged;
}

/* ---- requests */

interface OpRequest {
  readonly id: number;
  readonly kind: number;
  readonly cancelled: boolean;
  readonly payload: Uint8Array;
}

/** One request with its whole payload; undefined: there is none. */
function take(machine: Machine): OpRequest | undefined {
  const R = LAYOUT.op_request,
    all = new Buffer();
  for (;;) {
    const result = machine.host("HOST_OP_TAKE", [], undefined, R.SIZE + PF.IO_MAX);
    const { out } = machine.kernel;
    if (result < 0 || out.length < R.SIZE) return undefined;
    const view = new DataView(out.buffer, out.byteOffset, out.length);
    const len = Number(view.getBigUint64(R.payload_len, true));
    const piece = out.subarray(R.SIZE);
    if (
      len > machine.limits.tool_argument_bytes + 4096 ||
      Number(view.getBigUint64(R.offset, true)) !== all.length ||
      (piece.length === 0 && len > all.length)
    )
      return undefined;
    all.add(piece);
    if (all.length >= len)
      return {
        id: view.getUint32(R.id, true),
        kind: view.getUint32(R.kind, true),
        cancelled: view.getUint32(R.cancelled, true) !== 0,
        payload: all.bytes,
      };
  }
}

export function report(machine: Machine, id: bigint | undefined, decided: Decided): void {
  tapeDecision(machine, id, decided);
  machine.onDecision?.({
    id,
    outcome: decided.decided,
    method: decided.method,
    name: decided.name,
    params: decided.shown ?? undefined,
    capability: decided.capability,
    message: decided.message ?? undefined,
  });
}

function overLimit(machine: Machine, op: number, tellIt: boolean, message: string): void {
  refuse(machine, op, PF.OP_LIMIT, message);
  if (tellIt)
    report(machine, undefined, {
      outcome: PF.OP_LIMIT,
      decided: "limit",
      method: "",
      name: "",
      params: null,
      shown: null,
      capability: -1,
      ask: false,
      message,
    });
}

function judge(machine: Machine, request: OpRequest): void {
  const { run, limits } = machine,
    { id: op, payload } = request;
  if (run.asked >= limits.tool_calls) {
    const tellIt = !run.overTold;
    run.overTold = true;
    return overLimit(
      machine,
      op,
      tellIt,
      `this run has made as many tool calls as it may (tool_calls: ${limits.tool_calls})`,
    );
  }
  run.asked++;
  if (machine.used + callBytes(payload.length) > limits.memory_bytes)
    return overLimit(
      machine,
      op,
      true,
      "the sandbox has no memory left for another call (memory_bytes)",
    );
  let decided: Decided;
  try {
    decided = machine.gate.check(payload);
  } catch {
    return refuse(machine, op, PF.OP_FAILED, "the host could not decide about this call");
  }
  if (decided.outcome !== PF.OP_OK || decided.params === null) {
    report(machine, undefined, decided);
    return refuse(machine, op, decided.outcome || PF.OP_DENIED, decided.message ?? "denied");
  }
  run.toolCalls++;
  const charged = callBytes(decided.params.length);
  machine.used += charged;
  const id = machine.nextCall++;
  report(machine, id, decided);
  const { method, name, params, capability, ask } = decided;
  machine.calls.push({ id, op, method, name, params, capability, ask, charged, handedOut: false });
}

/** An operation is taken when it starts and when it is cancelled: a kernel with more lies. */
export function takeCalls(machine: Machine): void {
  for (let taken = 0; taken < 2 * PF.OPS_MAX; taken++) {
    const request = take(machine);
    if (!request) return;
    if (request.cancelled) {
      const call = machine.calls.find((one) => one.op === request.id);
      if (call) {
        tapeCancel(machine, call.id);
        forget(machine, call);
      }
    } else if (request.kind !== PF.OP_TOOL) {
      refuse(machine, request.id, PF.OP_UNKNOWN, "the host does not know this operation");
    } else {
      judge(machine, request);
    }
    if (!machine.attentionAgain(PF.ATTENTION_OP)) return;
  }
}

/** All that are pending: the run ended at this limit, or the embedder ended it. */
export function cancelCalls(machine: Machine, limit: string | undefined): void {
  const why = limit
    ? `cancelled: the run reached its limit ${limit}`
    : "cancelled: the run was stopped";
  for (const call of [...machine.calls]) {
    tapeCancel(machine, call.id);
    forget(machine, call);
    refuse(machine, call.op, PF.OP_CANCELLED, why);
  }
}

/** Answers a call. A result that is too large reaches the guest as an error. */
export function answer(machine: Machine, id: bigint, outcome: number, data: Uint8Array): void {
  const call = machine.calls.find((one) => one.id === id);
  if (!call) {
    if (id > 0n && id < machine.nextCall && id >> 32n === machine.nextCall >> 32n)
      throw new StateError(
        `call ${id} was answered already, or cancelled when its run ended or its program gave it up`,
      );
    throw new StateError(`there is no call ${id} in this sandbox`);
  }
  tapeAnswer(machine, id, outcome, data);
  machine.showTime();
  const max = machine.limits.tool_result_bytes;
  if (outcome === PF.OP_OK && data.length > max) {
    data = utf8(
      `the result of ${call.name.slice(0, 60)} has ${data.length} bytes, more than tool_result_bytes (${max})`,
    );
    outcome = PF.OP_INVALID;
  }
  const result = reply(machine, call.op, outcome, data);
  if (result === -ERRNO.ENOMEM || result === -ERRNO.ENOSPC)
    refuse(machine, call.op, PF.OP_INVALID, "the sandbox has no memory left for this result");
  forget(machine, call);
  machine.checkAlive();
}
