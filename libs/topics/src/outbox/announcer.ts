import type { VersionedKind } from '@countersign/counters';
import type { TopicContext } from '../context.js';
import type { OutboxRelay, RowId } from './relay.js';
import { SharedPass } from './shared-pass.js';

/** A version that every gateway must have once its change has been answered. */
export interface Announcement {
  readonly kind: VersionedKind;
  readonly id: string;
  readonly version: number;
}

export interface AnnouncementRow extends Announcement {
  readonly row: RowId;
}

/**
 * Announcements, written in one transaction with the change and its outbox rows. Several instances may announce the same rows
 * concurrently. A method rejects if the store cannot be used.
 */
export interface AnnouncementStore {
  /** The oldest rows that have not been announced; fewer than `limit` only if there are no more. */
  unannounced(limit: number): Promise<readonly AnnouncementRow[]>;
  /** Deletes rows; ignores those that another instance has deleted. */
  announced(rows: readonly RowId[]): Promise<void>;
}

const BATCH = 500;

/**
 * Announces committed changes before their callers are answered: publishes the outbox to the log, raises the versions in the
 * counters, then deletes the rows. A crash in between leaves the rows, and the next start repeats both steps.
 */
export class Announcer {
  readonly #context: Pick<TopicContext, 'counters' | 'log'>;
  readonly #relay: OutboxRelay;
  readonly #store: AnnouncementStore;
  readonly #settle: (announcement: Announcement) => Promise<void>;
  readonly #pass: SharedPass;

  /** @param settle changes the counters further before the change is answered; called after each raise, idempotent */
  constructor(
    context: Pick<TopicContext, 'counters' | 'log'>,
    relay: OutboxRelay,
    store: AnnouncementStore,
    settle: (announcement: Announcement) => Promise<void> = () => Promise.resolve(),
  ) {
    this.#context = context;
    this.#relay = relay;
    this.#store = store;
    this.#settle = settle;
    this.#pass = new SharedPass({
      run: () => this.#announceAll(),
      waiting: 'changes wait to be announced',
      failed: 'changes were not announced',
      log: context.log,
    });
  }

  /** Announces rows that a crash left. If log or counters refuse, the start succeeds and `problem()` says why. */
  async start(): Promise<void> {
    await this.#relay.start();
    await this.announce().catch(() => undefined);
  }

  /** Resolves when every change committed before the call is durable in the log and its version is raised. */
  announce(): Promise<void> {
    return this.#pass.run();
  }

  /** Why changes wait, or `null`. */
  problem(): string | null {
    return this.#relay.problem() ?? this.#pass.problem();
  }

  async stop(): Promise<void> {
    await this.#pass.stop();
    await this.#relay.stop();
  }

  async #announceAll(): Promise<void> {
    for (;;) {
      // Read before the flush: a version is raised only when its record is in the log.
      const rows = await this.#store.unannounced(BATCH);
      await this.#relay.flush();
      for (const { kind, id, version } of rows) {
        await this.#context.counters.raise(kind, id, version);
        await this.#settle({ kind, id, version });
      }
      if (rows.length > 0) await this.#store.announced(rows.map(({ row }) => row));
      if (rows.length < BATCH) return;
    }
  }
}
