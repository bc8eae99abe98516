import { randomBytes } from 'node:crypto';
import { MongoProxy, persistently, someMongoFaults } from '@countersign/service-kit';
import { createConnection } from 'mongoose';
import { appendNext, logOf, PARTITIONS } from '../testing/partitioned-log.js';
import { reference } from '../testing/reference.js';
import { whatItSays } from '../testing/what-a-store-says.js';
import { openMongoEventStore } from './mongo.js';
import type { EventStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const EVENTS = 60;
/** Each ten events, and three of them once more: a batch whose acknowledgement was lost. */
const NUMBERS = Array.from({ length: EVENTS }, (_, n) => (n % 10 === 9 ? [n, n - 5, n - 2, n - 8] : [n])).flat();

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  const url = new URL(SERVER);
  url.pathname = `/auditlog_faults_${randomBytes(6).toString('hex')}`;
  let proxy: MongoProxy;
  let direct: EventStore;
  let stores: readonly EventStore[] = [];
  beforeAll(async () => {
    proxy = await MongoProxy.before(url.href);
    direct = await openMongoEventStore(url.href);
    stores = await Promise.all([1, 2].map(() => openMongoEventStore(proxy.through(url.href))));
  });
  afterAll(async () => {
    proxy.heal();
    await Promise.all([direct, ...stores].map((store) => store.close()));
    const connection = await createConnection(url.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await proxy.close();
  });

  it('keeps and counts each leaf once while answers are lost, late, and writes are done after their time-out', async () => {
    const log = logOf(NUMBERS);
    proxy.decide(someMongoFaults(6, 5));
    const follow = async (store: EventStore, partition: number, size: number): Promise<void> => {
      for (let at = 0; at < log[partition]!.length; at += size) {
        await persistently(() => appendNext(store, log, partition, size, at));
      }
    };
    // The second follows everything beside the first, in other batches, as one that has lost its partitions does.
    await Promise.all(
      Array.from({ length: PARTITIONS }, (_, partition) => [
        follow(stores[0]!, partition, 9),
        follow(stores[1]!, partition, 14),
      ]).flat(),
    );
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);
    expect(await whatItSays(direct, EVENTS)).toEqual(await reference(log, EVENTS));
  });
}
