import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DeadLetter } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { TopicContext } from '../context.js';

const METRIC = 'countersign_dead_letters_total';

function counterIn(registry: Registry): Counter<'topic' | 'consumer'> {
  const present = registry.getSingleMetric(METRIC);
  if (present !== undefined) return present as Counter<'topic' | 'consumer'>;
  return new Counter({
    name: METRIC,
    help: 'Messages that a consumer could not handle, published to dead-letters',
    labelNames: ['topic', 'consumer'],
    registers: [registry],
  });
}

/** Publishes the counter of a consumer at 0: an increase from no sample at all raises no alert. */
export function countDeadLetters({ name, metrics }: Pick<TopicContext, 'name' | 'metrics'>): void {
  counterIn(metrics).inc({ topic: 'agent-events', consumer: name }, 0);
}

/**
 * Dead-letters a message that no later attempt could handle, durably, and counts it. Only for messages that the leaf
 * predicate rejects: an error of a store or a network must reject the batch instead. The dead letter names the message and
 * does not contain it: a copy would keep content longer than its origin does, out of reach of an erasure.
 */
export async function deadLetter(
  context: Pick<TopicContext, 'eventLog' | 'metrics' | 'log' | 'clock'>,
  consumer: string,
  record: LogRecord,
  problem: string,
): Promise<void> {
  const { topic, partition, offset } = record;
  const letter: DeadLetter = {
    v: 1,
    topic,
    partition,
    offset,
    consumer,
    problem,
    sha256: toHex(nodeCrypto.sha256(record.value)),
    bytes: record.value.length,
    parkedAt: new Date(context.clock()).toISOString(),
  };
  const key = `${topic}/${partition}/${offset}`;
  await context.eventLog.append([{ topic: 'dead-letters', key, value: JSON.stringify(letter) }]);
  counterIn(context.metrics).inc({ topic, consumer });
  context.log.error({ topic, partition, offset, consumer, problem }, 'message dead-lettered');
}
