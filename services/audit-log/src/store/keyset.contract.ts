import fc from 'fast-check';
import type { EventEnvelope, Openings } from '@countersign/contracts';
import type { EventFilter } from '../domain/event-filter.js';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other, START, traceId } from '../testing/envelopes.js';
import type { EnvelopeParts } from '../testing/envelopes.js';
import { anyFilter, scan } from '../testing/scan.js';
import { PAGE_LENGTH, SCANNED, type EventStore, type Cursor } from './port.js';

const OFF_LIMITS = 'off_limits_actions:wire_transfer';
const offLimits = (n: number, parts: EnvelopeParts = {}): EventEnvelope =>
  denied(n, { ...parts, leaf: { violation_type: 'off_limits_action', rule: OFF_LIMITS } });
const [ANNA, BERT] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'];
const anyRule = fc.constantFrom<EventFilter>(
  ...[{}, {}, { rule: OFF_LIMITS }, { rule: 'allowed_apis:' }, { rule: 'none' }],
  ...[{ by: ANNA }, { by: BERT }, { by: BERT, rule: OFF_LIMITS }, { by: ANNA, kind: 'account' as const }],
  ...[{ trace: traceId(0) }, { trace: traceId(3) }, { trace: traceId(9) }, { trace: traceId(1), rule: OFF_LIMITS }],
);
const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
/** An event that a person caused, or that is about one: in each of the forms that events have. */
function byPerson(n: number, parts: EnvelopeParts): EventEnvelope {
  const content: Record<number, Openings> = {
    0: {},
    1: { action: { salt, value: { by: { kind: 'user', id: BERT }, user: { id: ANNA } } } },
    2: { action: { salt, value: { by: BERT, role: 'admin' } } },
  };
  const openings = content[n % 3]!;
  const leaf = { detail: `user:${n % 2 === 0 ? ANNA : BERT}` };
  if (n % 3 === 2) return other(n, 'profile.changed', { ...parts, openings });
  return other(n, 'account.sign_in', { ...parts, v2: true, leaf, openings });
}

