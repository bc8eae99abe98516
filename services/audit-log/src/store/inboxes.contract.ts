import fc from 'fast-check';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, denied, envelope, eventId, other } from '../testing/envelopes.js';
import type { EventStore } from './port.js';

const AT = '2026-03-02T00:00:00.000Z';

/** Places of the inbox of every {@link EventStore}. `open` gives an empty store. */
export function inboxesContract(name: string, backend: { open(): Promise<EventStore>; clean(): Promise<void> }): void {
  describe(`inboxes of an event store: ${name}`, () => {
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

    const open = async (): Promise<string[]> =>
      (await store.openLeaves(ACCOUNT, 100)).alerts.map((alert) => alert.eventId);

    it('has the open alerts with what they are grouped by, newest first', async () => {
      const { leaf } = denied(2);
      await append(
        envelope(1),
        denied(2),
        denied(3, { leaf: { outcome: 'frozen', violation_type: null, rule: null } }),
      );
      await append(denied(4, { agent: 3, accountId: 'account-b' }));
      const { alerts, openCount, acknowledgedAt } = await store.openLeaves(ACCOUNT, 100);
      expect([openCount, acknowledgedAt]).toEqual([2, null]);
      expect(alerts).toMatchObject([{ eventId: eventId(3), outcome: 'frozen', violationType: null }, {}]);
      expect(alerts[1]).toEqual({
        ...{ eventId: leaf.eventId, agentId: leaf.agentId, occurredAt: leaf.occurredAt, outcome: 'denied' },
        ...{ violationType: leaf.violation_type, rule: leaf.rule, severity: leaf.severity },
      });
      expect((await store.openLeaves(ACCOUNT, 1)).alerts).toHaveLength(1);
      expect(await store.openLeaves('unknown', 9)).toMatchObject({ openCount: 0, alerts: [], acknowledgedAt: null });
    });

    it('closes what is counted at a place, and nothing that came later', async () => {
      await append(denied(1), envelope(2), denied(3));
      const { place } = await store.openLeaves(ACCOUNT, 100);
      // An older time: it arrives later, and its place in the list is below the others.
      await append(denied(4, { occurredAtMs: Date.parse('2026-02-01T00:00:00.000Z') }), other(5, 'agent.frozen'));
      expect(await store.acknowledge(ACCOUNT, AT, place)).toEqual({ openCount: 1, acknowledgedAt: AT });
      expect(await open()).toEqual([eventId(4, Date.parse('2026-02-01T00:00:00.000Z'))]);
      const again = await store.acknowledge(ACCOUNT, AT, place);
      expect([again.openCount, (await store.inbox(ACCOUNT)).openCount]).toEqual([1, 1]);
      expect(await store.acknowledge(ACCOUNT, AT)).toEqual({ openCount: 0, acknowledgedAt: AT });
      expect((await store.acknowledge(ACCOUNT, AT, place)).openCount).toBe(0);
      await append(denied(6));
      expect(await open()).toEqual([eventId(6)]);
    });

    it('knows before what a place closes, however many arrive until then', async () => {
      const decided = (n: number) =>
        other(n, 'approval.decided', { refersTo: eventId(1), v2: true, leaf: { outcome: 'denied' } });
      expect((await store.closable('unknown')).count).toBe(0);
      await append(denied(1), envelope(2), decided(3), denied(4));
      const { place } = await store.openLeaves(ACCOUNT, 100);
      await append(denied(5), decided(6));
      const [all, part] = [await store.closable(ACCOUNT), await store.closable(ACCOUNT, place)];
      expect([all.count, part.count]).toEqual([3, 2]);
      expect(await store.closable(ACCOUNT, [])).toMatchObject({ count: 0 });
      await append(denied(7), decided(8));
      expect((await store.acknowledge(ACCOUNT, AT, part.place)).openCount).toBe(2);
      expect((await store.closable(ACCOUNT, all.place)).count).toBe(1);
      expect((await store.acknowledge(ACCOUNT, AT, all.place)).openCount).toBe(1);
      expect(await open()).toEqual([eventId(7)]);
    });

    it('leaves out the denials by people, which no agent has caused, and lists them as denied', async () => {
      const decided = (n: number, outcome: string) =>
        other(n, 'approval.decided', { refersTo: eventId(1), v2: true, leaf: { outcome } });
      await append(denied(1), decided(2, 'denied'), denied(3), decided(4, 'approved'), decided(5, 'denied'));
      expect(await open()).toEqual([eventId(3), eventId(1)]);
      expect((await store.inbox(ACCOUNT)).openCount).toBe(2);
      const page = await store.openAlerts(ACCOUNT, { limit: 1, offset: 1 });
      expect(page.map(({ leaf }) => leaf.eventId)).toEqual([eventId(1)]);
      expect((await store.list(ACCOUNT, { outcome: 'denied' }, { limit: 9, offset: 0 })).total).toBe(4);
      expect((await store.pageAfter(ACCOUNT, { outcome: 'denied' }, null, 9)).events).toHaveLength(4);
      const { place } = await store.openLeaves(ACCOUNT, 100);
      await append(decided(6, 'denied'), denied(7));
      expect((await store.acknowledge(ACCOUNT, AT, place)).openCount).toBe(1);
      expect(await open()).toEqual([eventId(7)]);
      expect((await store.acknowledge(ACCOUNT, AT)).openCount).toBe(0);
      await append(decided(8, 'denied'));
      expect([(await store.inbox(ACCOUNT)).openCount, await open()]).toEqual([0, []]);
      expect(await store.openAlerts(ACCOUNT, { limit: 9, offset: 0 })).toEqual([]);
    });

    it('counts what is open, and what a place closes, whatever places are sent', async () => {
      await append(denied(1), denied(2), envelope(3), denied(4));
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), async (sent) => {
          const before = (await store.inbox(ACCOUNT)).openCount;
          const { count, place } = await store.closable(ACCOUNT, sent);
          const { openCount } = await store.acknowledge(ACCOUNT, AT, place);
          expect(await open()).toHaveLength(openCount);
          expect(count).toBe(before - openCount);
          expect(await store.acknowledge(ACCOUNT, AT, sent)).toMatchObject({ openCount });
        }),
        { numRuns: 12 },
      );
    });
  });
}
