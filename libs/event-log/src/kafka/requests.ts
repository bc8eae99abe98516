import type { RecordToWrite } from './record-batch.js';
import { batchBytes, writeBatch } from './record-batch.js';

/** A request that is encoded here: a fixed version that every Kafka from 2.3 to 4.x speaks. */
export interface OwnRequest<T> {
  readonly name: 'Produce' | 'Fetch';
  readonly version: number;
  encode(): Buffer;
  decode(payload: Buffer): T;
}

export interface PartitionBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly RecordToWrite[];
}

export interface ProduceAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly baseOffset: number;
}

/**
 * Produce, version 7, acks=all, one batch for each partition. `timeoutMs`: time that the broker waits for the replicas.
 */
export function produceRequest(batches: readonly PartitionBatch[], timeoutMs: number): OwnRequest<ProduceAnswer[]> {
  return {
    name: 'Produce',
    version: 7,
    encode() {
      const topics = byTopic(batches);
      const sizes = new Map(batches.map((batch) => [batch, batchBytes(batch.records)]));
      let bytes = 12;
      for (const [topic, group] of topics) {
        bytes += 6 + Buffer.byteLength(topic);
        for (const batch of group) bytes += 8 + sizes.get(batch)!;
      }
      const target = Buffer.allocUnsafe(bytes);
      const nowMs = Date.now();
      target.writeInt16BE(-1, 0);
      target.writeInt16BE(-1, 2);
      target.writeInt32BE(timeoutMs, 4);
      let at = target.writeInt32BE(topics.size, 8);
      for (const [topic, group] of topics) {
        at = writeText(target, at, topic);
        at = target.writeInt32BE(group.length, at);
        for (const batch of group) {
          at = target.writeInt32BE(batch.partition, at);
          at = target.writeInt32BE(sizes.get(batch)!, at);
          at = writeBatch(target, at, batch.records, nowMs);
        }
      }
      return target;
    },
    decode(payload) {
      const answers: ProduceAnswer[] = [];
      const reader = new Reader(payload);
      for (let topics = reader.int32(); topics > 0; topics--) {
        const topic = reader.text();
        for (let partitions = reader.int32(); partitions > 0; partitions--) {
          answers.push({ topic, partition: reader.int32(), errorCode: reader.int16(), baseOffset: reader.int64() });
          reader.skip(16);
        }
      }
      return answers;
    },
  };
}

export interface FetchFrom {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface FetchLimits {
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly partitionBytes: number;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly records: Buffer;
}

/** Fetch, version 11, without a session, replicated records only. */
export function fetchRequest(positions: readonly FetchFrom[], limits: FetchLimits): OwnRequest<FetchedPartition[]> {
  return {
    name: 'Fetch',
    version: 11,
    encode() {
      const topics = byTopic(positions);
      let bytes = 4 * 3 + 4 + 1 + 8 + 4 + 4 + 2;
      for (const [topic, group] of topics) bytes += 6 + Buffer.byteLength(topic) + 28 * group.length;
      const target = Buffer.allocUnsafe(bytes);
      let at = target.writeInt32BE(-1, 0);
      at = target.writeInt32BE(limits.maxWaitMs, at);
      at = target.writeInt32BE(limits.maxWaitMs === 0 ? 0 : 1, at);
      at = target.writeInt32BE(limits.maxBytes, at);
      at = target.writeInt8(0, at);
      at = target.writeInt32BE(0, at);
      at = target.writeInt32BE(-1, at);
      at = target.writeInt32BE(topics.size, at);
      for (const [topic, group] of topics) {
        at = writeText(target, at, topic);
        at = target.writeInt32BE(group.length, at);
        for (const { partition, offset } of group) {
          at = target.writeInt32BE(partition, at);
          at = target.writeInt32BE(-1, at);
          at = target.writeBigInt64BE(BigInt(offset), at);
          at = target.writeBigInt64BE(-1n, at);
          at = target.writeInt32BE(limits.partitionBytes, at);
        }
      }
      at = target.writeInt32BE(0, at);
      writeText(target, at, '');
      return target;
    },
    decode(payload) {
      const reader = new Reader(payload);
      reader.skip(4);
      const failed = reader.int16();
      if (failed !== 0) throw new Error(`the broker refused the fetch with error ${failed}`);
      reader.skip(4);
      const found: FetchedPartition[] = [];
      for (let topics = reader.int32(); topics > 0; topics--) {
        const topic = reader.text();
        for (let partitions = reader.int32(); partitions > 0; partitions--) {
          const partition = reader.int32();
          const errorCode = reader.int16();
          const highWatermark = reader.int64();
          reader.skip(16);
          reader.skip(16 * Math.max(0, reader.int32()));
          reader.skip(4);
          found.push({ topic, partition, errorCode, highWatermark, records: reader.bytes() });
        }
      }
      return found;
    },
  };
}

function byTopic<T extends { readonly topic: string }>(items: readonly T[]): Map<string, T[]> {
  const topics = new Map<string, T[]>();
  for (const item of items) {
    const group = topics.get(item.topic);
    if (group === undefined) topics.set(item.topic, [item]);
    else group.push(item);
  }
  return topics;
}

function writeText(target: Buffer, at: number, text: string): number {
  target.writeInt16BE(Buffer.byteLength(text), at);
  return at + 2 + target.write(text, at + 2);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  int16(): number {
    return this.#bytes.readInt16BE((this.#at += 2) - 2);
  }

  int32(): number {
    return this.#bytes.readInt32BE((this.#at += 4) - 4);
  }

  int64(): number {
    return Number(this.#bytes.readBigInt64BE((this.#at += 8) - 8));
  }

  text(): string {
    const length = this.int16();
    return this.#bytes.toString('utf8', this.#at, (this.#at += length));
  }

  bytes(): Buffer {
    const length = Math.max(0, this.int32());
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}
