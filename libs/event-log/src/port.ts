import type { TopicName } from '@countersign/contracts';

/*
 * Terms of this file:
 * - topic, partition, offset: as in Kafka.
 * - time-retained: records are deleted after the days that `TOPICS[topic].retention` says (`agent-events` and
 *   `dead-letters`: 30). Every other topic is compacted: the newest record of each key is kept for ever.
 * - member: one `consume` call whose consumption is not stopped. Members with the same group name form the group.
 * - projection: a store or an in-memory copy that is computed from topics.
 */

/** A longer value (bytes of UTF-8) is refused (`LogRefused`) before anything is sent. */
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;
/** A longer key (bytes of UTF-8) and an empty key are refused in the same way. */
export const MAX_KEY_BYTES = 1024;

/** One message to append. `value` is UTF-8 JSON text. */
export interface NewRecord {
  readonly topic: TopicName;
  /** Determines the partition; in a compacted topic the newest record of a key is kept. */
  readonly key: string;
  readonly value: string;
}

/** A message as read back. */
export interface LogRecord {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly value: Uint8Array;
  /** Time of the append, ms since the epoch by the log's own clock. */
  readonly appendedAtMs: number;
}

export interface Appended {
  readonly partition: number;
  readonly offset: number;
}

/** Offsets by partition. */
export type Offsets = Readonly<Record<number, number>>;

/** No record of the call is in the log, and none will be. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
/**
 * A write timed out or failed in its last step: none, some or all records of the call are in the log, or will be in a
 * moment.
 */
export class LogInDoubt extends Error {
  override readonly name = 'LogInDoubt';
}
/**
 * The log cannot be trusted as it is: a record or a file is damaged, records are missing, or a file or topic does not
 * have the format or settings that this program needs. The message names it.
 */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

/**
 * The store of a consumer does not have what it had acknowledged, such as one that was restored from a backup while its
 * service was running. Thrown by a handler, it makes the consumption ask for the position again.
 */
export class StoreFellBack extends Error {
  override readonly name = 'StoreFellBack';
}

/**
 * To be called in the transaction that stores the effects of the batch.
 *
 * @param saved the position in the store; `null`: none
 * @throws StoreFellBack when the batch begins past it: what lies between would be missing for ever
 */
export function requireKept(saved: number | null, { from }: Pick<LogBatch, 'from'>): void {
  if (from === undefined || from <= (saved ?? 0)) return;
  throw new StoreFellBack(`the store has events up to offset ${saved ?? 0}, and had acknowledged those below ${from}`);
}

/**
 * The append side.
 * - `append` MUST resolve only when every record of the call is durable (fsync, or `acks=all`). It resolves to the
 *   places of the records, in the order of the call; for an empty call to `[]`.
 * - It MUST reject with `LogRefused` or `LogInDoubt` and nothing else. A call with several records is no transaction:
 *   after `LogInDoubt` the caller must allow for any part of them.
 * - Records of one topic and key keep their order in a call, and follow those of earlier calls of this writer.
 * - A record may be in the log twice, also after its call has resolved: an adapter may resend it when an answer is
 *   lost. Then the second copy may follow records that the first one precedes. Consumers ignore the second copy, by an
 *   id in the value.
 * - While the log cannot be written, calls MUST be `LogRefused` at once: after a failed write or sync until the
 *   file is opened again and checked, while the disk has no room, and while the broker of a partition does not answer.
 * - Bounded: when too many bytes wait to be written, calls are `LogRefused` until there is room.
 * - After `close` every call is `LogRefused`.
 */
export interface EventWriter {
  append(records: readonly NewRecord[]): Promise<readonly Appended[]>;
  /** The reason, in words, for which every call is refused now; `null`: there is none. */
  refusing(): string | null;
}

/** Records of one partition, in offset order; at least one. */
export interface LogBatch {
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  /**
   * Everything below it that is in the log was handled, or lies below the position that the consumption began at. Absent:
   * it began without a position, and handled nothing before.
   */
  readonly from?: number | undefined;
  /** One past the last offset of the partition when the batch was read: lag = `endOffset` − last offset − 1. */
  readonly endOffset: number;
}

