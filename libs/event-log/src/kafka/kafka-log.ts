import { setTimeout as delay } from 'node:timers/promises';
import { TOPIC_NAMES, TOPICS } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { Appended, Consumption, ConsumeOptions, EventLog, LogRecord, NewRecord, Offsets } from '../port.js';
import { brokerAccess } from './access.js';
import type { BrokerAccess } from './access.js';
import { ClusterView } from './cluster-view.js';
import { KafkaConsumption } from './consumption.js';
import type { Surroundings } from './consumption.js';
import { EdgeFinder } from './edges.js';
import { Links, NotAccepted } from './link.js';
import { edgeOffsets } from './offsets.js';
import type { KafkaLogOptions } from './options.js';
import { PartitionLocks } from './partition-locks.js';
import { readRecords } from './read-records.js';
import { ensureTopics, TooFewBrokers } from './topics.js';
import { KafkaWriter } from './writer.js';

const OPEN_MS = 30_000;
const AGAIN_AFTER_MS = 500;

/** Opens the log of the distributed profile; see `openKafkaLog` of the package's index. */
export async function openLog(options: KafkaLogOptions): Promise<EventLog> {
  const prefix = options.topicPrefix ?? '';
  const topics = options.topics ?? TOPIC_NAMES;
  const access = brokerAccess(options);
  const cluster = new ClusterView(
    options.brokers,
    access,
    topics.map((topic) => prefix + topic),
  );
  try {
    await untilReady(cluster, options, () =>
      ensureTopics(cluster, {
        prefix,
        topics,
        allowSingleBroker: options.allowSingleBroker,
        mustExist: options.mustExist ?? false,
      }),
    );
  } catch (error) {
    cluster.close();
    throw error;
  }
  cluster.watch();
  return new KafkaLog(cluster, access, { ...options, topicPrefix: prefix, topics });
}

/** Brokers may start at the same time as this process: unavailable ones are retried, wrong settings are not. */
async function untilReady(
  cluster: ClusterView,
  { openTimeoutMs = OPEN_MS, log }: KafkaLogOptions,
  attempt: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + openTimeoutMs;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const lasting =
        error instanceof NotAccepted || (error instanceof LogDamaged && !(error instanceof TooFewBrokers));
      if (lasting || Date.now() > deadline) throw error;
      if (tries % 10 === 0) log?.warn(`waiting for Kafka: ${(error as Error).message}`);
      await delay(AGAIN_AFTER_MS);
    }
  }
}

class KafkaLog implements EventLog {
  readonly #cluster: ClusterView;
  readonly #prefix: string;
  readonly #topics: readonly TopicName[];
  readonly #writer: KafkaWriter;
  readonly #readLinks: Links;
  readonly #around: Surroundings;
  readonly #consumptions = new Set<Consumption>();
  #closing: Promise<void> | null = null;

  constructor(
    cluster: ClusterView,
    access: BrokerAccess,
    options: KafkaLogOptions & { readonly topicPrefix: string; readonly topics: readonly TopicName[] },
  ) {
    const { topicPrefix: prefix, topics, sendTimeoutMs } = options;
    this.#cluster = cluster;
    this.#prefix = prefix;
    this.#topics = topics;
    this.#readLinks = new Links(access);
    const limit = options.maxPendingBytes === undefined ? {} : { maxPendingBytes: options.maxPendingBytes };
    this.#writer = new KafkaWriter(cluster, { prefix, topics, access, sendTimeoutMs, ...limit });
    this.#around = { cluster, access, prefix, edges: new EdgeFinder(cluster), locks: new PartitionLocks() };
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    return this.#writer.append(records);
  }

  refusing(): string | null {
    return this.#writer.refusing();
  }

  async partitions(topic: TopicName): Promise<number> {
    return TOPICS[topic].partitions;
  }

  beginOffsets(topic: TopicName): Promise<Offsets> {
    return edgeOffsets(this.#cluster, this.#name(topic), 'begin');
  }

  endOffsets(topic: TopicName): Promise<Offsets> {
    return edgeOffsets(this.#cluster, this.#name(topic), 'end');
  }

  async read(topic: TopicName, partition: number, fromOffset: number, limit: number): Promise<readonly LogRecord[]> {
    const source = { topic, name: this.#name(topic), partition };
    return readRecords(this.#cluster, this.#readLinks, source, fromOffset, limit);
  }

  async consume(options: ConsumeOptions): Promise<Consumption> {
    if (this.#closing !== null) throw new Error('the log is closed');
    for (const topic of options.topics) this.#name(topic);
    const consumption = await KafkaConsumption.start(options, this.#around);
    this.#consumptions.add(consumption);
    return {
      lag: () => consumption.lag(),
      stalled: () => consumption.stalled(),
      caughtUp: () => consumption.caughtUp(),
      stop: async () => {
        await consumption.stop();
        this.#consumptions.delete(consumption);
      },
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const written = this.#writer.close();
    await Promise.all([...this.#consumptions].map((consumption) => consumption.stop()));
    await written;
    this.#readLinks.close();
    this.#cluster.close();
  }

  #name(topic: TopicName): string {
    if (!this.#topics.includes(topic)) throw new Error(`this log was opened without the topic ${topic}`);
    return this.#prefix + topic;
  }
}
