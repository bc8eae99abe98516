import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { openMongoPublicFacts } from './open.js';
import { inspectFacts } from './inspect.js';
import { AGENT, DRAWN, KEY, publicFactsContract } from './store.contract.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (URI === undefined) {
  describe.skip('public facts: MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('runs the contract', () => undefined);
  });
} else {
  const uri = URI.replace(/\/(?=\?|$)/, `/verification_${randomBytes(6).toString('hex')}`);
  let connection: Connection;

  beforeAll(async () => {
    connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  publicFactsContract('MongoDB', {
    open: () => openMongoPublicFacts(uri),
    async reopen(facts) {
      await facts.close();
      return openMongoPublicFacts(uri);
    },
    async clean() {
      for (const collection of await connection.db!.collections()) await collection.deleteMany({});
    },
  });

  describe('a database of public facts of the layout before documents', () => {
    it('is taken over by instances that start at the same time, and dropped', async () => {
      const db = connection.db!;
      await db.collection<{ _id: string }>('verification_facts').insertMany([
        { _id: 'key/key_1', kind: 'key', id: 'key_1', version: 3, body: JSON.stringify(KEY) },
        { _id: 'key/key_2', kind: 'key', id: 'key_2', version: 4, body: null },
        { _id: 'report/r2', kind: 'report', id: 'r2', version: 2, sha256: DRAWN.sha256, body: JSON.stringify(DRAWN) },
        { _id: 'agent/a1', kind: 'agent', id: 'a1', version: 5, ssn: AGENT.ssn, body: JSON.stringify(AGENT) },
      ] as never);
      await db.collection<{ _id: string }>('verification_positions').insertOne({ _id: 'reports/2', next: 7 } as never);
      const [facts, other] = await Promise.all([openMongoPublicFacts(uri), openMongoPublicFacts(uri)]);
      expect(await facts.keys()).toEqual([{ id: 'key_1', facts: KEY }]);
      expect(await other.reportByPdfSha256(DRAWN.pdfSha256!)).toEqual({ id: 'r2', facts: DRAWN });
      expect(await other.agentBySsn(AGENT.ssn)).toEqual({ id: 'a1', facts: AGENT });
      expect([await facts.position('reports', 2), await facts.position('reports', 0)]).toEqual([7, null]);
      await facts.keep([{ kind: 'key', id: 'key_2', version: 3, value: KEY }], 'signing-keys', 0, 1);
      expect(await facts.key('key_2')).toBeNull();
      const names = (await db.listCollections().toArray()).map(({ name }) => name);
      const older = names.filter((name) => !name.includes('_doc_') && name.startsWith('verification_'));
      expect(older.filter((name) => !/\.older-\d+$/.test(name))).toEqual([]);
      await Promise.all([facts.close(), other.close()]);
      const inspection = await inspectFacts({ uri });
      for await (const { place } of inspection.problems()) throw new Error(`${place} is named`);
      await inspection.close();
      await connection.dropDatabase();
    });
  });
}
