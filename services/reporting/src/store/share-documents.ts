import type { Stored, Transaction } from '@countersign/document-store';
import type { NewRecord } from '@countersign/event-log';
import { isValid, withFetch, type ReportShare, type ShareFetch } from '../sharing/report-share.js';
import { REPORTS, SHARES } from './documents.js';
import { JobDocuments } from './job-documents.js';
import type { FetchedShare, SharePage, StoredReport } from './port.js';

/** Maximum number of links revoked in one transaction. */
const AT_ONCE = 500;

/** Links to stored reports of the store of reporting. */
export class ShareDocuments extends JobDocuments {
  async addShare(
    share: ReportShare,
    mostValid: number,
    events: readonly NewRecord[] = [],
  ): Promise<'added' | 'withdrawn' | 'full'> {
    const { id, reportId, accountId, createdAt } = share;
    return this.documents.transact(async (transaction) => {
      const report = await transaction.get(REPORTS, reportId);
      if (report?.body.facts.accountId !== accountId || report.body.facts.withdrawn !== null) return 'withdrawn';
      // Of links of a report that are added at once, each counts those before; and none is added to one that is withdrawn.
      await transaction.expect(REPORTS, reportId, report.version);
      const where = { reportId, ...validAt(createdAt) };
      if ((await transaction.count(SHARES, where)) >= mostValid) return 'full';
      await transaction.put(SHARES, [{ id, version: 1, body: share }]);
      await transaction.publish(events);
      return 'added';
    });
  }

  async shares(accountId: string, reportId: string, limit: number, offset: number): Promise<SharePage> {
    const where = { reportId, accountId };
    const query = { where, by: 'createdAt', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([this.documents.find(SHARES, query), this.documents.count(SHARES, where)]);
    return { shares: page.map(({ body }) => body), total };
  }

  async revokeShare(
    accountId: string,
    reportId: string,
    id: string,
    at: string,
    events: readonly NewRecord[] = [],
  ): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(SHARES, id);
      if (stored?.body.accountId !== accountId || stored.body.reportId !== reportId) return false;
      if (stored.body.revokedAt !== null) return true;
      await put(transaction, stored, { ...stored.body, revokedAt: at });
      await transaction.publish(events);
      return true;
    });
  }

  async findShare(tokenSha256: string): Promise<FetchedShare | null> {
    const [stored] = await this.documents.find(SHARES, { where: { tokenSha256 }, limit: 1 });
    if (stored === undefined || stored.body.revokedAt !== null) return null;
    const report = await this.documents.get(REPORTS, stored.body.reportId);
    return report !== null && isOf(report.body, stored.body) ? { share: stored.body, report: report.body } : null;
  }

  async fetchShare(tokenSha256: string, fetch: ShareFetch): Promise<FetchedShare | null> {
    return this.documents.transact(async (transaction) => {
      const [stored] = await transaction.find(SHARES, { where: { tokenSha256 }, limit: 1 });
      if (stored === undefined || !isValid(stored.body, fetch.at)) return null;
      const report = await transaction.get(REPORTS, stored.body.reportId);
      if (report === null || !isOf(report.body, stored.body)) return null;
      const share = withFetch(stored.body, fetch);
      await put(transaction, stored, share);
      return { share, report: report.body };
    });
  }

  async revokeEveryShare(at: string): Promise<number> {
    const where = { isRevoked: false } as const;
    for (let revoked = 0; ;) {
      const some = await this.documents.transact(async (transaction) => {
        const found = await transaction.find(SHARES, { where, limit: AT_ONCE });
        for (const stored of found) await put(transaction, stored, { ...stored.body, revokedAt: at });
        return found.length;
      });
      revoked += some;
      if (some < AT_ONCE) return revoked;
    }
  }

  unrevokedShares(): Promise<number> {
    return this.documents.count(SHARES, { isRevoked: false });
  }
}

/** The condition for links that are valid, as `isValid`. */
function validAt(at: string): { readonly isRevoked: false; readonly expiresAt: { readonly above: string } } {
  return { isRevoked: false, expiresAt: { above: at } };
}

/** True if the link serves this report: it is of the same account, and not withdrawn. */
function isOf({ facts }: StoredReport, { accountId }: ReportShare): boolean {
  return facts.accountId === accountId && facts.withdrawn === null;
}

function put(
  transaction: Transaction,
  { id, version }: Pick<Stored<ReportShare>, 'id' | 'version'>,
  body: ReportShare,
): Promise<void> {
  return transaction.put(SHARES, [{ id, version: version + 1, body }]);
}
