import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Packages that a compiled module imports, also through its relative imports. */
function packagesOf(file: URL, seen = new Set<string>()): readonly string[] {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  const code = readFileSync(fileURLToPath(file), 'utf8');
  const imports = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!);
  return imports.flatMap((name) => (name.startsWith('.') ? packagesOf(new URL(name, file), seen) : [name]));
}

describe('the modules that a hook loads', () => {
  it('are the client and an option parser: none of the services, for a fast start', () => {
    const found = new Set(packagesOf(new URL('../commands/hook.js', import.meta.url)));
    expect([...found].filter((name) => !name.startsWith('node:')).sort()).toEqual([
      '@countersign/client',
      '@countersign/mcp-proxy/denial-messages',
      '@countersign/process/client-environment',
      'commander',
    ]);
    expect(packagesOf(new URL(import.meta.resolve('@countersign/mcp-proxy/denial-messages')))).toEqual([]);
  });
});

describe('what `countersign verify` loads', () => {
  it('is none of what serves requests, so that an auditor waits for the proof alone', () => {
    const found = packagesOf(new URL('../commands/verify.js', import.meta.url));
    expect(found).toContain('@countersign/evidence');
    expect(found.filter((name) => /^(@countersign\/service-kit|@nestjs\/|express)/.test(name))).toEqual([]);
  });
});
