import type { EventEnvelope } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { accountEvents, type Act } from '@countersign/topics';
import type { IdentityStore, IdentityWrite } from '../store/port.js';

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
  events(acts: readonly Act[], { accounts = [] }: IdentityWrite): Promise<readonly EventEnvelope[]> {
    return accountEvents(acts, this.context.counters, async (accountId) => {
      const account = accounts.find(({ id }) => id === accountId) ?? (await this.store.account(accountId));
      if (account === null) throw new Error(`account ${accountId} is not stored`);
      return this.context.config.anchorWindowSeconds ?? account.facts.cadenceSeconds;
    });
  }
}
