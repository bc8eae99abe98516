import type { ComplianceScope, DeclaredScope } from '@countersign/contracts';
import { requireKept } from '@countersign/event-log';
import type { NewRecord } from '@countersign/event-log';
import { Conflict, POSITIONS } from '@countersign/document-store';
import type { Stored } from '@countersign/document-store';
import type { OutboxRow, RowId } from '@countersign/topics';
import type { JobClaim } from '../report-jobs/report-job.js';
import { ANCHORS, ENTRIES, OPENINGS, REPORTS, SCOPES, SERIES } from './documents.js';
import type { OpeningBody } from './documents.js';
import { anchorKey, mayOpen, reportRecord, scopeRecord } from './port.js';
import { ShareDocuments } from './share-documents.js';
import type {
  AuthorityFacts,
  KeptAnchor,
  ReportAnchorFacts,
  ReportPage,
  ReportStore,
  StoredEntry,
  StoredReport,
  StoredScope,
  StoredSeries,
} from './port.js';

const ALL = 2 ** 31 - 1;

/** The store of reporting, as documents. */
export class ReportDocuments extends ShareDocuments implements ReportStore {
  async addReport(
    report: StoredReport,
    entry?: StoredEntry,
    claim?: JobClaim,
    events: readonly NewRecord[] = [],
  ): Promise<void> {
    await this.documents.transact(async (transaction) => {
      if (claim !== undefined) await this.keepIn(transaction, claim);
      if ((await transaction.get(REPORTS, report.id)) !== null) throw new Conflict(`report ${report.id} is there`);
      await transaction.restore(REPORTS, [storedOf(report)]);
      await transaction.restore(OPENINGS, openingsOf(report));
      if (entry !== undefined) await transaction.set(ENTRIES, [{ id: report.id, body: entry }]);
      await transaction.publish([reportRecord(report), ...events]);
    });
  }

  async entryOf(reportId: string): Promise<StoredEntry | null> {
    return (await this.documents.get(ENTRIES, reportId))?.body ?? null;
  }

  async addSeries(series: StoredSeries, events: readonly NewRecord[] = []): Promise<void> {
    await this.documents.transact(async (transaction) => {
      if ((await transaction.get(SERIES, series.id)) !== null) throw new Conflict(`series ${series.id} is there`);
      await transaction.set(SERIES, [{ id: series.id, body: series }]);
      await transaction.publish(events);
    });
  }

  async series(accountId: string, id: string): Promise<StoredSeries | null> {
    const series = (await this.documents.get(SERIES, id))?.body ?? null;
    return series?.accountId === accountId ? series : null;
  }