/** Keyset pagination of every {@link EventStore}. `open` gives an empty store. */
export function keysetContract(name: string, backend: { open(): Promise<EventStore>; clean(): Promise<void> }): void {
  describe(`keyset pagination of an event store: ${name}`, () => {
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

    const pages = async (filter: EventFilter, limit: number, between?: () => Promise<void>): Promise<string[][]> => {
      const all: string[][] = [];
      let after: Cursor | null = null;
      do {
        const page: Awaited<ReturnType<EventStore['pageAfter']>> = await store.pageAfter(ACCOUNT, filter, after, limit);
        all.push(page.events.map(({ leaf }) => leaf.eventId));
        after = page.next;
        await between?.();
      } while (after !== null);
      return all;
    };

    it('gives what a scan of everything would, for every filter and limit', async () => {
      const all: EventEnvelope[] = [];
      // Many happen at the same time: only their offset distinguishes them.
      for (let n = 0; n < 300; n += 1) {
        const traced = n % 4 === 0 ? ({ v2: true, trace: n % 7 } as const) : {};
        const parts = { agent: n % 5, occurredAtMs: START + ((n * 7919) % 40) * 600_000, ...traced };
        all.push(
          n % 9 === 0
            ? offLimits(n, parts)
            : n % 3 === 0
              ? denied(n, parts)
              : n % 7 === 0
                ? byPerson(n, parts)
                : n % 11 === 0
                  ? other(n, 'agent.frozen', parts)
                  : envelope(n, parts),
        );
      }
      await append(...all.slice(0, 150));
      await append(...all.slice(150));
      await fc.assert(
        fc.asyncProperty(anyFilter, anyRule, fc.integer({ min: 1, max: 130 }), async (filter, rule, limit) => {
          const whole = { ...filter, ...rule };
          const read = await pages(whole, limit);
          expect(read.flat()).toEqual(scan(all, whole));
          expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(limit);
        }),
        { numRuns: 40 },
      );
    });

    it('continues where it was while others write, and never to another account', async () => {
      await append(...[1, 2, 3, 4, 5, 6].map((n) => envelope(n)), envelope(7, { agent: 3, accountId: 'account-b' }));
      let n = 10;
      const read = await pages({}, 2, () => append(envelope((n += 1))));
      expect(read.flat()).toEqual([6, 5, 4, 3, 2, 1].map((one) => eventId(one)));
      expect((await store.pageAfter('unknown', {}, null, 5)).events).toEqual([]);
      expect((await store.pageAfter(ACCOUNT, { agentId: agentId(3) }, null, 5)).events).toEqual([]);
    });

    it('finds the events of a trace in one account, until their content is erased', async () => {
      const traced = { v2: true, trace: 1 } as const;
      const elsewhere = { agent: 3, accountId: 'account-b', ...traced } as const;
      await append(
        envelope(1, traced),
        envelope(2, traced),
        envelope(3, { v2: true }),
        denied(4, { agent: 2, ...traced }),
      );
      await append(envelope(5, elsewhere), envelope(6));
      expect((await pages({ trace: traceId(1) }, 1)).flat()).toEqual([4, 2, 1].map((n) => eventId(n)));
      expect((await pages({ trace: traceId(1), agentId: agentId(1) }, 1)).flat()).toEqual(
        [2, 1].map((n) => eventId(n)),
      );
      expect((await pages({ trace: traceId(1), outcome: 'denied' }, 5)).flat()).toEqual([eventId(4)]);
      expect((await store.pageAfter('account-b', { trace: traceId(1) }, null, 5)).events).toHaveLength(1);
      await append(other(7, 'content.erased', { refersTo: eventId(1) }));
      expect((await pages({ trace: traceId(1) }, 5)).flat()).toEqual([4, 2].map((n) => eventId(n)));
      await append(other(8, 'retention.applied', { refersTo: eventId(2) }));
      expect((await pages({ trace: traceId(1) }, 5)).flat()).toEqual([eventId(4)]);
    });

    it('reads a bounded number of events for a page by rule', async () => {
      const many = Array.from({ length: SCANNED + 20 }, (_, n) => (n === 5 ? offLimits(n) : denied(n)));
      await append(...many);
      const read = await pages({ rule: OFF_LIMITS }, 3);
      expect(read).toEqual([[], [eventId(5)]]);
      expect((await pages({ rule: OFF_LIMITS, outcome: 'denied', agentId: agentId(1) }, 3)).flat()).toEqual([
        eventId(5),
      ]);
    }, 60_000);

    it('takes few events at a time where they are large', async () => {
      const text = 'x'.repeat(PAGE_LENGTH / 4);
      const large = (one: number): EventEnvelope =>
        envelope(one, { openings: { payload: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: text } } });
      for (const one of [1, 2, 3, 4, 5, 6]) await append(large(one));
      const read = await pages({}, 100);
      expect(read.map(({ length }) => length)).toEqual([4, 2]);
    });

    it('shows where leaves are anchored, and nothing of what was erased', async () => {
      await append(envelope(1), envelope(2), other(3, 'content.erased', { refersTo: eventId(1) }));
      const window = {
        windowStart: '2026-03-01T09:00:00.000Z',
        windowEnd: '2026-03-01T10:00:00.000Z',
        merkleRoot: 'ab'.repeat(32),
        txSignature: 'signature',
        blockHeight: 12,
        anchoredAt: '2026-03-01T10:00:14.000Z',
      };
      const agents = [{ agentId: agentId(1), firstSequence: 1, lastSequence: 2 }];
      await store.saveAnchors([{ windowId: '3600-1', ...window, agents }], { topic: 'anchors', partition: 0, next: 1 });
      const { events } = await store.pageAfter(ACCOUNT, {}, null, 10);
      expect(events.map(({ anchored }) => anchored)).toEqual([false, true, true]);
      expect(events.map(({ openings }) => Object.keys(openings))).toEqual([['action'], ['action'], []]);
    });
  });
}
