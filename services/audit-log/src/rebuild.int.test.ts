import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import type { ArchivedEvent, TopicName } from '@countersign/contracts';
import { mongoOptions } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import type { RestoreContext, StoreAdapters } from '@countersign/service-kit';
import { rebuildFromTopics, type OlderEvent } from './rebuild.js';
import { openRebuild } from './store/mongo-rebuild.js';
import { openMongoEventStore } from './store/mongo.js';
import type { EventStore } from './store/port.js';
import { ACCOUNT, agentId } from './testing/envelopes.js';
import { AGENTS, appendNext, logOf, PARTITIONS } from './testing/partitioned-log.js';
import { whatItSays } from './testing/what-a-store-says.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const EVENTS = 80;
/** Where the log begins by now. */
const BEGINS = [11, 0];

if (URI === undefined) {
  describe.skip('an archive rebuilt in MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  describe('an archive rebuilt in MongoDB', () => {
    const log = logOf(Array.from({ length: EVENTS }, (_, n) => n));
    const uri = URI.replace(/\/(?=\?|$)/, `/auditlog_${randomBytes(6).toString('hex')}`);
    let connection: Connection;
    let store: EventStore;
    let rebuild: StoreRebuild;

    beforeAll(async () => {
      connection = await createConnection(uri, mongoOptions(uri)).asPromise();
      store = await openMongoEventStore(uri);
      rebuild = await openRebuild(uri);
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        await appendNext(store, log, partition, EVENTS / 4);
      await store.acknowledge(ACCOUNT, '2026-03-01T12:00:00.000Z');
      for (let partition = 0; partition < PARTITIONS; partition += 1) await appendNext(store, log, partition, EVENTS);
    });
    beforeEach(() => rebuild.generation.begin());
    afterAll(async () => {
      await store.close();
      await rebuild.close();
      await connection.dropDatabase();
      await connection.close();
    });

    /** The same log, without what it dropped. */
    const context = (begins: readonly number[]): RestoreContext =>
      ({
        directory: '',
        openStore: async <T>(adapters: StoreAdapters<T>) => adapters.mongo(uri, rebuild.generation.suffix),
        eventLog: {
          beginOffsets: async (topic: TopicName) => (topic === 'agent-events' ? { ...begins } : {}),
          endOffsets: async (topic: TopicName) => (topic === 'agent-events' ? log.map((all) => all.length) : {}),
          read: async (topic: TopicName, partition: number, from: number, limit: number) => {
            if (from < begins[partition]!) throw new Error('it was dropped');
            return log[partition]!.slice(from, from + limit).map(({ offset, envelope }) => {
              const value = Buffer.from(JSON.stringify(envelope));
              return { topic, partition, offset, key: envelope.leaf.agentId, value, appendedAtMs: 0 };
            });
          },
        },
      }) as unknown as RestoreContext;

    async function archived(): Promise<readonly OlderEvent[]> {
      const agents = Array.from({ length: AGENTS }, (_, n) => agentId(n));
      const all = await Promise.all(agents.map((agent) => store.range(agent, 1, EVENTS, EVENTS)));
      const byId = new Map<string, ArchivedEvent>(all.flat().map((one) => [one.envelope.leaf.eventId, one]));
      return BEGINS.flatMap((begin, partition) =>
        log[partition]!.slice(0, begin).map(({ offset, envelope }) => ({
          partition,
          offset,
          ...byId.get(envelope.leaf.eventId)!,
        })),
      );
    }
    async function says(suffix?: string): Promise<unknown> {
      const opened = await openMongoEventStore(uri, suffix ?? '');
      const said = await whatItSays(opened, EVENTS);
      await opened.close();
      return said;
    }

    it.each([
      ['has all that it had, from a log that has all', [0, 0]],
      ['has all that it had, with the events that the log has dropped', BEGINS],
    ])('%s', async (_says, begins) => {
      const older = begins === BEGINS ? await archived() : [];
      await rebuildFromTopics(context(begins), older, () => undefined);
      expect(await rebuild.takeOver(rebuild.generation.suffix)).toEqual([]);
      expect(await says(rebuild.generation.suffix)).toEqual(await says());
    });

    it('is refused where a dropped event is nowhere, or an archived one is in the log as well', async () => {
      const older = await archived();
      const making = (some: readonly OlderEvent[], begins: readonly number[]) =>
        rebuildFromTopics(context(begins), some, () => undefined);
      await expect(making(older.toSpliced(2, 1), BEGINS)).rejects.toThrow(
        /^sequence \d+ of agent .* is older than the log and lost$/,
      );
      await rebuild.generation.begin();
      await expect(making(older, [3, 0])).rejects.toThrow(
        'the archive holds more than the 3 events before the log begins',
      );
    });

    it('names an acknowledgement that makes no sense', async () => {
      await rebuildFromTopics(context([0, 0]), [], () => undefined);
      const inboxes = connection.db!.collection<{ _id: string }>('audit_log_inboxes');
      await inboxes.insertOne({ _id: 'another', acknowledgedAt: 'yesterday', through: {} } as never);
      expect(await rebuild.takeOver(rebuild.generation.suffix)).toEqual([
        expect.stringMatching(/: 1 accounts have damaged ones$/),
      ]);
      await inboxes.deleteOne({ _id: 'another' });
    });
  });
}
