import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { messageOf } from '@countersign/async';
import type { mongo } from 'mongoose';
import type { TopicName } from '@countersign/contracts';
import { isDuplicateKey } from '@countersign/document-store';
import type { Collections, RootDocument } from './mongo-collections.js';
import { LeadEnded, type Lead } from './port.js';

const EMPTY: Omit<RootDocument, '_id'> = {
  term: 0,
  owner: null,
  beat: 0,
  terms: [],
  positions: {},
  flushed: {},
  floors: {},
  cadences: {},
  pending: null,
  nextAgent: 1,
  nextWindow: 1,
};
/** Members that a leader sets. */
type Change = Partial<Omit<RootDocument, '_id' | 'term' | 'owner' | 'beat'>>;

/**
 * The root document and the lead that it grants. A leader beats while it lives; who sees no beat for `leaseMs`, by its
 * own monotonic clock, takes over under the next term. All that a leader of an older term still sends is conditional on
 * its term and finds nothing to change. A write of the root that is in doubt ends the lead: the next term reads
 * what became of it.
 */
export class MongoRoot {
  readonly #root: Collections['root'];
  readonly #leaseMs: number;
  readonly #owner = randomUUID();
  #term: number | null = null;
  #heardMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #end: (reason: string) => void = () => undefined;

  constructor(root: Collections['root'], leaseMs: number) {
    this.#root = root;
    this.#leaseMs = leaseMs;
  }

  /** @throws LeadEnded */
  get term(): number {
    if (this.#term === null) throw new LeadEnded('this instance does not lead');
    return this.#term;
  }

  /** @throws LeadEnded */
  require(): void {
    if (this.#term === null) throw new LeadEnded('this instance does not lead');
  }

  get leads(): boolean {
    return this.#term !== null;
  }

  async read(): Promise<RootDocument> {
    return (await this.#root.findOne({ _id: 'root' })) ?? { _id: 'root', ...EMPTY };
  }

  /** Waits until no other instance leads, then takes over. `load` reads what there is, before anything is written. */
  async lead(signal: AbortSignal, load: (root: RootDocument) => Promise<void>): Promise<Lead> {
    await this.#create();
    let seen: { term: number; beat: number } | null = null;
    let sinceMs = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const root = await this.read();
      if (seen === null || root.term !== seen.term || root.beat !== seen.beat) {
        seen = { term: root.term, beat: root.beat };
        sinceMs = performance.now();
      }
      const free = root.owner === null || root.owner === this.#owner || performance.now() - sinceMs >= this.#leaseMs;
      if (free) {
        const taken = await this.#takeOver(root);
        if (taken !== null) return this.#begin(taken, load);
      }
      await sleep(Math.min(500, this.#leaseMs / 4), undefined, { signal });
    }
  }

  /** Changes the root under this term. @throws LeadEnded, also when it is not known whether it was changed */
  async change(change: Change, update: mongo.UpdateFilter<RootDocument>['$set'] = {}): Promise<void> {
    const { term } = this;
    const set = { ...change, ...update };
    try {
      const { matchedCount } = await this.#root.updateOne({ _id: 'root', term }, { $set: set, $inc: { beat: 1 } });
      if (matchedCount === 0) throw new LeadEnded('another instance has taken over');
    } catch (error) {
      this.end(messageOf(error));
      throw error instanceof LeadEnded ? error : new LeadEnded('a write is in doubt', { cause: error });
    }
    this.#heardMs = performance.now();
  }

  setPosition(topic: TopicName, partition: number, next: number): Promise<void> {
    return this.change({}, { [`positions.${topic}.${partition}`]: next });
  }

  end(reason: string): void {
    if (this.#term === null) return;
    this.#term = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#end(reason);
  }

  /** Gives the lead back, so that no instance has to wait for the lease to end. */
  async giveBack(): Promise<void> {
    const term = this.#term;
    this.end('it was given back');
    if (term !== null) await this.#root.updateOne({ _id: 'root', term }, { $set: { owner: null } });
  }

  async #create(): Promise<void> {
    if ((await this.#root.findOne({ _id: 'root' })) !== null) return;
    try {
      await this.#root.insertOne({ _id: 'root', ...EMPTY });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async #takeOver(root: RootDocument): Promise<RootDocument | null> {
    const term = root.term + 1;
    const terms = [...root.terms, { term, from: root.positions['agent-events'] ?? {} }];
    const { matchedCount } = await this.#root.updateOne(
      { _id: 'root', term: root.term, beat: root.beat },
      { $set: { term, owner: this.#owner, terms }, $inc: { beat: 1 } },
    );
    return matchedCount === 0 ? null : { ...root, term, terms };
  }

  async #begin(root: RootDocument, load: (root: RootDocument) => Promise<void>): Promise<Lead> {
    const ended = new Promise<string>((resolve) => {
      this.#end = resolve;
    });
    this.#term = root.term;
    this.#heardMs = performance.now();
    this.#timer = setInterval(() => void this.#beat(root.term), this.#leaseMs / 4);
    this.#timer.unref();
    try {
      await load(root);
    } catch (error) {
      this.end('what is stored could not be read');
      throw error;
    }
    return { ended };
  }

  async #beat(term: number): Promise<void> {
    try {
      const { matchedCount } = await this.#root.updateOne({ _id: 'root', term }, { $inc: { beat: 1 } });
      if (this.#term !== term) return;
      if (matchedCount === 0) return this.end('another instance has taken over');
      this.#heardMs = performance.now();
    } catch {
      if (this.#term !== term) return;
      if (performance.now() - this.#heardMs > this.#leaseMs) this.end('MongoDB did not answer for too long');
    }
  }
}
