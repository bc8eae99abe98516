import type { ErasedContent, PackageContent } from '@countersign/contracts';
import type { BlobStore } from '../blobs/blob-store.js';
import type { OpenedRun, ReportStore, StoredReport } from '../store/port.js';
import { openedRuns, opensAny } from './opened-runs.js';

const KEPT_BODIES = 100;
const KEPT_RUNS = 1_000;

/** The reports whose stored bodies open the content of an event. */
export class OpeningReports {
  readonly #store: Pick<ReportStore, 'opening'>;
  readonly #blobs: Pick<BlobStore, 'get'>;
  /** Runs opened by bodies that were read: a body is large, never changes, and may be needed for many events. */
  readonly #read = new Map<string, readonly OpenedRun[]>();

  constructor({
    store,
    blobs,
  }: {
    readonly store: Pick<ReportStore, 'opening'>;
    readonly blobs: Pick<BlobStore, 'get'>;
  }) {
    this.#store = store;
    this.#blobs = blobs;
  }

  /** @returns withdrawn ones too, whose bodies may be there */
  async of(event: Pick<ErasedContent, 'agentId' | 'sequence'>): Promise<readonly StoredReport[]> {
    const reports: StoredReport[] = [];
    for (const report of await this.#store.opening(event.agentId, event.sequence)) {
      if (report.opens !== undefined || (await this.#bodyOpens(report, event))) reports.push(report);
    }
    return reports;
  }

  /**
   * True if the body of a report without recorded runs opens the event: one that withheld the content, or was
   * issued after the erasure, does not. A body that is missing or damaged counts as one that does.
   */
  async #bodyOpens(
    { facts }: StoredReport,
    { agentId, sequence }: Pick<ErasedContent, 'agentId' | 'sequence'>,
  ): Promise<boolean> {
    const runs = this.#read.get(facts.sha256) ?? (await this.#readRuns(facts.sha256));
    return runs === null || opensAny(runs, agentId, [sequence]);
  }

  async #readRuns(sha256: string): Promise<readonly OpenedRun[] | null> {
    const runs = runsOf(await this.#blobs.get(sha256));
    if (runs === null) return null;
    if (this.#read.size >= KEPT_BODIES) this.#read.clear();
    if (runs.length <= KEPT_RUNS) this.#read.set(sha256, runs);
    return runs;
  }
}

/** `null`: there is no readable body. */
function runsOf(body: Buffer | null): readonly OpenedRun[] | null {
  try {
    return body === null ? null : openedRuns((JSON.parse(body.toString('utf8')) as PackageContent).events);
  } catch {
    return null;
  }
}
