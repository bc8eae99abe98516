import { LogRefused, type EventLog, type StoredLogFile } from '@countersign/event-log';

/** A stopped instance's log for those who follow it: it gives what is there, and nothing is ever written to it. */
export function readingLog(log: StoredLogFile): EventLog {
  return {
    partitions: () => Promise.resolve(1),
    beginOffsets: async (topic) => log.beginOffsets(topic),
    endOffsets: async (topic) => log.endOffsets(topic),
    read: async (topic, _partition, fromOffset, limit) => log.read(topic, fromOffset, limit),
    async append(records) {
      // What was parked when it came is in the log already.
      if (records.every(({ topic }) => topic === 'dead-letters')) return [];
      throw new LogRefused('the log is only read');
    },
    refusing: () => 'the log is only read',
    consume: () => Promise.reject(new LogRefused('the log is only read')),
    close: () => Promise.resolve(),
  };
}
