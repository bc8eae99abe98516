import { Kafka, logLevel, type Admin } from 'kafkajs';

export interface PartitionState {
  readonly partition: number;
  /** Broker ids; -1: no leader. */
  readonly leader: number;
  /** The preferred leader. */
  readonly preferred: number;
  readonly inSync: readonly number[];
}

export interface TopicToMake {
  readonly topic: string;
  readonly partitions: number;
  readonly copies: number;
  readonly settings: Readonly<Record<string, string>>;
}

const OFFSETS_TOPIC = '__consumer_offsets';

async function asAdmin<T>(brokers: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING, retry: { retries: 5 } });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** The partitions of all topics with this name prefix, as reported by `brokers` (comma-separated). */
export function partitionStates(brokers: string, prefix: string): Promise<readonly PartitionState[]> {
  return asAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: await topicsOf(admin, prefix) });
    return topics.flatMap(({ partitions }) =>
      partitions.map(({ partitionId, leader, replicas, isr }) => ({
        partition: partitionId,
        leader,
        preferred: replicas[0] ?? -1,
        inSync: isr,
      })),
    );
  });
}

async function topicsOf(admin: Admin, prefix: string): Promise<string[]> {
  return (await admin.listTopics()).filter((name) => name.startsWith(prefix));
}

/** The id of the coordinator of the consumer group: the leader of the offsets partition of its name. */
export async function coordinatorOf(brokers: string, groupId: string): Promise<number> {
  const partitions = await partitionStates(brokers, OFFSETS_TOPIC);
  // Java's String.hashCode.
  let hash = 0;
  for (let n = 0; n < groupId.length; n += 1) hash = (Math.imul(31, hash) + groupId.charCodeAt(n)) | 0;
  const own = (hash & 0x7fff_ffff) % partitions.length;
  return partitions.find(({ partition }) => partition === own)?.leader ?? -1;
}

/** Creates topics like an external tool. */
export async function makeTopics(brokers: string, topics: readonly TopicToMake[]): Promise<void> {
  await asAdmin(brokers, (admin) =>
    admin.createTopics({
      waitForLeaders: true,
      topics: topics.map(({ topic, partitions, copies, settings }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: copies,
        configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
      })),
    }),
  );
}
