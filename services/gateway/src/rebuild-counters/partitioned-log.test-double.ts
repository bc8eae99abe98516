import { createHash } from 'node:crypto';
import type { TopicName } from '@countersign/contracts';
import type { EventReader, LogRecord, NewRecord, Offsets } from '@countersign/event-log';

/** The read side of a log of several partitions, in memory. */
export class PartitionedLog implements EventReader {
  readonly #topics = new Map<TopicName, LogRecord[][]>();
  /** Called before each read. */
  reading: (topic: TopicName, partition: number) => void = () => undefined;

  constructor(readonly count: number) {}

  partitionOf(key: string): number {
    return createHash('sha256').update(key).digest().readUInt32BE(0) % this.count;
  }

  put({ topic, key, value }: NewRecord): LogRecord {
    const partition = this.partitionOf(key);
    const records = this.#of(topic)[partition]!;
    const record = {
      topic,
      partition,
      offset: records.length,
      key,
      value: Buffer.from(value),
      appendedAtMs: Date.now(),
    };
    records.push(record);
    return record;
  }

  async partitions(): Promise<number> {
    return this.count;
  }

  async beginOffsets(): Promise<Offsets> {
    return Object.fromEntries(Array.from({ length: this.count }, (_, partition) => [partition, 0]));
  }

  async endOffsets(topic: TopicName): Promise<Offsets> {
    return Object.fromEntries(this.#of(topic).map((records, partition) => [partition, records.length]));
  }

  async read(topic: TopicName, partition: number, from: number, limit: number): Promise<readonly LogRecord[]> {
    this.reading(topic, partition);
    return this.#of(topic)[partition]!.slice(from, from + limit);
  }

  consume(): never {
    throw new Error('nothing follows this log');
  }

  #of(topic: TopicName): LogRecord[][] {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const made = Array.from({ length: this.count }, () => []);
    this.#topics.set(topic, made);
    return made;
  }
}
