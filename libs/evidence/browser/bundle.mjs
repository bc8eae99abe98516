/**
 * Writes `dist/evidence.browser.js`, the whole library as one ES module that needs only ECMAScript and TextEncoder:
 * `node libs/evidence/browser/bundle.mjs` after a build. The same sources give the same bytes.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const target = at('dist/evidence.browser.js');
const { outputFiles } = await build({
  entryPoints: [at('dist/browser/evidence.js')],
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
// Replaced atomically: a server may be reading it.
const partial = `${target}.${process.pid}`;
try {
  writeFileSync(partial, outputFiles[0].contents);
  renameSync(partial, target);
} finally {
  rmSync(partial, { force: true });
}
