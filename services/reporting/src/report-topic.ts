import { republish, TopicAhead } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import type { Owned } from '@countersign/topics';
import type { ReportStore, StoredReport } from './store/port.js';

/** Compares the topic `reports` with the store, once, and publishes again what the topic lacks. */
export class ReportTopic {
  /** Resolves when they are compared, or cannot be. */
  readonly compared: Promise<void>;
  #problem: string | null = 'the topic reports is being compared with the store';

  /** To be made once the outbox has been relayed. */
  constructor(context: Pick<ServiceContext, 'eventLog' | 'log'>, store: Pick<ReportStore, 'all'>) {
    this.compared = republish(context, 'reports', owned(store)).then(
      () => void (this.#problem = null),
      (error: unknown) => {
        this.#problem =
          error instanceof TopicAhead ? error.message : 'the store cannot be compared with its topic: see the log';
        context.log.error({ err: error }, 'the topic reports does not follow the store');
      },
    );
  }

  /** Why the topic does not say what the store does, or may not; `null` when it does. */
  problem(): string | null {
    return this.#problem;
  }
}

/** A report as its topic has it. */
export function ownedOf({ id, version, facts }: StoredReport): Owned {
  return { id, version, value: facts };
}

async function* owned(store: Pick<ReportStore, 'all'>): AsyncGenerator<Owned> {
  for await (const report of store.all()) yield ownedOf(report);
}
