import type { TopicName } from '@countersign/contracts';
import type { Consumption, LogBatch } from '@countersign/event-log';
import type { TopicContext } from '../context.js';
import { readVersionedRecord, versionedRecord } from '../projections/versioned-record.js';
import type { Owned } from './republish.js';
import { StaleIds } from './stale-ids.js';

interface Newest {
  readonly version: number;
  readonly gone: boolean;
}

/**
 * Compaction keeps the last record of an id, readers the highest version: they must be the same. With several relays, or
 * a send whose fate nobody knows, an older record may land behind a newer one. The owner of a compacted topic follows
 * it, and appends the newest again where that happened.
 */
export class TopicTail {
  readonly #context: Pick<TopicContext, 'eventLog' | 'log'>;
  readonly #topic: TopicName;
  readonly #newest: (id: string) => Promise<Owned | null>;
  readonly #versions = new Map<string, Newest>();
  readonly #stale: StaleIds;
  #consumption: Consumption | null = null;

  private constructor(
    context: Pick<TopicContext, 'eventLog' | 'log'>,
    topic: TopicName,
    newest: (id: string) => Promise<Owned | null>,
  ) {
    this.#context = context;
    this.#topic = topic;
    this.#newest = newest;
    this.#stale = new StaleIds(
      () => this.#repair(),
      (err) => context.log.warn({ err, topic }, 'an older record stands last, repaired later'),
    );
  }

  /** @param newest what the owner's store holds; `null` for what is gone from it */
  static async follow(
    context: Pick<TopicContext, 'eventLog' | 'log' | 'name'>,
    topic: TopicName,
    newest: (id: string) => Promise<Owned | null>,
  ): Promise<TopicTail> {
    const tail = new TopicTail(context, topic, newest);
    tail.#consumption = await context.eventLog.consume({
      group: `${context.name}.tail.${topic}`,
      topics: [topic],
      mode: 'everyone',
      position: () => null,
      handle: (batch) => tail.#apply(batch),
    });
    return tail;
  }

  async stop(): Promise<void> {
    await this.#stale.stop();
    await this.#consumption?.stop();
  }

  #apply(batch: LogBatch): void {
    for (const record of batch.records) {
      const { id, version, value } = readVersionedRecord<object>(record);
      const known = this.#versions.get(id)?.version ?? 0;
      if (version < known) {
        this.#stale.add(id);
      } else {
        this.#versions.set(id, { version, gone: value === null });
        this.#stale.delete(id);
      }
    }
    this.#stale.repairSoon();
  }

  async #repair(): Promise<void> {
    // What the topic holds already may put it right.
    await this.#consumption?.caughtUp();
    for (const id of this.#stale.all()) {
      const { version, gone } = this.#versions.get(id)!;
      const newest = gone ? null : await this.#newest(id);
      // What left the store meanwhile has its own last record under way.
      if (!gone && newest === null) continue;
      const record =
        newest === null
          ? versionedRecord(this.#topic, id, version, null)
          : versionedRecord(this.#topic, id, newest.version, newest.value);
      await this.#context.eventLog.append([record]);
      this.#context.log.warn({ topic: this.#topic, id }, 'an older record stood last: the newest was appended again');
    }
  }
}
