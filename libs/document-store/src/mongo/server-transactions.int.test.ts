import { randomBytes } from 'node:crypto';
import { createConnection } from 'mongoose';
import type { Connection, mongo } from 'mongoose';
import { mongoOptions } from './connection-options.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const SNAPSHOT = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

interface Counted {
  readonly _id: string;
  readonly n: number;
}

/** Documented properties of MongoDB's transactions on which the adapter relies, checked on the server. */
if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  describe('transactions of the server', () => {
    let connection: Connection;
    let counts: mongo.Collection<Counted>;
    beforeAll(async () => {
      const url = new URL(SERVER);
      url.pathname = `/transactions_${randomBytes(6).toString('hex')}`;
      connection = await createConnection(url.href, mongoOptions(url.href)).asPromise();
      await connection.createCollection('counts');
      counts = connection.db!.collection<Counted>('counts');
    });
    afterAll(async () => {
      await connection.dropDatabase();
      await connection.close();
    });
    beforeEach(async () => {
      await counts.deleteMany({});
      await counts.insertOne({ _id: 'a', n: 0 });
    });

    it('leave nothing when they are aborted', async () => {
      const session = await connection.startSession();
      session.startTransaction(SNAPSHOT);
      await counts.updateOne({ _id: 'a' }, { $set: { n: 1 } }, { session });
      await counts.insertOne({ _id: 'b', n: 1 }, { session });
      await session.abortTransaction();
      await session.endSession();
      expect(await counts.find().toArray()).toEqual([{ _id: 'a', n: 0 }]);
    });

    it('read one snapshot, whatever is committed meanwhile', async () => {
      const session = await connection.startSession();
      session.startTransaction(SNAPSHOT);
      expect(await counts.findOne({ _id: 'a' }, { session })).toMatchObject({ n: 0 });
      await counts.updateOne({ _id: 'a' }, { $set: { n: 2 } });
      expect(await counts.findOne({ _id: 'a' }, { session })).toMatchObject({ n: 0 });
      await session.abortTransaction();
      await session.endSession();
    });

    it('conflict, with a label that asks for a repetition, where two write one document', async () => {
      const sessions = await Promise.all([connection.startSession(), connection.startSession()]);
      for (const session of sessions) session.startTransaction(SNAPSHOT);
      const [first, second] = sessions;
      await counts.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: first });
      const error: unknown = await counts
        .updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: second })
        .then(() => first.commitTransaction())
        .then(() => second.commitTransaction())
        .catch((conflict: unknown) => conflict);
      expect((error as mongo.MongoError).hasErrorLabel('TransientTransactionError')).toBe(true);
      await second.abortTransaction().catch(() => undefined);
      if (first.inTransaction()) await first.commitTransaction();
      for (const session of sessions) await session.endSession();
      expect(await counts.findOne({ _id: 'a' })).toMatchObject({ n: 1 });
    });

    it('are repeated by the driver until each has counted once', async () => {
      let attempts = 0;
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let n = 0; n < 10; n += 1) {
            await connection.transaction(async (session) => {
              attempts += 1;
              const before = await counts.findOne({ _id: 'a' }, { session });
              await counts.updateOne({ _id: 'a' }, { $set: { n: before!.n + 1 } }, { session });
            }, SNAPSHOT);
          }
        }),
      );
      expect(await counts.findOne({ _id: 'a' })).toMatchObject({ n: 80 });
      expect(attempts).toBeGreaterThanOrEqual(80);
    });
  });
}
