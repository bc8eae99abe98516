import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { openMongoEventStore } from './mongo.js';
import { inspectArchive } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import type { EventStore } from './port.js';
import { erasuresContract } from './erasures.contract.js';
import { eventStoreContract } from './store.contract.js';
import { countsContract } from './counts.contract.js';
import { inboxesContract } from './inboxes.contract.js';
import { arrivalsContract } from './arrivals.contract.js';
import { keysetContract } from './keyset.contract.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (URI === undefined) {
  describe.skip('event store: mongo needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('runs the contract', () => undefined);
  });
} else {
  const name = `auditlog_${randomBytes(6).toString('hex')}`;
  const uri = URI.replace(/\/(?=\?|$)/, `/${name}`);
  let connection: Connection;

  beforeAll(async () => {
    connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const backend = {
    open: () => openMongoEventStore(uri),
    async reopen(store: EventStore) {
      await store.close();
      return openMongoEventStore(uri);
    },
    inspect: () => inspectArchive({ uri }),
    async clean() {
      for (const collection of await connection.db!.collections()) await collection.deleteMany({});
    },
  };
  eventStoreContract('mongo', backend);
  arrivalsContract('mongo', backend);
  keysetContract('mongo', backend);
  countsContract('mongo', backend);
  inboxesContract('mongo', backend);
  erasuresContract('mongo', backend);
  inspectionContract('mongo', backend);
}
