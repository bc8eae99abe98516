/**
 * Writes `dist/sql-parser.browser.js`, PostgreSQL's parser as an ES module, and `dist/libpg-query.wasm`, which it loads:
 * `node libs/rules/browser/bundle.mjs`. The same sources give the same bytes.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { fromSources } from '../../../.config/from-sources.mjs';

/** Most that both files weigh, gzip -9, bytes. They are loaded for packages with rules that read SQL alone. */
const BUDGET = 380_000;

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const wasm = join(dirname(createRequire(import.meta.url).resolve('libpg-query')), 'libpg-query.wasm');
const { outputFiles } = await build({
  entryPoints: [at('src/browser/sql-parser.ts')],
  plugins: [fromSources],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  charset: 'ascii',
  minify: true,
  // In a branch that only Node reaches.
  external: ['node:*'],
});
const files = [
  [at('dist/sql-parser.browser.js'), outputFiles[0].contents],
  [at('dist/libpg-query.wasm'), readFileSync(wasm)],
];
const weight = files.reduce((sum, [, content]) => sum + gzipSync(content, { level: 9 }).length, 0);
if (weight > BUDGET) throw new Error(`the parser weighs ${weight} bytes, more than ${BUDGET}`);
mkdirSync(at('dist'), { recursive: true });
for (const [target, content] of files) {
  // Replaced atomically: a server may be reading it.
  const partial = `${target}.${process.pid}`;
  try {
    writeFileSync(partial, content);
    renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}
