import { createLogger } from '@countersign/process';
import type { TopicContext } from '../context.js';
import { Announcer } from './announcer.js';
import type { Announcement, AnnouncementRow, AnnouncementStore } from './announcer.js';
import type { OutboxRelay, RowId } from './relay.js';

class Rows implements AnnouncementStore {
  readonly rows: AnnouncementRow[] = [];
  #next = 1;

  add(id: string, version: number): void {
    this.rows.push({ row: this.#next++, kind: 'agent', id, version });
  }
  async unannounced(limit: number): Promise<readonly AnnouncementRow[]> {
    return this.rows.slice(0, limit);
  }
  async announced(rows: readonly RowId[]): Promise<void> {
    for (const row of rows)
      this.rows.splice(
        this.rows.findIndex((each) => each.row === row),
        1,
      );
  }
}

function bench(flush: () => Promise<void>, settle?: (announcement: Announcement) => Promise<void>) {
  const store = new Rows();
  const raised: string[] = [];
  const counters = {
    raise: async (_kind: string, id: string, version: number) => void raised.push(`${id}:${version}`),
  };
  const context = { counters, log: createLogger('silent') } as unknown as TopicContext;
  const relay = { flush, start: flush, stop: async () => undefined, problem: () => null } as unknown as OutboxRelay;
  return { store, raised, announcer: new Announcer(context, relay, store, settle) };
}

describe('Announcer', () => {
  afterEach(() => jest.useRealTimers());

  it('raises a version only once its record is in the log, then deletes the row', async () => {
    const order: string[] = [];
    const { store, raised, announcer } = bench(
      async () => void order.push('flushed'),
      async ({ id }) => void order.push(`settled ${id}`),
    );
    store.add('a', 1);
    store.add('b', 3);
    await announcer.announce();
    expect(raised).toEqual(['a:1', 'b:3']);
    expect(order).toEqual(['flushed', 'settled a', 'settled b']);
    expect(store.rows).toEqual([]);
    expect(announcer.problem()).toBeNull();
  });

  it('leaves a row that is written during the flush to the next pass', async () => {
    const made = bench(async () => {
      if (made.store.rows.length === 1) made.store.add('late', 1);
    });
    made.store.add('a', 1);
    await made.announcer.announce();
    expect(made.raised).toEqual(['a:1']);
    await made.announcer.announce();
    expect(made.raised).toEqual(['a:1', 'late:1']);
  });

  it('keeps the rows if the log refuses, reports it, and tries again by itself', async () => {
    jest.useFakeTimers();
    let refuses = true;
    const { store, raised, announcer } = bench(async () => {
      if (refuses) throw new Error('full');
    });
    store.add('a', 1);
    await expect(announcer.announce()).rejects.toThrow('full');
    expect(announcer.problem()).toContain('full');
    expect([raised, store.rows.length]).toEqual([[], 1]);
    refuses = false;
    await jest.advanceTimersByTimeAsync(600);
    expect([raised, store.rows.length]).toEqual([['a:1'], 0]);
    expect(announcer.problem()).toBeNull();
  });

  it('serves all waiting callers with one more pass', async () => {
    let passes = 0;
    const { store, announcer } = bench(async () => {
      passes += 1;
      await new Promise((resolve) => setImmediate(resolve));
    });
    store.add('a', 1);
    await Promise.all([announcer.announce(), announcer.announce(), announcer.announce()]);
    expect(passes).toBe(2);
  });

  it('announces more rows than one batch', async () => {
    const { store, raised, announcer } = bench(async () => undefined);
    for (let i = 0; i < 1201; i += 1) store.add(`a${i}`, 1);
    await announcer.announce();
    expect(raised).toHaveLength(1201);
  });
});
