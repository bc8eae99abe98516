import type { mongo } from 'mongoose';
import type { TopicName } from '@countersign/contracts';
import { requireKept } from '@countersign/event-log';
import type { PositionDocument } from './mongo-collections.js';
import type { Position } from './port.js';

/** How far each partition is stored; never moves back. */
export class MongoPositions {
  readonly #collection: mongo.Collection<PositionDocument>;

  constructor(collection: mongo.Collection<PositionDocument>) {
    this.#collection = collection;
  }

  async next(topic: TopicName, partition: number): Promise<number | null> {
    const found = await this.#collection.findOne({ _id: idOf(topic, partition) });
    return found?.next ?? null;
  }

  async all(topic: TopicName): Promise<Readonly<Record<number, number>>> {
    const found = await this.#collection.find({ topic }).toArray();
    return Object.fromEntries(found.map(({ partition, next }) => [partition, next]));
  }

  /** @throws StoreFellBack */
  async save({ topic, partition, next, from = 0 }: Position): Promise<void> {
    const _id = idOf(topic, partition);
    if (from === 0) {
      await this.#collection.updateOne(
        { _id },
        { $max: { next }, $setOnInsert: { topic, partition } },
        { upsert: true },
      );
      return;
    }
    const { matchedCount } = await this.#collection.updateOne({ _id, next: { $gte: from } }, { $max: { next } });
    if (matchedCount === 0) requireKept(await this.next(topic, partition), { from });
  }
}

function idOf(topic: TopicName, partition: number): string {
  return `${topic}/${partition}`;
}
