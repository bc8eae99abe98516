import { randomBytes } from 'node:crypto';
import type { EventEnvelope } from '@countersign/contracts';
import { accountEvent } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import type { IdentityStore, IdentityWrite } from '../store/port.js';
import type { Act } from './acts.js';

/** Makes events of what people did. */
export class Trail {
  constructor(
    private readonly context: Pick<ServiceContext, 'config' | 'counters'>,
    private readonly store: Pick<IdentityStore, 'account'>,
  ) {}

  /**
   * The events of a change, in the order of its acts, at the time of the counters' clock.
   * @throws Error if the counters cannot be reached
   */
  async events(acts: readonly Act[], { accounts = [] }: IdentityWrite): Promise<readonly EventEnvelope[]> {
    if (acts.length === 0) return [];
    const occurredAtMs = await this.context.counters.now();
    const events: EventEnvelope[] = [];
    for (const { accountId, ...draft } of acts) {
      const account = accounts.find(({ id }) => id === accountId) ?? (await this.store.account(accountId));
      if (account === null) throw new Error(`account ${accountId} is not stored`);
      const cadenceSeconds = this.context.config.anchorWindowSeconds ?? account.facts.cadenceSeconds;
      const entropy = { id: randomBytes(10), salt: randomBytes(16) };
      events.push(accountEvent(draft, { accountId, cadenceSeconds, occurredAtMs, entropy }, nodeCrypto.sha256));
    }
    return events;
  }
}
