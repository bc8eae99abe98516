import { createHash } from 'node:crypto';
import { StoreDamaged } from '@countersign/document-store';

/** An agent of the layout before documents. */
export interface OlderAgent {
  readonly id: string;
  readonly revision: number;
  readonly frozenAtMs: number;
  /** JSON. */
  readonly facts: string;
  /** SHA-256, hex. */
  readonly checksum: string;
}

/**
 * An agent that was changed by anything but policy is not taken over: its document would be sealed as it is.
 * @param place file, or MongoDB collection
 * @throws StoreDamaged
 */
export function requireSound(place: string, { id, revision, frozenAtMs, facts, checksum }: OlderAgent): void {
  const sum = createHash('sha256').update(`${id}\n${revision}\n${frozenAtMs}\n${facts}`).digest('hex');
  if (sum === checksum) return;
  throw new StoreDamaged(place, `is damaged: agent ${id} is not as it was written; restore a backup`);
}
