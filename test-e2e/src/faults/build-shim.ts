import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(PACKAGE, 'fault-shim');

/**
 * Compiles the fault shim unless this very source has been compiled before.
 * @returns the path of the shared library, for LD_PRELOAD.
 * @throws when there is no C compiler or the source does not compile.
 */
export function buildShim(): string {
  const names = readdirSync(SOURCES)
    .filter((name) => /\.[ch]$/.test(name))
    .sort();
  const hash = createHash('sha256');
  for (const name of names) hash.update(readFileSync(join(SOURCES, name)));
  const folder = join(PACKAGE, 'dist', 'fault-shim');
  const library = join(folder, `shim-${hash.digest('hex').slice(0, 16)}.so`);
  if (existsSync(library)) return library;

  mkdirSync(folder, { recursive: true });
  const unfinished = `${library}.${process.pid}`;
  const units = names.filter((name) => name.endsWith('.c')).map((name) => join(SOURCES, name));
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', unfinished, ...units, '-ldl', '-lpthread'], {
    stdio: 'pipe',
  });
  renameSync(unfinished, library);
  return library;
}
