import type { IdentityInspection } from '@countersign/identity';
import { LAYOUT } from '../layout.js';
import type { NumberedLeaf } from '../number-leaves.js';
import { Reached } from '../places.js';
import type { Check } from '../report.js';

/** When each API key was used last, by the log, against what identity keeps of it. */
export class KeyUses {
  readonly #usedAt = new Map<string, string>();

  private constructor(
    private readonly identity: IdentityInspection,
    private readonly reached: Reached,
    private readonly isExact: boolean,
    private readonly check: Check,
  ) {}

  /** @param isExact the log begins with the first event, and nothing is used meanwhile */
  static async of(identity: IdentityInspection, isExact: boolean, check: Check): Promise<KeyUses> {
    return new KeyUses(identity, new Reached(await identity.positions('agent-events')), isExact, check);
  }

  take({ offset, envelope: { apiKeyId, leaf } }: NumberedLeaf): void {
    if (apiKeyId === null || offset < 0 || !this.reached.has(offset)) return;
    if (leaf.occurredAt > (this.#usedAt.get(apiKeyId) ?? '')) this.#usedAt.set(apiKeyId, leaf.occurredAt);
  }

  /** @param complete the log was read to its end */
  async finish(complete: boolean): Promise<void> {
    if (!complete) return;
    for await (const { id, lastUsedAt } of this.identity.keyUses()) {
      this.check.examined += 1;
      const logged = this.#usedAt.get(id) ?? null;
      const fits = this.isExact ? lastUsedAt === logged : (lastUsedAt ?? '') >= (logged ?? '');
      if (!fits)
        this.check.wrong(
          `${LAYOUT.identity} api_keys ${id}`,
          `it was used last at ${String(lastUsedAt)}, by the log at ${String(logged)}`,
        );
    }
  }
}
