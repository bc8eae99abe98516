/**
 * Plugin of esbuild: what is imported from a package of this repository is read from the package's TypeScript sources. A bundle
 * then needs no compiled module, and is never older than its sources. `exports` of a package name what `tsc -b` writes:
 * `./dist/x.js` is `./src/x.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Manifests of the packages, with their folders, by name. */
const packages = new Map();
for (const parent of ['libs', 'services']) {
  for (const entry of readdirSync(join(ROOT, parent))) {
    const file = join(ROOT, parent, entry, 'package.json');
    const manifest = readManifest(file);
    if (manifest !== null) packages.set(manifest.name, { file, exports: manifest.exports });
  }
}

/** @returns `null` where there is none, as in a folder that only a build left behind */
function readManifest(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Files besides modules that decide what a bundle contains, relative to `ROOT`: where packages and their modules are found, and
 * how TypeScript is read.
 */
export const RULES = [
  '.config/from-sources.mjs',
  'tsconfig.base.json',
  ...[...packages.values()].flatMap(({ file }) => [file, join(dirname(file), 'tsconfig.json')]),
].map((path) => (path.startsWith(ROOT) ? relative(ROOT, path) : path));

/** The first of the conditions that is fulfilled, as Node and bundlers choose it. */
function chosen(target, conditions) {
  if (typeof target !== 'object' || target === null) return target;
  for (const [condition, next] of Object.entries(target)) {
    const found = condition === 'default' || conditions.has(condition) ? chosen(next, conditions) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The target of a subpath (`.`, `./mail`, `./commands/hook`), of which one segment may be a pattern. */
function exported(exports, subpath, conditions) {
  const exact = chosen(exports[subpath], conditions);
  if (exact !== undefined) return exact;
  for (const [pattern, target] of Object.entries(exports)) {
    const [before, after] = pattern.split('*');
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    const matched = subpath.slice(before.length, subpath.length - after.length);
    return chosen(target, conditions)?.replaceAll('*', matched);
  }
  return undefined;
}

/** Fails for a subpath that a package does not export, and for one that is not a module of its sources. */
export const fromSources = {
  name: 'from-sources',
  setup({ initialOptions: { platform }, onResolve, resolve }) {
    const conditions = new Set(['import', platform === 'browser' ? 'browser' : 'node']);
    onResolve({ filter: /^@countersign\// }, ({ path, kind }) => {
      const [name, subpath] = [path.split('/', 2).join('/'), `.${/^[^/]+\/[^/]+(.*)$/.exec(path)[1]}`];
      const found = packages.get(name);
      const target = found === undefined ? undefined : exported(found.exports, subpath, conditions);
      const [, module] = /^\.\/dist\/(.+)\.js$/.exec(target ?? '') ?? [];
      if (module === undefined) return { errors: [{ text: `${path} is not a module that its package exports` }] };
      return resolve(`./src/${module}.ts`, { resolveDir: dirname(found.file), kind });
    });
  },
};
