import type { mongo } from 'mongoose';
import type { ErasedContent } from '@countersign/contracts';
import { isDuplicateKey } from '@countersign/document-store';
import { uuid, uuidText, type Collections, type EventDocument } from './mongo-collections.js';
import type { ErasureAt } from './mongo-range-delta.js';
import type { AgentOfAccount, KeptContent, OrderState } from './port.js';

const OF_CHECKS = /^action:/;
/** In a canonical leaf: it commits content, whether that is kept or not. */
const COMMITS = /"(action|payload|context)":"/;

type Place = Pick<EventDocument, '_id' | 'agentId' | 'sequence'>;
type Aged = Pick<EventDocument, '_id' | 'sequence' | 'at'>;

/**
 * Content that is taken away, and the marks that are kept of it. Repeated by a redelivered batch, each write takes nothing
 * that a later leaf brought: it names leaves by their place in the log.
 */
export class MongoErasures {
  readonly #collections: Collections;

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  async erase(erasures: readonly ErasureAt[], partition: number): Promise<void> {
    if (erasures.length === 0) return;
    await this.#collections.events.bulkWrite(
      erasures.map(({ refersTo, agentId, offset }) => ({
        updateOne: {
          filter: { _id: refersTo, agentId, partition, offset: { $lt: offset } },
          update: { $set: { erased: true, order: 'untold' }, $unset: { openings: '', trace: '' } },
        },
      })),
      { ordered: false },
    );
  }

  async retain(retentions: readonly ErasureAt[], partition: number): Promise<void> {
    const { events, retained } = this.#collections;
    for (const { refersTo, agentId, offset } of retentions) {
      const through = await events.findOne(
        { _id: refersTo, agentId, partition, offset: { $lt: offset } },
        { projection: { sequence: 1 }, readConcern: { level: 'local' } },
      );
      if (through === null) continue;
      await events.updateMany(
        {
          agentId,
          sequence: { $gt: await this.#retained(agentId), $lte: through.sequence },
          class: OF_CHECKS,
          leaf: COMMITS,
        },
        { $set: { erased: true }, $unset: { openings: '', trace: '' } },
      );
      await retained.updateOne({ _id: agentId }, { $max: { sequence: through.sequence } }, { upsert: true });
    }
  }

  async orderState(eventId: string): Promise<OrderState> {
    const found = await this.#collections.events.findOne({ _id: uuid(eventId) }, { projection: { order: 1 } });
    if (found?.order === undefined) return 'none';
    return found.order === 'told' ? 'acknowledged' : 'pending';
  }

  async pending(limit: number): Promise<readonly ErasedContent[]> {
    const found = await this.#collections.events
      .find({ order: 'untold' })
      .project<Place>({ agentId: 1, sequence: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id, agentId, sequence }) => ({
      eventId: uuidText(_id),
      agentId: uuidText(agentId),
      sequence,
    }));
  }

  async acknowledge(eventIds: readonly string[]): Promise<void> {
    const filter = { _id: { $in: eventIds.map(uuid) }, order: 'untold' as const };
    await this.#collections.events.updateMany(filter, { $set: { order: 'told' } });
  }

  async among(agentId: string, first: number, last: number): Promise<readonly number[]> {
    const found = await this.#collections.events
      .find({ order: { $in: ['untold', 'told'] }, agentId: uuid(agentId), sequence: { $gte: first, $lte: last } })
      .project<Place>({ sequence: 1 })
      .toArray();
    return found.map(({ sequence }) => sequence).sort((a, b) => a - b);
  }

  async agentsAfter(afterId: string, limit: number): Promise<readonly AgentOfAccount[]> {
    const found = await this.#collections.heads
      .find(afterId === '' ? {} : { _id: { $gt: uuid(afterId) } })
      .project<{ _id: mongo.UUID; accountId: string }>({ accountId: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id, accountId }) => ({ agentId: uuidText(_id), accountId }));
  }

  async kept(agentId: string, limit: number): Promise<readonly KeptContent[]> {
    const agent = uuid(agentId);
    const found = await this.#collections.events
      .find({
        agentId: agent,
        sequence: { $gt: await this.#retained(agent) },
        class: OF_CHECKS,
        openings: { $exists: true },
      })
      .project<Aged>({ sequence: 1, at: 1 })
      .sort({ sequence: 1 })
      .limit(limit)
      .toArray();
    const anchoredAt = await this.#anchored(agent, found);
    return found.map(({ _id, sequence, at }, n) => ({
      eventId: uuidText(_id),
      sequence,
      occurredAtMs: at,
      anchoredAtMs: anchoredAt[n]!,
    }));
  }

  async state(): Promise<{ readonly turn: number; readonly body: string } | null> {
    const found = await this.#collections.retention.findOne({ _id: 'state' });
    return found === null ? null : { turn: found.turn, body: found.body };
  }

  async saveState(turn: number, body: string): Promise<boolean> {
    const { retention } = this.#collections;
    if (turn > 1) {
      const { modifiedCount } = await retention.updateOne({ _id: 'state', turn: turn - 1 }, { $set: { turn, body } });
      return modifiedCount > 0;
    }
    try {
      await retention.insertOne({ _id: 'state', turn, body });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async #retained(agentId: mongo.UUID): Promise<number> {
    return (await this.#collections.retained.findOne({ _id: agentId }))?.sequence ?? 0;
  }

  /** For each leaf, in sequence order, when its window was anchored. */
  async #anchored(agentId: mongo.UUID, leaves: readonly Aged[]): Promise<readonly (number | null)[]> {
    const first = leaves[0]?.sequence;
    if (first === undefined) return [];
    const { agentWindows, windows } = this.#collections;
    const places = await agentWindows
      .find({ agentId, last: { $gte: first } })
      .sort({ last: 1 })
      .limit(leaves.at(-1)!.sequence - first + 1)
      .toArray();
    const found = await windows
      .find({ _id: { $in: [...new Set(places.map(({ windowId }) => windowId))] } })
      .project<{ _id: string; anchoredAt: string }>({ anchoredAt: 1 })
      .toArray();
    const times = new Map(found.map(({ _id, anchoredAt }) => [_id, Date.parse(anchoredAt)]));
    return leaves.map(({ sequence }) => {
      const place = places.find((one) => one.first <= sequence && sequence <= one.last);
      return place === undefined ? null : (times.get(place.windowId) ?? null);
    });
  }
}
