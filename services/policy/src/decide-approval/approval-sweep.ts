import { BackgroundLoop } from '@countersign/async';
import { Gauge } from 'prom-client';
import type { ServiceContext } from '@countersign/service-kit';
import { ended } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import type { ApprovalStore } from '../store/approvals-port.js';
import { approvalWrite } from './approval-write.js';

const EVERY_MS = 1000;
const AT_ONCE = 200;
/** Approvals that are over are shown for this long; their events stay in the archive. */
const KEPT_MS = 90 * 24 * 3_600_000;

type SweepContext = Pick<ServiceContext, 'counters' | 'log' | 'metrics'>;

/**
 * Ends approvals whose time is over, every second: what was not decided or not used in time expires, and a denial no
 * longer holds. An instance that finds one changed by another leaves it.
 */
export class ApprovalSweep {
  readonly #context: SweepContext;
  readonly #store: ApprovalStore;
  readonly #ended: (approval: Approval) => void;
  readonly #loop: BackgroundLoop;
  #isFailing = false;

  /** @param ended called after an approval has ended, durably */
  constructor(context: SweepContext, store: ApprovalStore, ended: (approval: Approval) => void) {
    this.#context = context;
    this.#store = store;
    this.#ended = ended;
    this.#loop = new BackgroundLoop(
      () => this.sweep(),
      (err) => {
        if (!this.#isFailing) context.log.warn({ err }, 'approvals whose time is over are ended later');
        this.#isFailing = true;
        return EVERY_MS;
      },
    );
    const pending = (): Promise<number> => store.pending();
    new Gauge({
      name: 'countersign_approvals_pending',
      help: 'Requests for an approval that wait for a person, as the store has them',
      registers: [context.metrics],
      async collect() {
        // A store that cannot be used must not hide all other figures.
        this.set(await pending().catch(() => Number.NaN));
      },
    });
  }

  start(): void {
    this.#loop.start(EVERY_MS);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** One pass. Returns the pause before the next one, ms. */
  async sweep(): Promise<number> {
    const nowMs = await this.#context.counters.now();
    const due = await this.#store.due(nowMs, AT_ONCE);
    for (const { approval, revision } of due) {
      const after = ended(approval, nowMs);
      if (after === approval) continue;
      const expired = { type: 'approval.expired', refersTo: approval.eventId, occurredAtMs: nowMs } as const;
      const write = approvalWrite(after, after.state === 'expired' ? [expired] : []);
      if (await this.#store.replace(write, revision)) this.#ended(after);
    }
    const forgotten = await this.#store.forget(nowMs - KEPT_MS, AT_ONCE);
    this.#isFailing = false;
    return due.length === AT_ONCE || forgotten === AT_ONCE ? 0 : EVERY_MS;
  }
}
