/*
 * worker/lock.ts: takes away what a worker of the web can reach: the network, storage, other
 * workers, code in texts. What is left is the language, WebAssembly, time, randomness and messages.
 *
 * Programs in a sandbox cannot name any of it anyway: their one import is the machine's. This is
 * for the case that something between is wrong.
 */

const KEPT = new Set(
  (
    "Object Array Number String Boolean Symbol BigInt Date Math JSON Promise Proxy Reflect RegExp " +
    "Map Set WeakMap WeakSet WeakRef FinalizationRegistry Error AggregateError EvalError RangeError " +
    "ReferenceError SyntaxError TypeError URIError SuppressedError ArrayBuffer DataView Atomics " +
    "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "BigInt64Array BigUint64Array Float16Array Float32Array Float64Array Iterator Intl Infinity NaN undefined " +
    "globalThis isFinite isNaN parseFloat parseInt WebAssembly TextEncoder TextDecoder performance " +
    "Performance crypto Crypto setTimeout clearTimeout queueMicrotask structuredClone MessageChannel " +
    "MessagePort MessageEvent Event EventTarget AbortController AbortSignal DOMException " +
    "console constructor self postMessage onmessage onerror addEventListener removeEventListener " +
    "dispatchEvent close name isSecureContext crossOriginIsolated " +
    "onmessageerror onrejectionhandled onunhandledrejection reportError"
  ).split(" "),
);

/** A number or a text leads nowhere. */
function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}

/** What could not be taken away, by name. */
export function lock(global: object): string[] {
  const left: string[] = [];
  for (
    let at: object | null = global;
    at && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  )
    for (const name of Object.getOwnPropertyNames(at)) {
      if (KEPT.has(name)) continue;
      const found = Object.getOwnPropertyDescriptor(at, name);
      if (found?.configurable) delete (at as Record<string, unknown>)[name];
      else if (found?.writable) (at as Record<string, unknown>)[name] = undefined;
      else if (!found || found.get || !isPlain(found.value)) left.push(name);
    }
  /* Otherwise a function's constructor would still make code of texts. */
  const makers: object[] = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const one of makers)
    Object.defineProperty(Object.getPrototypeOf(one), "constructor", { value: undefined });
  return left;
}
