import { openMongoEventStore } from '../store/mongo.js';
import { appendNext, PARTITIONS } from './partitioned-log.js';
import { longLog } from './long-log.js';

/**
 * Stores {@link longLog} in batches, both partitions at once, from where the store stands; for tests that kill it.
 * `mongo-appender.js <uri>`; prints a line at each step and `done` at the end.
 */
const store = await openMongoEventStore(process.argv[2]!);
const log = longLog();
process.stdout.write('open\n');

async function storePartition(partition: number): Promise<void> {
  while ((await appendNext(store, log, partition, 40)) > 0) process.stdout.write('batch\n');
}

await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => storePartition(partition)));
await store.close();
process.stdout.write('done\n');
