import type { TopicName } from '@countersign/contracts';

/** A longer value (bytes of UTF-8) is refused (`LogRefused`) before anything is sent. */
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;
/** A longer or an empty key is refused likewise. */
export const MAX_KEY_BYTES = 1024;

/** One message to append. `value` is UTF-8 JSON text. */
export interface NewRecord {
  readonly topic: TopicName;
  /** Determines the partition; the newest record of a key survives compaction. */
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

/** The batch is certainly not in the log and never will be. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
/** The batch may or may not be in the log: a timeout or a failed sync. */
export class LogInDoubt extends Error {
  override readonly name = 'LogInDoubt';
}
/** The log's files or topics are damaged or were not made by this program; the message names them. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

/**
 * The append side.
 * - MUST resolve only when every record is durable (fsync, or `acks=all`), never before.
 * - Records of one call with the same key keep their order, and follow those of earlier calls of this writer.
 * - MUST reject with `LogRefused` or `LogInDoubt`; after `LogInDoubt` the caller must allow for both outcomes.
 * - After a failed sync the writer latches: every later call is `LogRefused` until the log is reopened and checked.
 * - Bounded: refuses (`LogRefused`) instead of buffering without bound.
 * - An empty call resolves to `[]`; after `close` every call is `LogRefused`.
 */
export interface EventWriter {
  append(records: readonly NewRecord[]): Promise<readonly Appended[]>;
  /** `null` when it accepts; else the reason, in plain words. */
  refusing(): string | null;
}

/** A batch of one partition, in offset order. */
export interface LogBatch {
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  /** End offset of the partition when the batch was read: lag = `endOffset` − last offset − 1. */
  readonly endOffset: number;
}

export interface Consumption {
  /** Resolves when the last handler has returned; no handler is called afterwards. */
  stop(): Promise<void>;
  /** Messages behind the end, by `<topic>/<partition>`. */
  lag(): Readonly<Record<string, number>>;
  /** Why it is stalled (the handler's last error), or `null`. Readiness fails while it is not `null`. */
  stalled(): string | null;
  /**
   * Resolves once everything that was in the topics at the time of the call has been handled (`shared`: in this
   * member's partitions). Rejects when it is stopped before.
   */
  caughtUp(): Promise<void>;
}

export interface ConsumeOptions {
  /** Consumer group: the name of the service, or of a projection inside it. */
  readonly group: string;
  readonly topics: readonly TopicName[];
  /**
   * `shared`: the partitions are divided among the group's members. `everyone`: each member reads all partitions
   * (projections).
   */
  readonly mode: 'shared' | 'everyone';
  /**
   * Start position of a partition: the offset after the last one handled, as the consumer saved it with its projection,
   * or `null` for the beginning. Called at start and at every new assignment of a partition.
   */
  position(topic: TopicName, partition: number): Promise<number | null> | number | null;
  /**
   * Handles one partition's batch and saves position and effects together. A rejection stops the partition, is shown by
   * `stalled()`, and redelivers the batch after a back-off: the whole of it, or of a large one the first half. Batches
   * of one partition never overlap.
   */
  handle(batch: LogBatch): Promise<void> | void;
  /** At most this many records in a batch; default 1,000. */
  readonly maxBatch?: number;
  /**
   * Minimum time from one batch to the next while messages keep coming, ms: fewer and larger batches. A full batch, and
   * a message after a silence, are not delayed. Default 0.
   */
  readonly paceMs?: number;
}

/**
 * The read side.
 * - Offsets of a partition strictly increase; retention and compaction leave gaps, never a changed message.
 * - A position below the first retained offset of a time-retained topic is an error (`LogDamaged`): messages were
 *   missed. So is a position past the end: the log lost what was handled. `consume` rejects with it, or `stalled()`
 *   shows it later.
 * - A damaged record is `LogDamaged`, never skipped.
 */
export interface EventReader {
  partitions(topic: TopicName): Promise<number>;
  /** First retained offset by partition. */
  beginOffsets(topic: TopicName): Promise<Offsets>;
  /** One past the last durable offset by partition. */
  endOffsets(topic: TopicName): Promise<Offsets>;
  /** Durable records from `fromOffset`, in order; none only at the end. At most `limit` and about 8 MiB. */
  read(topic: TopicName, partition: number, fromOffset: number, limit: number): Promise<readonly LogRecord[]>;
  consume(options: ConsumeOptions): Promise<Consumption>;
}

export interface EventLog extends EventWriter, EventReader {
  close(): Promise<void>;
}
