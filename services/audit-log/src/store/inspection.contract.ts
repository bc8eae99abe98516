import type { EventEnvelope } from '@countersign/contracts';
import { canonicalLeaf } from '@countersign/evidence';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other, START, traceId } from '../testing/envelopes.js';
import type { ArchiveInspection } from './inspection.js';
import type { EventStore } from './port.js';

const HOUR_MS = 3_600_000;

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

/** Contract of the inspection of every {@link EventStore}. `open` gives an empty store; `inspect` opens what it holds. */
export function inspectionContract(
  name: string,
  backend: { open(): Promise<EventStore>; inspect(): Promise<ArchiveInspection>; clean(): Promise<void> },
): void {
  describe(`inspection of an event store: ${name}`, () => {
    const events: readonly EventEnvelope[] = [
      envelope(1),
      denied(2, { agent: 2, accountId: 'account-b' }),
      denied(3),
      other(4, 'content.erased', { refersTo: eventId(1) }),
      envelope(5, { agent: 2, accountId: 'account-b', occurredAtMs: START + HOUR_MS, v2: true }),
    ];
    const idOf = ({ leaf }: EventEnvelope): string => leaf.eventId;
    let store: EventStore;
    let inspection: ArchiveInspection;

    beforeEach(async () => {
      store = await backend.open();
      await appenderTo(() => store)(...events);
      const window = {
        windowStart: '2026-03-01T09:00:00.000Z',
        windowEnd: '2026-03-01T10:00:00.000Z',
        merkleRoot: 'ab'.repeat(32),
        txSignature: 's',
        blockHeight: 7,
        anchoredAt: '2026-03-01T10:00:01.000Z',
      };
      const agents = [{ agentId: agentId(1), firstSequence: 1, lastSequence: 2 }];
      await store.saveAnchors([{ windowId: '3600-1', ...window, agents }], {
        topic: 'anchors',
        partition: 0,
        next: 3,
      });
      inspection = await backend.inspect();
    });
    afterEach(async () => {
      await inspection.close();
      await store.close();
      await backend.clean();
    });

    it('gives the events in the order of the log, whole, in a range, and as outlines', async () => {
      const read = await all(inspection.events());
      expect(read.map(({ eventId: id }) => id)).toEqual(events.map(idOf));
      expect(read.map(({ leaf }) => leaf)).toEqual(events.map(({ leaf }) => canonicalLeaf(leaf)));
      expect(read.map(({ sequence }) => sequence)).toEqual([1, 1, 2, 3, 2]);
      expect(read.map(({ openings }) => openings === null)).toEqual([true, false, false, false, false]);
      expect(JSON.parse(read[4]!.openings!)).toEqual(events[4]!.openings);
      expect(read[2]).toMatchObject({
        agentId: agentId(1),
        accountId: ACCOUNT,
        occurredAtMs: START + 3,
        class: { type: 'action.checked', outcome: 'denied', allowed: false, violationType: 'api_not_allowed' },
        blocked: true,
        erased: false,
        refersTo: null,
        ...{ trace: null, rule: 'allowed_apis:' },
        hasOpenings: true,
      });
      expect(read.map(({ trace }) => trace)).toEqual([null, null, null, null, traceId(5)]);
      const outlines = await all(inspection.outlines());
      expect(outlines).toEqual(read.map(({ leaf: _leaf, facts: _facts, openings: _openings, ...outline }) => outline));
      const range = { partition: 0, from: read[1]!.at.offset, to: read[3]!.at.offset };
      expect((await all(inspection.events(range))).map(({ eventId: id }) => id)).toEqual([2, 3].map((n) => eventId(n)));
    });

    it('finds events by their ids, and the orders among them', async () => {
      const found = await inspection.find([eventId(3), eventId(9), eventId(1)]);
      expect([...found.keys()].sort()).toEqual([eventId(1), eventId(3)].sort());
      expect(found.get(eventId(1))).toMatchObject({ erased: true, hasOpenings: false });
      expect(await all(inspection.orders())).toMatchObject([{ eventId: eventId(4), refersTo: eventId(1) }]);
    });

    it('gives heads, counts and positions', async () => {
      const agents = await all(inspection.agents());
      expect(agents.sort((a, b) => b.lastSequence - a.lastSequence)).toEqual([
        { agentId: agentId(1), accountId: ACCOUNT, lastSequence: 3, checks: 2 },
        { agentId: agentId(2), accountId: 'account-b', lastSequence: 2, checks: 2 },
      ]);
      const hours = await all(inspection.hourCounts());
      const total = (of: 'agent' | 'account', id: string): number =>
        hours.filter((one) => one.of === of && one.id === id).reduce((sum, { count }) => sum + count, 0);
      expect([total('agent', agentId(1)), total('account', ACCOUNT), total('account', 'account-b')]).toEqual([3, 3, 2]);
      const hour = Math.floor(START / HOUR_MS);
      expect(new Set(hours.map((one) => one.hour))).toEqual(new Set([hour, hour + 1]));
      const blocked = await all(inspection.blockedCounts());
      expect(blocked.map(({ accountId, count }) => [accountId, count]).sort()).toEqual([
        [ACCOUNT, 1],
        ['account-b', 1],
      ]);
      expect(await inspection.uncounted()).toBe(0);
      expect(await inspection.positions('agent-events')).toEqual(new Map([[0, 5]]));
      expect(await inspection.positions('anchors')).toEqual(new Map([[0, 3]]));
      expect(await all(inspection.problems())).toEqual([]);
    });

    it('gives anchored windows and the runs of agents in them', async () => {
      expect(await all(inspection.windowIds())).toEqual(['3600-1']);
      const windows = await inspection.windows(['3600-1', '3600-2']);
      expect([...windows.keys()]).toEqual(['3600-1']);
      expect(windows.get('3600-1')).toMatchObject({ windowId: '3600-1', blockHeight: 7, txSignature: 's' });
      const runs = [2, 1].map((firstSequence) => ({ agentId: agentId(1), firstSequence }));
      expect(await inspection.agentWindows(runs)).toEqual([null, { lastSequence: 2, windowId: '3600-1' }]);
      expect(await inspection.countAgentWindows()).toBe(1);
    });
  });
}
