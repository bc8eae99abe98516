import type { mongo } from 'mongoose';
import { asksForClass, matchesClass, type EventClass } from '../domain/event-class.js';
import type { EventFilter } from '../domain/event-filter.js';
import { insertNew, type ClassDocument } from './mongo-collections.js';
import type { ReadLeaf } from './mongo-leaf.js';

/** The few combinations of type, outcome, allowed and violation type that leaves have: filters become sets of names. */
export class MongoClasses {
  readonly #collection: mongo.Collection<ClassDocument>;
  readonly #known = new Set<string>();

  constructor(collection: mongo.Collection<ClassDocument>) {
    this.#collection = collection;
  }

  /** Resolves once the classes of all these are stored; mostly at once. */
  async know(leaves: readonly ReadLeaf[]): Promise<void> {
    const added = new Map<string, ReadLeaf>();
    for (const leaf of leaves) if (!this.#known.has(leaf.className)) added.set(leaf.className, leaf);
    if (added.size === 0) return;
    const documents = [...added].map(([_id, leaf]) => ({ _id, ...leaf.class }));
    await insertNew<ClassDocument>(this.#collection, documents);
    for (const name of added.keys()) this.#known.add(name);
  }

  /** Names of the classes that a filter lets through, whichever instance stored them; `null` when it lets all through. */
  async matching(filter: EventFilter): Promise<readonly string[] | null> {
    if (!asksForClass(filter)) return null;
    return [...(await this.named(filter)).keys()];
  }

  /** Classes that a filter lets through, by their names. */
  async named(filter: EventFilter): Promise<ReadonlyMap<string, EventClass>> {
    const all = await this.#collection.find().toArray();
    return new Map(all.filter((one) => matchesClass(filter, one)).map(({ _id, ...one }) => [_id, one]));
  }
}
