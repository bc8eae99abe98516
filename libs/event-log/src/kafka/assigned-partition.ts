import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { ConsumeOptions } from '../port.js';
import type { EdgeFinder } from './edges.js';
import type { Fetcher } from './fetcher.js';
import { ReadLane } from './read-lane.js';
import type { ReadingPlace } from './read-lane.js';
import type { TopicPartition } from './read-records.js';

const FIRST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 5000;
/** A database or a broker that has just started may refuse or be late for so long. */
const PATIENCE_MS = 30_000;

export interface AssignedPartitionParts {
  readonly options: ConsumeOptions;
  readonly edges: EdgeFinder;
  readonly fetcher: Fetcher;
  /** Waits until nothing else in this process holds the partition; returns the function that releases it. */
  readonly lock: (source: TopicPartition) => Promise<() => void>;
}

/**
 * One partition while it is assigned to this member: determines the position, then delivers its batches to the handler.
 */
export class AssignedPartition {
  readonly source: TopicPartition;
  /**
   * Resolves once the position is known; rejects when it cannot be used, or with the error of an attempt that
   * ends after 30 s. It is retried anyway.
   */
  readonly started: Promise<void>;
  readonly #parts: AssignedPartitionParts;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  #ready: () => void = () => undefined;
  readonly #laneReady = new Promise<void>((resolve) => (this.#ready = resolve));
  #lane: ReadLane | null = null;
  #problem: string | null = null;
  #release: () => void = () => undefined;

  constructor(source: TopicPartition, parts: AssignedPartitionParts) {
    this.source = source;
    this.#parts = parts;
    this.started = this.#startWithin(PATIENCE_MS);
    this.#running = this.started.catch(() => this.#startWithin(Number.POSITIVE_INFINITY).catch(() => undefined));
  }

  stalled(): string | null {
    return this.#problem ?? this.#lane?.stalled() ?? null;
  }

  lag(): number {
    return this.#lane?.lag() ?? 0;
  }

  /** The offset after the last one handled, or `null` before the position is known. */
  handled(): number | null {
    return this.#lane?.handled ?? null;
  }

  /** Resolves with `true` once everything before `end` is handled, with `false` when it is released before. */
  async reached(end: number): Promise<boolean> {
    await this.#laneReady;
    return (await this.#lane?.reached(end)) ?? false;
  }

  /** Resolves when its last handler has returned and the partition is free for others. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    if (this.#lane !== null) {
      this.#parts.fetcher.remove(this.#lane);
      await this.#lane.stop();
    }
    this.#ready();
    this.#release();
  }

  async #start(): Promise<void> {
    const release = await this.#parts.lock(this.source);
    try {
      const from = await this.#position();
      if (this.#abort.signal.aborted) return release();
      this.#release = release;
      const { options, fetcher } = this.#parts;
      const place = (): Promise<ReadingPlace> => this.#position();
      this.#lane = new ReadLane(this.source, from, options, place, () => fetcher.pump());
      this.#parts.fetcher.add(this.#lane);
      this.#ready();
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Repeats the start until it succeeds or the partition is released. @throws the error of the first attempt that ends after `ms` */
  async #startWithin(ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let pause = FIRST_BACK_OFF_MS; ; pause = Math.min(2 * pause, LONGEST_BACK_OFF_MS)) {
      try {
        await this.#start();
        this.#problem = null;
        return;
      } catch (error) {
        this.#problem = (error as Error).message;
        const isFinal = error instanceof LogDamaged && ms !== Number.POSITIVE_INFINITY;
        if (isFinal || performance.now() >= until) throw error;
      }
      await delay(Math.min(pause, until - performance.now()), undefined, { signal: this.#abort.signal }).catch(
        () => undefined,
      );
      if (this.#abort.signal.aborted) return;
    }
  }

  async #position(): Promise<ReadingPlace> {
    const { topic, name, partition } = this.source;
    const saved = await this.#parts.options.position(topic, partition);
    const edges = await this.#parts.edges.of(name);
    const begin = edges.begin[partition] ?? 0;
    const end = edges.end[partition] ?? 0;
    if (saved !== null) {
      const problem = missing(this.source, saved, begin, end);
      if (problem !== null) throw new LogDamaged(problem);
    }
    return { position: Math.max(saved ?? 0, begin), saved, end };
  }
}

/** The problem of continuing at `position`, or `null`. */
export function missing(
  { topic, partition }: TopicPartition,
  position: number,
  begin: number,
  end: number,
): string | null {
  const source = `${topic}/${partition}`;
  if (position > end) return `${source}: position ${position} lies past the end ${end}: the log lost what was handled`;
  if (position >= begin || TOPICS[topic].retention.kind === 'compacted') return null;
  return `${source}: offset ${position} is no longer kept, the first is ${begin}: messages were missed`;
}
