import { hash } from 'node:crypto';
import type { Collection } from './port.js';
import { StoreDamaged } from './sqlite/open-database.js';

/** @throws StoreDamaged where a document of a sealed collection was changed by anything but a store */
export function requireSealed(
  place: string,
  { name, isSealed }: Pick<Collection<object>, 'name' | 'isSealed'>,
  { id, version, body, checksum }: SealedDocument,
): void {
  if (isSealed !== true || checksumOf(id, version, body) === checksum) return;
  throw new StoreDamaged(place, `is damaged: ${name} ${id} is not as it was written; restore a backup`);
}

interface SealedDocument {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly checksum: string;
}

/** Detects a change that was not made by a store. It is not a signature: anyone who can write can compute it. */
export function checksumOf(id: string, version: number, body: string): string {
  return hash('sha256', `${id}\n${version}\n${body}`, 'base64url');
}
