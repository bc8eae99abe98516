import { republish, TopicAhead } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import type { Owned } from '@countersign/topics';
import type { ReportStore, StoredReport } from './store/port.js';

/** Compares the topic `reports` with the store, once, and publishes missing records again. */
export class ReportTopic {
  /** Resolves when the comparison has finished or failed. */
  readonly compared: Promise<void>;
  #problem: string | null = 'the topic reports is being compared with the store';

  /** Created after the outbox has been relayed. */
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

  /** Why the topic may differ from the store; `null` if it does not. */
  problem(): string | null {
    return this.#problem;
  }
}

/** A report as an item of its topic. */
export function ownedOf({ id, version, facts }: StoredReport): Owned {
  return { id, version, value: facts };
}

async function* owned(store: Pick<ReportStore, 'all'>): AsyncGenerator<Owned> {
  for await (const report of store.all()) yield ownedOf(report);
}
