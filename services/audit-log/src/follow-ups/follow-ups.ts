import { MOST_FOLLOW_UPS } from '@countersign/contracts';
import type {
  EventEnvelope,
  FollowedUpCheck,
  FollowUpBody,
  FollowUpRecord,
  FollowUpsQuery,
} from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { EventStore } from '../store/port.js';
import { FOLLOWED_UP, followUpRecord, followUpsAmong } from './follow-up-record.js';

interface FollowUpPage {
  readonly followUps: readonly FollowUpRecord[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** How often each check that was asked about was followed up. */
  readonly checks?: readonly FollowedUpCheck[];
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
   * @throws HttpRefusal 404 for an event of another account, 400 for one that is no refused check, 409 for one that the
   *   archive lists {@link MOST_FOLLOW_UPS} of; 503 where they are not recorded, or not known to be
   */
  async add(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    { eventIds, note }: FollowUpBody,
  ): Promise<{ readonly followUps: readonly FollowUpRecord[] }> {
    const ids = distinct(eventIds);
    for (const id of ids) {
      const leaf = (await this.store.find(accountId, id))?.leaf;
      if (leaf === undefined) throw new HttpRefusal(404, `no such event: ${id}`);
      if (leaf.type !== 'action.checked' || leaf.allowed !== false)
        throw new HttpRefusal(400, `${id} is no refused check: only these are followed up`);
    }
    const full = countsOf(ids, await this.#about(accountId, ids)).find(({ count }) => count >= MOST_FOLLOW_UPS);
    if (full !== undefined)
      throw new HttpRefusal(
        409,
        `${full.eventId} has ${full.count} follow-ups: no more than ${MOST_FOLLOW_UPS} are kept`,
      );
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

  /**
   * Newest first.
   * @throws HttpRefusal 400 for one id and several
   */
  async list(accountId: string, { eventId, eventIds, limit, offset }: FollowUpsQuery): Promise<FollowUpPage> {
    if (eventId !== undefined && eventIds !== undefined)
      throw new HttpRefusal(400, 'eventId and eventIds exclude each other: send one of them');
    const asked = eventIds?.split(',') ?? (eventId === undefined ? null : [eventId]);
    if (asked !== null) {
      const ids = distinct(asked);
      const about = await this.#about(accountId, ids);
      const followUps = newestFirst(about).slice(offset, offset + limit);
      const checks = eventIds === undefined ? {} : { checks: countsOf(ids, about) };
      return { followUps, total: about.length, limit, offset, ...checks };
    }
    const { events, total } = await this.store.list(accountId, { type: FOLLOWED_UP }, { limit, offset });
    return { followUps: events.flatMap((event) => followUpRecord(event) ?? []), total, limit, offset };
  }

  async #about(accountId: string, ids: readonly string[]): Promise<readonly FollowUpRecord[]> {
    return followUpsAmong(await this.store.referring(ids), accountId);
  }
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** @param about those of each check oldest first: of the same millisecond, the later one stays first */
function newestFirst(about: readonly FollowUpRecord[]): readonly FollowUpRecord[] {
  return about.toReversed().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

function countsOf(ids: readonly string[], about: readonly FollowUpRecord[]): readonly FollowedUpCheck[] {
  const counts = new Map<string, FollowedUpCheck>(
    ids.map((eventId) => [eventId, { eventId, count: 0, latestAt: null }]),
  );
  for (const { eventId, at } of about) {
    const { count, latestAt } = counts.get(eventId)!;
    counts.set(eventId, { eventId, count: count + 1, latestAt: latestAt !== null && latestAt > at ? latestAt : at });
  }
  return [...counts.values()];
}
