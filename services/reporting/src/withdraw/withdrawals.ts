import { BackgroundLoop } from '@countersign/async';
import type { ErasedContent, PackageContent } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { pdfBlobName } from '../blobs/blob-store.js';
import { mayOpen, type OpenedRun, type StoredReport } from '../store/port.js';
import { openedRuns, opensAny } from './opened-runs.js';
import { ERASED, isErased, removeBodies, withdrawReport, type WithdrawalPlace } from './withdraw-report.js';

const EVERY_MS = 250;
const AFTER_A_FAILURE_MS = 2_000;
const MOST = 100;
/** A body without a report that is older was left by a killed process. */
const ABANDONED_MS = 3_600_000;
const KEPT_BODIES = 100;
const KEPT_RUNS = 1_000;

/**
 * Withdraws the reports whose stored bodies open content that was erased. It asks audit-log for what is untold, and says
 * when nothing opens it any more; several instances may do the same. At its start it goes through all reports: a store or
 * a folder that was put back from an older copy holds again what was withdrawn since. It does so once more when bodies
 * that were too young then can be told from those of reports under way.
 */
export class Withdrawals {
  readonly #context: Pick<ServiceContext, 'log'>;
  readonly #place: WithdrawalPlace;
  #stopped = false;
  readonly #loop: BackgroundLoop;
  readonly #now: () => number;
  /** When all reports are gone through next, ms; `null`: not again. */
  #reviewAtMs: number | null = 0;
  #failing = false;
  /** What bodies open that were read for it: one is large, never changes, and may be asked of many orders. */
  readonly #read = new Map<string, readonly OpenedRun[]>();

  /** @param now wall clock, ms */
  constructor(context: Pick<ServiceContext, 'log'>, place: WithdrawalPlace, now: () => number = Date.now) {
    this.#context = context;
    this.#place = place;
    this.#now = now;
    this.#loop = new BackgroundLoop(
      async () => {
        await this.turn();
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

  /** Withdraws what is untold now, and tells it. */
  async turn(): Promise<void> {
    const { erasures } = this.#place;
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

  /** Goes through all reports: bodies of withdrawn ones go, those that open what was erased, and those of no report. */
  async review(): Promise<void> {
    const { store, erasures, blobs } = this.#place;
    const nobodys = new Set(await blobs.namesBefore(this.#now() - ABANDONED_MS));
    for await (const report of store.all()) {
      if (this.#stopped) return;
      const { sha256, pdfSha256 } = report.facts;
      nobodys.delete(sha256);
      if (pdfSha256 !== null) nobodys.delete(pdfBlobName(pdfSha256));
      if (report.facts.withdrawn !== null) await removeBodies(this.#place, report);
      else if (report.opens !== undefined && (await isErased(erasures, mayOpen(report)))) {
        await withdrawReport(this.#place, report.id, ERASED);
      }
    }
    for (const name of nobodys) {
      this.#context.log.warn({ name }, 'a stored body that belongs to no report is removed');
      await blobs.remove(name);
    }
  }

  async #withdraw(erased: ErasedContent): Promise<void> {
    for (const report of await this.#place.store.opening(erased.agentId, erased.sequence)) {
      if (report.opens === undefined && !(await this.#bodyOpens(report, erased))) continue;
      await withdrawReport(this.#place, report.id, ERASED);
    }
  }

  /**
   * Whether the body of a report of which it was not kept what it opens does: one that withheld the content, or was
   * issued after it was erased, has the event and stays. Where the body is gone, or damaged, it is withdrawn.
   */
  async #bodyOpens({ facts }: StoredReport, { agentId, sequence }: ErasedContent): Promise<boolean> {
    const runs = this.#read.get(facts.sha256) ?? (await this.#readRuns(facts.sha256));
    return runs === null || opensAny(runs, agentId, [sequence]);
  }

  async #readRuns(sha256: string): Promise<readonly OpenedRun[] | null> {
    const runs = runsOf(await this.#place.blobs.get(sha256));
    if (runs === null) return null;
    if (this.#read.size >= KEPT_BODIES) this.#read.clear();
    if (runs.length <= KEPT_RUNS) this.#read.set(sha256, runs);
    return runs;
  }
}

/** `null`: there is no body, or none that can be read. */
function runsOf(body: Buffer | null): readonly OpenedRun[] | null {
  try {
    return body === null ? null : openedRuns((JSON.parse(body.toString('utf8')) as PackageContent).events);
  } catch {
    return null;
  }
}
