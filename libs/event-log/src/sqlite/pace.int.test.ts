import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumption, LogBatch } from '../port.js';
import { openSqliteLog } from './sqlite-log.js';
import type { SqliteLog } from './sqlite-log.js';

const PACE_MS = 300;

describe('a paced consumer', () => {
  let directory: string;
  let log: SqliteLog;
  let batches: { readonly offsets: readonly number[]; readonly at: number }[];
  let consumption: Consumption;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pace-'));
    log = await openSqliteLog({ file: join(directory, 'log.db') });
    batches = [];
    consumption = await log.consume({
      group: 'paced',
      topics: ['agent-events'],
      mode: 'shared',
      paceMs: PACE_MS,
      maxBatch: 50,
      position: () => null,
      handle: ({ records }: LogBatch) => {
        batches.push({ offsets: records.map(({ offset }) => offset), at: performance.now() });
      },
    });
  });

  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const append = (count: number): Promise<unknown> =>
    log.append(Array.from({ length: count }, (_, i) => ({ topic: 'agent-events', key: 'a', value: `{"n":${i}}` })));
  const offsets = (): number[] => batches.flatMap((batch) => batch.offsets);
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it('takes a message after a silence at once', async () => {
    await sleep(PACE_MS + 50);
    const appendedAt = performance.now();
    await append(1);
    while (batches.length === 0) await sleep(1);
    expect(batches[0]!.at - appendedAt).toBeLessThan(PACE_MS);
  });

  it('lets messages accumulate while they keep coming, and loses none', async () => {
    const until = performance.now() + 4 * PACE_MS;
    let count = 0;
    while (performance.now() < until) {
      await append(1);
      count += 1;
      await sleep(20);
    }
    await sleep(2 * PACE_MS);
    expect(offsets()).toEqual(upTo(count));
    expect(batches.length).toBeLessThanOrEqual(8);
    for (let i = 1; i < batches.length; i += 1) {
      expect(batches[i]!.at - batches[i - 1]!.at).toBeGreaterThan(PACE_MS * 0.8);
    }
  });

  it('does not wait when a batch is full, or when a caller waits for it', async () => {
    await append(1);
    while (batches.length === 0) await sleep(1);
    await append(175);
    while (offsets().length < 151) await sleep(1);
    expect(batches[3]!.at - batches[0]!.at).toBeLessThan(PACE_MS);
    await consumption.caughtUp();
    expect(offsets()).toEqual(upTo(176));
    expect(batches.at(-1)!.at - batches[0]!.at).toBeLessThan(PACE_MS);
  });

  it('stops while it waits', async () => {
    await append(1);
    while (batches.length === 0) await sleep(1);
    await append(1);
    const begunAt = performance.now();
    await consumption.stop();
    expect(performance.now() - begunAt).toBeLessThan(PACE_MS);
  });
});
