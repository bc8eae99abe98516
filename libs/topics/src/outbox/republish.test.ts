import type { EventLog, LogRecord, NewRecord } from '@countersign/event-log';
import { versionedRecord } from '../projections/versioned-record.js';
import { republish, TopicAhead } from './republish.js';
import type { Owned } from './republish.js';

function logWith(records: readonly NewRecord[]) {
  const stored: LogRecord[] = records.map(({ topic, key, value }, offset) => ({
    topic,
    key,
    partition: 0,
    offset,
    value: Buffer.from(value),
    appendedAtMs: 0,
  }));
  const appended: NewRecord[] = [];
  const eventLog = {
    beginOffsets: async () => ({ 0: 0 }),
    endOffsets: async () => ({ 0: stored.length }),
    read: async (_topic: string, _partition: number, from: number) => stored.slice(from, from + 2),
    append: async (more: readonly NewRecord[]) => appended.push(...more),
  } as unknown as EventLog;
  return { context: { eventLog }, appended };
}

const thing = (id: string, version: number): Owned => ({ id, version, value: { id } });
const recordOf = (id: string, version: number): NewRecord => versionedRecord('agents', id, version, { id });

describe('republish', () => {
  it('appends records that are missing or older, and no others', async () => {
    const { context, appended } = logWith([recordOf('a', 1), recordOf('b', 1), recordOf('b', 2), recordOf('a', 3)]);
    const again = await republish(context, 'agents', [thing('a', 3), thing('b', 4), thing('c', 1)]);
    expect(again.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(appended).toEqual([versionedRecord('agents', 'b', 4, { id: 'b' }), recordOf('c', 1)]);
  });

  it('refuses a topic that is ahead of the store, naming the id', async () => {
    const { context, appended } = logWith([recordOf('a', 3)]);
    await expect(republish(context, 'agents', [thing('a', 2)])).rejects.toThrow(TopicAhead);
    await expect(republish(context, 'agents', [])).rejects.toThrow(/holds a, which/);
    expect(appended).toEqual([]);
  });

  it('ignores removed ids, and those that the store may delete', async () => {
    const { context } = logWith([recordOf('a', 1), versionedRecord('agents', 'a', 2, null), recordOf('b', 1)]);
    expect(await republish(context, 'agents', [], (id) => id === 'b')).toEqual([]);
  });
});
