import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { ACCOUNT, agentId } from '../testing/envelopes.js';
import { fateOf } from '../testing/fate-of.js';
import { failing, type Fault } from '../testing/failing-database.js';
import { appendNext, logOf, PARTITIONS, type PartitionedLog } from '../testing/partitioned-log.js';
import { reference } from '../testing/reference.js';
import { whatItSays } from '../testing/what-a-store-says.js';
import { collectionsOf, createIndexes, uuid, uuidText } from './mongo-collections.js';
import { MongoEventStore } from './mongo.js';
import type { EventStore } from './port.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const EVENTS = 40;
const RUNS = Number(process.env['COUNTERSIGN_TEST_RUNS'] ?? 10);
const MOST_MS = 30_000;
/** The faults here are our own: a machine that is busy is waited for. */
const PATIENT = { connectTimeoutMS: 30_000, socketTimeoutMS: 60_000, serverSelectionTimeoutMS: 30_000 };

/** One thing that happens: an instance takes a batch, maybe beside another one that lost the partition long ago. */
interface Step {
  readonly partition: number;
  readonly length: number;
  readonly fault: Fault | null;
  /** Where the other instance believes to stand, as a part of the position; `null`: there is none. */
  readonly zombie: { readonly place: number; readonly length: number } | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  partition: fc.nat({ max: PARTITIONS - 1 }),
  length: fc.integer({ min: 1, max: 14 }),
  fault: fc.option(fc.record({ before: fc.nat({ max: 6 }), part: fc.nat({ max: 8 }) }), { nil: null, freq: 2 }),
  zombie: fc.option(
    fc.record({ place: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.integer({ min: 1, max: 20 }) }),
    { nil: null, freq: 3 },
  ),
});

const name = (error: unknown): string => (error as Error).name;

(URI === undefined ? describe.skip : describe)(
  'audit-log in MongoDB after crashes (needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI)',
  () => {
    let connection: Connection;
    let fault: Fault | null = null;
    let failingStore: EventStore;
    let store: EventStore;

    beforeAll(async () => {
      const database = `auditlog_${randomBytes(6).toString('hex')}`;
      const uri = URI!.replace(/\/(?=\?|$)/, `/${database}`);
      connection = await createConnection(uri, { ...mongoOptions(uri), ...PATIENT }).asPromise();
      await createIndexes(collectionsOf(connection.db!, ''));
    });
    beforeEach(clear);
    afterAll(async () => {
      await connection.dropDatabase();
      await connection.close();
    });

    async function clear(): Promise<void> {
      const nothing = async (): Promise<void> => undefined;
      for (const collection of await connection.db!.collections()) await collection.deleteMany({});
      failingStore = new MongoEventStore(
        collectionsOf(
          failing(connection.db!, () => fault),
          '',
        ),
        nothing,
      );
      store = new MongoEventStore(collectionsOf(connection.db!, ''), nothing);
      fault = null;
    }

    async function happen(log: PartitionedLog, { partition, length, zombie, fault: planned }: Step): Promise<void> {
      const position = (await store.position('agent-events', partition)) ?? 0;
      fault = planned === null ? null : { ...planned };
      const fates = await Promise.allSettled([
        appendNext(failingStore, log, partition, length, position),
        ...(zombie === null
          ? []
          : [appendNext(store, log, partition, zombie.length, Math.floor(position * zombie.place))]),
      ]);
      for (const fate of fates) {
        if (fate.status === 'rejected') expect(['Crash', 'PartitionContended']).toContain(name(fate.reason));
      }
    }

    /** A write that the driver had to send twice can meet itself: the batch comes again then, as from the log. */
    async function appendRest(log: PartitionedLog, partition: number): Promise<void> {
      for (let contended = 0; ;) {
        try {
          if ((await appendNext(store, log, partition, 20)) === 0) return;
        } catch (error) {
          contended += 1;
          if (name(error) !== 'PartitionContended' || contended > 3) throw error;
        }
      }
    }

    /** No leaf is there before an earlier one of its agent. */
    async function assertNoGaps(): Promise<void> {
      const last = new Map<string, number>();
      const leaves = collectionsOf(connection.db!, '').events.find().sort({ agentId: 1, sequence: 1 });
      for (const { agentId: agent, sequence } of await leaves.toArray()) {
        expect(sequence).toBe((last.get(uuidText(agent)) ?? 0) + 1);
        last.set(uuidText(agent), sequence);
      }
    }

    it('comes to what one instance without a crash comes to', async () => {
      const until = performance.now() + MOST_MS;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: EVENTS - 1 }), { minLength: 10, maxLength: 50 }),
          fc.array(step, { minLength: 1, maxLength: 5 }),
          async (numbers, steps) => {
            // A slow server gets fewer runs, not a failure; one that has begun is not left to run beside the next test.
            if (performance.now() > until) return;
            await clear();
            const log = logOf(numbers);
            for (const one of steps) {
              await happen(log, one);
              await assertNoGaps();
            }
            for (let partition = 0; partition < PARTITIONS; partition += 1) await appendRest(log, partition);
            expect(await whatItSays(store, EVENTS)).toEqual(await reference(log, EVENTS));
          },
        ),
        { numRuns: RUNS },
      );
    }, 100_000);

    it('stops at a sequence that is stored for another event, and overwrites nothing', async () => {
      const log = logOf([0, 4, 8, 12]);
      await appendNext(store, log, 0, 2);
      const events = connection.db!.collection('audit_log_events');
      const stranger = { agentId: uuid(agentId(0)), sequence: 4, accountId: ACCOUNT, at: 0, leaf: '{}', facts: '{}' };
      await events.insertOne(stranger);
      expect(await fateOf(appendNext(store, log, 0, 2))).toBe('StoreConflict');
      expect(await events.findOne({ sequence: 4 })).toMatchObject({ leaf: '{}' });
      expect(await store.position('agent-events', 0)).toBe(2);
      expect(await store.unpublishedHeads(9)).toMatchObject([{ lastSequence: 2 }]);
      // Once the foreign document is removed, it continues.
      await events.deleteOne({ sequence: 4 });
      expect(await appendNext(store, log, 0, 2)).toBe(2);
    });

    it('stops at an event that is stored from another place of the log', async () => {
      const log = logOf([0, 4, 8]);
      await appendNext(store, log, 0, 3);
      await connection.db!.collection('audit_log_positions').deleteMany({});
      await connection.db!.collection('audit_log_heads').deleteMany({});
      const moved = log[0]!.map(({ envelope }, n) => ({ offset: n === 0 ? 0 : 3 - n, envelope }));
      const range = { topic: 'agent-events', partition: 0, from: 0, next: 3 } as const;
      expect(await fateOf(store.append(moved, range))).toBe('StoreConflict');
    });
  },
);
