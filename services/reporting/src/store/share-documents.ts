import type { Stored, Transaction } from '@countersign/document-store';
import { isValid, withFetch, type ReportShare, type ShareFetch } from '../sharing/report-share.js';
import { REPORTS, SHARES } from './documents.js';
import { JobDocuments } from './job-documents.js';
import type { FetchedShare, SharePage } from './port.js';

/** Maximum number of links revoked in one transaction. */
const AT_ONCE = 500;

/** Links to stored reports of the store of reporting. */
export class ShareDocuments extends JobDocuments {
  async addShare(share: ReportShare, mostValid: number): Promise<'added' | 'withdrawn' | 'full'> {
    const { id, reportId, accountId, createdAt } = share;
    return this.documents.transact(async (transaction) => {
      const report = await transaction.get(REPORTS, reportId);
      if (report?.body.facts.accountId !== accountId || report.body.facts.withdrawn !== null) return 'withdrawn';
      // Of links of a report that are added at once, each counts those before; and none is added to one that is withdrawn.
      await transaction.expect(REPORTS, reportId, report.version);
      const where = { reportId, isRevoked: false, expiresAt: { above: createdAt } };
      if ((await transaction.count(SHARES, where)) >= mostValid) return 'full';
      await transaction.put(SHARES, [{ id, version: 1, body: share }]);
      return 'added';
    });
  }

  async shares(accountId: string, reportId: string, limit: number, offset: number): Promise<SharePage> {
    const where = { reportId, accountId };
    const query = { where, by: 'createdAt', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([this.documents.find(SHARES, query), this.documents.count(SHARES, where)]);
    return { shares: page.map(({ body }) => body), total };
  }

  async revokeShare(accountId: string, reportId: string, id: string, at: string): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(SHARES, id);
      if (stored?.body.accountId !== accountId || stored.body.reportId !== reportId) return false;
      if (stored.body.revokedAt === null) await put(transaction, stored, { ...stored.body, revokedAt: at });
      return true;
    });
  }

  async fetchShare(tokenSha256: string, fetch: ShareFetch): Promise<FetchedShare | null> {
    const query = { where: { tokenSha256 }, limit: 1 } as const;
    // Most wrong tokens need no transaction.
    if ((await this.documents.find(SHARES, query)).length === 0) return null;
    return this.documents.transact(async (transaction) => {
      const [stored] = await transaction.find(SHARES, query);
      if (stored === undefined || !isValid(stored.body, fetch.at)) return null;
      const report = await transaction.get(REPORTS, stored.body.reportId);
      if (report?.body.facts.accountId !== stored.body.accountId || report.body.facts.withdrawn !== null) return null;
      const share = withFetch(stored.body, fetch);
      await put(transaction, stored, share);
      return { share, report: report.body };
    });
  }

  async revokeEveryShare(at: string): Promise<number> {
    for (let revoked = 0; ;) {
      const some = await this.documents.transact(async (transaction) => {
        const found = await transaction.find(SHARES, { where: { isRevoked: false }, limit: AT_ONCE });
        for (const stored of found) await put(transaction, stored, { ...stored.body, revokedAt: at });
        return found.length;
      });
      revoked += some;
      if (some < AT_ONCE) return revoked;
    }
  }

  validShares(at: string): Promise<number> {
    return this.documents.count(SHARES, { isRevoked: false, expiresAt: { above: at } });
  }
}

function put(
  transaction: Transaction,
  { id, version }: Pick<Stored<ReportShare>, 'id' | 'version'>,
  body: ReportShare,
): Promise<void> {
  return transaction.put(SHARES, [{ id, version: version + 1, body }]);
}
