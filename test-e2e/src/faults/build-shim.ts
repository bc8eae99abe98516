import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Compiles a shim unless the same source has been compiled before.
 * @param name folder of its source.
 * @returns the path of the shared library, for LD_PRELOAD.
 * @throws if there is no C compiler or the source does not compile.
 */
export function buildShim(name: 'fault-shim' | 'clock-shim' = 'fault-shim'): string {
  const sources = join(PACKAGE, name);
  const names = readdirSync(sources)
    .filter((file) => /\.[ch]$/.test(file))
    .sort();
  const hash = createHash('sha256');
  for (const file of names) hash.update(readFileSync(join(sources, file)));
  const folder = join(PACKAGE, 'dist', name);
  const library = join(folder, `shim-${hash.digest('hex').slice(0, 16)}.so`);
  if (existsSync(library)) return library;

  mkdirSync(folder, { recursive: true });
  const unfinished = `${library}.${process.pid}`;
  const units = names.filter((file) => file.endsWith('.c')).map((file) => join(sources, file));
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', unfinished, ...units, '-ldl', '-lpthread'], {
    stdio: 'pipe',
  });
  renameSync(unfinished, library);
  return library;
}
