import type { Consumption, LogBatch, LogRecord, Offsets } from '@countersign/event-log';
import { readVersionedRecord, StaleIds } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';

/** No append is under way for longer. */
const KEPT_MS = 5 * 60_000;
/** A crash may have left the wrong order a little before the end. */
const BEFORE_THE_END = 20_000;
interface Newest {
  readonly version: number;
  readonly record: LogRecord;
}

/**
 * Compaction keeps the last record of a row, readers the highest version: they must be the same, or counters would be
 * rebuilt from totals that are older than the position says. Where several instances publish one row, or the fate of a
 * send was unknown, an older record may land behind a newer one: then the newer one is appended again.
 * It holds the rows of the last minutes alone. A claim is published with one version and needs none of this, and a
 * position that falls back only makes a rebuild read more.
 */
export class UsageTail {
  readonly #context: Pick<ServiceContext, 'eventLog' | 'log'>;
  /** By row, the one that was heard of longest ago first. */
  readonly #newest = new Map<string, Newest>();
  readonly #stale: StaleIds;
  #consumption: Consumption | null = null;

  private constructor(context: Pick<ServiceContext, 'eventLog' | 'log'>) {
    this.#context = context;
    this.#stale = new StaleIds(
      () => this.#repair(),
      (err) => context.log.warn({ err }, 'older totals stand last in usage, repaired later'),
    );
  }

  static async follow(context: Pick<ServiceContext, 'eventLog' | 'log' | 'name'>): Promise<UsageTail> {
    const { eventLog, name } = context;
    const tail = new UsageTail(context);
    const [begin, end]: readonly Offsets[] = [await eventLog.beginOffsets('usage'), await eventLog.endOffsets('usage')];
    tail.#consumption = await eventLog.consume({
      group: `${name}.tail.usage`,
      topics: ['usage'],
      mode: 'everyone',
      position: (_topic, partition) => Math.max(begin?.[partition] ?? 0, (end?.[partition] ?? 0) - BEFORE_THE_END),
      handle: (batch) => tail.#apply(batch),
    });
    return tail;
  }

  async stop(): Promise<void> {
    await this.#stale.stop();
    await this.#consumption?.stop();
  }

  #apply({ records }: LogBatch): void {
    for (const record of records) {
      if (!record.key.startsWith('account:') && !record.key.startsWith('agent:')) continue;
      const { id, version } = readVersionedRecord<object>(record);
      if (version < (this.#newest.get(id)?.version ?? 0)) {
        this.#stale.add(id);
        continue;
      }
      this.#newest.delete(id);
      this.#newest.set(id, { version, record });
      this.#stale.delete(id);
    }
    const last = records.at(-1);
    if (last !== undefined) this.#forget(last.appendedAtMs - KEPT_MS);
    this.#stale.repairSoon();
  }

  #forget(beforeMs: number): void {
    for (const [id, { record }] of this.#newest) {
      if (record.appendedAtMs >= beforeMs) return;
      if (!this.#stale.has(id)) this.#newest.delete(id);
    }
  }

  async #repair(): Promise<void> {
    // What the topic holds already may put it right.
    await this.#consumption?.caughtUp();
    for (const id of this.#stale.all()) {
      const { record } = this.#newest.get(id)!;
      const value = Buffer.from(record.value).toString('utf8');
      await this.#context.eventLog.append([{ topic: 'usage', key: record.key, value }]);
      this.#context.log.warn({ id }, 'older totals stood last in usage: the newest were appended again');
    }
  }
}
