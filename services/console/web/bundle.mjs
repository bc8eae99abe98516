/**
 * Writes `dist/site`, the page and its files: `node services/console/web/bundle.mjs`. Each screen is a file
 * of its own, loaded when it is opened. Names hold a hash of the content, the same sources give the same bytes. Fails above
 * a budget, and for a package that is not listed here. The runbooks, to which the screen of health links, are files of the page.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Most that is loaded before any screen, styles included, gzip -9, bytes. */
const BUDGET = 190_000;

/** Most that a screen loads in addition, gzip -9, bytes. */
const SCREEN_BUDGET = 60_000;

/** Packages that a browser receives. A new one is a decision: what it does, who maintains it, what it weighs. */
const PACKAGES = [
  '@base-ui/react',
  '@base-ui/utils',
  '@floating-ui/core',
  '@floating-ui/dom',
  '@floating-ui/react-dom',
  '@floating-ui/utils',
  '@tanstack/query-core',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  '@tanstack/virtual-core',
  'qrcode-generator',
  'react',
  'react-dom',
  'reselect',
  'scheduler',
  'use-sync-external-store',
  'yaml',
];

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const site = at('dist/site');

const { outputFiles, metafile } = await build({
  entryPoints: { console: at('src/main.tsx') },
  bundle: true,
  write: false,
  metafile: true,
  outdir: site,
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  charset: 'ascii',
  minify: true,
  legalComments: 'none',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  absWorkingDir: at('.'),
});
const { outputFiles: styles } = await build({
  entryPoints: { console: at('style/console.css') },
  bundle: true,
  write: false,
  outdir: site,
  entryNames: '[name].[hash]',
  target: ['chrome111', 'firefox128', 'safari16.4'],
  minify: true,
  legalComments: 'none',
});

const packageOf = (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(path)?.[1];
const found = new Set(
  Object.keys(metafile.inputs)
    .map(packageOf)
    .filter((name) => name !== undefined),
);
const strangers = [...found].filter((name) => !PACKAGES.includes(name));
if (strangers.length > 0)
  throw new Error(`the console loads packages that bundle.mjs does not list: ${strangers.join(', ')}`);
const unused = PACKAGES.filter((name) => !found.has(name));
if (unused.length > 0)
  throw new Error(`bundle.mjs lists packages that the console does not load: ${unused.join(', ')}`);

const files = [...outputFiles, ...styles].map(({ path, contents }) => [basename(path), Buffer.from(contents)]);
const sizes = new Map(files.map(([name, content]) => [name, gzipSync(content, { level: 9 }).length]));
const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));

/** Names of the files that are loaded with a file, itself included; a screen is loaded later, by `import()`. */
function loadedWith(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path, kind } of outputs.get(name).imports) {
    if (kind === 'import-statement') loadedWith(basename(path), found);
  }
  return found;
}
const sizeOf = (names) => [...names].reduce((sum, name) => sum + sizes.get(name), 0);

const entryOf = (source) => [...outputs].find(([, { entryPoint }]) => entryPoint === source)?.[0];
const entry = entryOf('src/main.tsx');
const first = new Set([...loadedWith(entry), ...styles.map(({ path }) => basename(path))]);
if (sizeOf(first) > BUDGET) throw new Error(`the console weighs ${sizeOf(first)} bytes, more than ${BUDGET}`);
for (const [name, { entryPoint }] of outputs) {
  if (entryPoint === undefined || name === entry) continue;
  const more = sizeOf([...loadedWith(name)].filter((file) => !first.has(file)));
  if (more > SCREEN_BUDGET) throw new Error(`${entryPoint} weighs ${more} bytes, more than ${SCREEN_BUDGET}`);
}

let page = readFileSync(at('index.html'), 'utf8');
for (const name of first) page = page.replace(`"console/${name.replace(/\.[0-9A-Z]{8}\./, '.')}"`, `"console/${name}"`);
const preloads = [...first].filter((name) => name.endsWith('.js') && name !== entry);
page = page.replace(
  '    <script',
  `${preloads.map((name) => `    <link rel="modulepreload" href="console/${name}" />\n`).join('')}    <script`,
);

const RUNBOOKS = '../../../deploy/runbooks/';
const texts = readdirSync(at(RUNBOOKS))
  .filter((name) => name.endsWith('.md'))
  .map((name) => [`runbook-${name.slice(0, -3)}.txt`, readFileSync(at(RUNBOOKS + name))]);
const more = [...texts, ['icon.svg', readFileSync(at('icon.svg'))], ['index.html', page]];

mkdirSync(site, { recursive: true });
/** Replaced atomically, the page last: a server may be reading. */
for (const [name, content] of [...files, ...more]) {
  const partial = `${site}/${name}.${process.pid}`;
  try {
    writeFileSync(partial, content);
    renameSync(partial, `${site}/${name}`);
  } finally {
    rmSync(partial, { force: true });
  }
}
const kept = new Set([...files, ...more].map(([name]) => name));
for (const name of readdirSync(site)) if (!kept.has(name)) rmSync(`${site}/${name}`, { force: true });
