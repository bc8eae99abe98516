import type { EventEnvelope, FollowUpBody, FollowUpRecord, FollowUpsQuery } from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { EventStore } from '../store/port.js';
import { FOLLOWED_UP, followUpRecord, followUpsAmong } from './follow-up-record.js';

interface FollowUpPage {
  readonly followUps: readonly FollowUpRecord[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Notes of people about refused checks: an event of the account for each check, and nothing else is stored. */
export class FollowUps {
  constructor(
    private readonly context: Pick<ServiceContext, 'eventLog' | 'log'>,
    private readonly store: Pick<EventStore, 'find' | 'list' | 'referring'>,
    private readonly recorded: ActRecorder,
  ) {}

  /**
   * Resolves once the events are durable.
   * @throws HttpRefusal 404 for an event of another account, 400 for one that is no refused check; 503 where they are not recorded, or not known to be
   */
  async add(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    { eventIds, note }: FollowUpBody,
  ): Promise<{ readonly followUps: readonly FollowUpRecord[] }> {
    const ids = [...new Set(eventIds.map((id) => id.toLowerCase()))];
    for (const id of ids) {
      const leaf = (await this.store.find(accountId, id))?.leaf;
      if (leaf === undefined) throw new HttpRefusal(404, `no such event: ${id}`);
      if (leaf.type !== 'action.checked' || leaf.allowed !== false)
        throw new HttpRefusal(400, `${id} is no refused check: only these are followed up`);
    }
    const records = await this.recorded(
      ...ids.map((refersTo) => ({
        ...({ accountId, type: FOLLOWED_UP, by: { kind: 'user', id: userId }, refersTo } as const),
        content: { note: note.trim() },
      })),
    );
    await this.context.eventLog.append(records).catch((error: unknown) => {
      this.context.log.error({ err: error }, 'follow-ups were not taken by the event log');
      throw new HttpRefusal(503, 'not recorded, or in doubt: look at the list, and try again', { 'retry-after': '1' });
    });
    const events = records.map(({ value }) => JSON.parse(String(value)) as EventEnvelope);
    return { followUps: events.flatMap((event) => followUpRecord(event) ?? []) };
  }

  /** Newest first. */
  async list(accountId: string, { eventId, limit, offset }: FollowUpsQuery): Promise<FollowUpPage> {
    if (eventId !== undefined) {
      const all = followUpsAmong(await this.store.referring([eventId.toLowerCase()]), accountId).toReversed();
      return { followUps: all.slice(offset, offset + limit), total: all.length, limit, offset };
    }
    const { events, total } = await this.store.list(accountId, { type: FOLLOWED_UP }, { limit, offset });
    return { followUps: events.flatMap((event) => followUpRecord(event) ?? []), total, limit, offset };
  }
}
