import { randomUUID } from 'node:crypto';
import { InProcessCounters } from '@countersign/counters';
import { versionedRecord } from '@countersign/topics';
import { PartitionedLog } from './partitioned-log.test-double.js';
import { rebuildCounters } from './rebuild-counters.js';

const SETTLE_MS = 300;

describe('the wait for events judged before a loss', () => {
  let log: PartitionedLog;
  /** Number of reads of the log's end. */
  let looks: number;
  beforeEach(() => {
    log = new PartitionedLog(2);
    looks = 0;
    log.reading = (topic, partition) => {
      if (topic === 'agent-events' && partition === 0) looks += 1;
    };
  });

  const rebuilt = async (): Promise<number> => {
    const counters = new InProcessCounters();
    const begun = performance.now();
    await rebuildCounters(
      {
        eventLog: log,
        counters: {
          beginRebuild: async () => ((await counters.beginRebuild()) === null ? null : { settleMs: SETTLE_MS }),
          abandonRebuild: () => counters.abandonRebuild(),
          restore: (snapshot) => counters.restore(snapshot),
          replay: (events) => counters.replay(events),
          serve: () => counters.serve(),
        },
        log: { info: () => undefined },
      },
      () => performance.now(),
    );
    expect(counters.unavailable()).toBeNull();
    return performance.now() - begun;
  };

  it('is skipped where no record ever existed', async () => {
    await rebuilt();
    expect(looks).toBe(1);
  });

  it.each(['accounts', 'api-keys', 'agents', 'sessions'] as const)(
    'is kept, and the end read again, from the first of %s on',
    async (topic) => {
      log.put(versionedRecord(topic, randomUUID(), 1, null));
      // A timer may fire a millisecond early.
      expect(await rebuilt()).toBeGreaterThan(SETTLE_MS - 2);
      expect(looks).toBe(2);
    },
  );
});
