import { setTimeout as delay } from 'node:timers/promises';
import { CompressionTypes, Kafka, Partitioners, logLevel } from 'kafkajs';
import { LogDamaged } from '../port.js';
import type { LogRecord } from '../port.js';
import { TEST_BROKERS } from './brokers.test-kit.js';
import { deleteRecords, dropTopics, newPrefix, openTestLog, withAdmin } from './kafka.test-kit.js';

if (TEST_BROKERS === null) {
  describe.skip('Kafka topics (needs Kafka: COUNTERSIGN_TEST_KAFKA_BROKERS)', () => {
    it('is not tried', () => undefined);
  });
} else {
  const brokers = TEST_BROKERS;
  describe('Kafka topics', () => {
    const prefix = newPrefix();
    afterAll(() => dropTopics(brokers, prefix));

    it('are created by the first instance, in any order', async () => {
      const topics = ['anchors', 'reports'] as const;
      const logs = await Promise.all([1, 2, 3, 4].map(() => openTestLog(brokers, `${prefix}a.`, { topics })));
      await Promise.all(logs.map((log) => log.append([{ topic: 'anchors', key: 'k', value: '1' }])));
      expect((await logs[0]?.endOffsets('anchors'))?.[0]).toBe(4);
      await Promise.all(logs.map((log) => log.close()));
    });

    it('refuses one copy unless that is allowed, naming the variable that allows it', async () => {
      const topics = ['anchors'] as const;
      const existing = openTestLog(brokers, `${prefix}a.`, { topics, allowSingleBroker: false });
      await expect(existing).rejects.toThrow(LogDamaged);
      await expect(existing).rejects.toThrow('COUNTERSIGN_ALLOW_SINGLE_BROKER=true');
    });

    it('refuses other settings and another number of partitions in one error that names all', async () => {
      const topic = `${prefix}b.anchors`;
      const configEntries = [{ name: 'cleanup.policy', value: 'delete' }];
      await withAdmin(brokers, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 2, configEntries }] }));
      const opening = openTestLog(brokers, `${prefix}b.`, { topics: ['anchors'] });
      await expect(opening).rejects.toThrow(LogDamaged);
      await expect(opening).rejects.toThrow(`1 partitions expected, 2 found: ${topic}`);
      await expect(opening).rejects.toThrow('cleanup.policy is delete');
      await expect(opening).rejects.toThrow('max.message.bytes');
    });

    it('waits for more brokers where topics need them, and then fails with that reason', async () => {
      const warnings: string[] = [];
      const log = { warn: (message: string) => void warnings.push(message) };
      const rules = { topics: ['anchors'], allowSingleBroker: false, openTimeoutMs: 800, log } as const;
      const begun = performance.now();
      const opening = openTestLog(brokers, `${prefix}c.`, rules);
      await expect(opening).rejects.toThrow(LogDamaged);
      await expect(opening).rejects.toThrow('COUNTERSIGN_ALLOW_SINGLE_BROKER=true');
      expect(performance.now() - begun).toBeGreaterThan(800);
      expect(warnings[0]).toMatch(/^waiting for Kafka: Kafka topics cannot be created: .*anchors/);
    });

    it('fails when no broker answers, naming those it asked', async () => {
      const opening = openTestLog(['127.0.0.1:1'], prefix, { topics: ['anchors'], openTimeoutMs: 300 });
      await expect(opening).rejects.toThrow('127.0.0.1:1');
    });
  });

  describe('Kafka log', () => {
    const prefix = newPrefix();
    afterAll(() => dropTopics(brokers, prefix));

    it("delivers what foreign writers left: no key, no value, compressed, with the log's own time", async () => {
      const log = await openTestLog(brokers, prefix, { topics: ['dead-letters'] });
      const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 8 } });
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      const topic = `${prefix}dead-letters`;
      await producer.send({ topic, messages: [{ key: null, value: 'no key', timestamp: '1000' }] });
      await producer.send({ topic, messages: [{ key: 'k', value: null }] });
      const zipped = Array.from({ length: 50 }, (_, n) => ({ key: 'z', value: `zipped ${n}` }));
      await producer.send({ topic, messages: zipped, compression: CompressionTypes.GZIP });
      await producer.disconnect();
      await log.append([{ topic: 'dead-letters', key: 'ours', value: 'ours' }]);
      const seen: LogRecord[] = [];
      const consumption = await log.consume({
        group: 'foreign',
        topics: ['dead-letters'],
        mode: 'everyone',
        position: () => null,
        handle: ({ records }) => void seen.push(...records),
      });
      await consumption.caughtUp();
      expect(consumption.stalled()).toBeNull();
      await consumption.stop();
      const texts = seen.map(({ key, value }) => [key, Buffer.from(value).toString()]);
      expect(texts.slice(0, 2)).toEqual([
        ['', 'no key'],
        ['k', ''],
      ]);
      expect(texts.at(-1)).toEqual(['ours', 'ours']);
      expect(texts.filter(([key]) => key === 'z')).toHaveLength(50);
      for (const { appendedAtMs } of seen) expect(Math.abs(appendedAtMs - Date.now())).toBeLessThan(60_000);
      await log.close();
    });

    it('stalls, and reports it, when the next record is no longer retained', async () => {
      const late = `${prefix}late.`;
      const log = await openTestLog(brokers, late, { topics: ['dead-letters'] });
      const append = (value: string) => log.append([{ topic: 'dead-letters', key: 'k', value }]);
      await append('1');
      let fails = true;
      const seen: string[] = [];
      const consumption = await log.consume({
        group: 'late',
        topics: ['dead-letters'],
        mode: 'everyone',
        maxBatch: 1,
        position: () => null,
        handle: ({ records }) => {
          if (fails && records[0]?.offset === 0) throw new Error('store unavailable');
          seen.push(...records.map(({ value }) => Buffer.from(value).toString()));
        },
      });
      for (let n = 2; n <= 30; n++) await append(String(n));
      await delay(200);
      await deleteRecords(brokers, `${late}dead-letters`);
      await append('31');
      fails = false;
      const deadline = Date.now() + 10_000;
      while (!consumption.stalled()?.includes('messages were missed') && Date.now() < deadline) await delay(20);
      expect(consumption.stalled()).toContain('messages were missed');
      expect(seen).not.toContain('31');
      await consumption.stop();
      await log.close();
    });
  });
}
