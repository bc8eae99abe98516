/**
 * Writes `dist/site`, the page and its files: `node services/console/web/bundle.mjs` after a build. Names hold a hash of
 * the content, the same sources give the same bytes. Fails above the budget, and for a package that is not listed here.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Scripts and styles that the first screen loads, gzip -9, bytes. */
const BUDGET = 190_000;

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
  'react',
  'react-dom',
  'reselect',
  'scheduler',
  'use-sync-external-store',
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
const size = files.reduce((sum, [, content]) => sum + gzipSync(content, { level: 9 }).length, 0);
if (size > BUDGET) throw new Error(`the console weighs ${size} bytes, more than ${BUDGET}`);

let page = readFileSync(at('index.html'), 'utf8');
for (const [name] of files)
  page = page.replace(`"console/${name.replace(/\.[0-9A-Z]{8}\./, '.')}"`, `"console/${name}"`);

mkdirSync(site, { recursive: true });
/** Replaced atomically, the page last: a server may be reading. */
for (const [name, content] of [...files, ['icon.svg', readFileSync(at('icon.svg'))], ['index.html', page]]) {
  const partial = `${site}/${name}.${process.pid}`;
  try {
    writeFileSync(partial, content);
    renameSync(partial, `${site}/${name}`);
  } finally {
    rmSync(partial, { force: true });
  }
}
const kept = new Set([...files.map(([name]) => name), 'icon.svg', 'index.html']);
for (const name of readdirSync(site)) if (!kept.has(name)) rmSync(`${site}/${name}`, { force: true });
