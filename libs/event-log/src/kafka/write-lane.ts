import { TOPICS } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import type { AppendCall } from './append-call.js';
import type { RecordToWrite } from './record-batch.js';

/** A commit carries at most so much of one partition, unless one record has more. */
const COMMIT_BYTES = 512 * 1024;
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 500;
/** What a record counts beside its value. */
export const RECORD_OVERHEAD = 200;

export interface WaitingRecord extends RecordToWrite {
  readonly call: AppendCall;
  readonly index: number;
  /** It was sent once and may be in the log. */
  resent: boolean;
}

/** The records of one partition on their way: in the order of their calls, one batch outstanding. */
export class WriteLane {
  readonly topic: TopicName;
  /** The topic's name at the brokers. */
  readonly name: string;
  readonly partition: number;
  outstanding = false;
  /** Not before this moment (performance.now) is anything sent. */
  notBeforeMs = 0;
  /** Why the last batch was not taken, or `null`. */
  problem: string | null = null;
  #failures = 0;
  #failingSinceMs = 0;
  #failedMs = 0;
  #queue: WaitingRecord[] = [];
  #head = 0;

  constructor(topic: TopicName, name: string, partition: number) {
    this.topic = topic;
    this.name = name;
    this.partition = partition;
  }

  push(record: WaitingRecord): void {
    this.#queue.push(record);
  }

  /** Puts back in front what was taken, in its order. */
  putBack(records: readonly WaitingRecord[]): void {
    this.#queue = [...records, ...this.#queue.slice(this.#head)];
    this.#head = 0;
  }

  taken(): void {
    this.problem = null;
    this.#failures = 0;
  }

  /** The last batch was not taken: the next one carries one record, and follows after a pause that grows. Gives it, ms. */
  failed(reason: string, nowMs: number, longestPauseMs: number): number {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS, longestPauseMs);
    if (this.#failures++ === 0) this.#failingSinceMs = nowMs;
    this.#failedMs = nowMs;
    this.problem = reason;
    this.notBeforeMs = nowMs + pause;
    return pause;
  }

  /** Why another record has no hope: nothing was taken for `limitMs`, and one is being tried. Else `null`. */
  hopeless(nowMs: number, limitMs: number): string | null {
    const failing = this.#failures > 0 && nowMs - this.#failedMs < 2 * limitMs;
    if (!failing || nowMs - this.#failingSinceMs < limitMs) return null;
    return this.outstanding || !this.empty ? this.problem : null;
  }

  /** The next batch, without the records whose calls have ended; `dropped` hears of those. */
  take(dropped: (record: WaitingRecord) => void): WaitingRecord[] {
    const batch: WaitingRecord[] = [];
    let bytes = 0;
    for (; this.#head < this.#queue.length; this.#head++) {
      const record = this.#queue[this.#head]!;
      if (record.call.over) {
        dropped(record);
        continue;
      }
      bytes += record.valueBytes + RECORD_OVERHEAD;
      if (batch.length > 0 && (bytes > COMMIT_BYTES || this.#failures > 0)) break;
      batch.push(record);
    }
    this.#shrink();
    return batch;
  }

  /** Lets go of the records in front whose calls have ended: no call lives longer than an earlier one. */
  prune(dropped: (record: WaitingRecord) => void): void {
    for (; this.#queue[this.#head]?.call.over; this.#head++) dropped(this.#queue[this.#head]!);
    this.#shrink();
  }

  get empty(): boolean {
    return this.#head >= this.#queue.length;
  }

  #shrink(): void {
    if (this.#head < 1024 && this.#head < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }
}

/** A lane for each partition of each topic. */
export function lanesOf(topics: readonly TopicName[], prefix: string): ReadonlyMap<string, readonly WriteLane[]> {
  return new Map(
    topics.map((topic) => [
      topic,
      Array.from({ length: TOPICS[topic].partitions }, (_, n) => new WriteLane(topic, prefix + topic, n)),
    ]),
  );
}
