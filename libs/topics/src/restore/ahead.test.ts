import type { EventLog, LogRecord, NewRecord } from '@countersign/event-log';
import type { Owned } from '../outbox/republish.js';
import { versionedRecord } from '../projections/versioned-record.js';
import { aheadOfStore, TopicDiffers } from './ahead.js';
import { requireLogSince, RestoreRefused } from './require-log-since.js';

const told = (id: string, version: number, value: object | null = { id }): NewRecord =>
  versionedRecord('agents', id, version, value);

function logWith(records: readonly NewRecord[], begin = 0) {
  const stored: LogRecord[] = records.map(({ topic, key, value }, offset) => {
    return { topic, key, partition: 0, offset, value: Buffer.from(value), appendedAtMs: 0 };
  });
  return {
    beginOffsets: async () => ({ 0: begin }),
    endOffsets: async () => ({ 0: stored.length }),
    read: async (_topic: string, _partition: number, from: number) => stored.slice(from, from + 2),
  } as unknown as EventLog;
}

async function* store(...versions: readonly [string, number][]): AsyncGenerator<Owned> {
  for (const [id, version] of versions) yield { id, version, value: { id } };
}

describe('what a topic holds and a store lacks', () => {
  it('is what is newer or unknown, also when an older record came last', async () => {
    const log = logWith([told('a', 1), told('a', 3), told('b', 1), told('c', 2), told('a', 2)]);
    expect(await aheadOfStore(log, 'agents', store(['a', 1], ['b', 1]))).toEqual([
      { id: 'a', stored: 1, version: 3, value: { id: 'a' } },
      { id: 'c', stored: 0, version: 2, value: { id: 'c' } },
    ]);
  });

  it('is nothing where the store is newer, and for what is gone and was never known', async () => {
    const log = logWith([told('a', 1), told('b', 2, null), told('c', 2, null)]);
    expect(await aheadOfStore(log, 'agents', store(['a', 2], ['c', 1]))).toEqual([
      { id: 'c', stored: 1, version: 2, value: null },
    ]);
  });

  it('is not asked of a store that says something else of the same version', async () => {
    const log = logWith([told('a', 2, { id: 'another' })]);
    await expect(aheadOfStore(log, 'agents', store(['a', 2]))).rejects.toThrow(TopicDiffers);
  });
});

describe('a copy that is older than the log', () => {
  it('is refused, naming the partition', async () => {
    const required = (next: number | null): Promise<void> => requireLogSince(logWith([], 5), async () => next);
    await required(5);
    await expect(required(4)).rejects.toThrow(RestoreRefused);
    await expect(required(null)).rejects.toThrow('it stands at 0 of agent-events/0, which begins at 5');
  });
});
