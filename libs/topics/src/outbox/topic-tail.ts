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
 * Keeps the last record of each id in a compacted topic the newest one: compaction keeps the last record, readers use the
 * highest version. With several relays, or a send in doubt, an older record may come after a newer one. The owner of the
 * topic follows it, and appends the newest record again in that case.
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
      (err) => context.log.warn({ err, topic }, 'an older record is the last one of its id; it will be repaired later'),
    );
  }

  /** @param newest reads a record from the owner's store; `null` if it was removed */
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
    // A record that is already in the topic may repair it.
    await this.#consumption?.caughtUp();
    for (const id of this.#stale.all()) {
      const { version, gone } = this.#versions.get(id)!;
      const newest = gone ? null : await this.#newest(id);
      // The store has removed it meanwhile, and publishes that itself.
      if (!gone && newest === null) continue;
      const record =
        newest === null
          ? versionedRecord(this.#topic, id, version, null)
          : versionedRecord(this.#topic, id, newest.version, newest.value);
      await this.#context.eventLog.append([record]);
      this.#context.log.warn(
        { topic: this.#topic, id },
        'an older record was the last one of its id: the newest was appended again',
      );
    }
  }
}
