import { BackgroundLoop } from '@countersign/async';
import type { ErasedContent } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { pdfBlobName } from '../blobs/blob-store.js';
import { mayOpen } from '../store/port.js';
import { OpeningReports } from './opening-reports.js';
import { ERASED, isErased, removeBodies, withdrawReport, type WithdrawalContext } from './withdraw-report.js';

const EVERY_MS = 250;
const AFTER_A_FAILURE_MS = 2_000;
const MOST = 100;
/** An older body without a report was left by a killed process. */
const ABANDONED_MS = 3_600_000;

/**
 * Withdraws the reports whose stored bodies open erased content. It fetches pending erasures from audit-log and
 * acknowledges each when nothing opens it any more; several instances may do the same. At startup it reviews all reports:
 * a store or a folder restored from an older copy may hold withdrawn ones again. It does so once more when bodies
 * that were too young then can be distinguished from those of reports in progress.
 */
export class Withdrawals {
  readonly #context: Pick<ServiceContext, 'log'>;
  readonly #dependencies: WithdrawalContext;
  #stopped = false;
  readonly #loop: BackgroundLoop;
  readonly #now: () => number;
  /** Time of the next review of all reports, ms; `null`: none. */
  #reviewAtMs: number | null = 0;
  #failing = false;
  readonly #opening: OpeningReports;

  /** @param now wall clock, ms */
  constructor(context: Pick<ServiceContext, 'log'>, dependencies: WithdrawalContext, now: () => number = Date.now) {
    this.#context = context;
    this.#dependencies = dependencies;
    this.#opening = new OpeningReports(dependencies);
    this.#now = now;
    this.#loop = new BackgroundLoop(
      async () => {
        await this.withdrawPending();
        this.#failing = false;
        return EVERY_MS;
      },
      (error) => {
        if (!this.#failing) context.log.warn({ err: error }, 'packages of erased content wait to be withdrawn');
        this.#failing = true;
        return AFTER_A_FAILURE_MS;
      },
    );
  }

  start(): void {
    this.#loop.poke();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
  }

  /** Withdraws the reports of all pending erasures, and acknowledges them. */
  async withdrawPending(): Promise<void> {
    const { erasures } = this.#dependencies;
    for (;;) {
      const pending = await erasures.pending(MOST);
      for (const erased of pending) await this.#withdraw(erased);
      if (pending.length > 0) await erasures.acknowledge(pending.map(({ eventId }) => eventId));
      if (pending.length < MOST || this.#stopped) break;
    }
    const dueMs = this.#reviewAtMs;
    if (dueMs === null || this.#now() < dueMs) return;
    const atMs = this.#now();
    await this.review();
    this.#reviewAtMs = dueMs === 0 ? atMs + ABANDONED_MS : null;
  }

  /** Reviews all reports: removes bodies of withdrawn ones and orphaned bodies, and withdraws those that open erased content. */
  async review(): Promise<void> {
    const { store, erasures, blobs } = this.#dependencies;
    const orphaned = new Set(await blobs.namesBefore(this.#now() - ABANDONED_MS));
    for await (const report of store.all()) {
      if (this.#stopped) return;
      const { sha256, pdfSha256 } = report.facts;
      orphaned.delete(sha256);
      if (pdfSha256 !== null) orphaned.delete(pdfBlobName(pdfSha256));
      if (report.facts.withdrawn !== null) await removeBodies(this.#dependencies, report);
      else if (report.opens !== undefined && (await isErased(erasures, mayOpen(report)))) {
        await withdrawReport(this.#dependencies, report.id, ERASED);
      }
    }
    for await (const { sha256 } of store.everySeries()) orphaned.delete(sha256);
    for (const name of orphaned) {
      this.#context.log.warn({ name }, 'a stored body that belongs to no report is removed');
      await blobs.remove(name);
    }
  }

  async #withdraw(erased: ErasedContent): Promise<void> {
    for (const { id } of await this.#opening.of(erased)) await withdrawReport(this.#dependencies, id, ERASED);
  }
}
