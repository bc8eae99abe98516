import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import type { IdentityStore, IdentityWrite, WriteResult } from './store/port.js';
import { notNow } from './refusals.js';

const MAX_TRIES = 50;

/**
 * One durable write, then the log, then the versions: what resolved holds for the very next request of any gateway.
 * Throws HttpRefusal 503 when log or counters do not take it; what was stored by then is announced later.
 */
export class Publication {
  constructor(
    private readonly context: Pick<ServiceContext, 'log'>,
    private readonly store: IdentityStore,
    private readonly announcer: Announcer,
  ) {}

  async write(write: IdentityWrite): Promise<WriteResult> {
    const result = await this.store.write(write);
    if (result === 'written') await this.#announce();
    return result;
  }

  /**
   * @param judge reads what it needs and gives the change, or `null` where it is so already; it is asked again when
   *   another change came between
   */
  async change(judge: () => Promise<IdentityWrite | null>): Promise<Exclude<WriteResult, 'conflict'>> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const write = await judge();
      // What is so already may have been stored by a request that then had a 503: it is told before it is answered.
      const result = write === null ? 'written' : await this.store.write(write);
      if (result === 'conflict') continue;
      if (result === 'written') await this.#announce();
      return result;
    }
    throw notNow();
  }

  async #announce(): Promise<void> {
    try {
      await this.announcer.announce();
    } catch (error) {
      this.context.log.error({ err: error }, 'a change of accounts, keys or sessions was not announced');
      throw notNow();
    }
  }
}
