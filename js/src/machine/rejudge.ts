/*
 * machine/rejudge.ts: calls that came with a snapshot, judged by who restores it, exactly as if
 * they were made now: host/machine/rejudge.c. What is not allowed is answered as denied before
 * anything runs.
 */
import { PF } from "../abi.ts";
import { DeadError, SnapshotError } from "../base/error.ts";
import type { Decided } from "../capability/gate.ts";
import { type Call, callBytes, refuse, report } from "./calls.ts";
import type { Machine } from "./machine.ts";

function own(call: Call, outcome: number, decided: string, message: string): Decided {
  return {
    outcome,
    decided,
    method: call.method,
    name: call.method,
    params: null,
    shown: null,
    capability: -1,
    ask: false,
    message,
  };
}

/**
 * It once was allowed, so for its script there is one answer to whatever is the matter with it now.
 */
function asDenial(decided: Decided): Decided {
  if (decided.outcome !== PF.OP_INVALID && decided.outcome !== PF.OP_UNKNOWN) return decided;
  const message = `${decided.method || "the call"} is denied: it waited in a snapshot; now: ${decided.message ?? "it is not allowed"}`;
  return { ...decided, outcome: PF.OP_DENIED, decided: "denied", message };
}

/** `place`: which of the run's calls it is, at the most. */
function judge(machine: Machine, call: Call, place: number): Decided {
  const { tool_calls, tool_argument_bytes } = machine.limits;
  if (place > tool_calls)
    return own(
      call,
      PF.OP_LIMIT,
      "limit",
      `this run has made as many tool calls as it may (tool_calls: ${tool_calls})`,
    );
  const len = new TextEncoder().encode(call.params).length;
  if (len > tool_argument_bytes)
    return asDenial(
      own(
        call,
        PF.OP_INVALID,
        "invalid",
        `the arguments have ${len} bytes, the limit is ${tool_argument_bytes}`,
      ),
    );
  return asDenial(machine.gate.checkAgain(call.method, call.name, call.params));
}

/** `spent`: what they have spent is theirs again; else each spends once more. */
export function judgeAgain(machine: Machine, spent = true): void {
  const waiting = machine.calls,
    { run } = machine;
  if (run.on) run.asked = Math.max(run.asked, waiting.length);
  const made = run.on ? run.asked : waiting.length;
  const aside = waiting.map((call) => spent && machine.gate.setAside(call.capability));
  machine.calls = [];
  waiting.forEach((call, index) => {
    const decided = judge(machine, call, made - (waiting.length - index - 1));
    machine.used -= call.charged;
    report(machine, call.id, decided);
    if (decided.outcome === PF.OP_OK && decided.params !== null) {
      const charged = callBytes(decided.params.length);
      if (machine.used + charged > machine.limits.memory_bytes)
        throw new SnapshotError("the calls that wait do not fit memoryBytes");
      machine.used += charged;
      const { method, name, params, capability, ask } = decided;
      machine.calls.push({ ...call, method, name, params, capability, ask, charged });
      return;
    }
    /* What it had spent stays spent: whoever had the sandbox before may have done it already. */
    if (aside[index]) machine.gate.spend(call.capability, 1);
    refuse(machine, call.op, decided.outcome || PF.OP_DENIED, decided.message ?? "denied");
    machine.stirred = true;
  });
  if (machine.dead) throw new DeadError(machine.kernel.dead);
}
