/**
 * Writes `dist/scripts`, the scripts of the page: `node services/verification/page/bundle.mjs`. Each is an ES module of its own,
 * and imports of the libraries in one file each, which the service serves beside them, stay as they are. The same sources give
 * the same bytes.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const scripts = at('dist/scripts');

const { outputFiles } = await build({
  entryPoints: readdirSync(at('src'))
    .filter((name) => name.endsWith('.ts') && !/\.(d|test|test-[a-z]+)\.ts$/.test(name))
    .map((name) => at(`src/${name}`)),
  outdir: scripts,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  charset: 'ascii',
});
mkdirSync(scripts, { recursive: true });
for (const { path, contents } of outputFiles) {
  // Replaced atomically: a server may be reading it.
  const partial = `${path}.${process.pid}`;
  try {
    writeFileSync(partial, contents);
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}
const kept = new Set(outputFiles.map(({ path }) => basename(path)));
const isLeftOver = (name) => name.endsWith('.js') && !kept.has(name);
for (const name of readdirSync(scripts).filter(isLeftOver)) rmSync(`${scripts}/${name}`, { force: true });
