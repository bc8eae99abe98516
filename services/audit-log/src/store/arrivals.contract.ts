import type { EventEnvelope } from '@countersign/contracts';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other } from '../testing/envelopes.js';
import { ARRIVALS_LENGTH, type ArrivalPlace, type EventStore } from './port.js';

/** The events that arrived between two places, of every {@link EventStore}. `open` gives an empty store. */
export function arrivalsContract(name: string, backend: { open(): Promise<EventStore>; clean(): Promise<void> }): void {
  describe(`arrivals in an event store: ${name}`, () => {
    let store: EventStore;
    let append: ReturnType<typeof appenderTo>;

    beforeEach(async () => {
      store = await backend.open();
      append = appenderTo(() => store);
    });
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const between = async (
      after: ArrivalPlace,
      to: ArrivalPlace,
      filter = {},
      limit = 10,
      account = ACCOUNT,
    ): Promise<readonly [readonly string[], number]> => {
      const { events, count } = await store.arrivals(account, filter, { after, to }, limit);
      return [events.map(({ leaf }) => leaf.eventId), count];
    };

    it('are the events that were stored between two places, whenever they happened', async () => {
      const none = await store.arrivalPlace();
      const early = envelope(2, { occurredAtMs: 5 });
      await append(envelope(1), early);
      const two = await store.arrivalPlace();
      await append(denied(3, { agent: 2 }), envelope(4, { agent: 3, accountId: 'account-b' }), envelope(5));
      const five = await store.arrivalPlace();
      expect((await between(none, two))[0].toSorted()).toEqual([eventId(1), early.leaf.eventId].toSorted());
      expect((await between(two, five))[0].toSorted()).toEqual([3, 5].map((n) => eventId(n)).toSorted());
      expect(await between(none, five, {}, 10, 'account-b')).toEqual([[eventId(4)], 1]);
      expect(await between(five, five)).toEqual([[], 0]);
      expect(await between(five, none)).toEqual([[], 0]);
      expect(await between(none, five, {}, 10, 'unknown')).toEqual([[], 0]);
    });

    it('are filtered by agent, class and rule', async () => {
      const none = await store.arrivalPlace();
      const another = denied(5, { leaf: { rule: 'limits:hour' } });
      await append(envelope(1), denied(2), denied(3, { agent: 2 }), other(4, 'agent.frozen'), another);
      const end = await store.arrivalPlace();
      const ids = async (filter: object): Promise<readonly string[]> =>
        (await between(none, end, filter))[0].toSorted();
      expect(await ids({ outcome: 'denied' })).toEqual([2, 3, 5].map((n) => eventId(n)).toSorted());
      expect(await ids({ outcome: 'denied', agentId: agentId(2) })).toEqual([eventId(3)]);
      expect(await ids({ type: 'agent.frozen' })).toEqual([eventId(4)]);
      expect(await ids({ rule: 'limits:hour' })).toEqual([eventId(5)]);
      expect(await between(none, end, { rule: 'allowed_apis:' }, 1)).toEqual([[eventId(3)], 2]);
      expect(await ids({ agentId: agentId(9) })).toEqual([]);
      expect(await ids({ violationType: 'rate_limit_exceeded' })).toEqual([]);
    });

    it('are counted beyond the limit, of which the newest are returned', async () => {
      const none = await store.arrivalPlace();
      await append(...Array.from({ length: 40 }, (_, n) => envelope(n)));
      const end = await store.arrivalPlace();
      expect(await between(none, end, {}, 3)).toEqual([[37, 38, 39].map((n) => eventId(n)), 40]);
    });

    it('are fewer where they are large, but never none, and all are counted', async () => {
      const none = await store.arrivalPlace();
      const large = (n: number, length: number): EventEnvelope =>
        envelope(n, { openings: { payload: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: 'x'.repeat(length) } } });
      for (const n of [1, 2, 3, 4]) await append(large(n, ARRIVALS_LENGTH * 0.4));
      const four = await store.arrivalPlace();
      expect(await between(none, four)).toEqual([[3, 4].map((n) => eventId(n)), 4]);
      await append(large(5, ARRIVALS_LENGTH));
      const five = await store.arrivalPlace();
      expect(await between(none, five)).toEqual([[eventId(5)], 5]);
      expect(await between(four, five)).toEqual([[eventId(5)], 1]);
    });
  });
}
