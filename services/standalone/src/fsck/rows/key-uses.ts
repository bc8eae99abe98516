import { LAYOUT } from '../layout.js';
import type { NumberedLeaf } from '../number-leaves.js';
import type { Store } from '../open-stores.js';
import type { Check } from '../report.js';

/** When each API key was used last, by the log, against what identity keeps of it. Embedded profile. */
export class KeyUses {
  readonly #identity: Store;
  readonly #check: Check;
  readonly #position: number;
  readonly #isWhole: boolean;
  readonly #usedAt = new Map<string, string>();

  /** @param isWhole the log begins with the first event */
  constructor(identity: Store, isWhole: boolean, check: Check) {
    this.#identity = identity;
    this.#check = check;
    this.#isWhole = isWhole;
    this.#position = identity.prepare<[], number>('SELECT next FROM positions WHERE partition = 0').pluck().get() ?? 0;
  }

  take({ offset, envelope: { apiKeyId, leaf } }: NumberedLeaf): void {
    if (apiKeyId === null || offset < 0 || offset >= this.#position) return;
    if (leaf.occurredAt > (this.#usedAt.get(apiKeyId) ?? '')) this.#usedAt.set(apiKeyId, leaf.occurredAt);
  }

  /** @param complete the log was read to its end */
  finish(complete: boolean): void {
    if (!complete) return;
    const keys = this.#identity.prepare<[], { id: string; at: string | null }>(
      'SELECT id, last_used_at AS at FROM api_keys',
    );
    for (const { id, at } of keys.iterate()) {
      this.#check.examined += 1;
      const logged = this.#usedAt.get(id) ?? null;
      const fits = this.#isWhole ? at === logged : (at ?? '') >= (logged ?? '');
      if (!fits)
        this.#check.wrong(
          `${LAYOUT.identity} api_keys ${id}`,
          `it was used last at ${String(at)}, by the log at ${String(logged)}`,
        );
    }
  }
}
