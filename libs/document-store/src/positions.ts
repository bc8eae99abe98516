import type { DocumentInspection } from './inspect.js';
import type { Collection } from './port.js';

/** How far partitions of topics are followed: the offset of the next record. A document for each partition. */
export const POSITIONS: Collection<{ readonly next: number }, Record<string, never>> = {
  name: 'positions',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/**
 * Offsets of the next records, by partition.
 * @param prefix what the ids of the positions have in front of the partition
 */
export async function readPositions(documents: DocumentInspection, prefix = ''): Promise<ReadonlyMap<number, number>> {
  const positions = new Map<number, number>();
  for await (const { id, body } of documents.documents(POSITIONS)) {
    if (id.startsWith(prefix)) positions.set(Number(id.slice(prefix.length)), body.next);
  }
  return positions;
}
