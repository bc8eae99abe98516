import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import type { IdentityStore, IdentityWrite, WriteResult } from './store/port.js';
import type { Act } from '@countersign/topics';
import type { Trail } from './trail/trail.js';
import { notNow } from './refusals.js';

const MAX_ATTEMPTS = 50;

/** A change, and what people did with it: both are stored in one transaction. */
export interface Change extends Omit<IdentityWrite, 'events'> {
  readonly acts?: readonly Act[];
}

/**
 * Makes a durable write, then appends to the log, then announces the versions: a resolved change applies to the next
 * request of any gateway. Throws HttpRefusal 503 if log or counters refuse; a change stored by then is announced later.
 */
export class Publication {
  constructor(
    private readonly context: Pick<ServiceContext, 'log'>,
    private readonly store: IdentityStore,
    private readonly announcer: Announcer,
    private readonly trail: Pick<Trail, 'events'>,
  ) {}

  async write(change: Change): Promise<WriteResult> {
    const result = await this.store.write(await this.#withEvents(change));
    if (result === 'written') await this.#announce();
    return result;
  }

  /**
   * @param judge reads its input and returns the change, or `null` if there is nothing to change; it is called again
   *   after a concurrent change
   */
  async change(judge: () => Promise<Change | null>): Promise<Exclude<WriteResult, 'conflict'>> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const write = await judge();
      // The current state may be from a request that was answered with 503: it is published before this answer.
      const result = write === null ? 'written' : await this.store.write(await this.#withEvents(write));
      if (result === 'conflict') continue;
      if (result === 'written') await this.#announce();
      return result;
    }
    throw notNow();
  }

  async #withEvents({ acts = [], ...write }: Change): Promise<IdentityWrite> {
    try {
      return { ...write, events: await this.trail.events(acts, write) };
    } catch (error) {
      this.context.log.error({ err: error }, 'a change of accounts, keys or sessions cannot be recorded');
      throw notNow();
    }
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
