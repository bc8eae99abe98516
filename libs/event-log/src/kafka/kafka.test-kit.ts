import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { TopicName } from '@countersign/contracts';
import type { EventLog } from '../port.js';
import { openKafkaLog } from './open-kafka-log.js';
import type { KafkaLogOptions } from './options.js';

/** A prefix for one test. */
export const newPrefix = (): string => `test-${randomBytes(6).toString('hex')}.`;

export function admin(brokers: readonly string[]) {
  return new Kafka({
    brokers: [...brokers],
    clientId: 'test-admin',
    logLevel: logLevel.NOTHING,
    retry: { retries: 8 },
  }).admin();
}

export async function withAdmin<T>(
  brokers: readonly string[],
  work: (one: ReturnType<typeof admin>) => Promise<T>,
): Promise<T> {
  const one = admin(brokers);
  await one.connect();
  try {
    return await work(one);
  } finally {
    await one.disconnect();
  }
}

export async function dropTopics(brokers: readonly string[], prefix: string): Promise<void> {
  await withAdmin(brokers, async (one) => {
    const topics = (await one.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await one.deleteTopics({ topics });
    const { groups } = await one.listGroups();
    const mine = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(prefix));
    if (mine.length > 0) await one.deleteGroups(mine).catch(() => undefined);
  });
}

/** Deletes all records of a topic; for a broker that has just created the topic it may take two requests. */
export async function deleteRecords(brokers: readonly string[], topic: string): Promise<void> {
  await withAdmin(brokers, async (one) => {
    for (let tries = 0; ; tries++) {
      try {
        const ends = await one.fetchTopicOffsets(topic);
        const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
        return await one.deleteTopicRecords({ topic, partitions });
      } catch (error) {
        if (tries === 20) throw error;
        await delay(100);
      }
    }
  });
}

/** Opens a log on its own topics. */
export function openTestLog(
  brokers: readonly string[],
  prefix: string,
  options: Partial<KafkaLogOptions> & { readonly topics: readonly TopicName[] },
): Promise<EventLog> {
  return openKafkaLog({
    brokers,
    clientId: 'event-log-test',
    topicPrefix: prefix,
    allowSingleBroker: true,
    sendTimeoutMs: 20_000,
    ...options,
  });
}
