import type { mongo } from 'mongoose';
import { uuid, uuidText, type HeadDocument } from './mongo-collections.js';
import type { UnpublishedHead } from './port.js';

/** Publication of heads. */
export class MongoHeads {
  readonly #collection: mongo.Collection<HeadDocument>;

  constructor(collection: mongo.Collection<HeadDocument>) {
    this.#collection = collection;
  }

  async unpublished(limit: number, agentIds?: readonly string[]): Promise<readonly UnpublishedHead[]> {
    const among = agentIds === undefined ? {} : { _id: { $in: agentIds.map(uuid) } };
    const found = await this.#collection
      .find({ ...among, untold: true })
      .limit(limit)
      .toArray();
    return found.map(({ _id, sequence: lastSequence, checks, toldSequence }) => ({
      agentId: uuidText(_id),
      lastSequence,
      checks,
      publishedSequence: toldSequence,
    }));
  }

  /** A head that has moved on stays unpublished; one that another instance published meanwhile is marked as unpublished again. */
  async markPublished(heads: readonly UnpublishedHead[]): Promise<void> {
    if (heads.length === 0) return;
    const { matchedCount } = await this.#collection.bulkWrite(
      heads.map(({ agentId, lastSequence, publishedSequence: toldSequence }) => ({
        updateOne: {
          filter: { _id: uuid(agentId), toldSequence, sequence: lastSequence },
          update: { $set: { toldSequence: lastSequence }, $unset: { untold: '' } },
        },
      })),
      { ordered: false },
    );
    if (matchedCount === heads.length) return;
    const read = new Map(heads.map((head) => [head.agentId, head]));
    const now = await this.#collection.find({ _id: { $in: [...read.keys()].map(uuid) } }).toArray();
    const publishedByOthers = now.filter(({ _id, toldSequence, ...head }) => {
      const { lastSequence, publishedSequence: before } = read.get(uuidText(_id))!;
      return head.untold !== true && toldSequence !== before && toldSequence !== lastSequence;
    });
    if (publishedByOthers.length === 0) return;
    await this.#collection.updateMany(
      { _id: { $in: publishedByOthers.map(({ _id }) => _id) } },
      { $set: { untold: true } },
    );
  }
}
