import type { EventLog, LogRecord, NewRecord } from '@countersign/event-log';
import type { Owned } from '../outbox/republish.js';
import { versionedRecord } from '../projections/versioned-record.js';
import { aheadOfStore, TopicDiffers } from './ahead.js';
import { requireLogSince, RestoreRefused } from './require-log-since.js';

const recordOf = (id: string, version: number, value: object | null = { id }): NewRecord =>
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

describe('aheadOfStore', () => {
  it('returns records that are newer or not stored, also if an older record came last', async () => {
    const log = logWith([recordOf('a', 1), recordOf('a', 3), recordOf('b', 1), recordOf('c', 2), recordOf('a', 2)]);
    expect(await aheadOfStore(log, 'agents', store(['a', 1], ['b', 1]))).toEqual([
      { id: 'a', stored: 1, version: 3, value: { id: 'a' } },
      { id: 'c', stored: 0, version: 2, value: { id: 'c' } },
    ]);
  });

  it('ignores records that the store has newer, and removed ones that were never stored', async () => {
    const log = logWith([recordOf('a', 1), recordOf('b', 2, null), recordOf('c', 2, null)]);
    expect(await aheadOfStore(log, 'agents', store(['a', 2], ['c', 1]))).toEqual([
      { id: 'c', stored: 1, version: 2, value: null },
    ]);
  });

  it('throws if the store differs in the same version', async () => {
    const log = logWith([recordOf('a', 2, { id: 'another' })]);
    await expect(aheadOfStore(log, 'agents', store(['a', 2]))).rejects.toThrow(TopicDiffers);
  });
});

describe('a backup that is older than the log', () => {
  it('is refused with the name of the partition', async () => {
    const required = (next: number | null): Promise<void> => requireLogSince(logWith([], 5), async () => next);
    await required(5);
    await expect(required(4)).rejects.toThrow(RestoreRefused);
    await expect(required(null)).rejects.toThrow('it stands at 0 of agent-events/0, which begins at 5');
  });
});
