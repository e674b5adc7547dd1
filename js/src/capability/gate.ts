/*
 * capability/gate.ts: the gate that every tool call of one sandbox passes: host/capability/gate.h.
 */
import { CapabilityError, InvalidError, SnapshotError } from "../base/error.ts";
import { Engine, type ToolFiles } from "./engine.ts";

/** PF_OP_*: what became of one call. */
export interface Decided {
  readonly outcome: number;
  /** "allowed", "ask", "denied", "limit", "invalid" or "unknown". */
  readonly decided: string;
  /** Canonical id; "" when the call could not be read that far. */
  readonly method: string;
  readonly name: string;
  /** The checked object as JSON; null when the call is not allowed. */
  readonly params: string | null;
  /** The object as far as it could be read, for a log. */
  readonly shown: string | null;
  readonly capability: number;
  readonly ask: boolean;
  readonly message: string | null;
}

export interface ToolInfo {
  readonly name: string;
  readonly id: string;
  readonly flat: string;
  readonly flat_usable: boolean;
  readonly dotted_usable: boolean;
}

const freed = new FinalizationRegistry<{ engine: Engine; at: number }>(({ engine, at }) => {
  engine.call("pf_engine_gate_delete", [at]);
});

export class Gate {
  readonly #engine: Engine;
  readonly #at: number;

  private constructor(engine: Engine, at: number) {
    if (!at) throw new RangeError("out of memory");
    this.#engine = engine;
    this.#at = at;
    freed.register(this, { engine, at });
  }

  static create(module: WebAssembly.Module): Gate {
    const engine = new Engine(module);
    return new Gate(engine, engine.call("pf_engine_gate", []));
  }

  /** A gate with the same tools, policy and counters; shared ones are spent by both. */
  copy(shared = false): Gate {
    const other = new Gate(
      this.#engine,
      this.#engine.call("pf_engine_gate_copy", [this.#at, shared ? 1 : 0]),
    );
    other.hasTools = this.hasTools;
    return other;
  }

  #ok(status: number, Kind: new (message: string) => Error): void {
    if (status !== 0) throw new Kind(this.#engine.message);
  }

  addTool(name: string, description: string, schema: string): void {
    this.#ok(
      this.#engine.call("pf_engine_tool", [this.#at], name, description, { sized: schema }),
      InvalidError,
    );
  }

  setPolicy(json: string): void {
    this.#ok(this.#engine.call("pf_engine_policy", [this.#at], { sized: json }), CapabilityError);
  }

  /** There are files below /tools: tools were declared, or every granted method may be called. */
  hasTools = false;

  finish(catchAll: boolean): void {
    this.hasTools = catchAll || this.tools().length > 0;
    this.#ok(this.#engine.call("pf_engine_finish", [this.#at, catchAll ? 1 : 0]), CapabilityError);
  }

  /**
   * Decides about a call as the guest sent it. Throws when there is no decision: then it is not
   * allowed.
   */
  check(payload: Uint8Array): Decided {
    const status = this.#engine.call("pf_engine_check", [this.#at], { sized: payload });
    if (status !== 0) throw new RangeError(this.#engine.message || "no decision");
    return JSON.parse(this.#engine.answer) as Decided;
  }

  /** Decides about a call that came with a snapshot, as if it were made now. */
  checkAgain(method: string, name: string, params: string): Decided {
    const status = this.#engine.call("pf_engine_check_again", [this.#at], method, name, {
      sized: params,
    });
    if (status !== 0) throw new RangeError(this.#engine.message || "no decision");
    return JSON.parse(this.#engine.answer) as Decided;
  }

  /**
   * Takes back what one call has spent, until it is decided about again; false: there is nothing.
   */
  setAside(capability: number): boolean {
    return this.#engine.call("pf_engine_set_aside", [this.#at, capability]) !== 0;
  }

  spend(capability: number, calls: number): void {
    this.#engine.call("pf_engine_spend", [this.#at, capability, calls]);
  }

  /** What was spent, as JSON. */
  counters(): string {
    this.#ok(this.#engine.call("pf_engine_counters", [this.#at]), SnapshotError);
    return this.#engine.answer;
  }

  /** Takes over counters: to which capability each of them went, or -1. */
  loadCounters(json: string): number[] {
    this.#ok(this.#engine.call("pf_engine_load", [this.#at], { sized: json }), SnapshotError);
    return JSON.parse(this.#engine.answer) as number[];
  }

  /** Why this call would not be allowed now; undefined: it would. Spends nothing. */
  refusal(method: string, params: string): string | undefined {
    const can = this.#engine.call("pf_engine_can_call", [this.#at], method, { sized: params });
    return can === 1 ? undefined : this.#engine.answer || "denied";
  }

  /** Calls that a capability has left: Infinity for unlimited. */
  left(capability: number): number {
    const left = this.#engine.call("pf_engine_left", [this.#at, capability]);
    return left < 0 ? Infinity : left;
  }

  tools(): ToolInfo[] {
    this.#ok(this.#engine.call("pf_engine_tools", [this.#at]), InvalidError);
    return JSON.parse(this.#engine.answer) as ToolInfo[];
  }

  /** Throws unless the text is JSON as an answer may be. */
  checkJson(json: Uint8Array): void {
    this.#ok(this.#engine.call("pf_engine_json", [], { sized: json }), InvalidError);
  }

  writeToolFiles(files: ToolFiles): void {
    this.#withFiles("pf_engine_tool_files", files);
  }

  forgetToolFiles(files: ToolFiles): void {
    this.#withFiles("pf_engine_forget_tools", files);
  }

  #withFiles(name: "pf_engine_tool_files" | "pf_engine_forget_tools", files: ToolFiles): void {
    const engine = this.#engine;
    engine.files = files;
    try {
      this.#ok(engine.call(name, [this.#at]), InvalidError);
    } finally {
      engine.files = undefined;
    }
  }

  /** Is every call that `child` allows allowed by `parent`? undefined: it is; otherwise why not. */
  whyNoSubset(child: string, parent: string): string | undefined {
    const subset = this.#engine.call("pf_engine_subset", [], { sized: child }, { sized: parent });
    if (subset < 0) throw new CapabilityError(this.#engine.message);
    return subset === 1 ? undefined : this.#engine.answer;
  }
}
