import type { Consumption, LogBatch, LogRecord, Offsets } from '@countersign/event-log';
import { readVersionedRecord, StaleIds } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';

/** Longer than any append takes. */
const KEPT_MS = 5 * 60_000;
/** Records before the end that a crash may have left in the wrong order. */
const BEFORE_THE_END = 20_000;
interface Newest {
  readonly version: number;
  readonly record: LogRecord;
}

/**
 * Compaction keeps the last record of a row, readers the highest version: both must be the same record, or counters would be
 * rebuilt from totals that are older than the position. Where several instances publish a row, or a send is in doubt, an
 * older record may be appended after a newer one: then the newer one is appended again.
 * Only the rows of the last minutes are kept. A claim is published with one version and needs no repair, and a position that
 * falls back only makes a rebuild read more.
 */
export class UsageTail {
  readonly #context: Pick<ServiceContext, 'eventLog' | 'log'>;
  /** By row, the least recently read first. */
  readonly #newest = new Map<string, Newest>();
  readonly #stale: StaleIds;
  #consumption: Consumption | null = null;

  private constructor(context: Pick<ServiceContext, 'eventLog' | 'log'>) {
    this.#context = context;
    this.#stale = new StaleIds(
      () => this.#repair(),
      (err) => context.log.warn({ err }, 'older totals are last in usage and are repaired later'),
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
    // Records that are in the topic already may repair it.
    await this.#consumption?.caughtUp();
    for (const id of this.#stale.all()) {
      const { record } = this.#newest.get(id)!;
      const value = Buffer.from(record.value).toString('utf8');
      await this.#context.eventLog.append([{ topic: 'usage', key: record.key, value }]);
      this.#context.log.warn({ id }, 'older totals were last in usage: the newest were appended again');
    }
  }
}
