import { TOPICS } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import type { AppendCall } from './append-call.js';
import type { RecordToWrite } from './record-batch.js';

/** Maximum bytes of one partition in a commit, unless one record has more. */
const COMMIT_BYTES = 512 * 1024;
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 500;
/** Bytes that a record counts in addition to its value. */
export const RECORD_OVERHEAD = 200;

export interface WaitingRecord extends RecordToWrite {
  readonly call: AppendCall;
  readonly index: number;
  /** It was sent before and may be in the log. */
  resent: boolean;
}

/** The pending records of one partition: in the order of their calls, one batch outstanding. */
export class WriteLane {
  readonly topic: TopicName;
  /** The topic's name at the brokers. */
  readonly name: string;
  readonly partition: number;
  outstanding = false;
  /** Nothing is sent before this time (performance.now). */
  notBeforeMs = 0;
  /** Why the last batch was not accepted, or `null`. */
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

  /** Puts taken records back in front, in their order. */
  putBack(records: readonly WaitingRecord[]): void {
    this.#queue = [...records, ...this.#queue.slice(this.#head)];
    this.#head = 0;
  }

  taken(): void {
    this.problem = null;
    this.#failures = 0;
  }

  /**
   * Records that the last batch was not accepted: the next one carries one record, after a growing pause. Returns the
   * pause, ms.
   */
  failed(reason: string, nowMs: number, longestPauseMs: number): number {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS, longestPauseMs);
    if (this.#failures++ === 0) this.#failingSinceMs = nowMs;
    this.#failedMs = nowMs;
    this.problem = reason;
    this.notBeforeMs = nowMs + pause;
    return pause;
  }

  /**
   * The reason why another record would fail: nothing was accepted for `limitMs`, and one is being attempted. Else
   * `null`.
   */
  hopeless(nowMs: number, limitMs: number): string | null {
    const failing = this.#failures > 0 && nowMs - this.#failedMs < 2 * limitMs;
    if (!failing || nowMs - this.#failingSinceMs < limitMs) return null;
    return this.outstanding || !this.empty ? this.problem : null;
  }

  /** The next batch, without the records whose calls have ended; `dropped` receives those. */
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

  /** Drops the records in front whose calls have ended: no call outlives an earlier one. */
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
