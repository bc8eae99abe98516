import type { Logger } from 'pino';
import type { Config } from '@countersign/process';
import type { Waiting } from '../service/waiting.js';
import { backendsOf } from './backends.js';
import type { Backends } from './backends.js';
import { kafkaCredentials } from './kafka-credentials.js';

const needed = <T>(value: T | null, variable: string): T => {
  if (value === null) throw new Error(`${variable} is missing`);
  return value;
};

/**
 * Opens log and counters on Kafka and Redis; waits for servers that cannot be reached yet. Drivers are loaded here and
 * nowhere else. Each attempt reads the credentials again, so that a corrected file takes effect without a restart.
 * @throws LogDamaged for topics with wrong settings; ConfigurationError for files that cannot be used
 */
export async function openDistributed(config: Config, log: Logger, waiting: Waiting): Promise<Backends> {
  const [{ openKafkaLog }, { CLAIM_BOUNDS, openRedisCounters }] = await Promise.all([
    import('@countersign/event-log'),
    import('@countersign/counters'),
  ]);
  const opening = [
    waiting.until(`Kafka at ${config.kafkaBrokers.join(', ')}`, async () =>
      openKafkaLog({
        brokers: config.kafkaBrokers,
        ...(await kafkaCredentials(config)),
        clientId: 'countersign',
        topicPrefix: config.kafkaTopicPrefix,
        allowSingleBroker: config.allowSingleBroker,
        sendTimeoutMs: config.checkDeadlineMs,
        log,
      }),
    ),
    waiting.until('Redis', () =>
      openRedisCounters({
        url: needed(config.redisUrl, 'REDIS_URL'),
        prefix: config.redisPrefix,
        deadlineMs: config.checkDeadlineMs,
        claimBounds: { ...CLAIM_BOUNDS, account: config.idempotencyKeysPerAccount },
        log,
      }),
    ),
  ] as const;
  const [eventLog, counters] = await bothOrNeither(opening);
  return backendsOf(eventLog, counters, async () => config.solanaRpcUrls);
}

interface Closable {
  close(): Promise<void>;
}

/** If one fails to open, the other is closed. */
async function bothOrNeither<A extends Closable, B extends Closable>(
  opening: readonly [Promise<A>, Promise<B>],
): Promise<readonly [A, B]> {
  const results = await Promise.allSettled(opening);
  const [first, second] = results;
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value];
  for (const result of results) if (result.status === 'fulfilled') await result.value.close();
  throw first.status === 'rejected' ? first.reason : (second as PromiseRejectedResult).reason;
}
