/*
 * js/tools/bundle.mjs: dist/worker.js, the Web Worker, as one file: bundlers and servers carry it
 * as it is.
 */
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
await build({
  entryPoints: [at("src/worker/web.ts")],
  outfile: at("dist/worker.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
