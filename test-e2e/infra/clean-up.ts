import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { createConnection } from 'mongoose';

/** Data of one installation on the shared test servers. */
export interface Leftovers {
  readonly brokers: string;
  /** Prefix of its topics and consumer groups. */
  readonly topicPrefix: string;
  /** With the name of the database. */
  readonly mongoUri: string;
  readonly redisUrl: string;
  readonly keyPrefix: string;
}

/** Removes it, as far as the servers are available. */
export async function cleanUp({ brokers, topicPrefix, mongoUri, redisUrl, keyPrefix }: Leftovers): Promise<void> {
  await Promise.allSettled([
    removeTopics(brokers, topicPrefix),
    removeDatabase(mongoUri),
    removeKeys(redisUrl, keyPrefix),
  ]);
}

async function removeTopics(brokers: string, prefix: string): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING, retry: { retries: 2 } });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { groups } = await admin.listGroups();
    const groupIds = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
    if (groupIds.length > 0) await admin.deleteGroups(groupIds).catch(() => undefined);
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics, timeout: 10_000 });
  } finally {
    await admin.disconnect();
  }
}

/**
 * Skipped if the server was started for the tests alone, since its data are removed with it: it keeps the transactions of a
 * killed instance for a minute, and a drop would wait for them and block every other database meanwhile.
 */
async function removeDatabase(uri: string): Promise<void> {
  if (process.env['COUNTERSIGN_TEST_SERVERS'] === 'started') return;
  const connection = await createConnection(uri, { serverSelectionTimeoutMS: 2000 }).asPromise();
  try {
    await connection.dropDatabase();
  } finally {
    await connection.close();
  }
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1000);
      if (keys.length > 0) await redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
