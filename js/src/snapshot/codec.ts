/*
 * snapshot/codec.ts: writing and reading the fields of a snapshot, as host/snapshot/codec.h. Little
 * endian, no padding. The reader treats its input as hostile.
 */
import { Buffer, text, utf8 } from "../base/bytes.ts";
import { SnapshotError } from "../base/error.ts";

const TWO32 = 4294967296;

export class Writer {
  readonly out = new Buffer();
  readonly #eight = new DataView(new ArrayBuffer(8));

  u32(value: number): void {
    this.#eight.setUint32(0, value, true);
    this.out.add(new Uint8Array(this.#eight.buffer, 0, 4));
  }

  u64(value: bigint | number): void {
    this.#eight.setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
    this.out.add(new Uint8Array(this.#eight.buffer, 0, 8));
  }

  /** A length, then the bytes. */
  bytes(data: Uint8Array): void {
    this.u64(data.length);
    this.out.add(data);
  }

  text(value: string): void {
    this.bytes(utf8(value));
  }
}

export class Reader {
  readonly #data: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.length);
  }

  /** Bytes that are to come. */
  get left(): number {
    return this.#data.length - this.at;
  }

  bad(): never {
    throw new SnapshotError(`the snapshot is malformed near byte ${this.at} of its contents`);
  }

  /** Throws unless it holds. */
  demand(condition: boolean): void {
    if (!condition) this.bad();
  }

  /** A view into the input. */
  raw(len: number): Uint8Array {
    this.demand(len >= 0 && len <= this.#data.length - this.at);
    const part = this.#data.subarray(this.at, this.at + len);
    this.at += len;
    return part;
  }

  u32(): number {
    this.raw(4);
    return this.#view.getUint32(this.at - 4, true);
  }

  u64(): bigint {
    this.raw(8);
    return this.#view.getBigUint64(this.at - 8, true);
  }

  /** A u64 as a number; what is too large to be exact is as good as for ever. */
  number(): number {
    const low = this.u32();
    return low + this.u32() * TWO32;
  }

  bytes(): Uint8Array {
    const len = this.number();
    this.demand(len <= this.#data.length);
    return this.raw(len);
  }

  text(): string {
    const bytes = this.bytes();
    this.demand(!bytes.includes(0));
    return text(bytes);
  }

  /** What is left, behind which its own length stands: a list that this reader has no use for. */
  skipRest(min: number): void {
    const left = this.#data.length - this.at;
    this.demand(left >= min);
    this.raw(left - 8);
    this.demand(this.number() === left);
  }
}
