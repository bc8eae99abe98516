import type { mongo } from 'mongoose';
import { isDuplicateKey, keepNewer, SeenEvents, type SeenDocument } from '@countersign/service-kit';
import type { Message } from '../domain/message.js';
import type { Folded, Thread } from '../domain/thread.js';
import type { MongoMessages } from './mongo-messages.js';
import { byThread, type Fold, type NoticedBatch } from './port.js';

/** A thread and the messages that leave it are one document until the messages have documents of their own. */
export interface ThreadDocument {
  readonly _id: string;
  readonly destinationId: string;
  readonly windowEndsMs: number;
  readonly sumDueMs: number | null;
  readonly revision: number;
  /** JSON. */
  readonly body: string;
  /** JSON each. */
  readonly leaving: readonly string[];
  /** Whether there are any. */
  readonly leaves: boolean;
}

export interface PositionDocument {
  /** Partition. */
  readonly _id: number;
  readonly next: number;
}

const MAX_TRIES = 20;

/**
 * Following without a transaction: each thread is compared by its revision and says up to which offset it stands, and
 * the position is written last. Whatever dies in between, or works on after a rebalance has given its partition away,
 * tells nothing twice.
 */
export class MongoThreads {
  readonly #threads: mongo.Collection<ThreadDocument>;
  readonly #positions: mongo.Collection<PositionDocument>;
  readonly #messages: MongoMessages;
  readonly #seen: SeenEvents;

  constructor(
    threads: mongo.Collection<ThreadDocument>,
    positions: mongo.Collection<PositionDocument>,
    seen: mongo.Collection<SeenDocument>,
    messages: MongoMessages,
  ) {
    this.#threads = threads;
    this.#positions = positions;
    this.#messages = messages;
    this.#seen = new SeenEvents(seen);
  }

  async position(partition: number): Promise<number | null> {
    return (await this.#positions.findOne({ _id: partition }))?.next ?? null;
  }

  async follow({ partition, next, logTimeMs, notices }: NoticedBatch, fold: Fold): Promise<void> {
    const from = (await this.position(partition)) ?? 0;
    if (next <= from) return;
    const above = notices.filter(({ violation }) => violation.offset >= from);
    const violations = await this.#seen.first(
      partition,
      above.map(({ violation }) => violation),
    );
    const offsets = new Set(violations.map(({ offset }) => offset));
    const first = above.filter(({ violation }) => offsets.has(violation.offset));
    for (const [key, own] of byThread(first, from)) {
      await this.#change(key, (thread) => {
        // Behind its own offset a thread has had these, and is written no more.
        const fresh = own.filter(({ violation }) => violation.offset >= (thread?.offset ?? 0));
        const [oldest, ...others] = fresh;
        return oldest === undefined ? null : fold(thread, [oldest, ...others]);
      });
    }
    const filter = { _id: partition, next: { $lt: next } };
    await keepNewer(this.#positions, [{ updateOne: { filter, update: { $set: { next } }, upsert: true } }]);
    await this.#seen.forget(partition, logTimeMs);
  }

  async closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number> {
    await this.#passOn(limit);
    const due = await this.#threads
      .find({ sumDueMs: { $ne: null, $lte: nowMs } })
      .sort({ sumDueMs: 1 })
      .limit(limit)
      .toArray();
    for (const { _id } of due) {
      await this.#change(_id, (thread) =>
        thread === null || thread.sum === null || thread.sum.dueAtMs > nowMs ? null : close(thread),
      );
    }
    return due.length;
  }

  async forget(beforeMs: number): Promise<void> {
    await this.#threads.deleteMany({ sumDueMs: null, windowEndsMs: { $lt: beforeMs }, leaves: false });
  }

  async removeOf(destinationId: string): Promise<void> {
    await this.#threads.deleteMany({ destinationId });
  }

  /** @param change gives `null` where there is nothing to write; asked again when another was faster */
  async #change(key: string, change: (thread: Thread | null) => Folded | null): Promise<void> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const found = await this.#threads.findOne({ _id: key });
      const folded = change(found === null ? null : (JSON.parse(found.body) as Thread));
      if (folded === null) {
        if (found !== null && found.leaving.length > 0) await this.#passOnOf(found);
        return;
      }
      const written = await this.#write(found, folded);
      if (written !== null) return this.#passOnOf(written);
    }
    throw new Error('a thread of alerts is changed by too many others');
  }

  /** `null`: another was faster. */
  async #write(found: ThreadDocument | null, { thread, messages }: Folded): Promise<ThreadDocument | null> {
    const leaving = [...(found?.leaving ?? []), ...messages.map((message) => JSON.stringify(message))];
    const document: ThreadDocument = {
      _id: thread.key,
      destinationId: thread.destinationId,
      windowEndsMs: thread.windowEndsMs,
      sumDueMs: thread.sum?.dueAtMs ?? null,
      revision: (found?.revision ?? 0) + 1,
      body: JSON.stringify(thread),
      leaving,
      leaves: leaving.length > 0,
    };
    if (found === null) {
      try {
        await this.#threads.insertOne(document);
        return document;
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    }
    const replaced = await this.#threads.replaceOne({ _id: found._id, revision: found.revision }, document);
    return replaced.matchedCount > 0 ? document : null;
  }

  /** Messages that a crash left inside their threads. */
  async #passOn(limit: number): Promise<void> {
    for (const thread of await this.#threads.find({ leaves: true }).limit(limit).toArray()) {
      await this.#passOnOf(thread);
    }
  }

  /** Where another writes the thread meanwhile, it passes on the rest. */
  async #passOnOf({ _id, revision, leaving }: ThreadDocument): Promise<void> {
    if (leaving.length === 0) return;
    await this.#messages.add(leaving.map((message) => JSON.parse(message) as Message));
    await this.#threads.updateOne({ _id, revision }, { $set: { leaving: [], leaves: false }, $inc: { revision: 1 } });
  }
}
