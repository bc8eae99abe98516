import { createLogger } from '@countersign/process';
import { readVersionedRecord, versionedRecord } from '../projections/versioned-record.js';
import { OneTopic } from '@countersign/test-kit';
import { TopicTail } from './topic-tail.js';

const LONGER_THAN_A_REPAIR_MS = 5000;

describe('the tail of a compacted topic', () => {
  let topic: OneTopic;
  beforeEach(() => {
    jest.useFakeTimers();
    topic = new OneTopic();
  });
  afterEach(() => jest.useRealTimers());

  const append = (id: string, version: number, value: object | null = { version }) =>
    topic.append([versionedRecord('sessions', id, version, value)]);
  function last(id: string): { readonly version: number; readonly value: object | null } | undefined {
    const found = topic.records
      .map((record) => readVersionedRecord<object>(record))
      .filter((record) => record.id === id);
    const record = found.at(-1);
    return record && { version: record.version, value: record.value };
  }
  const follow = (newest: (id: string) => number | null) =>
    TopicTail.follow(
      { eventLog: topic.asLog, log: createLogger('silent'), name: 'identity' },
      'sessions',
      async (id) => {
        const version = newest(id);
        return version === null ? null : { id, version, value: { version } };
      },
    );

  it('ends with the newest record of the store again, whether the older one came before the start or after', async () => {
    await append('a', 1);
    await append('a', 2);
    await append('a', 1);
    await append('fine', 1);
    const tail = await follow((id) => (id === 'b' ? 7 : 3));
    await jest.advanceTimersByTimeAsync(LONGER_THAN_A_REPAIR_MS);
    expect(last('a')).toEqual({ version: 3, value: { version: 3 } });
    await append('b', 6);
    await append('b', 5);
    await jest.advanceTimersByTimeAsync(LONGER_THAN_A_REPAIR_MS);
    await tail.stop();
    expect(last('b')).toEqual({ version: 7, value: { version: 7 } });
    expect(last('fine')).toEqual({ version: 1, value: { version: 1 } });
  });

  it('keeps removed ids removed', async () => {
    const tail = await follow(() => null);
    await append('a', 1);
    await append('a', 2, null);
    await append('a', 1);
    await jest.advanceTimersByTimeAsync(LONGER_THAN_A_REPAIR_MS);
    await tail.stop();
    expect(last('a')).toEqual({ version: 2, value: null });
    expect(topic.records).toHaveLength(4);
  });
});
