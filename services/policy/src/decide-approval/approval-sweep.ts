import { BackgroundLoop } from '@countersign/async';
import { Gauge } from 'prom-client';
import type { ServiceContext } from '@countersign/service-kit';
import { ended } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import type { PolicyStore } from '../store/port.js';
import { approvalWrite } from './approval-write.js';

const EVERY_MS = 1000;
const AT_ONCE = 200;
/** Approvals that are over are shown for this long; their events stay in the archive. */
const KEPT_MS = 90 * 24 * 3_600_000;

type SweepContext = Pick<ServiceContext, 'counters' | 'eventLog' | 'log' | 'metrics'>;
type SweepStore = Pick<PolicyStore, 'approvals' | 'position'>;

/**
 * Ends approvals whose time is over, every second: what was not decided or not used in time expires, and a denial no
 * longer holds. An instance that finds one changed by another leaves it. One that was approved expires once the store has
 * followed all that the log had after its time: a check that used it may not have been followed yet.
 */
export class ApprovalSweep {
  readonly #context: SweepContext;
  readonly #store: SweepStore;
  readonly #ended: (approval: Approval) => void;
  readonly #loop: BackgroundLoop;
  #isFailing = false;
  /** A time, with the ends of the log then; `null`: the next pass takes one. */
  #awaited: { readonly atMs: number; readonly ends: Readonly<Record<number, number>> } | null = null;
  /** All that the log had at this time is followed. */
  #followedMs = 0;

  /** @param ended called after an approval has ended, durably */
  constructor(context: SweepContext, store: SweepStore, ended: (approval: Approval) => void) {
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
    const pending = (): Promise<number> => store.approvals.pending();
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
    const store = this.#store.approvals;
    const due = await store.due(nowMs, AT_ONCE);
    const isGiven = due.some(({ approval }) => approval.state === 'approved');
    const followedMs = isGiven ? await this.#followed(nowMs) : 0;
    let waiting = 0;
    for (const { approval, revision } of due) {
      const after = ended(approval, approval.state === 'approved' ? followedMs : nowMs);
      if (after === approval) {
        waiting += 1;
        continue;
      }
      const expired = { type: 'approval.expired', refersTo: approval.eventId, occurredAtMs: nowMs } as const;
      const write = approvalWrite(after, after.state === 'expired' ? [expired] : []);
      if (await store.replace(write, revision)) this.#ended(after);
    }
    const forgotten = await store.forget(nowMs - KEPT_MS, AT_ONCE);
    this.#isFailing = false;
    const isMore = due.length === AT_ONCE || forgotten === AT_ONCE;
    return isMore && waiting === 0 ? 0 : EVERY_MS;
  }

  /** The last time of which the store is known to have followed all that the log had. */
  async #followed(nowMs: number): Promise<number> {
    this.#awaited ??= { atMs: nowMs, ends: await this.#context.eventLog.endOffsets('agent-events') };
    const { atMs, ends } = this.#awaited;
    for (const [partition, end] of Object.entries(ends)) {
      if (end > 0 && ((await this.#store.position(Number(partition))) ?? 0) < end) return this.#followedMs;
    }
    this.#awaited = null;
    this.#followedMs = atMs;
    return atMs;
  }
}
