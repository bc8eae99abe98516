import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, LogRecord } from '../port.js';
import { KAFKA_LIBS, TestBroker } from './broker.test-kit.js';
import { newPrefix, openTestLog, withAdmin } from './kafka.test-kit.js';

const TOPIC = 'anchors';
const TOPIC_RESOURCE = 2;

async function readAll(log: EventLog, limit: number): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (let next = 0; ; next = (all.at(-1)?.offset ?? 0) + 1) {
    const records = await log.read(TOPIC, 0, next, limit);
    if (records.length === 0) return all;
    all.push(...records);
  }
}

if (KAFKA_LIBS === null) {
  describe.skip('Kafka compaction (needs a Kafka of its own: COUNTERSIGN_TEST_KAFKA_LIBS)', () => {
    it('is skipped', () => undefined);
  });
} else {
  const libs = KAFKA_LIBS;
  describe('Kafka compaction', () => {
    let broker: TestBroker;
    beforeAll(async () => {
      broker = await TestBroker.start(libs, { 'log.cleaner.backoff.ms': '100', 'log.cleaner.threads': '1' });
    }, 120_000);
    afterAll(() => broker.remove());

    it('leaves gaps that reading and consuming skip, and the newest record of each key', async () => {
      const prefix = newPrefix();
      const brokers = [broker.proxy.address];
      const log = await openTestLog(brokers, prefix, { topics: [TOPIC] });
      const configEntries = Object.entries({
        'cleanup.policy': 'compact',
        'segment.ms': '100',
        'min.cleanable.dirty.ratio': '0.001',
        'max.compaction.lag.ms': '100',
        'delete.retention.ms': '1',
      }).map(([name, value]) => ({ name, value }));
      const resource = { type: TOPIC_RESOURCE, name: `${prefix}${TOPIC}`, configEntries };
      await withAdmin(brokers, (admin) => admin.alterConfigs({ validateOnly: false, resources: [resource] }));
      const append = (key: string, value: string) => log.append([{ topic: TOPIC, key, value }]);
      const newest = new Map<string, string>();
      let sent = 0;
      const write = async (key: string) => {
        newest.set(key, String(sent));
        await append(key, String(sent++));
      };
      for (let n = 0; n < 200; n++) await write(`k${n % 5}`);
      const deadline = Date.now() + 40_000;
      let kept: LogRecord[] = [];
      do {
        await delay(150);
        await write('ticker');
        kept = await readAll(log, 3);
      } while (kept.length > 30 && Date.now() < deadline);
      expect(kept.length).toBeLessThanOrEqual(30);
      const last = new Map(kept.map(({ key, value }) => [key, Buffer.from(value).toString()]));
      expect(last).toEqual(newest);
      for (const { offset, value } of kept) expect(offset).toBe(Number(Buffer.from(value).toString()));

      const seen = new Map<string, string>();
      const consumption = await log.consume({
        group: 'projection',
        topics: [TOPIC],
        mode: 'everyone',
        maxBatch: 2,
        position: () => null,
        handle: ({ records }) => records.forEach(({ key, value }) => seen.set(key, Buffer.from(value).toString())),
      });
      await consumption.caughtUp();
      expect(seen).toEqual(newest);
      expect(Object.values(consumption.lag())).toEqual([0]);
      await consumption.stop();
      await log.close();
    }, 90_000);
  });
}
