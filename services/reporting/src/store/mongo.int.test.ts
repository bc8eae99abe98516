import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/service-kit';
import { blobsContract } from '../blobs/blobs.contract.js';
import { killedPut, moduleText } from '../blobs/killed-put.test-kit.js';
import { openMongoBlobs } from './mongo-blobs.js';
import { openMongoReportStore } from './mongo.js';
import { reportStoreContract } from './store.contract.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (URI === undefined) {
  describe.skip('report store and blobs: MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('runs the contracts', () => undefined);
  });
} else {
  const uri = URI.replace(/\/(?=\?|$)/, `/reporting_${randomBytes(6).toString('hex')}`);
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

  reportStoreContract('MongoDB', {
    open: () => openMongoReportStore(uri),
    async reopen(store) {
      await store.close();
      return openMongoReportStore(uri);
    },
    clean,
  });

  blobsContract('GridFS', {
    open: () => openMongoBlobs(uri),
    async dieWhilePutting(name) {
      await killedPut(
        `(await import(${moduleText('store/mongo-blobs.js')})).openMongoBlobs(${JSON.stringify(uri)})`,
        name,
      );
      // Long ago: what has just begun may live.
      const drafts = connection.db!.collection('reporting_drafts');
      const { matchedCount } = await drafts.updateMany({}, { $set: { begunAt: new Date(0) } });
      expect(matchedCount).toBe(1);
    },
    async pieces() {
      const db = connection.db!;
      const names = ['reporting_packages.chunks', 'reporting_packages.files', 'reporting_drafts'];
      const counts = await Promise.all(names.map((name) => db.collection(name).countDocuments({})));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    clean,
  });

  it('fails for a body that lost chunks, rather than to give a shorter one', async () => {
    const name = 'ef'.repeat(32);
    const blobs = await openMongoBlobs(uri);
    try {
      await blobs.put(name, [Buffer.from('a body')]);
      await connection.collection('reporting_packages.chunks').deleteMany({});
      await expect(blobs.get(name)).rejects.toThrow('has 0 of its 6 bytes');
    } finally {
      await blobs.close();
      await clean();
    }
  });
}
