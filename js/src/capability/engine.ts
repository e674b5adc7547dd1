/*
 * capability/engine.ts: host/capability, compiled to WebAssembly (js/engine/engine.c), from
 * JavaScript.
 *
 * One instance serves one sandbox and its branches. It decides about authority: whatever goes wrong
 * in it, a trap included, is an exception, and nobody is allowed anything by an exception.
 */
import { text, utf8 } from "../base/bytes.ts";
import { DeadError } from "../base/error.ts";
import { fillRandom } from "../base/random.ts";

interface Exports {
  memory: WebAssembly.Memory;
  pf_engine_new(len: number): number;
  pf_engine_delete(at: number): void;
  pf_engine_message(): number;
  pf_engine_answer(): number;
  pf_engine_answer_len(): number;
  pf_engine_gate(): number;
  pf_engine_gate_copy(gate: number, share: number): number;
  pf_engine_gate_delete(gate: number): void;
  pf_engine_tool(
    gate: number,
    name: number,
    description: number,
    schema: number,
    len: number,
  ): number;
  pf_engine_policy(gate: number, json: number, len: number): number;
  pf_engine_finish(gate: number, catchAll: number): number;
  pf_engine_check(gate: number, payload: number, len: number): number;
  pf_engine_can_call(gate: number, method: number, params: number, len: number): number;
  pf_engine_left(gate: number, capability: number): number;
  pf_engine_spend(gate: number, capability: number, calls: number): void;
  pf_engine_tools(gate: number): number;
  pf_engine_json(json: number, len: number): number;
  pf_engine_subset(child: number, childLen: number, parent: number, parentLen: number): number;
  pf_engine_tool_files(gate: number): number;
  pf_engine_forget_tools(gate: number): number;
  pf_engine_check_again(
    gate: number,
    method: number,
    name: number,
    params: number,
    len: number,
  ): number;
  pf_engine_set_aside(gate: number, capability: number): number;
  pf_engine_counters(gate: number): number;
  pf_engine_load(gate: number, json: number, len: number): number;
  pf_engine_http_tool(): number;
  pf_engine_http(config: number, len: number): number;
  pf_engine_http_request(http: number, params: number, len: number): number;
  pf_engine_http_address(http: number, url: number, address: number): number;
  pf_engine_http_clean(http: number, data: number, len: number): number;
  pf_engine_pattern(pattern: number, method: number): number;
  pf_engine_digest(text: number, len: number): number;
  pf_engine_key(seed: number): number;
  pf_engine_token_issue(expires: number, seed: number, policy: number, len: number): number;
  pf_engine_token_narrow(
    expires: number,
    token: number,
    tokenLen: number,
    policy: number,
    len: number,
  ): number;
  pf_engine_token_seal(token: number, len: number): number;
  pf_engine_token_verify(
    now: number,
    token: number,
    len: number,
    trusted: number,
    trustedLen: number,
  ): number;
}

export type EngineCall = Exclude<keyof Exports, "memory">;

/** By which the files below /tools are written; results are 0 or a negative errno. */
export interface ToolFiles {
  write(path: Uint8Array, data: Uint8Array, mode: number, owner: number): number;
  unlink(path: Uint8Array): number;
  /** Names, sorted by their bytes, or a negative errno. */
  list(path: Uint8Array): Uint8Array[] | number;
}

const MESSAGE_MAX = 1016;

export class Engine {
  readonly #exports: Exports;
  /** Set while toolFiles() runs. */
  files: ToolFiles | undefined;
  #broken = false;

  constructor(module: WebAssembly.Module) {
    const host = {
      write_file: (
        path: number,
        pathLen: number,
        data: number,
        len: number,
        mode: number,
        owner: number,
      ) =>
        this.files
          ? this.files.write(this.#copy(path, pathLen), this.#copy(data, len), mode, owner)
          : -1,
      list: (path: number, pathLen: number, block: number, len: number) =>
        this.#list(path, pathLen, block, len),
      unlink: (path: number, len: number) =>
        this.files ? this.files.unlink(this.#copy(path, len)) : -1,
      random: (to: number, len: number) =>
        fillRandom(new Uint8Array(this.#exports.memory.buffer, to >>> 0, len >>> 0)),
    };
    this.#exports = new WebAssembly.Instance(module, { host }).exports as unknown as Exports;
  }

  /** Leaves the names, each ended by a NUL, in a block of the module's. */
  #list(path: number, pathLen: number, block: number, len: number): number {
    const names = this.files ? this.files.list(this.#copy(path, pathLen)) : -1;
    if (typeof names === "number") return names;
    const size = names.reduce((sum, name) => sum + name.length + 1, 0);
    const at = this.#exports.pf_engine_new(size);
    if (!at) return 0;
    const memory = new Uint8Array(this.#exports.memory.buffer),
      view = new DataView(memory.buffer);
    let to = at;
    for (const name of names) {
      memory.set(name, to);
      memory[to + name.length] = 0;
      to += name.length + 1;
    }
    view.setUint32(block, at, true);
    view.setUint32(len, size, true);
    return 0;
  }

  #copy(at: number, len: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, at >>> 0, len >>> 0).slice();
  }

  /** Calls a function whose texts are given as [pointer] or, with `sized`, as [pointer, length]. */
  call(
    name: EngineCall,
    numbers: readonly number[],
    ...texts: (string | Uint8Array | { sized: string | Uint8Array })[]
  ): number {
    if (this.#broken)
      throw new DeadError("the engine that decides about calls has failed: make another sandbox");
    const e = this.#exports,
      held: number[] = [],
      args = [...numbers];
    try {
      for (const one of texts) {
        const sized = typeof one === "object" && "sized" in one;
        const given = sized ? one.sized : one;
        const bytes = typeof given === "string" ? utf8(given) : given;
        const at = e.pf_engine_new(bytes.length + 1);
        if (!at) throw new RangeError("out of memory");
        held.push(at);
        const memory = new Uint8Array(e.memory.buffer);
        memory.set(bytes, at);
        memory[at + bytes.length] = 0;
        args.push(at);
        if (sized) args.push(bytes.length);
      }
      return (e[name] as (...all: number[]) => number)(...args);
    } catch (error) {
      this.#broken = true;
      throw new DeadError(`the engine that decides about calls has failed: ${String(error)}`);
    } finally {
      if (!this.#broken) for (const at of held) e.pf_engine_delete(at);
    }
  }

  /** Why the last call failed. */
  get message(): string {
    const bytes = this.#copy(this.#exports.pf_engine_message(), MESSAGE_MAX);
    const end = bytes.indexOf(0);
    return text(end < 0 ? bytes : bytes.subarray(0, end));
  }

  /** What the last call answered. */
  get answer(): string {
    return text(this.answerBytes);
  }

  get answerBytes(): Uint8Array {
    return this.#copy(this.#exports.pf_engine_answer(), this.#exports.pf_engine_answer_len());
  }
}