export interface Consumption {
  /** Calls no handler from now on, and resolves when the running ones have returned. */
  stop(): Promise<void>;
  /** Offsets from the next one to handle to the end, by `<topic>/<partition>`; 0 while the position is not known. */
  lag(): Readonly<Record<string, number>>;
  /**
   * The reason why a partition does not advance, or `null`: the last error of its handler or of `position`, a position
   * or record that is `LogDamaged`, a handler that runs too long, or a broker that does not answer. The consumption
   * tries again by itself until it is stopped. Readiness of the service fails while this is not `null`.
   */
  stalled(): string | null;
  /**
   * Resolves once everything that was in the topics at the time of the call has been handled (`shared`: in the
   * partitions of this member). Waits while the consumption is stalled; rejects only when it is stopped before.
   */
  caughtUp(): Promise<void>;
}

export interface ConsumeOptions {
  /** Name of the group: the service, or one projection of it. */
  readonly group: string;
  readonly topics: readonly TopicName[];
  /**
   * `shared`: each partition is assigned to one member of the group at a time, and to another when that one leaves.
   * `everyone`: each member reads all partitions.
   */
  readonly mode: 'shared' | 'everyone';
  /**
   * The offset to continue at, one past the last one handled, as `handle` saved it; `null`: begin with the first record
   * that is retained. Called when a partition is assigned: at the start, in `shared` mode also later, and again after a
   * failure.
   */
  position(topic: TopicName, partition: number): Promise<number | null> | number | null;
  /**
   * Handles a batch. In either mode a consumer with a store saves the position together with the effects, or after
   * effects that can be repeated; one that keeps its projection in memory saves neither, and begins at `null` with each
   * start. Batches of one partition never overlap, those of different partitions may.
   *
   * After a rejection the partition waits, `stalled()` gives the reason, and the records are delivered again after a
   * back-off: in the same batch, or, where that had more than 50 records, in a shorter one if the adapter so decides,
   * for a store that cannot finish the whole one in its timeout. Both begin with the same record. After `StoreFellBack`
   * delivery continues at the position, which is asked for again.
   */
  handle(batch: LogBatch): Promise<void> | void;
  /** Maximum number of records in a batch; default 1,000. */
  readonly maxBatch?: number;
  /**
   * Minimum time from one batch to the next while messages keep coming, ms: batches are fewer and larger. A full batch,
   * a message after a silence, and messages that `caughtUp` waits for are not delayed. Default 0.
   */
  readonly paceMs?: number;
}

/**
 * The read side.
 * - Offsets of a partition strictly increase. Time retention deletes the oldest records, compaction leaves gaps; no
 *   record is ever changed.
 * - A damaged record is `LogDamaged`, never skipped.
 * - To begin below the first retained offset of a time-retained topic is `LogDamaged`, for `read` and `consume`:
 *   records were missed. In a compacted topic the next retained record follows.
 * - To begin past the end is `LogDamaged` for `consume`: the log has lost what was handled. `read` gives no records.
 * - A file or broker that cannot be read makes calls reject with another `Error`, on Kafka after retries for up to 30
 *   s.
 */
export interface EventReader {
  partitions(topic: TopicName): Promise<number>;
  /** First retained offset by partition; in an empty partition the end. */
  beginOffsets(topic: TopicName): Promise<Offsets>;
  /** One past the last durable offset by partition; 0 where there never was a record. */
  endOffsets(topic: TopicName): Promise<Offsets>;
  /**
   * Durable records with offsets from `fromOffset` on, in order: at most `limit`, and about 8 MiB. Empty only when
   * there are none, or no such partition.
   */
  read(topic: TopicName, partition: number, fromOffset: number, limit: number): Promise<readonly LogRecord[]>;
  /**
   * Becomes a member of the group. Resolves when the first partitions are assigned and their positions known; rejects
   * with the error of the first position that cannot be used, or that is not known after 30 s. Errors that come later are shown
   * by `stalled()`.
   */
  consume(options: ConsumeOptions): Promise<Consumption>;
}

export interface EventLog extends EventWriter, EventReader {
  /** Stops all consumptions, refuses new appends, and resolves when all pending ones are settled. */
  close(): Promise<void>;
}
