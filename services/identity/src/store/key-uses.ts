import { POSITIONS } from '@countersign/document-store';
import type { DocumentStore } from '@countersign/document-store';
import { API_KEYS, KEY_USES } from './documents.js';

interface Uses {
  /** Next offset, by partition. */
  readonly positions: Map<number, number>;
  /** By API key. */
  readonly lastUsedAt: Map<string, string>;
}

/**
 * Writes positions with the last uses of keys. Every partition updates the same keys, so concurrent transactions of
 * several partitions would conflict: one transaction writes all pending batches.
 */
export class KeyUseWriter {
  #waiting: Uses | null = null;
  /** Resolves when the pending batches are written. */
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly documents: DocumentStore) {}

  /** Both only rise: a redelivered batch, or an instance that has lost the partition, changes nothing. */
  write(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    const waiting: Uses = (this.#waiting ??= { positions: new Map(), lastUsedAt: new Map() });
    waiting.positions.set(partition, Math.max(next, waiting.positions.get(partition) ?? 0));
    for (const [id, at] of lastUsedAt) {
      if (at > (waiting.lastUsedAt.get(id) ?? '')) waiting.lastUsedAt.set(id, at);
    }
    this.#next ??= this.#last = this.#last.catch(() => undefined).then(() => this.#write());
    return this.#next;
  }

  async #write(): Promise<void> {
    const { positions, lastUsedAt } = this.#waiting!;
    this.#waiting = null;
    this.#next = null;
    await this.documents.transact(async (transaction) => {
      const stored = await transaction.getMany(POSITIONS, [...positions.keys()].map(String));
      const moved = [...positions].filter(
        ([partition, next]) => next > (stored.get(String(partition))?.body.next ?? -1),
      );
      await transaction.set(
        POSITIONS,
        moved.map(([partition, next]) => ({ id: String(partition), body: { next } })),
      );
      const known = await transaction.getMany(API_KEYS, [...lastUsedAt.keys()]);
      const uses = await transaction.getMany(KEY_USES, [...known.keys()]);
      const later = [...lastUsedAt].filter(([id, at]) => known.has(id) && at > (uses.get(id)?.body.lastUsedAt ?? ''));
      await transaction.set(
        KEY_USES,
        later.map(([id, at]) => ({ id, body: { lastUsedAt: at } })),
      );
    });
  }
}
