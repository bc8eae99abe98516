import { Kafka, logLevel, type IHeaders } from 'kafkajs';

/** A record as any client with access to Kafka may write it. */
export interface ForeignRecord {
  readonly key: string | null;
  readonly value: string | Buffer | null;
  readonly partition: number;
}

export interface StoredRecord {
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  /** Empty if there is none. */
  readonly value: string;
  readonly headers: IHeaders | undefined;
}

const client = (brokers: string): Kafka =>
  new Kafka({ brokers: brokers.split(','), clientId: 'foreign', logLevel: logLevel.NOTHING, retry: { retries: 3 } });

/** Appends records to a topic, one by one; returns the offset of each. */
export async function writeForeign(
  brokers: string,
  topic: string,
  records: readonly ForeignRecord[],
): Promise<readonly number[]> {
  const producer = client(brokers).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    const offsets: number[] = [];
    for (const record of records) {
      const [metadata] = await producer.send({ topic, acks: -1, messages: [record] });
      offsets.push(Number(metadata?.baseOffset));
    }
    return offsets;
  } finally {
    await producer.disconnect();
  }
}

/** All records of a topic up to its present end, by partition in offset order. */
export async function readTopic(brokers: string, topic: string): Promise<readonly StoredRecord[]> {
  const kafka = client(brokers);
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic).finally(() => admin.disconnect());
  const open = new Map(
    ends.flatMap(({ partition, low, high }) => (Number(high) > Number(low) ? [[partition, Number(high) - 1]] : [])),
  );
  const groupId = `${topic}.read-${process.pid}-${Date.now()}`;
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false });
  const stored: StoredRecord[] = [];
  if (open.size === 0) return stored;
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            for (const { offset, key, value, headers } of batch.messages) {
              const text = value?.toString('utf8') ?? '';
              const name = key?.toString('utf8') ?? '';
              stored.push({ partition: batch.partition, offset: Number(offset), key: name, value: text, headers });
            }
            const last = open.get(batch.partition);
            if (last !== undefined && Number(batch.lastOffset()) >= last) open.delete(batch.partition);
            if (open.size === 0) resolve();
          },
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return stored.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
}
