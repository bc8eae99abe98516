import type { AgentHeadFacts } from '@countersign/contracts';
import { versionedRecord, type ServiceContext } from '@countersign/service-kit';
import type { AgentHead, EventStore } from '../store/port.js';

const EVERY_MS = 500;
const BATCH = 1_000;

/**
 * Tells the topic `agent-heads` how far each agent has come: many moves of a head are one record. The store knows what
 * was told, so a crash leaves nothing untold.
 */
export class HeadPublisher {
  readonly #context: ServiceContext;
  readonly #store: EventStore;
  readonly #moved = new Map<string, AgentHead>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #stopped = false;

  constructor(context: ServiceContext, store: EventStore) {
    this.#context = context;
    this.#store = store;
  }

  /** Tells what a crash left untold, in the background. */
  start(): void {
    this.#run(() => this.#catchUp());
  }

  readonly moved = (heads: readonly AgentHead[]): void => {
    for (const head of heads) this.#moved.set(head.agentId, head);
    if (heads.length > 0) this.#schedule();
  };

  /** Why heads wait, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
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
        this.#problem = `agent heads wait for the event log: ${error instanceof Error ? error.message : String(error)}`;
        this.#context.log.error({ err: error }, 'agent heads were not published');
        this.#schedule();
      },
    );
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const heads = await this.#store.unpublishedHeads(BATCH);
      if (heads.length === 0) return;
      await this.#publish(heads);
    }
  }

  async #flush(): Promise<void> {
    while (this.#moved.size > 0) {
      const heads = [...this.#moved.values()].slice(0, BATCH);
      await this.#publish(heads);
      for (const head of heads) if (this.#moved.get(head.agentId) === head) this.#moved.delete(head.agentId);
    }
  }

  async #publish(heads: readonly AgentHead[]): Promise<void> {
    await this.#context.eventLog.append(
      heads.map(({ agentId, lastSequence, checks }) =>
        versionedRecord<AgentHeadFacts>('agent-heads', agentId, lastSequence, { lastSequence, checks }),
      ),
    );
    await this.#store.markPublished(heads);
  }
}
