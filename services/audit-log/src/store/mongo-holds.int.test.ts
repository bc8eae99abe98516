import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { holdStoreContract } from './holds.contract.js';
import { openMongoHoldStore } from './open-holds.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (URI === undefined) {
  describe.skip('hold store: MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('runs the contract', () => undefined);
  });
} else {
  const uri = URI.replace(/\/(?=\?|$)/, `/holds_${randomBytes(6).toString('hex')}`);
  let connection: Connection;

  beforeAll(async () => {
    connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  holdStoreContract('MongoDB', {
    open: () => openMongoHoldStore(uri),
    async lose(id) {
      await connection.db!.collection<{ _id: string }>('audit_log_doc_holds').deleteOne({ _id: id });
    },
    async clean() {
      for (const collection of await connection.db!.collections()) await collection.deleteMany({});
    },
  });
}
