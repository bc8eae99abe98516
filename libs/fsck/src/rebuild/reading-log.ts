import { LogRefused, type EventLog, type EventReader, type StoredLogFile } from '@countersign/event-log';

/** Refuses all writes to a log; messages that were dead-lettered the first time are in the log already. */
const READ_ONLY: Pick<EventLog, 'append' | 'refusing' | 'consume' | 'close'> = {
  async append(records) {
    if (records.every(({ topic }) => topic === 'dead-letters')) return [];
    throw new LogRefused('the log is only read');
  },
  refusing: () => 'the log is only read',
  consume: () => Promise.reject(new LogRefused('the log is only read')),
  close: () => Promise.resolve(),
};

/** A stopped instance's log for those who follow it: it gives what is there, and nothing is ever written to it. */
export function readingLog(log: StoredLogFile): EventLog {
  return {
    ...READ_ONLY,
    partitions: () => Promise.resolve(1),
    beginOffsets: async (topic) => log.beginOffsets(topic),
    endOffsets: async (topic) => log.endOffsets(topic),
    read: async (topic, _partition, fromOffset, limit) => log.read(topic, fromOffset, limit),
  };
}

/** The same of a log that others write to. Closing it leaves `log` open. */
export function onlyReading(log: Omit<EventReader, 'consume'>): EventLog {
  return {
    ...READ_ONLY,
    partitions: (topic) => log.partitions(topic),
    beginOffsets: (topic) => log.beginOffsets(topic),
    endOffsets: (topic) => log.endOffsets(topic),
    read: (topic, partition, fromOffset, limit) => log.read(topic, partition, fromOffset, limit),
  };
}
