import { messageOf } from '@countersign/async';
import type { AgentHeadFacts } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import type { AgentHead, EventStore, UnpublishedHead } from '../store/port.js';

const EVERY_MS = 500;
/** How often it looks for heads that another instance moved and did not come to tell. */
const LEFT_EVERY_MS = 10_000;
const BATCH = 1_000;
/** Heads that move faster than they are published are published by the next round. */
const MOST_BATCHES = 100;

/**
 * Publishes the head of each agent to `agent-heads`: many moves of a head are one record. Each instance publishes the
 * heads that it moved. The store knows what was published, so another instance publishes what a crash left.
 */
export class HeadPublisher {
  readonly #context: ServiceContext;
  readonly #store: EventStore;
  readonly #moved = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #leftTimer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #stopped = false;

  constructor(context: ServiceContext, store: EventStore) {
    this.#context = context;
    this.#store = store;
  }

  /** Publishes what a crash left unpublished, in the background. */
  start(): void {
    this.#run(() => this.#tellLeft());
    this.#leftTimer = setInterval(() => this.#run(() => this.#tellLeft()), LEFT_EVERY_MS);
    this.#leftTimer.unref();
  }

  readonly moved = (heads: readonly AgentHead[]): void => {
    for (const head of heads) this.#moved.add(head.agentId);
    if (heads.length > 0) this.#schedule();
  };

  /** Why heads wait, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#leftTimer !== null) clearInterval(this.#leftTimer);
    this.#run(() => this.#flush());
    await this.#running;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#run(() => this.#flush());
    }, EVERY_MS);
    this.#timer.unref();
  }

  #run(work: () => Promise<void>): void {
    this.#running = this.#running.then(work).then(
      () => {
        this.#problem = null;
      },
      (error: unknown) => {
        this.#problem = `agent heads are not published: ${messageOf(error)}`;
        this.#context.log.error({ err: error }, 'agent heads were not published');
        this.#schedule();
      },
    );
  }

  async #tellLeft(): Promise<void> {
    for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
      const heads = await this.#store.unpublishedHeads(BATCH);
      await this.#publish(heads);
      if (heads.length < BATCH) return;
    }
  }

  async #flush(): Promise<void> {
    while (this.#moved.size > 0) {
      const ids = [...this.#moved].slice(0, BATCH);
      // Before they are read: a move from here on brings them back.
      for (const id of ids) this.#moved.delete(id);
      try {
        await this.#publish(await this.#store.unpublishedHeads(BATCH, ids));
      } catch (error) {
        for (const id of ids) this.#moved.add(id);
        throw error;
      }
    }
  }

  async #publish(heads: readonly UnpublishedHead[]): Promise<void> {
    if (heads.length === 0) return;
    await this.#context.eventLog.append(
      heads.map(({ agentId, lastSequence, checks }) =>
        versionedRecord<AgentHeadFacts>('agent-heads', agentId, lastSequence, { lastSequence, checks }),
      ),
    );
    await this.#store.markPublished(heads);
  }
}