  async seriesPage(
    accountId: string,
    limit: number,
    offset: number,
  ): Promise<{ readonly series: readonly StoredSeries[]; readonly total: number }> {
    const query = { where: { accountId }, by: 'createdAt', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([
      this.documents.find(SERIES, query),
      this.documents.count(SERIES, { accountId }),
    ]);
    return { series: page.map(({ body }) => body), total };
  }

  async *everySeries(): AsyncIterable<StoredSeries> {
    for await (const { body } of this.documents.all(SERIES)) yield body;
  }

  async updateReport(report: StoredReport, events: readonly NewRecord[] = []): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(REPORTS, report.id);
      if (stored === null || stored.version >= report.version) return false;
      await transaction.restore(REPORTS, [storedOf(report)]);
      await transaction.publish([reportRecord(report), ...events]);
      return true;
    });
  }

  async report(accountId: string, id: string): Promise<StoredReport | null> {
    const report = await this.anyReport(id);
    return report?.facts.accountId === accountId ? report : null;
  }

  async anyReport(id: string): Promise<StoredReport | null> {
    return (await this.documents.get(REPORTS, id))?.body ?? null;
  }

  async *all(): AsyncIterable<StoredReport> {
    for await (const { body } of this.documents.all(REPORTS)) yield body;
  }

  async reports(accountId: string, limit: number, offset: number): Promise<ReportPage> {
    const query = { where: { accountId }, by: 'createdAt', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([
      this.documents.find(REPORTS, query),
      this.documents.count(REPORTS, { accountId }),
    ]);
    return { reports: page.map(({ body }) => body), total };
  }

  async opening(agentId: string, sequence: number): Promise<readonly StoredReport[]> {
    const where = { agentId, first: { below: sequence + 1 }, last: { from: sequence } };
    const found = await this.documents.find(OPENINGS, { where, limit: ALL });
    const reports = await this.documents.getMany(REPORTS, [...new Set(found.map(({ body }) => body.reportId))]);
    return [...reports.values()].map(({ body }) => body).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async scope(accountId: string): Promise<ComplianceScope> {
    return (await this.documents.get(SCOPES, accountId))?.body.scope ?? {};
  }

  async putScope(
    accountId: string,
    { scope, declaredAt }: DeclaredScope,
    events: readonly NewRecord[] = [],
  ): Promise<void> {
    await this.documents.transact(async (transaction) => {
      const version = ((await transaction.get(SCOPES, accountId))?.body.version ?? 0) + 1;
      await transaction.set(SCOPES, [{ id: accountId, body: { scope, declaredAt, version } }]);
      await transaction.publish([scopeRecord({ accountId, scope, declaredAt, version }), ...events]);
    });
  }

  async scopes(): Promise<readonly StoredScope[]> {
    const scopes: StoredScope[] = [];
    for await (const { id: accountId, body } of this.documents.all(SCOPES)) scopes.push({ accountId, ...body });
    return scopes;
  }

  async republishScope(scope: StoredScope): Promise<void> {
    await this.documents.transact(async (transaction) => {
      const stored = await transaction.get(SCOPES, scope.accountId);
      if (stored?.body.version !== scope.version) return;
      await transaction.expect(SCOPES, scope.accountId, stored.version);
      await transaction.publish([scopeRecord(scope)]);
    });
  }

  async adoptScope({ accountId, scope, declaredAt, version }: StoredScope): Promise<void> {
    await this.documents.transact(async (transaction) => {
      const stored = await transaction.get(SCOPES, accountId);
      if (stored !== null && stored.body.version >= version) return;
      await transaction.set(SCOPES, [{ id: accountId, body: { scope, declaredAt, version } }]);
    });
  }

  async anchorsPosition(partition: number): Promise<number | null> {
    return (await this.documents.get(POSITIONS, String(partition)))?.body.next ?? null;
  }

  async keepAnchors(
    anchors: readonly KeptAnchor[],
    partition: number,
    nextOffset: number,
    from?: number,
  ): Promise<void> {
    const newest = newestOf(anchors);
    await this.documents.transact(async (transaction) => {
      const saved = (await transaction.get(POSITIONS, String(partition)))?.body.next ?? null;
      requireKept(saved, { from });
      const stored = await transaction.getMany(ANCHORS, [...newest.keys()]);
      const newer = [...newest].filter(([id, { version }]) => version > (stored.get(id)?.body.version ?? 0));
      await transaction.set(
        ANCHORS,
        newer.map(([id, body]) => ({ id, body })),
      );
      if (nextOffset > (saved ?? -1)) {
        await transaction.set(POSITIONS, [{ id: String(partition), body: { next: nextOffset } }]);
      }
    });
  }

  async reportAnchor(reportId: string): Promise<ReportAnchorFacts | null> {
    const stored = await this.documents.get(ANCHORS, `report:${reportId}`);
    return stored === null ? null : (stored.body.value as ReportAnchorFacts);
  }

  async authorities(): Promise<readonly AuthorityFacts[]> {
    const found = await this.documents.find(ANCHORS, { where: { kind: 'authority' }, limit: ALL });
    return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ body }) => body.value as AuthorityFacts);
  }

  async enqueue(records: readonly NewRecord[]): Promise<void> {
    if (records.length > 0) await this.documents.transact((transaction) => transaction.publish(records));
  }

  pending(limit: number): Promise<readonly OutboxRow[]> {
    return this.documents.pending(limit);
  }

  sent(ids: readonly RowId[]): Promise<void> {
    return this.documents.sent(ids);
  }

  close(): Promise<void> {
    return this.documents.close();
  }
}

function storedOf(report: StoredReport): Stored<StoredReport> {
  return { id: report.id, version: report.version, body: report };
}

/** The runs that the stored body of a report opens, as documents. */
export function openingsOf(report: StoredReport): readonly Stored<OpeningBody>[] {
  return mayOpen(report).map(({ agentId, first, last }, n) => ({
    id: `${report.id}/${n}`,
    version: 1,
    body: { reportId: report.id, agentId, first, last },
  }));
}

/** The newest version of each anchor, by key. */
function newestOf(anchors: readonly KeptAnchor[]): ReadonlyMap<string, KeptAnchor> {
  const newest = new Map<string, KeptAnchor>();
  for (const anchor of anchors) {
    const known = newest.get(anchorKey(anchor));
    if (known === undefined || known.version < anchor.version) newest.set(anchorKey(anchor), anchor);
  }
  return newest;
}
