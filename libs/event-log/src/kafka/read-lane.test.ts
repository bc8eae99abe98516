import type { LogBatch, LogRecord } from '../port.js';
import { ReadLane } from './read-lane.js';

const RECORDS = 2000;
const RECORD = { key: null, value: Buffer.alloc(10), timestampMs: 0 };

function records(from: number, end: number): LogRecord[] {
  return Array.from({ length: end - from }, (_, i) => ({ ...RECORD, offset: from + i }) as unknown as LogRecord);
}

describe('a partition on its way to the handler', () => {
  it('continues in smaller batches where the handler cannot process a whole one, in order, without a gap', async () => {
    const sizes: number[] = [];
    const handled: number[] = [];
    let most = 300;
    const handle = (batch: LogBatch): Promise<void> => {
      sizes.push(batch.records.length);
      if (batch.records.length > most) return Promise.reject(new Error('too slow'));
      handled.push(...batch.records.map(({ offset }) => offset));
      if (handled.length > RECORDS / 2) most = Infinity;
      return Promise.resolve();
    };
    const options = { group: 'g', topics: [], mode: 'shared', position: () => Promise.resolve(0), handle } as const;
    const place = { position: 0, saved: 0, end: RECORDS };
    const lane = new ReadLane(
      { topic: 'agent-events', name: 'agent-events', partition: 3 },
      place,
      options,
      () => Promise.resolve(place),
      () => {
        const from = lane.wants();
        if (from !== null && from < RECORDS) lane.take(from, records(from, RECORDS), RECORDS, RECORDS);
      },
    );
    lane.take(0, records(0, 1500), 1500, RECORDS);
    await lane.reached(RECORDS);
    await lane.stop();
    expect(handled).toEqual(Array.from({ length: RECORDS }, (_, i) => i));
    expect(sizes.slice(0, 4)).toEqual([1000, 500, 250, 500]);
    expect(Math.max(...sizes.slice(-2))).toBeGreaterThan(300);
    expect(lane.stalled()).toBeNull();
  });
});
