import { readFileSync } from 'node:fs';

/** Modules that a built file loads when it is loaded itself: those of this package by path, others by name. */
function loads(file: URL, found = new Set<string>()): Set<string> {
  if (found.has(file.pathname)) return found;
  found.add(file.pathname);
  const text = readFileSync(file, 'utf8');
  for (const [, name] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'/gm)) {
    if (name?.startsWith('.')) loads(new URL(name, file), found);
    else if (name !== undefined) found.add(name);
  }
  return found;
}

/** Packages that are not drivers. */
const PURE: ReadonlySet<string> = new Set(['@noble/curves/ed25519', '@countersign/async']);

const drivers = (file: string) =>
  [...loads(new URL(file, import.meta.url))].filter((name) => !/^(\/|node:)/.test(name) && !PURE.has(name));

describe('the package', () => {
  it('loads no driver until a network or a ledger is opened', () => {
    expect(drivers('./index.js')).toEqual([]);
  });

  it('keeps each driver to its part', () => {
    expect(drivers('./solana/solana-chain.js')).toEqual(['@solana/web3.js']);
    expect(drivers('./localnet/start.js').sort()).toEqual(['better-sqlite3', 'litesvm', 'ws']);
    expect(drivers('./localnet/ledger/read-ledger.js')).toEqual(['better-sqlite3']);
  });
});
