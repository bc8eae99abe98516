import { ACCOUNT, envelope } from '../testing/envelopes.js';
import type { Arrivals, EventStore } from '../store/port.js';
import { ArrivalWatch } from './arrival-watch.js';
import { LiveFeed } from './live-feed.js';

/** A store of one partition whose events are numbers, and that counts what it is asked. */
function storeOf(): { store: EventStore; arrive: (count: number) => void; asked: () => number } {
  let [stored, asked] = [0, 0];
  const store = {
    arrivalPlace: async () => [0, stored],
    positions: async () => ({}),
    inbox: async () => ({ openCount: 0, acknowledgedAt: null }),
    agentStates: async () => [],
    arrivals: async (
      _account: string,
      _filter: object,
      { after, to }: { after: number[]; to: number[] },
      limit: number,
    ): Promise<Arrivals> => {
      asked += 1;
      const count = to[1]! - after[1]!;
      const shown = Math.min(count, limit);
      const events = Array.from({ length: shown }, (_, n) => {
        const { leaf, openings } = envelope(to[1]! - shown + n);
        return { sequence: 1, leaf, openings, anchored: false };
      });
      return { events, count };
    },
  };
  return { store: store as unknown as EventStore, arrive: (count) => void (stored += count), asked: () => asked };
}

function feedOf(watch: ArrivalWatch, store: EventStore, lastEventId?: string): AsyncGenerator<string, void, void> {
  return new LiveFeed(watch, store, {
    ...{ accountId: ACCOUNT, filter: {}, lastEventId, endsAfterMs: null, clock: () => Date.now() },
    shown: (event) => event,
    agentIds: () => [],
    identifyAgain: async () => undefined,
  }).pieces();
}

/** The next piece that says anything. */
async function said(feed: AsyncGenerator<string, void, void>): Promise<string> {
  for (;;) {
    const { value } = await feed.next();
    if (value !== '') return value ?? '';
  }
}

const numbers = (text: string): readonly [shown: number, skipped: number] => [
  text.split('"eventId"').length - 1,
  [...text.matchAll(/"skipped":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0),
];

describe('a live feed', () => {
  it('makes a piece when it is asked for: a reader that was slow gets one of what arrived last, and the number of the rest', async () => {
    const { store, arrive, asked } = storeOf();
    const feed = feedOf(new ArrivalWatch(store), store);
    await feed.next();
    for (let n = 0; n < 30; n += 1) arrive(100);
    expect(asked()).toBe(0);
    expect(numbers(await said(feed))).toEqual([0, 0]);
    expect(numbers(await said(feed))).toEqual([100, 2900]);
    expect(asked()).toBe(1);
    await feed.return();
  });

  it('reads a store that ran far ahead in strides, and counts every event once', async () => {
    const { store, arrive } = storeOf();
    const feed = feedOf(new ArrivalWatch(store), store);
    await feed.next();
    arrive(50_000);
    const found: number[] = [];
    while (found.length < 3) {
      const [shown, skipped] = numbers(await said(feed));
      if (shown > 0) found.push(shown + skipped);
    }
    expect(found).toEqual([20_000, 20_000, 10_000]);
    await feed.return();
  });

  it('asks the store once for readers at the same place', async () => {
    const { store, arrive, asked } = storeOf();
    const watch = new ArrivalWatch(store);
    const feeds = Array.from({ length: 20 }, () => feedOf(watch, store));
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    arrive(7);
    const found = await Promise.all(feeds.map((feed) => said(feed)));
    expect(found.map((text) => numbers(text))).toEqual(feeds.map(() => [7, 0]));
    expect(asked()).toBe(1);
    await Promise.all(feeds.map((feed) => feed.return()));
  });

  it('takes no more than 1,000 events up again, and begins again after a store that was put back', async () => {
    const { store, arrive } = storeOf();
    arrive(5000);
    const watch = new ArrivalWatch(store);
    const feed = feedOf(watch, store, '0.2000');
    expect((await feed.next()).value).toContain('"resumed":true');
    const [shown, skipped] = numbers((await feed.next()).value ?? '');
    expect([shown + skipped, shown > 500, shown <= 1000]).toEqual([3000, true, true]);
    arrive(-4000);
    await feed.next();
    await feed.next();
    arrive(3);
    expect(numbers(await said(feed))).toEqual([3, 0]);
    await feed.return();
    const other = feedOf(watch, store, '0.2000');
    expect((await other.next()).value).toContain('"resumed":false');
    await other.return();
  });
});
