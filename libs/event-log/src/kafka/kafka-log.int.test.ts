import { eventLogContract } from '../event-log.contract.js';
import { TEST_BROKERS } from './brokers.test-kit.js';
import { deleteRecords, dropTopics, newPrefix, openTestLog } from './kafka.test-kit.js';

if (TEST_BROKERS === null) {
  describe.skip('event log: Kafka (needs Kafka: COUNTERSIGN_TEST_KAFKA_BROKERS)', () => {
    it('is skipped', () => undefined);
  });
} else {
  const brokers = TEST_BROKERS;
  eventLogContract('Kafka', async () => {
    const prefix = newPrefix();
    const options = { topics: ['agent-events', 'agents'] } as const;
    let log = await openTestLog(brokers, prefix, options);
    return {
      log,
      async reopen() {
        await log.close();
        log = await openTestLog(brokers, prefix, options);
        return log;
      },
      compact: {
        skip: 'the brokers compact at a time of their own; compaction.int.test.ts has its own broker for it',
      },
      expireAll: async () => {
        await deleteRecords(brokers, `${prefix}agent-events`);
      },
      async cleanup() {
        await log.close();
        await dropTopics(brokers, prefix);
      },
    };
  });
}
