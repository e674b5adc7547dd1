/*
 * base/exact.ts: JSON in which whole numbers stay what they are: those beyond 2^53 are BigInt. What a
 * capability was compared with is what a handler is given.
 */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const WHOLE = /^-?\d+$/;

/** Stands for a number while there is none, at the start of a text. Nobody can have written it. */
function newMark(): string {
  return `${String(Math.random()).slice(2)}${String(Math.random()).slice(2)}:`;
}

/** Throws a SyntaxError. */
export function parseExact(source: string): unknown {
  if (!/\d{16}/.test(source)) return JSON.parse(source);
  const mark = newMark();
  let found = false;
  const marked = source.replace(TOKEN, (token) => {
    if (!WHOLE.test(token) || Number.isSafeInteger(Number(token))) return token;
    found = true;
    return `"${mark}${token}"`;
  });
  if (!found) return JSON.parse(source);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** As JSON.stringify(), which refuses a BigInt. */
export function stringifyExact(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const mark = newMark();
  const json: string | undefined = JSON.stringify(value, (_, one: unknown) =>
    typeof one === "bigint" ? `${mark}${one}` : one,
  );
  return json?.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
