/*
 * web/build.mjs: the playground as static files.
 *
 * usage: node build.mjs FOLDER
 *
 * It takes the package as `make js` built it in js/, and lays its programs beside the page.
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2];
if (!out) throw new Error("usage: node build.mjs FOLDER");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const common = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "linked",
  logLevel: "warning",
};
await build({
  ...common,
  entryPoints: [at("src/main.ts")],
  outdir: out,
  splitting: true,
  chunkNames: "[name]-[hash]",
  alias: { pinfold: at("../js/dist/web.js") },
});
await build({
  ...common,
  entryPoints: [at("style.css")],
  outdir: out,
  nodePaths: [at("node_modules")],
});
for (const file of ["index.html", "icon.svg"]) copyFileSync(at(file), `${out}/${file}`);
copyFileSync(at("../js/dist/worker.js"), `${out}/worker.js`);
cpSync(at("../js/images"), `${out}/images`, { recursive: true });

/* The page itself is there offline at once, programs once they were used. */
const FIRST = /^(?:kernel|sh|coreutils|engine|snapshot|manifest)[.-]/;
const files = [
  "./",
  ...readdirSync(out).filter((name) => /\.(?:html|js|css|svg)$/.test(name)),
  ...readdirSync(`${out}/images`)
    .filter((name) => FIRST.test(name))
    .map((name) => `images/${name}`),
];
const hash = createHash("sha256");
for (const name of readdirSync(out, { recursive: true }).sort())
  if (/\.\w+$/.test(name)) hash.update(name).update(readFileSync(`${out}/${name}`));
await build({
  ...common,
  entryPoints: [at("src/offline.ts")],
  outdir: out,
  define: {
    __VERSION__: JSON.stringify(hash.digest("hex").slice(0, 16)),
    __FILES__: JSON.stringify(files),
  },
});
writeFileSync(
  `${out}/LICENSES.txt`,
  "pinfold: MIT. Of the libraries in main.js and its parts: *.LEGAL.txt beside them.\n",
);
