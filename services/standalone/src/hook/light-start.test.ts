import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Packages that a compiled module needs, through whatever it imports by a relative path. */
function packagesOf(file: URL, seen = new Set<string>()): readonly string[] {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  const code = readFileSync(fileURLToPath(file), 'utf8');
  const imports = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!);
  return imports.flatMap((name) => (name.startsWith('.') ? packagesOf(new URL(name, file), seen) : [name]));
}

describe('what a hook loads', () => {
  it('is the client and a parser of options: nothing of the service, so that it starts in a moment', () => {
    const found = new Set(packagesOf(new URL('../commands/hook.js', import.meta.url)));
    expect([...found].filter((name) => !name.startsWith('node:')).sort()).toEqual([
      '@countersign/client',
      '@countersign/service-kit/client-environment',
      'commander',
    ]);
  });
});
