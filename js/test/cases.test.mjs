/*
 * Recorded cases of bash and the GNU tools, where PINFOLD_CASES names their folder: a tenth of
 * them, and all with PINFOLD_ALL_CASES. What differs with the native library is known, and nothing
 * else may.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { replay } from "../dist/node.js";
import { helpersOf, knownOf, readCases, runCase } from "../tools/cases.mjs";

const folder = process.env.PINFOLD_CASES;
const every = process.env.PINFOLD_ALL_CASES ? 1 : 10;

for (const file of ["shell_cases.jsonl", "command_cases.jsonl"])
  test(
    file,
    { skip: folder ? false : "PINFOLD_CASES names no folder of recorded cases" },
    async () => {
      const path = join(folder, file),
        known = knownOf(path),
        helpers = helpersOf(folder),
        differ = [];
      const cases = readCases(path).filter((_, i) => i % every === 0);
      for (const one of cases)
        if (!known.has(one.id) && !(await runCase(one, helpers)).ok) differ.push(one.id);
      assert.deepEqual(differ, []);
      assert.ok(cases.length > 50);
    },
  );

test(
  "what is recorded of them replays",
  { skip: folder ? false : "PINFOLD_CASES names no folder of recorded cases" },
  async () => {
    const helpers = helpersOf(folder);
    for (const file of ["shell_cases.jsonl", "command_cases.jsonl"])
      for (const one of readCases(join(folder, file)).filter((_, i) => i % (5 * every) === 3)) {
        const parts = [];
        await runCase(one, helpers, { record: (bytes) => parts.push(bytes) });
        const { results } = await replay(Buffer.concat(parts));
        assert.equal(results.length, 2, one.id);
      }
  },
);
