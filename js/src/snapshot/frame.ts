/*
 * snapshot/frame.ts: what lies around the contents of a snapshot: host/snapshot/frame.c, in
 * js/engine/snapshot.c.
 */
import { text, utf8 } from "../base/bytes.ts";
import { InvalidError, SnapshotError } from "../base/error.ts";
import type { Images } from "../cpu/image.ts";

interface Exports {
  memory: WebAssembly.Memory;
  pf_snapshot_new(len: number): number;
  pf_snapshot_delete(at: number): void;
  pf_snapshot_message(): number;
  pf_snapshot_answer(): number;
  pf_snapshot_answer_len(): number;
  pf_snapshot_end(): void;
  pf_snapshot_build(data: number, len: number): void;
  pf_snapshot_key(out: number, secret: number, len: number): void;
  pf_snapshot_wrap(
    contents: number,
    len: number,
    key: number,
    counter: number,
    portable: number,
  ): number;
  pf_snapshot_portable(data: number, len: number): number;
  pf_snapshot_hash(out: number, data: number, len: number): void;
  pf_snapshot_build_name(): number;
  pf_snapshot_chain(state: number, line: number, len: number): void;
  pf_snapshot_digest(out: number, data: number, len: number): void;
  pf_snapshot_open(
    data: number,
    len: number,
    key: number,
    minCounter: number,
    max: number,
    trusted: number,
  ): number;
}

const BUILD = 32,
  DIGEST = 24,
  KEY = 32,
  KEY_MIN = 16,
  MESSAGE_MAX = 1016;

/** A secret that snapshots are authenticated with: 16 bytes or more. */
export type Key = Uint8Array | string;

export class Frame {
  readonly #e: Exports;

  private constructor(module: WebAssembly.Module) {
    this.#e = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  /** One for each use: what it held of a snapshot goes with it. */
  static async load(images: Images): Promise<Frame> {
    const frame = new Frame(await images.snapshots());
    const data = await images.buildBytes();
    frame.#with([data], ([at]) => frame.#e.pf_snapshot_build(at, data.length));
    return frame;
  }

  #with<T>(given: readonly Uint8Array[], act: (at: number[]) => T): T {
    const held: number[] = [];
    try {
      for (const bytes of given) {
        const at = this.#e.pf_snapshot_new(bytes.length);
        if (!at) throw new RangeError("no memory for the snapshot");
        held.push(at);
        new Uint8Array(this.#e.memory.buffer).set(bytes, at);
      }
      return act(held);
    } finally {
      for (const at of held) this.#e.pf_snapshot_delete(at);
    }
  }

  #message(): string {
    const bytes = new Uint8Array(this.#e.memory.buffer, this.#e.pf_snapshot_message(), MESSAGE_MAX);
    const end = bytes.indexOf(0);
    return text(bytes.slice(0, end < 0 ? MESSAGE_MAX : end));
  }

  #answer(): Uint8Array {
    const { memory } = this.#e;
    const answer = new Uint8Array(
      memory.buffer,
      this.#e.pf_snapshot_answer(),
      this.#e.pf_snapshot_answer_len(),
    ).slice();
    this.#e.pf_snapshot_end();
    return answer;
  }

  /** What a secret is hashed to; undefined: none. */
  #key(key: Key | undefined): Uint8Array {
    if (key === undefined) return new Uint8Array(0);
    const secret = typeof key === "string" ? utf8(key) : key;
    if (secret.length < KEY_MIN)
      throw new InvalidError(
        `a key of ${secret.length} bytes can be guessed; it must have ${KEY_MIN} or more`,
      );
    const out = new Uint8Array(KEY);
    return this.#with([out, secret], ([to, from]) => {
      this.#e.pf_snapshot_key(to, from, secret.length);
      return new Uint8Array(this.#e.memory.buffer, to, KEY).slice();
    });
  }

  wrap(contents: Uint8Array, key: Key | undefined, counter: number, portable = false): Uint8Array {
    if (counter && key === undefined)
      throw new InvalidError(
        "a snapshot with a counter needs a key: without one anybody can write another number",
      );
    const hashed = this.#key(key);
    return this.#with([contents, hashed], ([at, keyAt]) => {
      const use = hashed.length ? keyAt : 0,
        kind = portable ? 1 : 0;
      if (this.#e.pf_snapshot_wrap(at, contents.length, use, counter, kind) !== 0)
        throw new SnapshotError(this.#message());
      return this.#answer();
    });
  }

  /** As snapshots and traces name this build. */
  get buildName(): Uint8Array {
    const at = this.#e.pf_snapshot_build_name();
    return new Uint8Array(this.#e.memory.buffer, at, BUILD).slice();
  }

  /** The state of a trace's sums behind one more line. */
  chain(state: Uint8Array, line: Uint8Array): Uint8Array {
    return this.#with([state, line], ([at, from]) => {
      this.#e.pf_snapshot_chain(at, from, line.length);
      return new Uint8Array(this.#e.memory.buffer, at, state.length).slice();
    });
  }

  /** What of a mount's file is remembered: its size and a hash. */
  digest(data: Uint8Array): Uint8Array {
    return this.#with([new Uint8Array(DIGEST), data], ([to, from]) => {
      this.#e.pf_snapshot_digest(to, from, data.length);
      return new Uint8Array(this.#e.memory.buffer, to, DIGEST).slice();
    });
  }

  isPortable(data: Uint8Array): boolean {
    return this.#with([data], ([at]) => this.#e.pf_snapshot_portable(at, data.length) !== 0);
  }

  hash(data: Uint8Array): Uint8Array {
    return this.#with([new Uint8Array(BUILD), data], ([to, from]) => {
      this.#e.pf_snapshot_hash(to, from, data.length);
      return new Uint8Array(this.#e.memory.buffer, to, BUILD).slice();
    });
  }

  /** `trusted`: whoever has it need not have its key, which is not looked at. */
  open(
    data: Uint8Array,
    key: Key | undefined,
    minCounter: number,
    max: number,
    trusted = false,
  ): Uint8Array {
    if (minCounter && key === undefined)
      throw new InvalidError(
        "a counter that a snapshot must have needs a key: without one anybody can write another number",
      );
    const hashed = this.#key(key);
    return this.#with([data, hashed], ([at, keyAt]) => {
      const use = hashed.length ? keyAt : 0,
        trust = trusted ? 1 : 0;
      if (this.#e.pf_snapshot_open(at, data.length, use, minCounter, max, trust) !== 0)
        throw new SnapshotError(this.#message());
      return this.#answer();
    });
  }
}
