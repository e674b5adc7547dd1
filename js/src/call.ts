/* call.ts: a tool call that waits for its answer. */
import { parseExact } from "./base/exact.ts";
import type { Call } from "./machine/calls.ts";

/**
 * One tool call that the capabilities allow; sandbox.resume() or .fail() answers it, in any order.
 */
export class PendingCall {
  /** Unique in the sandbox and its branches: an idempotency key. */
  readonly id: bigint;
  /** Canonical id: "stripe/charges/create". */
  readonly method: string;
  /** As the program wrote it. */
  readonly name: string;
  /** The checked arguments, as JSON. */
  readonly json: string;
  /** Index of the capability that allowed it. */
  readonly capability: number;
  /** Answer it only if somebody approves, otherwise fail it with "denied". */
  readonly ask: boolean;

  constructor(call: Call) {
    this.id = call.id;
    this.method = call.method;
    this.name = call.name;
    this.json = call.params;
    this.capability = call.capability;
    this.ask = call.ask;
    // An approver gets this object, and then the handler what is in it.
    Object.freeze(this);
  }

  /** The checked arguments. A whole number that no Number holds exactly is a BigInt. */
  get params(): Record<string, unknown> {
    return parseExact(this.json) as Record<string, unknown>;
  }
}
