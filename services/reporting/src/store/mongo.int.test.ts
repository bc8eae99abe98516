import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { blobsContract } from '../blobs/blobs.contract.js';
import { killedPut, moduleText } from '../blobs/killed-put.test-kit.js';
import { openMongoBlobs } from './mongo-blobs.js';
import { openMongoReportStore } from './open.js';
import { ANCHOR, AUTHORITY, report, reportStoreContract } from './store.contract.js';

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

  it('migrates a database of the layout before documents once all of it is published, and drops it', async () => {
    const db = connection.db!;
    const one = report('r1', 'a', '2026-01-02T00:00:00.000Z');
    const rows: Readonly<Record<string, readonly object[]>> = {
      reporting_reports: [
        { _id: 'r1', createdAt: one.facts.createdAt, version: 4, body: JSON.stringify({ ...one, version: 4 }) },
      ],
      reporting_scopes: [
        { _id: 'a', body: '{"hipaa":{"ephi":true}}', version: 2, declaredAt: 'then' },
        { _id: 'b', body: '{}' },
      ],
      reporting_anchors: [
        { _id: 'report:r1', version: 1, body: JSON.stringify(ANCHOR) },
        { _id: 'authority:addr', version: 3, body: JSON.stringify(AUTHORITY) },
      ],
      reporting_positions: [{ _id: 0, next: 7 }],
      reporting_messages: [{ _id: 'm/1', topic: 'signing-keys', key: 'k', value: '{}' }],
    };
    for (const [name, some] of Object.entries(rows)) await db.collection(name).insertMany([...some]);
    await expect(openMongoReportStore(uri)).rejects.toThrow('was not published yet: start the release before');
    await db.collection('reporting_messages').deleteMany({});
    const [store, other] = await Promise.all([openMongoReportStore(uri), openMongoReportStore(uri)]);
    expect(await store.report('a', 'r1')).toEqual({ ...one, version: 4 });
    expect((await other.opening('agent', 5)).map(({ id }) => id)).toEqual(['r1']);
    expect(await store.scopes()).toMatchObject([
      { accountId: 'a', version: 2 },
      { accountId: 'b', version: 0 },
    ]);
    expect([await store.reportAnchor('r1'), await other.authorities()]).toEqual([ANCHOR, [AUTHORITY]]);
    expect(await store.anchorsPosition(0)).toBe(7);
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    expect(names.filter((name) => name in rows)).toEqual([]);
    await Promise.all([store.close(), other.close()]);
    await clean();
  });

  blobsContract('GridFS', {
    open: () => openMongoBlobs(uri),
    async dieWhilePutting(name) {
      await killedPut(
        `(await import(${moduleText('store/mongo-blobs.js')})).openMongoBlobs(${JSON.stringify(uri)})`,
        name,
      );
      // Long ago: a recent upload may be in progress.
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

  it('fails for a body with missing chunks instead of returning a shorter one', async () => {
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
