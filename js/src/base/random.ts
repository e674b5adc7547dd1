/* base/random.ts: random bytes that nobody can guess. */

let fill = (bytes: Uint8Array): unknown => crypto.getRandomValues(bytes);

/** Where random numbers come from in an engine without a global `crypto`: Node 18. */
export function setRandom(by: (bytes: Uint8Array) => unknown): void {
  fill = by;
}

export function fillRandom(bytes: Uint8Array): void {
  fill(bytes);
}

/** 32 of them. */
export function randomSeed(): Uint8Array {
  const seed = new Uint8Array(32);
  fill(seed);
  return seed;
}
