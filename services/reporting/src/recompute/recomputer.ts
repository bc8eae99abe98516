import { fileURLToPath } from 'node:url';
import type { PackageEvent, PackageRedecision } from '@countersign/contracts';
import { lengthOf, piecesOf, type Member } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { ChildFailed, ChildLane, type ChildLimits } from '../child/child-lane.js';
import { recompute, type Recomputed } from './recompute.js';

const CHILD = fileURLToPath(new URL('./recomputing-child.js', import.meta.url));
const BUSY = 'the verdicts of too many packages are being computed: try again';
const ADVICE = 'nothing was issued; try again, or export a shorter range';

interface RecomputingLimits extends ChildLimits {
  /** Most events that are computed on the thread that also answers requests: 50 take some 20 ms there, and a process 0.8 s to start. */
  readonly mostOnThread: number;
}

/** Most bytes of events that are computed there: payloads may have a megabyte each. */
const MOST_BYTES_ON_THREAD = 256 * 1024;

/** Computes the verdicts of packages again: those of more than a few events in child processes, one package after another. */
export class Recomputer {
  readonly #lane: ChildLane;
  readonly #mostOnThread: number;
  readonly #log: Pick<ServiceContext['log'], 'error'>;

  constructor(log: Pick<ServiceContext['log'], 'error'>, limits: Partial<RecomputingLimits> = {}) {
    const { mostOnThread = 50, ...ofChild } = limits;
    // 50,000 events take some ten seconds of a processor, which the checks of the machine have first.
    this.#lane = new ChildLane(CHILD, BUSY, { deadlineMs: 120_000, ...ofChild });
    this.#mostOnThread = mostOnThread;
    this.#log = log;
  }

  /**
   * @param events number of events of the package
   * @throws HttpRefusal 503 if they need a process, and the queue or the account's share of it is full
   */
  requireRoom(accountId: string, events: number): void {
    if (events > this.#mostOnThread) this.#lane.requireRoom(accountId);
  }

  /** True for a package whose verdicts are computed on this thread. */
  isSmall(events: number, member: Member): boolean {
    return events <= this.#mostOnThread && lengthOf([member]) <= MOST_BYTES_ON_THREAD;
  }

  /**
   * The statement that a package makes of its verdicts.
   * @param entries the member `events` of a package that has few; `null`: it is read from its canonical form
   * @param member the member `events`, in canonical form
   * @returns `null`: computing them throws for this package, which is logged
   * @throws HttpRefusal 503 if the queue is full or too slow, the service stops, or the process ends before it has answered
   */
  async statement(
    accountId: string,
    reportId: string,
    entries: readonly PackageEvent[] | null,
    member: Member,
  ): Promise<PackageRedecision | null> {
    const computed = entries === null ? await this.#inChild(accountId, reportId, member) : recompute(entries);
    if (computed.statement === null) {
      this.#log.error({ reportId, why: computed.why }, 'the verdicts of a report could not be computed');
    }
    return computed.statement;
  }

  /** Ends the current process: its export is answered with 503. */
  end(): void {
    this.#lane.end();
  }

  async #inChild(accountId: string, reportId: string, member: Member): Promise<Recomputed> {
    try {
      return JSON.parse((await this.#lane.run(accountId, piecesOf([member]))).toString()) as Recomputed;
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      this.#log.error({ err: error, reportId }, 'the process that computes verdicts ended without an answer');
      const message = `the process that computes the verdicts of the package ended (${error.how}): ${ADVICE}`;
      throw new HttpRefusal(503, message, { 'retry-after': '30' });
    }
  }
}
