import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { messageOf } from '@countersign/async';
import { StoreFellBack } from '../port.js';
import type { ConsumeOptions, LogBatch, LogRecord } from '../port.js';
import type { TopicPartition } from './read-records.js';

const FIRST_BACK_OFF_MS = 50;
const LONGEST_BACK_OFF_MS = 5000;
const DEFAULT_BATCH = 1000;
/** Batches of at most this size are not divided when they fail. */
const SMALL_BATCH = 50;
const BUFFER_BYTES = 4 * 1024 * 1024;
/** Maximum time without a fetch although records are wanted, ms. */
const SILENT_MS = 10_000;
/** A handler that takes longer is reported as stalled, ms. */
const HANDLER_LIMIT_MS = 120_000;

/** Where a consumption begins in a partition. */
export interface ReadingPlace {
  readonly position: number;
  /** The position that its consumer had saved, if any. */
  readonly saved: number | null;
  readonly end: number;
}

/**
 * Delivers one partition to the handler: buffers fetched records and hands over one batch at a time. After a failure it
 * redelivers half of the batch: a store that is too slow for a whole one within its timeout would never finish it.
 */
export class ReadLane {
  readonly source: TopicPartition;
  readonly #options: ConsumeOptions;
  readonly #maxBatch: number;
  readonly #room: () => void;
  readonly #place: () => Promise<ReadingPlace>;
  readonly #abort = new AbortController();
  readonly #progress = new Set<() => void>();
  #buffer: LogRecord[] = [];
  #bufferBytes = 0;
  #handled = 0;
  /** As `LogBatch.from`. */
  #from: number | undefined;
  #fetched = 0;
  #end: number;
  #arrived: (() => void) | null = null;
  #problem: string | null = null;
  #fetchProblem: string | null = null;
  #obstacle: string | null = null;
  #askedMs = performance.now();
  #handlingSinceMs: number | null = null;
  readonly #running: Promise<void>;

  /**
   * @param from where to begin
   * @param place asks for that again, when the store has fallen back
   * @param room called when it wants more records
   */
  constructor(
    source: TopicPartition,
    from: ReadingPlace,
    options: ConsumeOptions,
    place: () => Promise<ReadingPlace>,
    room: () => void,
  ) {
    this.source = source;
    this.#options = options;
    this.#maxBatch = options.maxBatch ?? DEFAULT_BATCH;
    this.#end = from.end;
    this.#begin(from);
    this.#place = place;
    this.#room = room;
    this.#running = this.#run();
  }

