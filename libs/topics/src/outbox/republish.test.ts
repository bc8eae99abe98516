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
const told = (id: string, version: number): NewRecord => versionedRecord('agents', id, version, { id });

describe('publishing again what a topic lost', () => {
  it('appends what is missing or older, and nothing else', async () => {
    const { context, appended } = logWith([told('a', 1), told('b', 1), told('b', 2), told('a', 3)]);
    const again = await republish(context, 'agents', [thing('a', 3), thing('b', 4), thing('c', 1)]);
    expect(again.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(appended).toEqual([versionedRecord('agents', 'b', 4, { id: 'b' }), told('c', 1)]);
  });

  it('refuses a topic that is ahead of the store, naming the id', async () => {
    const { context, appended } = logWith([told('a', 3)]);
    await expect(republish(context, 'agents', [thing('a', 2)])).rejects.toThrow(TopicAhead);
    await expect(republish(context, 'agents', [])).rejects.toThrow(/holds a, which/);
    expect(appended).toEqual([]);
  });

  it('passes over ids that are gone, and those that the store may drop', async () => {
    const { context } = logWith([told('a', 1), versionedRecord('agents', 'a', 2, null), told('b', 1)]);
    expect(await republish(context, 'agents', [], (id) => id === 'b')).toEqual([]);
  });
});
