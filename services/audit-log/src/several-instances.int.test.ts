import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogBatch, NewRecord } from '@countersign/event-log';
import { createLogger } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { EventIntake } from './ingest/event-intake.js';
import { HeadPublisher } from './publish-heads/head-publisher.js';
import { SqliteEventStore } from './store/sqlite.js';
import { agentId, envelope } from './testing/envelopes.js';
import { fateOf } from './testing/fate-of.js';

/** A batch of one partition, offsets from `first` on. */
function batch(partition: number, first: number, ...events: readonly number[]): LogBatch {
  const records = events.map((n, at) => ({
    topic: 'agent-events' as const,
    partition,
    offset: first + at,
    key: agentId(partition),
    value: Buffer.from(JSON.stringify(envelope(n, { agent: partition }))),
    appendedAtMs: 0,
  }));
  return { topic: 'agent-events', partition, records, endOffset: first + events.length };
}

describe('instances of audit-log that share a store', () => {
  const directory = mkdtempSync(join(tmpdir(), 'audit-log-instances-'));
  let store: SqliteEventStore;
  let published: NewRecord[];
  let context: ServiceContext;
  let databases = 0;

  beforeEach(() => {
    store = new SqliteEventStore(join(directory, `${(databases += 1)}.db`));
    published = [];
    const append = async (records: readonly NewRecord[]): Promise<never[]> => {
      published.push(...records);
      return [];
    };
    context = { log: createLogger('silent'), eventLog: { append } } as unknown as ServiceContext;
  });
  afterEach(() => store.close());
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const intake = (): EventIntake => new EventIntake(context, store, () => undefined);

  it('are caught up by what any of them stored', async () => {
    const [one, two] = [intake(), intake()];
    await one.take(batch(0, 0, 1, 2));
    await two.caughtUp({ 0: 2, 3: 0 }, 0);
    expect(await fateOf(two.caughtUp({ 0: 2, 1: 1 }, 150))).toBe('NotCaughtUp');
    const waiting = two.caughtUp({ 0: 2, 1: 1 }, 5_000);
    await one.take(batch(1, 0, 3));
    await waiting;
  });

  it('take a partition over from each other, and are not led astray by what they knew of it', async () => {
    const [one, two] = [intake(), intake()];
    expect(await one.begin('agent-events', 0)).toBeNull();
    await one.take(batch(0, 0, 1, 2));
    expect(await two.begin('agent-events', 0)).toBe(2);
    await two.take(batch(0, 2, 3, 1, 4));
    // It does not know that it lost the partition.
    await one.take(batch(0, 2, 3, 1));
    expect(await store.position('agent-events', 0)).toBe(5);
    expect(await one.begin('agent-events', 0)).toBe(5);
    await one.take(batch(0, 5, 5));
    expect((await store.range(agentId(0), 1, 9, 9)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  it('tell the heads that another did not come to tell', async () => {
    await intake().take(batch(0, 0, 1, 2));
    const left = new HeadPublisher(context, store);
    left.start();
    await left.stop();
    expect(published).toMatchObject([{ topic: 'agent-heads', key: agentId(0) }]);
    expect(await store.unpublishedHeads(9)).toEqual([]);
  });

  it('tell a head as it stands, not as it stood when it moved', async () => {
    const one = new HeadPublisher(context, store);
    const heads = await store.append([{ offset: 0, envelope: envelope(1) }], {
      topic: 'agent-events',
      partition: 0,
      from: 0,
      next: 1,
    });
    one.moved(heads);
    await store.append([{ offset: 1, envelope: envelope(2) }], {
      topic: 'agent-events',
      partition: 0,
      from: 1,
      next: 2,
    });
    await one.stop();
    expect(published.map(({ value }) => JSON.parse(value))).toMatchObject([{ version: 2, value: { lastSequence: 2 } }]);
  });
});
