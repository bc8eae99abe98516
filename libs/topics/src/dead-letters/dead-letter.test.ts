import { createHash } from 'node:crypto';
import { Registry } from 'prom-client';
import type { DeadLetter } from '@countersign/contracts';
import type { LogRecord, NewRecord } from '@countersign/event-log';
import { countDeadLetters, deadLetter } from './dead-letter.js';

it('names the message, and keeps none of its content', async () => {
  const appended: NewRecord[] = [];
  const context = {
    eventLog: { append: async (records: readonly NewRecord[]) => void appended.push(...records) },
    metrics: new Registry(),
    log: { error: () => undefined },
    clock: () => Date.parse('2026-03-01T00:00:00.000Z'),
  };
  const value = Buffer.from('{"v":9,"openings":{"action":{"value":"a secret"}}}');
  const record: LogRecord = { topic: 'agent-events', partition: 3, offset: 17, key: 'a', value, appendedAtMs: 0 };
  await deadLetter(context as unknown as Parameters<typeof deadLetter>[0], 'alerts', record, 'v must be 1');
  const [{ topic, key, value: text }] = appended as [NewRecord];
  expect([topic, key]).toEqual(['dead-letters', 'agent-events/3/17']);
  expect(JSON.parse(text) as DeadLetter).toEqual({
    v: 1,
    topic: 'agent-events',
    partition: 3,
    offset: 17,
    consumer: 'alerts',
    problem: 'v must be 1',
    sha256: createHash('sha256').update(value).digest('hex'),
    bytes: value.length,
    parkedAt: '2026-03-01T00:00:00.000Z',
  });
  expect(await context.metrics.metrics()).toContain('countersign_dead_letters_total{topic="agent-events"');
});

it('counts from 0, so that the first dead letter is an increase', async () => {
  const metrics = new Registry();
  countDeadLetters({ name: 'alerts', metrics });
  expect(await metrics.metrics()).toContain('countersign_dead_letters_total{topic="agent-events",consumer="alerts"} 0');
});
