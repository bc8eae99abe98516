import { persistently, someMongoFaults, StoresUnderFaults } from '@countersign/test-kit';
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
  let opened: StoresUnderFaults<EventStore>;
  beforeAll(async () => {
    opened = await StoresUnderFaults.open(SERVER, 'auditlog', createConnection, openMongoEventStore);
  });
  afterAll(() => opened.close());

  it('keeps and counts each leaf once while answers are lost, late, and writes are done after their time-out', async () => {
    const { proxy, direct, stores } = opened;
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
