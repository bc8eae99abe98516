/**
 * Writes `dist/evidence.browser.js`, the whole library as one ES module that needs only ECMAScript and TextEncoder:
 * `node libs/evidence/browser/bundle.mjs`. The same sources give the same bytes.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fromSources } from '../../../.config/from-sources.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const target = at('dist/evidence.browser.js');
const { outputFiles } = await build({
  entryPoints: [at('src/browser/evidence.ts')],
  plugins: [fromSources],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  charset: 'ascii',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'inline',
});
mkdirSync(dirname(target), { recursive: true });
// Replaced atomically: a server may be reading it.
const partial = `${target}.${process.pid}`;
try {
  writeFileSync(partial, outputFiles[0].contents);
  renameSync(partial, target);
} finally {
  rmSync(partial, { force: true });
}
