import { createLogger } from '@countersign/process';
import { readVersionedRecord, versionedRecord } from '@countersign/topics';
import { OneTopic } from '@countersign/test-kit';
import { UsageTail } from './usage-tail.js';

describe('the tail of usage', () => {
  let topic: OneTopic;
  beforeEach(() => {
    jest.useFakeTimers();
    topic = new OneTopic();
  });
  afterEach(() => jest.useRealTimers());

  const append = (id: string, version: number) =>
    topic.append([versionedRecord('usage', id, version, { is: version })]);
  const all = () => topic.records.map((record) => readVersionedRecord<{ is: number }>(record));
  const versionsOf = (id: string) => all().flatMap((record) => (record.id === id ? [record.value?.is] : []));
  const follow = () => UsageTail.follow({ eventLog: topic.asLog, log: createLogger('silent'), name: 'policy' });

  it('ends with the newest totals again, whether the older ones came before the start or after', async () => {
    await append('agent:a', 7);
    await append('agent:a', 5);
    const tails = [await follow(), await follow()];
    await jest.advanceTimersByTimeAsync(5000);
    await append('account:b', 3);
    await append('account:b', 2);
    await append('agent:fine', 1);
    await jest.advanceTimersByTimeAsync(5000);
    await Promise.all(tails.map((tail) => tail.stop()));
    expect(versionsOf('agent:a').slice(0, 3)).toEqual([7, 5, 7]);
    expect(versionsOf('account:b').slice(0, 3)).toEqual([3, 2, 3]);
    expect([versionsOf('agent:a').at(-1), versionsOf('account:b').at(-1)]).toEqual([7, 3]);
    expect(versionsOf('agent:fine')).toEqual([1]);
  });

  it('leaves alone what a newer record has put right, and everything but totals', async () => {
    const tail = await follow();
    await append('position', 9);
    await append('position', 8);
    await append('agent:a', 2);
    await append('agent:a', 1);
    await append('agent:a', 3);
    await jest.advanceTimersByTimeAsync(5000);
    await tail.stop();
    expect(versionsOf('position')).toEqual([9, 8]);
    expect(versionsOf('agent:a')).toEqual([2, 1, 3]);
  });
});
