import type { TopicName } from '@countersign/contracts';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { messageOf } from '@countersign/async';
import { LogDamaged, StoreFellBack } from '../port.js';
import type { ConsumeOptions, LogBatch } from '../port.js';
import type { LogReader } from './reader.js';
import type { WriterClient } from './writer-client.js';

const FIRST_BACK_OFF_MS = 50;
const LONGEST_BACK_OFF_MS = 5000;
const DEFAULT_BATCH = 1000;

/** Delivers one partition's batches to one handler, one after the other, while the partition is this member's. */
export class PartitionFollower {
  readonly #topic: TopicName;
  readonly #options: ConsumeOptions;
  readonly #reader: LogReader;
  readonly #client: WriterClient;
  readonly #abort = new AbortController();
  readonly #progress = new Set<() => void>();
  readonly #maxBatch: number;
  readonly #paceMs: number;
  #nextBatchAt = 0;
  #endPause: (() => void) | null = null;
  #next: number | null = null;
  /** As `LogBatch.from`. */
  #from: number | undefined;
  #problem: string | null = null;
  #running: Promise<void> | null = null;

  constructor(topic: TopicName, options: ConsumeOptions, reader: LogReader, client: WriterClient) {
    this.#topic = topic;
    this.#options = options;
    this.#reader = reader;
    this.#client = client;
    this.#maxBatch = options.maxBatch ?? DEFAULT_BATCH;
    this.#paceMs = options.paceMs ?? 0;
  }

  /** Takes the partition: determines the position, then follows. Rejects when the position cannot be determined. */
  async start(): Promise<void> {
    this.#next = await this.#position();
    if (!this.#abort.signal.aborted) this.#running = this.#follow();
  }

  /** As `start`, but retries and shows the problem meanwhile. */
  async startOver(): Promise<void> {
    let backOff = FIRST_BACK_OFF_MS;
    while (!this.#abort.signal.aborted) {
      try {
        await this.start();
        this.#problem = null;
        return;
      } catch (error) {
        backOff = await this.#stall(error, backOff);
      }
    }
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const wake of [...this.#progress]) wake();
    await this.#running;
  }

  stalled(): string | null {
    return this.#problem;
  }

  lag(): number {
    return this.#next === null ? 0 : Math.max(0, this.#reader.end(this.#topic) - this.#next);
  }

  async caughtUp(): Promise<void> {
    if (this.#next === null) return;
    const end = this.#reader.end(this.#topic);
    this.#endPause?.();
    while (this.#next < end) {
      if (this.#abort.signal.aborted) throw new Error(`consumption of ${this.#topic} was stopped before it caught up`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#progress.delete(wake);
          resolve();
        };
        this.#progress.add(wake);
      });
    }
  }

  async #position(): Promise<number> {
    const saved = await this.#options.position(this.#topic, 0);
    const begin = this.#reader.begin(this.#topic);
    this.#from = saved ?? undefined;
    if (saved === null) return begin;
    const end = this.#reader.end(this.#topic);
    if (saved > end) {
      throw new LogDamaged(
        `${this.#topic}: position ${saved} lies past the end ${end}: the log lost what was handled. Where files of different ` +
          'moments were put together, restore the whole data directory from one backup (countersign admin backup takes one)',
      );
    }
    if (saved < begin) this.#reader.read(this.#topic, saved, 1);
    return saved;
  }

  async #follow(): Promise<void> {
    let batch: LogBatch | null = null;
    let backOff = FIRST_BACK_OFF_MS;
    while (!this.#abort.signal.aborted) {
      try {
        batch ??= this.#read();
        if (batch !== null) {
          await this.#options.handle(batch);
          this.#moveTo((batch.records.at(-1)?.offset ?? 0) + 1);
        }
        this.#problem = null;
        backOff = FIRST_BACK_OFF_MS;
      } catch (error) {
        backOff = await this.#stall(error, backOff);
        if (error instanceof StoreFellBack) {
          await this.#fallBack();
          batch = null;
        }
        continue;
      }
      if (batch === null) await this.#more();
      else await nextTick();
      batch = null;
      await this.#pause();
    }
  }

  #read(): LogBatch | null {
    const from = this.#next ?? 0;
    const end = this.#reader.end(this.#topic);
    this.#nextBatchAt = performance.now() + this.#paceMs;
    const records = this.#reader.recent(this.#topic, from, this.#maxBatch);
    const last = records.at(-1);
    if (last === undefined) return null;
    const endOffset = Math.max(end, last.offset + 1);
    return { topic: this.#topic, partition: 0, records, from: this.#from, endOffset };
  }

  /**
   * Continues where the store stands, and asks until it says so. Nothing is handed over before that: what lies between would
   * be missing.
   */
  async #fallBack(): Promise<void> {
    for (let backOff = FIRST_BACK_OFF_MS; !this.#abort.signal.aborted;) {
      try {
        this.#next = await this.#position();
        return;
      } catch (error) {
        backOff = await this.#stall(error, backOff);
      }
    }
  }

  #moveTo(next: number): void {
    this.#next = next;
    this.#from = next;
    for (const wake of [...this.#progress]) wake();
  }

  /** Waits until the writer announces a record past the position. */
  #more(): Promise<void> {
    const { signal } = this.#abort;
    const arrived = () => signal.aborted || this.#client.endOf(this.#topic) > (this.#next ?? 0);
    if (arrived()) return nextTick();
    return new Promise((resolve) => {
      const wake = () => {
        if (!arrived()) return;
        unsubscribe();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const unsubscribe = this.#client.onEnds(this.#topic, wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Lets messages accumulate, unless a batch is full or a caller waits for them. */
  async #pause(): Promise<void> {
    const { signal } = this.#abort;
    const wait = this.#nextBatchAt - performance.now();
    const waiting = this.#client.endOf(this.#topic) - (this.#next ?? 0);
    if (wait <= 0 || waiting >= this.#maxBatch || signal.aborted || this.#progress.size > 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unsubscribe();
        signal.removeEventListener('abort', end);
        this.#endPause = null;
        resolve();
      };
      const timer = setTimeout(end, wait);
      const unsubscribe = this.#client.onEnds(this.#topic, () => {
        if (this.#client.endOf(this.#topic) - (this.#next ?? 0) >= this.#maxBatch) end();
      });
      signal.addEventListener('abort', end);
      this.#endPause = end;
    });
  }

  async #stall(error: unknown, backOff: number): Promise<number> {
    this.#problem = messageOf(error);
    await delay(backOff, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    return Math.min(backOff * 2, LONGEST_BACK_OFF_MS);
  }
}
