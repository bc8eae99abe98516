import type { NewRecord } from '@countersign/event-log';
import type { PolicyStore, UsageRow } from '../store/port.js';
import { UsagePublisher } from './usage-publisher.js';

type Context = ConstructorParameters<typeof UsagePublisher>[0];

/** Publishes rows of a size, and returns the rows of each append. */
async function appends(rows: number, characters: number): Promise<readonly (readonly NewRecord[])[]> {
  const left: UsageRow[] = Array.from({ length: rows }, (_, n) => {
    return { key: `agent:${String(n).padStart(6, '0')}`, version: 1, value: { text: 'x'.repeat(characters) } };
  });
  const appended: (readonly NewRecord[])[] = [];
  const store: Partial<PolicyStore> = {
    endClaims: async () => 0,
    positions: async () => ({}),
    unpublished: async (after, limit) => left.filter(({ key }) => key > after).slice(0, limit),
    published: async () => undefined,
  };
  const context = {
    clock: () => 0,
    eventLog: { append: async (records: readonly NewRecord[]) => void appended.push(records) },
  } as unknown as Context;
  const publisher = new UsagePublisher(context, store as PolicyStore, { announce: async () => undefined });
  await publisher.publish();
  return appended;
}

const sizeOf = (records: readonly NewRecord[]): number => records.reduce((sum, { value }) => sum + value.length, 0);

describe('the rows of one append', () => {
  it('are more from one to the next, up to 500, where rows are small', async () => {
    const sizes = (await appends(2_000, 300)).map(({ length }) => length);
    expect(sizes.slice(0, 6)).toEqual([16, 32, 64, 128, 256, 500]);
    expect(Math.max(...sizes)).toBe(500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2_000);
  });

  it('are few where rows are large: after the first append no more than 8 million characters, and at least one', async () => {
    const large = await appends(60, 1_000_000);
    expect(large.flat().length).toBe(60);
    for (const records of large.slice(1)) expect(sizeOf(records)).toBeLessThanOrEqual(8_000_000);
    expect(Math.max(...large.slice(1).map(({ length }) => length))).toBeGreaterThan(1);
    for (const records of (await appends(20, 9_000_000 / 2)).slice(1)) expect(records).toHaveLength(1);
  });
});
