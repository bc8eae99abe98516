import type { EventEnvelope } from '@countersign/contracts';
import { MOST_FOLLOW_UPS } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Act } from '@countersign/topics';
import type { EventStore } from '../store/port.js';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, denied, eventId, other } from '../testing/envelopes.js';
import { FOLLOWED_UP } from './follow-up-record.js';
import { FollowUps } from './follow-ups.js';

const CALLER = { accountId: ACCOUNT, userId: 'u' };
const PAGE = { limit: 1000, offset: 0 };
/** The number of the first follow-up; those of checks are below. */
const FIRST = 1000;

/** Notes about refused checks, on every {@link EventStore}. `open` gives an empty store. */
export function followUpsContract(
  name: string,
  backend: { open(): Promise<EventStore>; clean(): Promise<void> },
): void {
  describe(`follow-ups on an event store: ${name}`, () => {
    let store: EventStore;
    let append: ReturnType<typeof appenderTo>;
    let followUps: FollowUps;

    beforeEach(async () => {
      store = await backend.open();
      append = appenderTo(() => store);
      let n = FIRST;
      const recorded = async (...acts: readonly Act[]): Promise<readonly NewRecord[]> =>
        acts.map(({ refersTo, content }) => {
          const openings = { action: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { ...content } } };
          const parts = { agent: 9, refersTo: refersTo!, openings, leaf: { detail: 'user:u' } };
          const value = JSON.stringify(other(n++, FOLLOWED_UP, parts));
          return { topic: 'agent-events', key: 'k', value };
        });
      const log = { append: (records: readonly NewRecord[]) => append(...records.map(envelopeOf)) };
      followUps = new FollowUps(
        { eventLog: log, log: { error: () => undefined } } as unknown as ConstructorParameters<typeof FollowUps>[0],
        store,
        recorded,
      );
    });
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const add = (note: string, ...checks: number[]): Promise<unknown> =>
      followUps.add(CALLER, { eventIds: checks.map((n) => eventId(n)), note });
    const at = (n: number): string => new Date(Date.parse(denied(n).leaf.occurredAt)).toISOString();

    it('are counted for each check that is asked about, in that order, with all notes newest first', async () => {
      await append(denied(1), denied(2), denied(3), denied(4));
      await add('first', 1, 3);
      await add('second', 1);
      const eventIds = [3, 2, 1, 3]
        .map((n) => eventId(n))
        .join(',')
        .toUpperCase();
      const page = await followUps.list(ACCOUNT, { ...PAGE, eventIds });
      expect(page.checks).toEqual([
        { eventId: eventId(3), count: 1, latestAt: at(FIRST + 1) },
        { eventId: eventId(2), count: 0, latestAt: null },
        { eventId: eventId(1), count: 2, latestAt: at(FIRST + 2) },
      ]);
      expect(page.followUps.map(({ eventId: id, note }) => [id, note])).toEqual([
        [eventId(1), 'second'],
        [eventId(3), 'first'],
        [eventId(1), 'first'],
      ]);
      expect(page.total).toBe(3);
      const rest = await followUps.list(ACCOUNT, { limit: 1, offset: 1, eventIds });
      expect(rest).toMatchObject({ total: 3, checks: page.checks, followUps: [{ eventId: eventId(3) }] });
      const elsewhere = await followUps.list('account-b', { ...PAGE, eventIds });
      expect(elsewhere).toMatchObject({ total: 0, followUps: [] });
      expect(elsewhere.checks?.map(({ count }) => count)).toEqual([0, 0, 0]);
      await expect(followUps.list(ACCOUNT, { ...PAGE, eventIds, eventId: eventId(1) })).rejects.toMatchObject({
        status: 400,
      });
    });

    it('are refused for a check that has the most of them, and then for every check of the request', async () => {
      await append(denied(1), denied(2));
      for (let n = 0; n < MOST_FOLLOW_UPS - 1; n += 1) await add(`note ${n}`, 1);
      await add('the last one', 1, 2);
      await expect(add('one more', 2, 1)).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining(`${eventId(1)} has 100 follow-ups`),
      });
      const { checks } = await followUps.list(ACCOUNT, { ...PAGE, eventIds: `${eventId(1)},${eventId(2)}` });
      expect(checks?.map(({ count }) => count)).toEqual([MOST_FOLLOW_UPS, 1]);
      await add('the other one is open', 2);
    });
  });
}

function envelopeOf({ value }: NewRecord): EventEnvelope {
  return JSON.parse(String(value)) as EventEnvelope;
}
