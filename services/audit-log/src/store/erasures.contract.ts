import type { EventEnvelope, LeafEvent } from '@countersign/contracts';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, agentId, envelope, eventId, other, START } from '../testing/envelopes.js';
import type { AnchoredWindow, EventStore } from './port.js';

const HOUR = 3_600_000;

function windowOf(n: number, first: number, last: number): AnchoredWindow {
  return {
    windowId: `w${n}`,
    windowStart: '2026-03-01T09:00:00.000Z',
    windowEnd: '2026-03-01T10:00:00.000Z',
    merkleRoot: 'ab'.repeat(32),
    txSignature: `sig${n}`,
    blockHeight: n,
    anchoredAt: new Date(START + n * HOUR).toISOString(),
    agents: [{ agentId: agentId(1), firstSequence: first, lastSequence: last }],
  };
}

/** Contract of every {@link EventStore} for content that is taken away. */
export function erasuresContract(
  name: string,
  backend: { open(): Promise<EventStore>; reopen(store: EventStore): Promise<EventStore>; clean(): Promise<void> },
): void {
  describe(`content that is taken away: ${name}`, () => {
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

    const order = (n: number, target: number, agent = 1): EventEnvelope =>
      other(n, 'content.erased', { agent, refersTo: eventId(target) });
    const retention = (n: number, target: number, agent = 1): EventEnvelope =>
      other(n, 'retention.applied', { agent, refersTo: eventId(target) });
    const erased = async (): Promise<boolean[]> =>
      (await store.range(agentId(1), 1, 99, 99)).map((event) => event.erased);
    const keptSequences = async (limit = 99): Promise<number[]> =>
      (await store.keptContent(agentId(1), limit)).map(({ sequence }) => sequence);

    it('gives each order until it is acknowledged, also over a restart', async () => {
      await append(envelope(1), envelope(2), envelope(3, { agent: 2 }), order(4, 1), order(5, 3, 2));
      const first = { eventId: eventId(1), agentId: agentId(1), sequence: 1 };
      expect(await store.pendingErasures(1)).toHaveLength(1);
      expect(await store.pendingErasures(9)).toEqual(
        expect.arrayContaining([first, { eventId: eventId(3), agentId: agentId(2), sequence: 1 }]),
      );
      await store.acknowledgeErasures([eventId(3), eventId(2)]);
      store = await backend.reopen(store);
      expect(await store.pendingErasures(9)).toEqual([first]);
      const states = await Promise.all([1, 2, 3, 9].map((n) => store.orderState(eventId(n))));
      expect(states).toEqual(['pending', 'none', 'acknowledged', 'none']);
    });

    it('names the sequences that orders took, acknowledged or not, and none that retention did', async () => {
      await append(envelope(1), envelope(2), envelope(3), envelope(4), order(5, 2), order(6, 4), retention(7, 1));
      await store.acknowledgeErasures([eventId(2)]);
      expect(await store.erasedAmong(agentId(1), 1, 9)).toEqual([2, 4]);
      expect(await store.erasedAmong(agentId(1), 3, 3)).toEqual([]);
      expect(await store.erasedAmong(agentId(2), 1, 9)).toEqual([]);
      await append(order(8, 1));
      expect(await store.erasedAmong(agentId(1), 1, 9)).toEqual([1, 2, 4]);
    });

    it('takes by retention what checks and outcomes hold up to the event that is named, and nothing else', async () => {
      const frozen = other(2, 'agent.frozen');
      const outcome = other(3, 'action.outcome', { refersTo: eventId(1) });
      await append(envelope(1), frozen, outcome, envelope(4), envelope(5, { agent: 2 }), retention(6, 3));
      expect(await erased()).toEqual([true, false, true, false, false]);
      expect((await store.find(ACCOUNT, eventId(2)))?.openings).toEqual(frozen.openings);
      expect((await store.find(ACCOUNT, eventId(4)))?.openings).toEqual(envelope(4).openings);
      expect((await store.find(ACCOUNT, eventId(5)))?.openings).toEqual(envelope(5).openings);
      const [first] = await store.range(agentId(1), 1, 1, 1);
      expect(first).toMatchObject({ erased: true, envelope: { leaf: envelope(1).leaf, openings: {} } });
      expect(await store.pendingErasures(9)).toEqual([]);
      expect(await keptSequences()).toEqual([4]);
    });

    it('marks what commits content as erased, also where a rebuild has the leaf alone', async () => {
      const nothing = other(2, 'action.unanswered', { refersTo: eventId(1), leaf: { action: null }, openings: {} });
      await append(envelope(1, { openings: {} }), nothing, retention(3, 2));
      expect(await erased()).toEqual([true, false, false]);
    });

    it('takes contexts with the rest, also those of leaves that commit nothing else', async () => {
      const nothing = { action: null, context: null };
      const unanswered = (n: number, leaf: Partial<LeafEvent>): EventEnvelope => {
        const { context } = envelope(n, { v2: true }).openings;
        const openings = leaf.context === null ? {} : { context: context! };
        return other(n, 'action.unanswered', { v2: true, refersTo: eventId(1), leaf, openings });
      };
      await append(envelope(1, { v2: true }), unanswered(2, { action: null }), unanswered(3, nothing), envelope(4));
      expect(await keptSequences()).toEqual([1, 2, 4]);
      await append(retention(5, 3));
      expect(await erased()).toEqual([true, true, false, false, false]);
      const openings = [1, 2, 3].map(async (n) => (await store.find(ACCOUNT, eventId(n)))?.openings);
      expect(await Promise.all(openings)).toEqual([{}, {}, {}]);
      expect(await keptSequences()).toEqual([4]);
    });

    it('takes nothing by what names a later event, none, or one of another agent', async () => {
      await append(envelope(1), retention(2, 9), retention(3, 4), envelope(4), envelope(5, { agent: 2 }));
      await append(retention(6, 5), retention(7, 1, 2));
      expect(await erased()).toEqual([false, false, false, false, false]);
      expect(await keptSequences()).toEqual([1, 4]);
    });

    it('takes the same when all of it comes again', async () => {
      const log = [envelope(1), envelope(2), order(3, 1), retention(4, 2), envelope(5), retention(6, 2)];
      await append(...log);
      await append(...log);
      expect(await erased()).toEqual([true, true, false, false, false, false]);
      expect(await keptSequences()).toEqual([5]);
    });

    it('gives the oldest content that is kept, with when it was anchored', async () => {
      await append(...[1, 2, 3, 4, 5].map((n) => envelope(n)), order(6, 2));
      const windows = [windowOf(1, 1, 1), windowOf(2, 2, 4)];
      await store.saveAnchors(windows, { topic: 'anchors', partition: 0, next: 1 });
      expect(await store.keptContent(agentId(1), 3)).toEqual([
        { eventId: eventId(1), sequence: 1, occurredAtMs: START + 1, anchoredAtMs: START + HOUR },
        { eventId: eventId(3), sequence: 3, occurredAtMs: START + 3, anchoredAtMs: START + 2 * HOUR },
        { eventId: eventId(4), sequence: 4, occurredAtMs: START + 4, anchoredAtMs: START + 2 * HOUR },
      ]);
      expect((await store.keptContent(agentId(1), 9)).at(-1)).toMatchObject({ sequence: 5, anchoredAtMs: null });
      expect(await store.keptContent(agentId(7), 9)).toEqual([]);
    });

    it('goes through the agents in the order of their ids', async () => {
      await append(...[1, 2, 3].map((n) => envelope(n, { agent: n, accountId: `account-${n % 2}` })));
      const ids = [1, 2, 3].map(agentId).sort();
      const all = await store.agentsAfter('', 9);
      expect(all.map((one) => one.agentId)).toEqual(ids);
      expect(all.find((one) => one.agentId === agentId(3))?.accountId).toBe('account-1');
      expect((await store.agentsAfter(ids[0]!, 1)).map((one) => one.agentId)).toEqual([ids[1]]);
      expect(await store.agentsAfter(ids[2]!, 9)).toEqual([]);
    });

    it('lets one of several take a turn, and remembers it', async () => {
      expect(await store.retentionState()).toBeNull();
      const taken = await Promise.all([1, 2, 3].map((n) => store.saveRetentionState(1, `{"by":${n}}`)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.saveRetentionState(3, '{}')).toBe(false);
      expect(await store.saveRetentionState(2, '{"two":2}')).toBe(true);
      store = await backend.reopen(store);
      expect(await store.retentionState()).toEqual({ turn: 2, body: '{"two":2}' });
    });
  });
}
