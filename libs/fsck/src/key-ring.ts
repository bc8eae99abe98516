import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SigningKeyFacts } from '@countersign/contracts';
import { LAYOUT, placeOf } from './layout.js';
import type { Check } from './report.js';

/** A signing key as the newest ring in the folder of keys has it. */
export interface KeyInRing {
  readonly id: string;
  readonly version: number;
  readonly custody: 'file' | 'signer' | 'none';
  readonly facts: SigningKeyFacts;
}

const RING = /^ring\.\d{8}$/;

/** None where the folder has no ring, as before the first start of a release that keeps one. */
export function readKeyRing(dataDir: string, check: Check): readonly KeyInRing[] {
  const folder = placeOf(dataDir, 'keys');
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => RING.test(name));
  } catch {
    return [];
  }
  const newest = names.sort().at(-1);
  if (newest === undefined) return [];
  try {
    const { version, keys } = JSON.parse(readFileSync(join(folder, newest), 'utf8')) as {
      readonly version: unknown;
      readonly keys: unknown;
    };
    if (version === 1 && Array.isArray(keys)) return keys as readonly KeyInRing[];
  } catch {
    // It is named below, whatever is wrong with it.
  }
  check.wrong(`${LAYOUT.keys}/${newest}`, 'it is no ring of signing keys');
  return [];
}
