import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { newMessage } from '../domain/message.js';
import { closeSum, foldNotices } from '../domain/thread.js';
import { destination, notice, START, violation, WINDOW_MS } from '../testing/violations.js';
import { openMongoAlertStore } from './open.js';
import { alertStoreContract, type StoreHarness } from './store.contract.js';
import { streamStoreContract } from './streams.contract.js';

const CONTENT = { type: 't', timestamp: '', data: {} };
const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (URI === undefined) {
  describe.skip('alert store: MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('runs the contract', () => undefined);
  });
} else {
  const uri = URI.replace(/\/(?=\?|$)/, `/alerts_${randomBytes(6).toString('hex')}`);
  let connection: Connection;
  const clean = async (): Promise<void> => {
    for (const collection of await connection.db!.collections()) await collection.deleteMany({});
  };

  beforeAll(async () => {
    connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const harness: StoreHarness = {
    open: () => openMongoAlertStore(uri),
    async reopen(store) {
      await store.close();
      return openMongoAlertStore(uri);
    },
    clean,
  };
  alertStoreContract('MongoDB', harness);
  streamStoreContract('MongoDB', harness);

  describe('a database of alerts of the layout before documents', () => {
    it('is migrated once no thread in it is interrupted', async () => {
      const db = connection.db!;
      const to = destination('d', { revision: 3 });
      const message = newMessage({ accountId: to.accountId, destinationId: 'd' }, 'm', CONTENT, 1, START);
      const { thread } = foldNotices(null, [notice('d', violation(1))], WINDOW_MS, START);
      const rows: Readonly<Record<string, object>> = {
        alerts_destinations: { _id: 'd', createdAt: to.createdAt, revision: 3, body: JSON.stringify(to) },
        alerts_threads: { _id: thread.key, body: JSON.stringify(thread), leaves: true },
        alerts_messages: { _id: 'm', createdAtMs: START, body: JSON.stringify(message), token: 't' },
        alerts_seen_events: { _id: `00000/${violation(1).eventId}`, offset: 1 },
        alerts_positions: { _id: 0, next: 2 },
      };
      for (const [name, row] of Object.entries(rows)) await db.collection(name).insertOne({ ...row });
      // The instance was killed between the ids of a batch and its threads.
      const interrupted = { ...violation(2), offset: 2 };
      await db
        .collection<{ _id: string }>('alerts_seen_events')
        .insertOne({ _id: `00000/${interrupted.eventId}`, offset: 2 } as never);
      await expect(openMongoAlertStore(uri)).rejects.toThrow('interrupted: start the release before');
      await db.collection('alerts_threads').updateOne({}, { $set: { leaves: false } });
      const [store, other] = await Promise.all([openMongoAlertStore(uri), openMongoAlertStore(uri)]);
      expect(await store.destinations(to.accountId)).toEqual([to]);
      expect(await store.position(0)).toBe(2);
      expect((await store.claim(START, START + 60_000, []))?.message).toEqual(message);
      const redelivered = { partition: 0, next: 3, logTimeMs: START, notices: [notice('d', interrupted)] };
      let folded = 0;
      await store.follow(redelivered, (stored, notices) => {
        folded += notices.length;
        return foldNotices(stored, notices, WINDOW_MS, START);
      });
      expect(folded).toBe(1);
      const again = { partition: 0, next: 9, logTimeMs: START, notices: [notice('d', { ...violation(1), offset: 8 })] };
      await other.follow(again, () => {
        throw new Error('it was folded before');
      });
      const names = (await db.listCollections().toArray()).map(({ name }) => name);
      expect(names.filter((name) => name in rows)).toEqual([]);
      await Promise.all([store.close(), other.close()]);
      await clean();
    });
  });

  describe('several instances on MongoDB', () => {
    it('concurrently follow one batch, close the same sums and claim the same messages, and report each event once', async () => {
      const stores = await Promise.all([openMongoAlertStore(uri), openMongoAlertStore(uri)]);
      const now = START + 1000;
      const notices = Array.from({ length: 40 }, (_, n) => notice(`d${n % 3}`, violation(n)));
      const batch = { partition: 0, next: 40, logTimeMs: START + 40, notices };
      await Promise.all(
        stores.map((store) => store.follow(batch, (thread, own) => foldNotices(thread, own, WINDOW_MS, now))),
      );
      const late = now + WINDOW_MS;
      await Promise.all(stores.map((store) => store.closeSums(late, 10, (thread) => closeSum(thread, now))));
      const claims = [];
      for (let open = true; open;) {
        const both = await Promise.all(stores.map((store) => store.claim(late, late + 60_000, [])));
        claims.push(...both.filter((claim) => claim !== null));
        open = both.some((claim) => claim !== null);
      }
      expect(new Set(claims.map(({ message }) => message.id)).size).toBe(claims.length);
      expect(claims.reduce((sum, { message }) => sum + message.count, 0)).toBe(40);
      await Promise.all(stores.map((store) => store.close()));
      await clean();
    });
  });
}
