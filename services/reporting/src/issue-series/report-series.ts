import { seriesBody, type SeriesBody, type SeriesRecord } from '@countersign/contracts';
import { HttpRefusal, schemaCheck, type SessionCaller } from '@countersign/http-edge';
import { RunningComputations, type ComputationLimits } from '../count-coverage/running-computations.js';
import { shownAnchor } from '../follow-anchors/shown-anchor.js';
import type { Issuer } from '../issue-report/issue.js';
import type { StoredReport, StoredSeries } from '../store/port.js';
import { issueSeries, type IssuedSeries } from './issue-series.js';

/** Injection token of {@link ReportSeries}. */
export const REPORT_SERIES = Symbol('report-series');

const problemOf = schemaCheck(seriesBody);
/** Each reads and hashes up to 2,000 stored packages. */
const RUNNING: ComputationLimits = { ofOneAccount: 1, ofAll: 4, named: 'series', retryAfterSeconds: 10 };

/** The account's series: issue, list, read. */
export class ReportSeries {
  readonly #running = new RunningComputations(RUNNING);
  /** @param accountName of an account that may export. @throws HttpRefusal 403 for another one */
  constructor(
    private readonly issuer: Issuer,
    private readonly accountName: (accountId: string) => string,
  ) {}

  /** @throws HttpRefusal 403 by plan, 400 by body, 503 while others are issued, 404 by report – in this order */
  async issue(
    { accountId, userId, email }: Pick<SessionCaller, 'accountId' | 'userId' | 'email'>,
    body: unknown,
  ): Promise<IssuedSeries> {
    const accountName = this.accountName(accountId);
    const problem = problemOf(body);
    if (problem !== null) throw new HttpRefusal(400, problem);
    return this.#running.run(accountId, async () => {
      const reports = await this.#available(accountId, (body as SeriesBody).reportIds);
      return issueSeries(this.issuer, accountId, { accountName, userId, email }, reports);
    });
  }

  async #available(accountId: string, reportIds: readonly string[]): Promise<readonly StoredReport[]> {
    const reports: StoredReport[] = [];
    for (const id of new Set(reportIds.map((one) => one.toLowerCase()))) {
      const report = await this.issuer.store.report(accountId, id);
      if (report === null) throw new HttpRefusal(404, `no report ${id}`);
      if (report.facts.withdrawn !== null)
        throw new HttpRefusal(404, `report ${id} was withdrawn: export its range again`);
      reports.push(report);
    }
    return reports;
  }

  async list(accountId: string, limit: number, offset: number): Promise<object> {
    const { series, total } = await this.issuer.store.seriesPage(accountId, limit, offset);
    return { series: await Promise.all(series.map((one) => this.#entry(one))), total, limit, offset };
  }

  /** @throws HttpRefusal 404 for another account's too */
  async body(accountId: string, id: string): Promise<Uint8Array> {
    const series = await this.issuer.store.series(accountId, id);
    if (series === null) throw new HttpRefusal(404, 'no such series');
    const bytes = await this.issuer.blobs.get(series.sha256);
    if (bytes === null) throw new Error(`the stored series ${id} is missing`);
    return bytes;
  }

  async #entry({ id, createdAt, from, to, reportIds, sha256, contentHash }: StoredSeries): Promise<SeriesRecord> {
    return {
      ...{ id, createdAt, from, to, reportIds: [...reportIds], sha256, contentHash },
      anchor: await shownAnchor(this.issuer.store, id),
    };
  }
}
