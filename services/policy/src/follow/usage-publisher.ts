import { CountersUnavailable } from '@countersign/counters';
import type { Counters } from '@countersign/counters';
import { versionedRecord } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import { givenBackIn, positionRecord, positionVersion } from '../domain/usage-records.js';
import type { PolicyStore, UsageRow } from '../store/port.js';
import { UsageTail } from './usage-tail.js';

type PublisherContext = Pick<ServiceContext, 'name' | 'config' | 'eventLog' | 'log' | 'clock'> & {
  readonly counters: Pick<Counters, 'giveBack'>;
};

const EVERY_MS = 1000;
/** Rows of one append, at most. */
const MOST_ROWS = 500;
/** Characters that the rows of one append should not exceed: with facts and limits a row may have 4 million. */
const PAGE_CHARACTERS = 8_000_000;
/** Characters of rows that are published in a second, on average: where there are more, sweeps are further apart. */
const CHARACTERS_PER_SECOND = 1_000_000;
/** The counters keep a claim for 24 hours; an hour more, so that no clock ends it early. */
const CLAIM_MS = 25 * 3600 * 1000;
const CLAIMS_AT_ONCE = 2000;

/**
 * Publishes the topic `usage` every second, later where rows are large, and at the stop: first every changed row, then the position that they cover, so
 * that counters that are rebuilt from the topic have everything below that position.
 * Instances that share a store publish all rows that they find: a row that another instance has published is in the topic,
 * and each row says which offsets it covers. `UsageTail` keeps the newest record of a row last.
 *
 * Spending that was given back is reported to the counters once its row is in the topic, and the row is marked as published
 * after that: counters that lose it later are rebuilt from a topic that has it.
 */
export class UsagePublisher {
  readonly #context: PublisherContext;
  readonly #store: PolicyStore;
  readonly #announcer: Pick<Announcer, 'announce'>;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #tail: Promise<UsageTail | null> = Promise.resolve(null);
  #publishedVersion = 0;
  /** Rows of the next append: few at first, because their size is not known. */
  #page = 16;
  /** Time before which no sweep begins by itself, ms. */
  #pauseUntilMs = 0;

  constructor(context: PublisherContext, store: PolicyStore, announcer: Pick<Announcer, 'announce'>) {
    this.#context = context;
    this.#store = store;
    this.#announcer = announcer;
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (performance.now() < this.#pauseUntilMs) return;
      this.publish().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'usage was not published, the next second tries again');
      });
    }, EVERY_MS);
    this.#timer.unref();
    // Where one process alone writes the topic, its order is that of the changes.
    if (this.#context.config.profile === 'embedded') return;
    this.#tail = UsageTail.follow(this.#context).catch((error: unknown) => {
      this.#context.log.error({ err: error }, 'usage is not followed: older totals that land last stay so');
      return null;
    });
  }

  /** Runs one sweep at a time. Rejects when log or store refuse; the next sweep publishes the rest. */
  publish(): Promise<void> {
    const sweep = this.#running.catch(() => undefined).then(() => this.#sweep());
    this.#running = sweep;
    return sweep;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await (await this.#tail)?.stop();
    await this.publish().catch((error: unknown) => {
      this.#context.log.warn({ err: error }, 'usage was not published at the stop, the next start does');
    });
  }

  /** Rows whose given-back spending the counters have; the others are part of the next sweep. */
  async #toCounters(rows: readonly UsageRow[]): Promise<readonly UsageRow[]> {
    const known = await Promise.all(
      rows.map(async (row) => {
        const given = givenBackIn(row);
        if (given === null) return true;
        try {
          await this.#context.counters.giveBack(given.agentId, given.sums);
          return true;
        } catch (error) {
          if (error instanceof CountersUnavailable) return false;
          throw error;
        }
      }),
    );
    return rows.filter((_, i) => known[i]);
  }

  async #sweep(): Promise<void> {
    await this.#store.endClaims(this.#context.clock() - CLAIM_MS, CLAIMS_AT_ONCE);
    // Read before the rows: they cover everything below it.
    const positions = await this.#store.positions();
    let after = '';
    const begunMs = performance.now();
    for (;;) {
      const rows = await this.#store.unpublished(after, this.#page);
      if (rows.length === 0) break;
      const records = rows.map(({ key, version, value }) => versionedRecord('usage', key, version, value));
      await this.#context.eventLog.append(records);
      await this.#store.published(await this.#toCounters(rows));
      after = rows.at(-1)!.key;
      const characters = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      this.#pauseUntilMs = Math.max(this.#pauseUntilMs, begunMs) + (characters / CHARACTERS_PER_SECOND) * 1000;
      const fitting = Math.floor((rows.length * PAGE_CHARACTERS) / (characters + 1));
      this.#page = Math.max(1, Math.min(MOST_ROWS, fitting, this.#page * 2));
    }
    // A freeze that follows from a denial below the position must be in the topic `agents` before the position says so.
    await this.#announcer.announce();
    const version = positionVersion(positions);
    if (version === this.#publishedVersion) return;
    const { key, value } = positionRecord(positions);
    await this.#context.eventLog.append([versionedRecord('usage', key, version, value)]);
    this.#publishedVersion = version;
  }
}
