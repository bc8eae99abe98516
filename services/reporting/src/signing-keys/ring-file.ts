import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileOnce } from '@countersign/process';
import { SigningKeyDamaged } from './key-file.js';
import type { Ring } from './ring.js';

/** A state of the ring, shared by all instances that have the folder. */
export interface StoredRing {
  /** Counts changes from 1; 0: the folder has no ring yet. */
  readonly number: number;
  readonly keys: Ring;
}

/** The newest ring in the folder is damaged: the active and revoked keys are not known. */
class RingDamaged extends SigningKeyDamaged {}

const NAME = /^ring\.(\d{8})$/;

function fileName(number: number): string {
  return `ring.${String(number).padStart(8, '0')}`;
}

/**
 * Reads the ring as of the last change. Earlier states are kept: they document the changes.
 * @throws RingDamaged naming the file
 */
export async function readRing(directory: string): Promise<StoredRing> {
  const numbers = (await readdir(directory)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  const number = Math.max(0, ...numbers);
  if (number === 0) return { number, keys: [] };
  const file = join(directory, fileName(number));
  try {
    const { version, keys } = JSON.parse(await readFile(file, 'utf8')) as { version: number; keys: Ring };
    if (version !== 1 || !Array.isArray(keys)) throw new Error('not a ring of this release');
    return { number, keys };
  } catch (cause) {
    throw new RingDamaged(`the ring of signing keys ${file} is damaged: put it back from the backup`, { cause });
  }
}

/**
 * Writes the state after `before`, completely and durably. `null`: another instance was first, and its state
 * has to be read.
 */
export async function writeRing(
  directory: string,
  before: StoredRing,
  keys: Ring,
  at: string,
): Promise<StoredRing | null> {
  const number = before.number + 1;
  const content = Buffer.from(JSON.stringify({ version: 1, change: randomUUID(), at, keys }, null, 1));
  const there = await createFileOnce(join(directory, fileName(number)), () => content, 0o600);
  return content.equals(there) ? { number, keys } : null;
}
