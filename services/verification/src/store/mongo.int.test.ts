import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { openMongoPublicFacts } from './mongo.js';
import { publicFactsContract } from './store.contract.js';

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
}
