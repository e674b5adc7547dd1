/* base/bytes.ts: texts and buffers. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes as text; what is not UTF-8 is replaced. */
export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The order of the bytes of two names. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** Bytes as a text of one character each, for names that need not be UTF-8; and back. */
export function latin(bytes: Uint8Array): string {
  let all = "";
  for (const byte of bytes) all += String.fromCharCode(byte);
  return all;
}

export function unlatin(all: string): Uint8Array {
  return Uint8Array.from(all, (char) => char.charCodeAt(0));
}

/** Texts, each ended by a NUL. */
export function zeroEnded(...texts: string[]): Uint8Array {
  return utf8(texts.map((one) => one + "\0").join(""));
}

/** Bytes that grow. */
export class Buffer {
  data = new Uint8Array(0);
  length = 0;

  add(bytes: Uint8Array): void {
    const need = this.length + bytes.length;
    if (need > this.data.length) {
      const more = new Uint8Array(Math.max(need, 2 * this.data.length, 256));
      more.set(this.data.subarray(0, this.length));
      this.data = more;
    }
    this.data.set(bytes, this.length);
    this.length = need;
  }

  get bytes(): Uint8Array {
    return this.data.subarray(0, this.length);
  }

  copy(): Buffer {
    const other = new Buffer();
    other.add(this.bytes);
    return other;
  }
}
