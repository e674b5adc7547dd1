// bundle: one npm package as one CommonJS file for the library.
//
//     node bundle.mjs FOLDER ENTRY OUTPUT
//
// FOLDER has node_modules; ENTRY is a path below it, or several with commas between, whose exports are put
// together; `name=path` brings a default export under that name.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [folder, entry, output] = process.argv.slice(2);
const require = createRequire(path.join(folder, 'package.json'));
const esbuild = require('esbuild');

// Modules of Node that a package asks for are files of the library.
const library = ['buffer', 'events', 'internal/events', 'internal/inspect', 'internal/stream_support', 'process', 'stream', 'string_decoder'];
const alias = {
    'abort-controller': 'internal/events', 'process/': 'process', 'string_decoder/': 'string_decoder', 'buffer/': 'buffer',
};

// Files of readable-stream for which the library has its own: one place for errors and their words.
const replaced = [
    [/\/ours\/errors$/, 'internal/stream_support'],
    [/\/validators$/, 'internal/stream_support'],
    [/\/util\/inspect$/, 'internal/inspect'],
];

// Where Node 20 does something else than readable-stream, which follows Node 18. Each text stands once in its file.
const newer = {
    // What is written to the program's own outputs does not end them.
    'streams/pipeline.js': [
        [`  if (end) {
    // Compat.`, `  if (end && dst !== process.stdout && dst !== process.stderr) {
    // Compat.`],
        [`    if (end) {
      writable.end()
      await wait()
    }`, `    if (end && writable !== process.stdout && writable !== process.stderr) {
      writable.end()
      await wait()
    }`],
    ],
    'streams/writable.js': [
        [`this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'`,
            `this.defaultEncoding = require('internal/stream_support').defaultEncoding(options)`],
        [`if (typeof encoding === 'string') encoding = StringPrototypeToLowerCase(encoding)
  if (!Buffer.isEncoding(encoding)) throw`, `if (typeof encoding === 'string') encoding = StringPrototypeToLowerCase(encoding)
  if (typeof encoding !== 'string' || !Buffer.isEncoding(encoding)) throw`],
        [`Stream._isUint8Array(chunk)`, `ArrayBuffer.isView(chunk)`],
        [`['string', 'Buffer', 'Uint8Array']`, `['string', 'Buffer', 'TypedArray', 'DataView']`],
    ],
    'streams/readable.js': [
        [`this.defaultEncoding = (options && options.defaultEncoding) || 'utf8'`,
            `this.defaultEncoding = require('internal/stream_support').defaultEncoding(options)`],
        [`Stream._isUint8Array(chunk)`, `ArrayBuffer.isView(chunk)`],
        [`['string', 'Buffer', 'Uint8Array']`, `['string', 'Buffer', 'TypedArray', 'DataView']`],
    ],
};

function renew(file) {
    const name = Object.keys(newer).find(end => file.endsWith(end));
    if (!name) return undefined;
    let source = fs.readFileSync(file, 'utf8');
    for (const [old, text] of newer[name]) {
        if (source.split(old).length !== 2) throw new Error(`${file}: not once there: ${old}`);
        source = source.replace(old, () => text);
    }
    return { contents: source };
}

// Parts of packages that are never reached from here: their functions only say so.
const unreached = [
    /sucrase\/dist\/esm\/parser\/plugins\/(?:flow|jsx\/index)\.js$/,
    /sucrase\/dist\/esm\/transformers\/(?:JSX|Flow|ReactDisplayName|ReactHotLoader|JestHoist|OptionalChaining\w*|OptionalCatch\w*|NumericSeparator|CJSImport)Transformer\.js$/,
    /sucrase\/dist\/esm\/(?:CJSImportProcessor|computeSourceMap|Options|Options-gen-types)\.js$/,
    /sucrase\/dist\/esm\/util\/formatTokens\.js$/,
];

function hollow(file) {
    const source = fs.readFileSync(file, 'utf8');
    const names = [...source.matchAll(/^export (?:async )?(?:function|class|const|let) (\w+)/gm)].map(found => found[1]);
    let text = names.map(name => name === 'validateOptions' ? `export function ${name}() {}\n` : `export function ${name}() { throw new Error('not part of this build: ${name}'); }\n`).join('');
    if (/^export default/m.test(source)) text += `export default function () { throw new Error('not part of this build'); }\n`;
    return text;
}

await esbuild.build({
    stdin: {
        contents: entry.includes(',')
            ? entry.split(',').map(part => {
                const [, name, path] = /^(?:(\w+)=)?(.*)$/.exec(part);
                return `export ${name ? `{ default as ${name} }` : '*'} from './node_modules/${path}';`;
            }).join('\n')
            : `module.exports = require('./node_modules/${entry}');`,
        resolveDir: folder,
    },
    bundle: true,
    platform: 'neutral',
    format: 'cjs',
    mainFields: ['module', 'main'],
    target: 'es2022',
    minifySyntax: true,
    plugins: [{
        name: 'library',
        setup(build) {
            build.onResolve({ filter: /^[^.]/ }, ({ path }) => {
                const name = alias[path] ?? path;
                return library.includes(name) ? { path: name, external: true } : undefined;
            });
            build.onResolve({ filter: /^\./ }, ({ path, importer }) => {
                const found = importer.includes('readable-stream') && replaced.find(([pattern]) => pattern.test(path));
                return found ? { path: found[1], external: true } : undefined;
            });
            // As a text it is smaller than as code that makes its numbers.
            build.onLoad({ filter: /multi-byte\.encodings\.json$/ }, ({ path }) =>
                ({ contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(fs.readFileSync(path, 'utf8'))))});` }));
            build.onLoad({ filter: /readable-stream/ }, ({ path }) => renew(path));
            build.onLoad({ filter: /sucrase/ }, ({ path }) =>
                unreached.some(pattern => pattern.test(path)) ? { contents: hollow(path) } : undefined);
        },
    }],
    legalComments: 'none',
    logLevel: 'warning',
    outfile: output,
});
