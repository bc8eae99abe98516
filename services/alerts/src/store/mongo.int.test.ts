import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/service-kit';
import { closeSum, foldNotices } from '../domain/thread.js';
import { notice, START, violation, WINDOW_MS } from '../testing/violations.js';
import { openMongoAlertStore } from './mongo.js';
import { alertStoreContract } from './store.contract.js';

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

  alertStoreContract('MongoDB', {
    open: () => openMongoAlertStore(uri),
    async reopen(store) {
      await store.close();
      return openMongoAlertStore(uri);
    },
    clean,
  });

  describe('a store in MongoDB of an older release', () => {
    it('gets the index by which a claim goes past destinations that wait, in place of the older one', async () => {
      const messages = connection.db!.collection('alerts_messages');
      await messages.createIndex({ dueAtMs: 1 }, { name: 'due' });
      for (let opened = 0; opened < 2; opened += 1) await (await openMongoAlertStore(uri)).close();
      const due = (await messages.indexes()).filter(({ key }) => 'dueAtMs' in key).map(({ key }) => Object.keys(key));
      expect(due).toEqual([['dueAtMs', 'destinationId']]);
    });
  });

  describe('several instances on MongoDB', () => {
    it('follow the same batch at once, close the same sums and claim the same messages, and tell each event once', async () => {
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
