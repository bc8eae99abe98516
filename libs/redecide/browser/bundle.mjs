/**
 * Writes `dist/redecide.browser.js`, re-decision with the policy engine as one ES module that needs only ECMAScript and
 * TextEncoder: `node libs/redecide/browser/bundle.mjs`. The same sources give the same bytes.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { fromSources } from '../../../.config/from-sources.mjs';

/** Most that it weighs, gzip -9, bytes. */
const BUDGET = 185_000;

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const target = at('dist/redecide.browser.js');
const { outputFiles, metafile } = await build({
  entryPoints: [at('src/browser/redecide.ts')],
  plugins: [fromSources],
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  charset: 'ascii',
  minify: true,
  legalComments: 'inline',
});
const [{ contents }] = outputFiles;
if (Object.keys(metafile.inputs).some((path) => path.includes('libpg-query')))
  throw new Error('PostgreSQL\'s parser is a file of its own: resolve the condition "browser" of @countersign/rules');
const weight = gzipSync(contents, { level: 9 }).length;
if (weight > BUDGET) throw new Error(`re-decision weighs ${weight} bytes, more than ${BUDGET}`);
mkdirSync(dirname(target), { recursive: true });
// Replaced atomically: a server may be reading it.
const partial = `${target}.${process.pid}`;
try {
  writeFileSync(partial, contents);
  renameSync(partial, target);
} finally {
  rmSync(partial, { force: true });
}
