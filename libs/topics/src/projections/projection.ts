import type { TopicName } from '@countersign/contracts';
import type { Consumption, LogBatch } from '@countersign/event-log';
import type { TopicContext } from '../context.js';
import { readVersionedRecord } from './versioned-record.js';

export interface Projected<T> {
  readonly version: number;
  readonly value: T;
}

export interface Found<T> extends Projected<T> {
  readonly id: string;
}

export interface FollowOptions<T, K = T> {
  /** Returns the key of a value in that index; `null`: none. Of two ids with one key the later wins. */
  readonly indexes?: Readonly<Record<string, (id: string, value: K) => string | null>>;
  /** Checks a value's shape. A rejected value blocks the projection and fails readiness; it is never skipped. */
  readonly accepts?: (value: T) => boolean;
  /** Returns the part of a value to keep. Default: all of it. */
  readonly keep?: (value: T) => K;
}

export type ChangeListener<T> = (id: string, value: T | null, version: number) => void;

interface Waiter {
  readonly id: string;
  readonly version: number;
  readonly settle: (reached: boolean) => void;
}

/**
 * Read model of a compacted topic: the newest version of each id, read from the beginning of the topic. A version that is
 * not higher than the current one is ignored. A record that cannot be read blocks it, and `problem()` says why.
 */
export class Projection<T, Read = T> {
  readonly #entries = new Map<string, Projected<T>>();
  /** Versions of removed ids. */
  readonly #removed = new Map<string, number>();
  readonly #indexes = new Map<string, Map<string, string>>();
  readonly #options: FollowOptions<Read, T>;
  readonly #topic: TopicName;
  readonly #listeners: ChangeListener<T>[] = [];
  readonly #waiters = new Set<Waiter>();
  #consumption: Consumption | null = null;
  #initial: Promise<void> | null = null;
  #behind = true;

  private constructor(topic: TopicName, options: FollowOptions<Read, T>) {
    this.#topic = topic;
    this.#options = options;
    for (const name of Object.keys(options.indexes ?? {})) this.#indexes.set(name, new Map());
  }

  /** Begins to read; `caughtUp()` resolves once everything in the topic has been applied. */
  static async follow<T, K = T>(
    context: Pick<TopicContext, 'eventLog'> & { readonly name: string },
    topic: TopicName,
    options: FollowOptions<T, K> = {},
  ): Promise<Projection<K>> {
    const projection = new Projection<K, T>(topic, options);
    const consumption = await context.eventLog.consume({
      group: `${context.name}.${topic}`,
      topics: [topic],
      mode: 'everyone',
      position: () => null,
      handle: (batch) => projection.#apply(batch),
    });
    projection.#consumption = consumption;
    projection.#initial = consumption.caughtUp().then(() => {
      projection.#behind = false;
    });
    projection.#initial.catch(() => undefined);
    return projection as unknown as Projection<K>;
  }

  get(id: string): Projected<T> | undefined {
    return this.#entries.get(id);
  }

  /** @throws if no index of that name was declared */
  find(index: string, key: string): Found<T> | undefined {
    const ids = this.#indexes.get(index);
    if (ids === undefined) throw new Error(`the projection of ${this.#topic} has no index ${index}`);
    const id = ids.get(key);
    const entry = id === undefined ? undefined : this.#entries.get(id);
    return id === undefined || entry === undefined ? undefined : { id, ...entry };
  }

  *values(): IterableIterator<Found<T>> {
    for (const [id, entry] of this.#entries) yield { id, ...entry };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Resolves to true once it has at least this version of the id, also if that version removes it; to false after the timeout. */
  waitFor(id: string, version: number, timeoutMs: number): Promise<boolean> {
    if (this.#versionOf(id) >= version) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        id,
        version,
        settle: (reached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** Calls the listener after each applied change, from the first message on. A listener that throws blocks the projection. */
  onChange(listener: ChangeListener<T>): void {
    this.#listeners.push(listener);
  }

  /** Resolves when everything that was in the topic at the time of the call has been applied. */
  async caughtUp(): Promise<void> {
    await this.#initial;
    await this.#consumption?.caughtUp();
  }

  /** Why it is blocked or still catching up; `null` if it follows the topic. */
  problem(): string | null {
    const stalled = this.#consumption?.stalled() ?? null;
    if (stalled !== null) return `topic ${this.#topic} is blocked: ${stalled}`;
    return this.#behind ? `topic ${this.#topic} is being read` : null;
  }

  async stop(): Promise<void> {
    for (const waiter of this.#waiters) waiter.settle(false);
    await this.#consumption?.stop();
  }

  #versionOf(id: string): number {
    return this.#entries.get(id)?.version ?? this.#removed.get(id) ?? 0;
  }

  #apply(batch: LogBatch): void {
    for (const message of batch.records) {
      const { id, version, value: read } = readVersionedRecord<Read>(message);
      if (version <= this.#versionOf(id)) continue;
      if (read !== null && this.#options.accepts?.(read) === false) {
        throw new Error(`${message.topic}/${message.partition}/${message.offset} does not have the shape of its topic`);
      }
      const { keep } = this.#options;
      const value = read === null || keep === undefined ? (read as T | null) : keep(read);
      this.#put(id, version, value);
      for (const listener of this.#listeners) listener(id, value, version);
      for (const waiter of this.#waiters) {
        if (waiter.id === id && version >= waiter.version) waiter.settle(true);
      }
    }
  }

  #put(id: string, version: number, value: T | null): void {
    const before = this.#entries.get(id);
    for (const [name, keyOf] of Object.entries(this.#options.indexes ?? {})) {
      const index = this.#indexes.get(name)!;
      const oldKey = before === undefined ? null : keyOf(id, before.value);
      if (oldKey !== null && index.get(oldKey) === id) index.delete(oldKey);
      const newKey = value === null ? null : keyOf(id, value);
      if (newKey !== null) index.set(newKey, id);
    }
    if (value === null) {
      this.#entries.delete(id);
      this.#removed.set(id, version);
    } else {
      this.#entries.set(id, { version, value });
      this.#removed.delete(id);
    }
  }
}
