import { Semaphore } from '@countersign/async';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { EventStore, Inbox, InboxPlace } from '../store/port.js';

/**
 * Closes alerts of the violation inbox. The event that says who closed how many is durable first: an inbox is never emptied
 * without it, and nothing is recorded where none is closed. A process that ends in between leaves the alerts open, and the
 * caller, who has no answer, asks again. Exactly the alerts that the event counts are closed: those that arrive meanwhile
 * stay open, and those of one account are closed by one request at a time. Two instances of the service that close the
 * same alerts at the same moment both record them.
 */
export class Acknowledgements {
  readonly #queues = new Map<string, Semaphore>();

  constructor(
    private readonly context: Pick<ServiceContext, 'eventLog' | 'log' | 'clock'>,
    private readonly store: Pick<EventStore, 'closable' | 'acknowledge'>,
    private readonly recorded: ActRecorder,
  ) {}

  /**
   * @param place up to which alerts are closed; absent: all that are open now
   * @param note of the person; `null`: none
   * @throws HttpRefusal 503 where the event cannot be made durable: then nothing is closed
   */
  async acknowledge(
    caller: Pick<SessionCaller, 'accountId' | 'userId'>,
    place: InboxPlace | undefined,
    note: string | null,
  ): Promise<Inbox> {
    const queue = this.#queues.get(caller.accountId) ?? new Semaphore(1);
    this.#queues.set(caller.accountId, queue);
    try {
      return await queue.run(() => this.#close(caller, place, note));
    } finally {
      if (queue.free === 1) this.#queues.delete(caller.accountId);
    }
  }

  async #close(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    place: InboxPlace | undefined,
    note: string | null,
  ): Promise<Inbox> {
    const closed = await this.store.closable(accountId, place);
    if (closed.count === 0) return this.store.acknowledge(accountId, this.#now(), closed.place);
    const records = await this.recorded({
      ...{ accountId, type: 'account.alerts_acknowledged', by: { kind: 'user', id: userId } },
      content: {
        alerts: { open: closed.count, all: place === undefined },
        ...(note === null ? {} : { note: note.trim() }),
      },
    });
    await this.context.eventLog.append(records).catch((error: unknown) => {
      this.context.log.error({ err: error }, 'who closes alerts was not taken by the event log');
      throw new HttpRefusal(503, 'the alerts cannot be closed now: try again', { 'retry-after': '1' });
    });
    return this.store.acknowledge(accountId, this.#now(), closed.place);
  }

  #now(): string {
    return new Date(this.context.clock()).toISOString();
  }
}
