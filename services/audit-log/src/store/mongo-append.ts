import type { mongo } from 'mongoose';
import { isDuplicateKey } from '@countersign/document-store';
import { requireKept } from '@countersign/event-log';
import { uuidText, type Collections, type EventDocument } from './mongo-collections.js';
import type { MongoClasses } from './mongo-classes.js';
import type { MongoErasures } from './mongo-erasures.js';
import { readLeaves, type ReadLeaf } from './mongo-leaf.js';
import type { MongoPositions } from './mongo-positions.js';
import { assertSamePlace, RangeDelta, type StoredPlace } from './mongo-range-delta.js';
import { applyToTallies, readTallies } from './mongo-tallies.js';
import { StoreConflict, type AgentHead, type LoggedEvent, type OffsetRange } from './port.js';

/** Two instances that write the same leaves can collide once per leaf at most. */
const MOST_MEETINGS = 50;

/**
 * Stores an offset range of a partition in four round trips: reads the stored state, writes the leaves, the tallies, the
 * position. After a crash, or while another instance stores the same range, each step finds what is done already: leaves
 * by id and offset, tallies by the offset up to which they count. So the position, written last, is right.
 */
export class MongoAppend {
  readonly #collections: Collections;
  readonly #positions: MongoPositions;
  readonly #classes: MongoClasses;
  readonly #erasures: MongoErasures;

  constructor(collections: Collections, positions: MongoPositions, classes: MongoClasses, erasures: MongoErasures) {
    this.#collections = collections;
    this.#positions = positions;
    this.#classes = classes;
    this.#erasures = erasures;
  }

  async append(events: readonly LoggedEvent[], range: OffsetRange): Promise<readonly AgentHead[]> {
    const { topic, partition, next } = range;
    const leaves = readLeaves(events, partition);
    const [saved, count] = await Promise.all([
      this.#positions.next(topic, partition).then((position) => position ?? 0),
      this.#known(leaves, partition),
    ]);
    // Once more after the tallies: a server may lose its last writes between two reads.
    requireKept(await this.#positions.next(topic, partition), range);
    for (const leaf of leaves) if (leaf.offset >= saved) count.take(leaf);
    await this.#classes.know(leaves);
    await this.#insert(count.unstored, partition);
    await this.#erasures.erase(count.erasures, partition);
    await this.#erasures.retain(count.retentions, partition);
    const { heads, hours, blocked } = this.#collections;
    await allEnded([
      applyToTallies(heads as never, count.headChanges(), next),
      applyToTallies(hours as never, count.hourChanges(), next),
      applyToTallies(blocked as never, count.blockedChanges(), next),
    ]);
    if (next > saved) await this.#positions.save(range);
    return count.movedSince(saved);
  }

  async #known(leaves: readonly ReadLeaf[], partition: number): Promise<RangeDelta> {
    const { heads, hours, blocked } = this.#collections;
    const count = new RangeDelta(leaves, partition);
    const [stored, headTallies, hourTallies, blockedTallies] = await Promise.all([
      this.#places(leaves.map(({ id }) => id)),
      readTallies(heads, count.headIds),
      readTallies(hours, count.hourIds),
      readTallies(blocked, count.blockedIds),
    ]);
    count.know(stored, headTallies, hourTallies, blockedTallies);
    return count;
  }

  /** Where leaves with these ids are stored. What another instance has just written is seen too: `local`. */
  async #places(ids: readonly mongo.UUID[]): Promise<readonly StoredPlace[]> {
    if (ids.length === 0) return [];
    return this.#collections.events
      .find({ _id: { $in: ids } }, { readConcern: { level: 'local' } })
      .project<StoredPlace>({ partition: 1, offset: 1, agentId: 1, sequence: 1 })
      .toArray();
  }

  /** In the order of the log: whatever stops it, no leaf is there before an earlier one of its agent. */
  async #insert(unstored: readonly EventDocument[], partition: number): Promise<void> {
    let rest = unstored;
    for (let meetings = 0; rest.length > 0; meetings += 1) {
      try {
        await this.#collections.events.insertMany(rest, { ordered: true });
        return;
      } catch (error) {
        if (!isDuplicateKey(error) || meetings >= MOST_MEETINGS) throw error;
        rest = await this.#withoutStored(rest, partition);
      }
    }
  }

  async #withoutStored(leaves: readonly EventDocument[], partition: number): Promise<readonly EventDocument[]> {
    const places = await this.#places(leaves.map(({ _id }) => _id));
    const stored = new Map(places.map((place) => [uuidText(place._id), place]));
    const rest = leaves.filter((document) => {
      const place = stored.get(uuidText(document._id));
      if (place !== undefined) assertSamePlace(document, place);
      return place === undefined;
    });
    if (rest.length === leaves.length) {
      const { agentId, sequence, _id, offset } = rest[0]!;
      throw new StoreConflict(
        `sequence ${sequence} of agent ${uuidText(agentId)} is stored for another event than ` +
          `${uuidText(_id)} at offset ${offset} of partition ${partition}`,
      );
    }
    return rest;
  }
}

/** Rejects once none is under way any more, so that a repetition meets none of them. */
async function allEnded(writes: readonly Promise<void>[]): Promise<void> {
  for (const fate of await Promise.allSettled(writes)) if (fate.status === 'rejected') throw fate.reason;
}
