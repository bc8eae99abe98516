import { LogInDoubt, LogRefused } from '@countersign/event-log';
import type { NewRecord } from '@countersign/event-log';
import { BatchedAppender } from './batched-appender.js';
import type { AppendOutcome } from './batched-appender.js';

const record = (key: string, size = 1): NewRecord => ({ topic: 'agent-events', key, value: 'x'.repeat(size) });

const appended = (appender: BatchedAppender, one: NewRecord): Promise<AppendOutcome> =>
  new Promise((resolve) => appender.append(one, { settled: resolve }));

describe('BatchedAppender', () => {
  it('appends the records of one tick as one batch, in order', async () => {
    const batches: string[][] = [];
    const appender = new BatchedAppender({
      append: async (records) => {
        batches.push(records.map(({ key }) => key));
        return [];
      },
      refusing: () => null,
    });
    expect(await Promise.all(['a', 'b', 'c'].map((key) => appended(appender, record(key))))).toEqual(
      Array(3).fill('durable'),
    );
    await appended(appender, record('d'));
    expect(batches).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('splits a tick with more than a batch may carry', async () => {
    const sizes: number[] = [];
    const appender = new BatchedAppender({
      append: async (records) => void sizes.push(records.length) as never,
      refusing: () => null,
    });
    await Promise.all(Array.from({ length: 5 }, () => appended(appender, record('k', 1_500_000))));
    expect(sizes).toEqual([2, 2, 1]);
  });

  it.each([
    ['refused', new LogRefused('full')],
    ['in-doubt', new LogInDoubt('time-out')],
    ['in-doubt', new Error('anything else')],
  ])('says %s after %s', async (outcome, error) => {
    const appender = new BatchedAppender({ append: () => Promise.reject(error), refusing: () => null });
    expect(await appended(appender, record('a'))).toBe(outcome);
  });
});
