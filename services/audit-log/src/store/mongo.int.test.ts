import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, BY_RULE, denied, envelope, eventId, other, traceId } from '../testing/envelopes.js';
import { openMongoEventStore } from './mongo.js';
import { inspectArchive } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import type { EventStore } from './port.js';
import { acknowledgementsContract } from '../acknowledge/acknowledgements.contract.js';
import { followUpsContract } from '../follow-ups/follow-ups.contract.js';
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
  acknowledgementsContract('mongo', backend);
  followUpsContract('mongo', backend);
  erasuresContract('mongo', backend);
  inspectionContract('mongo', backend);

  describe('a database of the release before traces', () => {
    it('finds its events by their traces once it is opened, but for erased ones', async () => {
      const store = await backend.open();
      const erases = other(4, 'content.erased', { refersTo: eventId(3) });
      const traced = { v2: true, trace: 7 } as const;
      await appenderTo(() => store)(envelope(1, traced), envelope(2), envelope(3, traced), erases);
      await store.close();
      const events = connection.db!.collection('audit_log_events');
      await events.dropIndex('by_trace');
      await events.updateMany({}, { $unset: { trace: '' } });
      const opened = await backend.open();
      const found = await opened.pageAfter(ACCOUNT, { trace: traceId(7) }, null, 5);
      expect(found.events.map(({ leaf }) => leaf.eventId)).toEqual([eventId(1)]);
      await opened.close();
      await backend.clean();
    });
  });

  describe('a database of the release before counts by rule', () => {
    it('counts its events by their rules once it is opened, also beside a damaged one', async () => {
      const store = await backend.open();
      await appenderTo(() => store)(envelope(1), denied(2), denied(3), denied(4));
      await store.close();
      const events = connection.db!.collection('audit_log_events');
      await events.dropIndex('by_rule');
      await events.updateMany({}, { $unset: { rule: '' } });
      const damaged = await events.find().sort({ offset: -1 }).limit(1).toArray();
      await events.updateOne({ _id: damaged[0]!._id }, { $set: { leaf: '"rule":"' } });
      const opened = await backend.open();
      const [counted] = await opened.countSteps(ACCOUNT, BY_RULE);
      expect(counted).toMatchObject({ rule: 'allowed_apis:', count: 2 });
      await opened.close();
      await backend.clean();
    });
  });
}