  /** The offset to fetch from, or `null` while it has enough. */
  wants(): number | null {
    if (this.#abort.signal.aborted) return null;
    return this.#buffer.length < 2 * this.#maxBatch && this.#bufferBytes < BUFFER_BYTES ? this.#fetched : null;
  }

  /** Takes records fetched from `from`; those it no longer wants are dropped. */
  take(from: number, records: readonly LogRecord[], next: number, end: number): void {
    if (this.#abort.signal.aborted || from !== this.#fetched) return;
    this.#end = Math.max(end, next);
    this.#fetchProblem = null;
    this.#obstacle = null;
    this.#askedMs = performance.now();
    if (next <= from) return;
    this.#fetched = next;
    for (const record of records) {
      this.#buffer.push(record);
      this.#bufferBytes += record.value.length;
    }
    if (this.#buffer.length === 0 && this.#handlingSinceMs === null) this.#moveTo(next);
    this.#arrived?.();
  }

  /** Reports whether a full batch is buffered. */
  get full(): boolean {
    return this.#buffer.length >= this.#maxBatch;
  }

  get awaited(): boolean {
    return this.#progress.size > 0;
  }

  /** The reason why no records come, until some come. */
  fail(problem: string): void {
    this.#fetchProblem = problem;
  }

  /** The reason why the last fetch failed; reported when none succeeds for long. */
  hinder(obstacle: string): void {
    this.#obstacle = obstacle;
  }

  stalled(): string | null {
    if (this.#problem !== null) return this.#problem;
    if (this.#fetchProblem !== null) return this.#fetchProblem;
    const silentMs = performance.now() - this.#askedMs;
    if (silentMs > SILENT_MS && this.wants() !== null) {
      const why = this.#obstacle === null ? '' : `: ${this.#obstacle}`;
      return `${this.#name}: nothing was fetched for ${Math.round(silentMs / 1000)} s${why}`;
    }
    const since = this.#handlingSinceMs;
    if (since === null || performance.now() - since < HANDLER_LIMIT_MS) return null;
    return `${this.#name}: a handler has been running for ${Math.round((performance.now() - since) / 1000)} s`;
  }

  /** The offset after the last one handled. */
  get handled(): number {
    return this.#handled;
  }

  /** The next offset to fetch. */
  get fetched(): number {
    return this.#fetched;
  }

  get stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  lag(): number {
    return Math.max(0, this.#end - this.#handled);
  }

  /** Resolves once everything before `end` is handled, or the lane has stopped (`false`). */
  async reached(end: number): Promise<boolean> {
    while (this.#handled < end && !this.#abort.signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#progress.delete(wake);
          resolve();
        };
        this.#progress.add(wake);
        this.#room();
      });
    }
    return this.#handled >= end;
  }

  /** Resolves when the running handler has returned; none is called afterwards. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#arrived?.();
    for (const wake of [...this.#progress]) wake();
    await this.#running;
  }

  get #name(): string {
    return `${this.source.topic}/${this.source.partition}`;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let backOff = FIRST_BACK_OFF_MS;
    let most = this.#maxBatch;
    batches: while (!signal.aborted) {
      if (this.#buffer.length === 0) {
        await new Promise<void>((resolve) => (this.#arrived = resolve));
        this.#arrived = null;
        continue;
      }
      const { topic, partition } = this.source;
      let records: readonly LogRecord[];
      let last: LogRecord;
      for (;;) {
        records = this.#buffer.slice(0, most);
        last = records.at(-1)!;
        const endOffset = Math.max(this.#end, last.offset + 1);
        const batch: LogBatch = { topic, partition, records, from: this.#from, endOffset };
        try {
          this.#handlingSinceMs = performance.now();
          await this.#options.handle(batch);
          break;
        } catch (error) {
          this.#problem = messageOf(error);
          most = Math.min(Math.max(Math.ceil(records.length / 2), SMALL_BATCH), this.#maxBatch);
          await delay(backOff, undefined, { signal }).catch(() => undefined);
          backOff = Math.min(backOff * 2, LONGEST_BACK_OFF_MS);
          if (signal.aborted) return;
          if (error instanceof StoreFellBack) {
            await this.#fallBack();
            continue batches;
          }
        }
      }
      most = Math.min(2 * most, this.#maxBatch);
      if (this.wants() === null) this.#askedMs = performance.now();
      this.#handlingSinceMs = null;
      this.#problem = null;
      backOff = FIRST_BACK_OFF_MS;
      this.#from = last.offset + 1;
      this.#buffer.splice(0, records.length);
      this.#bufferBytes -= records.reduce((sum, record) => sum + record.value.length, 0);
      this.#moveTo(this.#buffer.length === 0 ? this.#fetched : last.offset + 1);
      this.#room();
      await nextTick();
    }
  }

  /**
   * Continues where the store stands, and asks until it says so. Nothing is handed over before that: what lies between would
   * be missing.
   */
  async #fallBack(): Promise<void> {
    const { signal } = this.#abort;
    for (let backOff = FIRST_BACK_OFF_MS; !signal.aborted; backOff = Math.min(2 * backOff, LONGEST_BACK_OFF_MS)) {
      try {
        this.#begin(await this.#place());
        this.#buffer = [];
        this.#bufferBytes = 0;
        this.#handlingSinceMs = null;
        this.#room();
        return;
      } catch (error) {
        this.#problem = messageOf(error);
      }
      await delay(backOff, undefined, { signal }).catch(() => undefined);
    }
  }

  #begin({ position, saved }: ReadingPlace): void {
    this.#handled = position;
    this.#fetched = position;
    this.#from = saved ?? undefined;
  }

  #moveTo(next: number): void {
    this.#handled = next;
    for (const wake of [...this.#progress]) wake();
  }
}
