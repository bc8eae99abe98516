import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import type { TopicName } from '@countersign/contracts';
import type {
  Appended,
  Consumption,
  ConsumeOptions,
  EventLog,
  LogBatch,
  LogRecord,
  NewRecord,
  Offsets,
} from '@countersign/event-log';

/**
 * A log of several partitions in memory. It delivers as a broker's client does at its worst: all partitions that have
 * something in one fetch, one batch after the other, and no other fetch before the last of them was handled.
 */
export class PartitionedLog implements EventLog {
  readonly #partitions: number;
  readonly #topics = new Map<TopicName, LogRecord[][]>();
  /** How long a look at the ends takes, ms. */
  latencyMs = 2;
  /** First kept offset of every partition of an empty log. */
  readonly #begin: number;

  constructor(partitions: number, begin = 0) {
    this.#partitions = partitions;
    this.#begin = begin;
  }

  partitionOf(key: string): number {
    return createHash('sha256').update(key).digest().readUInt32BE(0) % this.#partitions;
  }

  async append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    return records.map(({ topic, key, value }) => {
      const partition = this.partitionOf(key);
      const into = this.#of(topic)[partition]!;
      const offset = this.#begin + into.length;
      into.push({ topic, partition, offset, key, value: Buffer.from(value), appendedAtMs: Date.now() });
      return { partition, offset };
    });
  }

  refusing(): string | null {
    return null;
  }

  async partitions(): Promise<number> {
    return this.#partitions;
  }

  async beginOffsets(): Promise<Offsets> {
    return Object.fromEntries(Array.from({ length: this.#partitions }, (_, n) => [n, this.#begin]));
  }

  async endOffsets(topic: TopicName): Promise<Offsets> {
    await sleep(this.latencyMs);
    return Object.fromEntries(this.#of(topic).map((records, n) => [n, this.#begin + records.length]));
  }

  async read(topic: TopicName, partition: number, from: number, limit: number): Promise<readonly LogRecord[]> {
    const start = Math.max(0, from - this.#begin);
    return this.#of(topic)[partition]!.slice(start, start + limit);
  }

  async consume(options: ConsumeOptions): Promise<Consumption> {
    const { topics, maxBatch = 1_000 } = options;
    const next = new Map<string, number>();
    let stopped = false;
    const fetch = async (): Promise<LogBatch[]> => {
      const batches: LogBatch[] = [];
      for (const topic of topics) {
        for (let partition = 0; partition < this.#partitions; partition += 1) {
          const at = `${topic}/${partition}`;
          const from = next.get(at) ?? (await options.position(topic, partition)) ?? this.#begin;
          const records = await this.read(topic, partition, from, maxBatch);
          next.set(at, from);
          const endOffset = this.#begin + this.#of(topic)[partition]!.length;
          if (records.length > 0) batches.push({ topic, partition, records, endOffset });
        }
      }
      return batches;
    };
    const follow = async (): Promise<void> => {
      while (!stopped) {
        const batches = await fetch();
        if (batches.length === 0) await sleep(5);
        for (const batch of batches) {
          if (stopped) return;
          await options.handle(batch);
          next.set(`${batch.topic}/${batch.partition}`, batch.records.at(-1)!.offset + 1);
        }
      }
    };
    const following = follow();
    return {
      stop: async () => {
        stopped = true;
        await following;
      },
      lag: () => ({}),
      stalled: () => null,
      caughtUp: async () => undefined,
    };
  }

  async close(): Promise<void> {
    this.#topics.clear();
  }

  #of(topic: TopicName): LogRecord[][] {
    const known = this.#topics.get(topic) ?? Array.from({ length: this.#partitions }, () => []);
    this.#topics.set(topic, known);
    return known;
  }
}
