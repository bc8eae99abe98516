import type { TopicName } from '@countersign/contracts';
import type { AppendCall } from './append-call.js';
import type { RecordToWrite } from './record-batch.js';

/** A commit carries at most so much of one partition, unless one record has more. */
const COMMIT_BYTES = 512 * 1024;
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

  /** The next batch, without the records whose calls have ended; `dropped` hears of those. */
  take(dropped: (record: WaitingRecord) => void): WaitingRecord[] {
    const batch: WaitingRecord[] = [];
    let bytes = 0;
    for (; this.#head < this.#queue.length; this.#head++) {
      const record = this.#queue[this.#head]!;
      if (record.call.settled) {
        dropped(record);
        continue;
      }
      bytes += record.valueBytes + RECORD_OVERHEAD;
      if (batch.length > 0 && bytes > COMMIT_BYTES) break;
      batch.push(record);
    }
    this.#shrink();
    return batch;
  }

  /** Lets go of the records in front whose calls have ended: no call lives longer than an earlier one. */
  prune(dropped: (record: WaitingRecord) => void): void {
    for (; this.#queue[this.#head]?.call.settled; this.#head++) dropped(this.#queue[this.#head]!);
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
