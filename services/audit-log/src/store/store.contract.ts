import fc from 'fast-check';
import type { EventEnvelope } from '@countersign/contracts';
import { COMMITMENT_KINDS, leafHashOf, opens, readLeaf } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { EventFilter } from '../domain/event-filter.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other, START } from '../testing/envelopes.js';
import { fateOf } from '../testing/fate-of.js';
import { anyFilter, scan } from '../testing/scan.js';
import type { EventStore, LoggedEvent, OffsetRange } from './port.js';

const HOUR = 3_600_000;
const FIRST = { limit: 50, offset: 0 };
const PLACE = { topic: 'agent-events', partition: 0 } as const;

/** Contract of every {@link EventStore}. `open` gives an empty store; `reopen` the same one after a restart. */
export function eventStoreContract(
  name: string,
  backend: { open(): Promise<EventStore>; reopen(store: EventStore): Promise<EventStore>; clean(): Promise<void> },
): void {
  describe(`event store: ${name}`, () => {
    let store: EventStore;
    let next = 0;

    beforeEach(async () => {
      store = await backend.open();
      next = 0;
    });
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const logged = (...envelopes: EventEnvelope[]): LoggedEvent[] =>
      envelopes.map((one, n) => ({ offset: next + n, envelope: one }));
    const range = (length: number): OffsetRange => ({ ...PLACE, from: next, next: next + length });
    const append = async (...envelopes: EventEnvelope[]): ReturnType<EventStore['append']> => {
      const heads = await store.append(logged(...envelopes), range(envelopes.length));
      next += envelopes.length;
      return heads;
    };
    const ids = async (filter: EventFilter = {}, page = FIRST, account = ACCOUNT): Promise<string[]> =>
      (await store.list(account, filter, page)).events.map((event) => event.leaf.eventId);

    it('numbers each agent from 1 without a gap, counts an event id once, and remembers over a restart', async () => {
      expect(await append(envelope(1), envelope(2, { agent: 2 }), envelope(1), denied(3))).toEqual([
        { agentId: agentId(1), lastSequence: 2, checks: 2 },
        { agentId: agentId(2), lastSequence: 1, checks: 1 },
      ]);
      store = await backend.reopen(store);
      expect(await store.position('agent-events', 0)).toBe(4);
      expect(await append(envelope(3 - 2), other(5, 'agent.frozen'))).toEqual([
        { agentId: agentId(1), lastSequence: 3, checks: 2 },
      ]);
      const archived = await store.range(agentId(1), 1, 10, 10);
      expect(archived.map(({ sequence, envelope: { leaf } }) => [sequence, leaf.eventId])).toEqual([
        [1, eventId(1)],
        [2, eventId(3)],
        [3, eventId(5)],
      ]);
    });

    it('gives back the envelope that it took', async () => {
      const taken = denied(1, { openings: {} });
      await append(taken);
      expect(await store.range(agentId(1), 1, 1, 1)).toEqual([{ sequence: 1, erased: false, envelope: taken }]);
      expect(await store.findArchived(ACCOUNT, eventId(1))).toEqual({ sequence: 1, erased: false, envelope: taken });
      expect(await store.findArchived('account-b', eventId(1))).toBeNull();
      expect(await store.findArchived(ACCOUNT, eventId(2))).toBeNull();
    });

    it('gives back leaves of both versions as they were hashed, with what opens them', async () => {
      const taken = [
        envelope(1),
        envelope(2, { v2: true }),
        denied(3, { v2: true, leaf: { violation_type: 'rule_denied', rule: 'rules:refunds' } }),
        denied(4, { v2: true, leaf: { violation_type: 'constructor', rule: null, coverage: [] } }),
        other(5, 'approval.requested', { v2: true, refersTo: eventId(3) }),
        other(6, 'later.type', { v2: true, leaf: { outcome: 'odd', allowed: false, coverage: ['x'] } }),
        other(7, 'action.unanswered', { v2: true, refersTo: eventId(1), leaf: { action: null }, openings: {} }),
        other(8, 'agent.frozen'),
      ];
      await append(...taken);
      const archived = await store.range(agentId(1), 1, 9, 9);
      expect(archived).toEqual(taken.map((one, n) => ({ sequence: n + 1, erased: false, envelope: one })));
      const listed = (await store.list(ACCOUNT, {}, FIRST)).events.toReversed();
      const found = await Promise.all(taken.map(({ leaf }) => store.find(ACCOUNT, leaf.eventId)));
      const leaves = await store.leaves(taken.map(({ leaf }) => leaf.eventId));
      taken.forEach(({ leaf, openings }, n) => {
        const { envelope: kept } = archived[n]!;
        for (const one of [kept.leaf, listed[n]!.leaf, found[n]!.leaf, leaves[n]!]) {
          expect(readLeaf(one).ok).toBe(true);
          expect(leafHashOf(one, nodeCrypto.sha256)).toEqual(leafHashOf(leaf, nodeCrypto.sha256));
        }
        expect([listed[n]!.openings, found[n]!.openings]).toEqual([openings, openings]);
        if (leaf.v === 1) return;
        for (const kind of COMMITMENT_KINDS) {
          const opening = kept.openings[kind];
          if (opening !== undefined) expect(opens(kept.leaf, kind, opening, nodeCrypto.sha256)).toBe('opens');
        }
      });
      expect(await ids({ violationType: 'rule_denied' })).toEqual([eventId(3)]);
      expect(await ids({ type: 'later.type' })).toEqual([eventId(6)]);
    });

    it('changes nothing by a batch that it cannot write', async () => {
      await append(envelope(1));
      const broken = envelope(2, { leaf: { reason: '\ud800' } });
      expect(await fateOf(store.append(logged(envelope(3), broken), range(2)))).not.toBe('stored');
      expect(await store.position('agent-events', 0)).toBe(1);
      expect(await ids()).toEqual([eventId(1)]);
      expect(await append(envelope(3))).toMatchObject([{ lastSequence: 2 }]);
    });

    it('is not changed by what lies below its position, and refuses to leave a gap', async () => {
      const earlier = logged(denied(1), envelope(2));
      await append(denied(1), envelope(2));
      await append(envelope(3), denied(1));
      expect(await store.append(earlier, { ...PLACE, from: 0, next: 2 })).toEqual([]);
      // The same log, cut in another way.
      const both = [...earlier, { offset: 2, envelope: envelope(3) }, { offset: 4, envelope: envelope(4) }];
      expect(await store.append(both, { ...PLACE, from: 0, next: 5 })).toMatchObject([{ lastSequence: 4 }]);
      expect(await store.positions('agent-events')).toEqual({ 0: 5 });
      expect((await store.list(ACCOUNT, {}, FIRST)).total).toBe(4);
      expect(await store.inbox(ACCOUNT)).toMatchObject({ openCount: 1 });
      next = 6;
      expect(await fateOf(store.append(logged(envelope(7)), range(1)))).toBe('StoreFellBack');
      expect(await store.position('agent-events', 0)).toBe(5);
    });

    it('keeps partitions apart', async () => {
      const place = { topic: 'agent-events', partition: 7 } as const;
      const appendToAnother = (offset: number, one: EventEnvelope): Promise<unknown> =>
        store.append([{ offset, envelope: one }], { ...place, from: offset, next: offset + 1 });
      await append(denied(1), denied(2));
      await appendToAnother(0, denied(3, { agent: 2 }));
      expect(await store.positions('agent-events')).toEqual({ 0: 2, 7: 1 });
      expect(await ids({ allowed: false })).toEqual([eventId(3), eventId(2), eventId(1)]);
      expect((await store.openAlerts(ACCOUNT, FIRST)).map((event) => event.sequence)).toEqual([1, 2, 1]);
      expect(await store.inbox(ACCOUNT)).toMatchObject({ openCount: 3 });
      await store.acknowledge(ACCOUNT, '2026-03-01T10:00:00.000Z');
      await appendToAnother(1, denied(4, { agent: 2 }));
      expect((await store.openAlerts(ACCOUNT, FIRST)).map((event) => event.leaf.eventId)).toEqual([eventId(4)]);
      expect(await store.inbox(ACCOUNT)).toMatchObject({ openCount: 1 });
    });

    it('lists newest first, pages, and shows nothing of another account', async () => {
      await append(
        envelope(2),
        envelope(1),
        envelope(3, { agent: 2 }),
        envelope(4, { agent: 3, accountId: 'account-b' }),
      );
      expect(await ids()).toEqual([eventId(3), eventId(2), eventId(1)]);
      expect(await ids({}, { limit: 1, offset: 1 })).toEqual([eventId(2)]);
      expect((await store.list(ACCOUNT, {}, { limit: 1, offset: 7 })).total).toBe(3);
      expect(await ids({ agentId: agentId(3) })).toEqual([]);
      expect(await ids({}, FIRST, 'account-b')).toEqual([eventId(4)]);
      expect(await ids({}, FIRST, 'unknown')).toEqual([]);
      expect(await store.find('account-b', eventId(1))).toBeNull();
      expect((await store.find(ACCOUNT, eventId(1)))?.sequence).toBe(2);
    });

    it('filters and counts as a scan of everything would', async () => {
      const all: EventEnvelope[] = [];
      for (let n = 0; n < 400; n += 1) {
        const parts = { agent: n % 5, occurredAtMs: START + ((n * 7919) % 300) * 60_000 };
        const second = { ...parts, v2: true } as const;
        const later = { violation_type: n % 2 === 0 ? 'rule_denied' : 'constructor' };
        if (n % 13 === 5) all.push(denied(n, { ...second, leaf: later }));
        else if (n % 17 === 5) all.push(other(n, n % 2 === 0 ? 'approval.requested' : 'later.type', second));
        else if (n % 3 === 0) all.push(denied(n, parts));
        else all.push(n % 11 === 0 ? other(n, 'agent.frozen', parts) : envelope(n, n % 2 === 0 ? second : parts));
      }
      await append(...all.slice(0, 150));
      await append(...all.slice(150));
      await fc.assert(
        fc.asyncProperty(anyFilter, fc.integer({ min: 0, max: 400 }), async (filter, offset) => {
          const expected = scan(all, filter);
          const { total, events } = await store.list(ACCOUNT, filter, { limit: 20, offset });
          expect(total).toBe(expected.length);
          expect(events.map((event) => event.leaf.eventId)).toEqual(expected.slice(offset, offset + 20));
        }),
        { numRuns: 200 },
      );
    });

    it('erases openings and nothing else, again after a repetition', async () => {
      const erasure = other(3, 'content.erased', { refersTo: eventId(1) });
      await append(envelope(1), envelope(2), erasure);
      const [first, second] = await store.range(agentId(1), 1, 2, 2);
      expect(first).toMatchObject({ erased: true, envelope: { leaf: envelope(1).leaf, openings: {} } });
      expect(second).toMatchObject({ erased: false, envelope: envelope(2) });
      expect((await store.find(ACCOUNT, eventId(1)))?.openings).toEqual({});
      const third = envelope(4, { v2: true });
      await append(third, other(5, 'content.erased', { refersTo: eventId(4) }));
      expect((await store.find(ACCOUNT, eventId(4)))?.openings).toEqual({});
      expect((await store.range(agentId(1), 4, 4, 1))[0]).toMatchObject({
        erased: true,
        envelope: { leaf: third.leaf },
      });
      await append(erasure, envelope(1));
      const erased = (await store.range(agentId(1), 1, 9, 9)).map((event) => event.erased);
      expect(erased).toEqual([true, false, false, true, false]);
    });

    it('does not erase what comes later, nor for another agent', async () => {
      await append(other(9, 'content.erased', { refersTo: eventId(8) }), envelope(8));
      expect((await store.find(ACCOUNT, eventId(8)))?.openings).toEqual(envelope(8).openings);
      await append(envelope(1), other(2, 'content.erased', { agent: 2, refersTo: eventId(1) }));
      expect((await store.find(ACCOUNT, eventId(1)))?.openings).toEqual(envelope(1).openings);
    });

    it('keeps an inbox of what was denied or frozen since the last acknowledge', async () => {
      const frozen = envelope(3, { leaf: { outcome: 'frozen', allowed: false, reason: 'frozen', severity: 'P1' } });
      await append(envelope(1), denied(2), frozen, denied(4, { accountId: 'account-b', agent: 2 }));
      const open = await store.openAlerts(ACCOUNT, FIRST);
      expect(open.map((event) => event.leaf.eventId)).toEqual([eventId(3), eventId(2)]);
      expect(await store.inbox(ACCOUNT)).toEqual({ openCount: 2, acknowledgedAt: null });
      const at = '2026-03-01T10:00:00.000Z';
      expect(await store.acknowledge(ACCOUNT, at)).toEqual({ openCount: 0, acknowledgedAt: at });
      // It arrives after the acknowledge, though it happened before.
      await append(denied(5, { occurredAtMs: START - HOUR }));
      expect(await store.inbox(ACCOUNT)).toEqual({ openCount: 1, acknowledgedAt: at });
      expect((await store.openAlerts(ACCOUNT, FIRST)).map((event) => event.sequence)).toEqual([4]);
      expect((await store.inbox('account-b')).openCount).toBe(1);
      expect(await store.inbox('unknown')).toEqual({ openCount: 0, acknowledgedAt: null });
    });

    it('shows where leaves are anchored, once they are stored', async () => {
      const window = {
        windowStart: '2026-03-01T09:00:00.000Z',
        windowEnd: '2026-03-01T10:00:00.000Z',
        merkleRoot: 'ab'.repeat(32),
        txSignature: 'signature',
        blockHeight: 12,
        anchoredAt: '2026-03-01T10:00:14.000Z',
      };
      const agents = [{ agentId: agentId(1), firstSequence: 1, lastSequence: 2 }];
      const position = { topic: 'anchors', partition: 0, next: 3 } as const;
      await append(envelope(1));
      await store.saveAnchors([{ windowId: '3600-1', ...window, agents }], position);
      expect(await store.anchors(agentId(1), FIRST)).toEqual({ anchors: [], total: 0 });
      await append(envelope(2), envelope(3));
      await store.saveAnchors([{ windowId: '3600-1', ...window, agents }], position);
      expect(await store.anchors(agentId(1), FIRST)).toEqual({
        anchors: [{ ...window, firstSequence: 1, lastSequence: 2 }],
        total: 1,
      });
      expect(await store.anchorOf(agentId(1), 2)).toEqual({ ...window, firstSequence: 1, lastSequence: 2 });
      expect(await store.anchorOf(agentId(1), 3)).toBeNull();
      expect(await store.anchorOf(agentId(9), 1)).toBeNull();
      expect(await store.eventIds(agentId(1), 1, 2)).toEqual([eventId(1), eventId(2)]);
      const { events } = await store.list(ACCOUNT, {}, FIRST);
      expect(events.map((event) => event.anchored)).toEqual([false, true, true]);
      expect(await store.position('anchors', 0)).toBe(3);
    });

    it('reads spans by time, ranges by sequence, and what refers to an event', async () => {
      await append(envelope(1), envelope(2, { occurredAtMs: START + HOUR }), envelope(3));
      await append(
        other(4, 'action.outcome', { refersTo: eventId(1), leaf: { outcome: 'failed', action: null }, openings: {} }),
      );
      expect(await store.span(agentId(1), START, START + 10)).toEqual({ first: 1, last: 4 });
      expect(await store.span(agentId(1), START + HOUR, START + 2 * HOUR)).toEqual({ first: 2, last: 2 });
      expect(await store.span(agentId(1), START + 2 * HOUR, START + 3 * HOUR)).toBeNull();
      expect(await store.span(agentId(9), START, START + HOUR)).toBeNull();
      expect((await store.range(agentId(1), 2, 9, 2)).map((event) => event.sequence)).toEqual([2, 3]);
      expect((await store.referring([eventId(1), eventId(2)])).map((event) => event.sequence)).toEqual([4]);
    });

    it('reads leaves by their ids, in the order asked, and leaves out what is not stored', async () => {
      const [one, two, three] = [envelope(1), envelope(2, { agent: 2, accountId: 'account-b' }), denied(3)] as const;
      await append(one, two, three);
      const asked = [eventId(3), eventId(9), eventId(1), eventId(2)];
      expect(await store.leaves(asked)).toEqual([three.leaf, one.leaf, two.leaf]);
      expect(await store.leaves([])).toEqual([]);
    });

    it('knows which heads were not published', async () => {
      await append(envelope(1), envelope(2, { agent: 2 }));
      const unpublished = async (agentIds?: string[]): Promise<string[]> =>
        (await store.unpublishedHeads(10, agentIds)).map((head) => head.agentId).sort();
      const both = [agentId(1), agentId(2)].sort();
      expect(await unpublished()).toEqual(both);
      expect(await unpublished([agentId(2), agentId(9)])).toEqual([agentId(2)]);
      const [head] = await store.unpublishedHeads(10, [agentId(1)]);
      expect(head).toEqual({ agentId: agentId(1), lastSequence: 1, checks: 1, publishedSequence: 0 });
      await store.markPublished([head!]);
      store = await backend.reopen(store);
      expect(await unpublished()).toEqual([agentId(2)]);
      await append(envelope(3));
      expect(await store.unpublishedHeads(10, [agentId(1)])).toMatchObject([{ lastSequence: 2, publishedSequence: 1 }]);
      expect(await unpublished()).toEqual(both);
    });

    it('has a head published again when two published it at once', async () => {
      await append(envelope(1));
      const early = await store.unpublishedHeads(10);
      await append(envelope(2));
      const late = await store.unpublishedHeads(10);
      await store.markPublished(late);
      expect(await store.unpublishedHeads(10)).toEqual([]);
      await store.markPublished(early);
      expect(await store.unpublishedHeads(10)).toMatchObject([{ lastSequence: 2 }]);
      await store.markPublished(await store.unpublishedHeads(10));
      expect(await store.unpublishedHeads(10)).toEqual([]);
    });
  });
}
