import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { EventStore, Inbox, InboxPlace } from '../store/port.js';

/**
 * Closes alerts of the violation inbox. The event that says who closed them is durable first: an inbox is never emptied
 * without it, and nothing is recorded where none is open. A process that ends in between leaves the alerts open, and the caller, who has no answer, asks again.
 */
export class Acknowledgements {
  constructor(
    private readonly context: Pick<ServiceContext, 'eventLog' | 'log' | 'clock'>,
    private readonly store: Pick<EventStore, 'openLeaves' | 'acknowledge'>,
    private readonly recorded: ActRecorder,
  ) {}

  /**
   * @param place up to which alerts are closed; absent: all that are open now
   * @param note of the person; `null`: none
   * @throws HttpRefusal 503 where the event cannot be made durable: then nothing is closed
   */
  async acknowledge(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    place: InboxPlace | undefined,
    note: string | null,
  ): Promise<Inbox> {
    const { openCount, place: end } = await this.store.openLeaves(accountId, 1);
    // An alert that arrives from now on stays open: it would be closed without an event.
    if (openCount === 0) return this.store.acknowledge(accountId, this.#now(), end);
    const records = await this.recorded({
      ...{ accountId, type: 'account.alerts_acknowledged', by: { kind: 'user', id: userId } },
      content: {
        alerts: { open: openCount, all: place === undefined },
        ...(note === null ? {} : { note: note.trim() }),
      },
    });
    await this.context.eventLog.append(records).catch((error: unknown) => {
      this.context.log.error({ err: error }, 'who closes alerts was not taken by the event log');
      throw new HttpRefusal(503, 'the alerts cannot be closed now: try again', { 'retry-after': '1' });
    });
    return this.store.acknowledge(accountId, this.#now(), ...(place === undefined ? [] : [place]));
  }

  #now(): string {
    return new Date(this.context.clock()).toISOString();
  }
}
