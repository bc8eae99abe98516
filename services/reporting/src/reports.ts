import {
  isAccountStream,
  type AccountFacts,
  type ComplianceScope,
  type ComplianceScopeBody,
  type ReportRecord,
  type ReportsQuery,
} from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import { pdfBlobName } from './blobs/blob-store.js';
import { listedAgents, type Directory } from './directory.js';
import { shownAnchor } from './follow-anchors/shown-anchor.js';
import { issueFitting } from './issue-series/issue-fitting.js';
import { issueReport, type IssuedReport, type Issuer } from './issue-report/issue.js';
import { readExportRequest, type ExportRequest } from './issue-report/request.js';
import type { ReportPage, StoredReport } from './store/port.js';
import { reportPublished, scopeChanged } from './trail/acts.js';
import { OpeningReports } from './withdraw/opening-reports.js';

/** Injection token of {@link Reports}. */
export const REPORTS = Symbol('reports');

const PLANS_THAT_EXPORT = ['core', 'scale', 'enterprise'];

/** @throws HttpRefusal 403 for an account whose plan has no signed exports */
export function exportingAccount({ accounts }: Pick<Directory, 'accounts'>, accountId: string): AccountFacts {
  const account = accounts.get(accountId)?.value;
  if (account === undefined || !PLANS_THAT_EXPORT.includes(account.plan))
    throw new HttpRefusal(403, 'signed exports need the core, scale or enterprise plan');
  return account;
}

/** @throws HttpRefusal 400, 403 where the trail cannot be opened for this caller */
export function requireMayOpen({ trail, agentIds }: ExportRequest, role: SessionCaller['role']): void {
  if (trail !== 'opened') return;
  if (agentIds.length > 0 && !agentIds.some(isAccountStream))
    throw new HttpRefusal(400, 'a package of named agents has no trail to open: leave agentIds out, or trail');
  if (role === 'member') throw new HttpRefusal(403, 'the content of the trail is for admins and auditors');
}

type Reader = Pick<SessionCaller, 'accountId' | 'role'>;
type Changer = Pick<SessionCaller, 'accountId' | 'role' | 'userId'>;

/** Reports whose runs were not recorded are older than the trail. */
export function opensTrail({ opens = [] }: StoredReport): boolean {
  return opens.some(({ agentId }) => isAccountStream(agentId));
}

/** The account's reports: issue, list, read, publish; and its compliance scope. */
export class Reports {
  readonly #issuer: Issuer;
  readonly #directory: Directory;
  readonly #openingReports: OpeningReports;
  constructor(issuer: Issuer, directory: Directory) {
    this.#issuer = issuer;
    this.#directory = directory;
    this.#openingReports = new OpeningReports(issuer);
  }

  /** @throws HttpRefusal 403 by plan, 400 by body, 403 by role, 404 by agent – in this order */
  async issue(
    { accountId, userId, email, role }: Pick<SessionCaller, 'accountId' | 'userId' | 'email' | 'role'>,
    body: unknown,
  ): Promise<IssuedReport> {
    const account = exportingAccount(this.#directory, accountId);
    const request = readExportRequest(body);
    requireMayOpen(request, role);
    const agents = await listedAgents(this.#issuer.archive, this.#directory, accountId, request);
    const preparer = { accountName: account.name, userId, email };
    const { fit = null } = request;
    return fit === null
      ? issueReport(this.#issuer, accountId, preparer, agents, request)
      : issueFitting(fit)(this.#issuer, accountId, preparer, agents, request);
  }

  /** @throws HttpRefusal 404 for the event of another account */
  async list(accountId: string, { limit, offset, opens }: ReportsQuery): Promise<object> {
    const { reports, total } =
      opens === undefined
        ? await this.#issuer.store.reports(accountId, limit, offset)
        : await this.#opening(accountId, opens.toLowerCase(), limit, offset);
    return { reports: await Promise.all(reports.map((report) => this.#entry(report))), total, limit, offset };
  }

  /** @throws HttpRefusal 404; 403 for a member, where a report that is not public shows the content of the trail */
  async body(reader: Reader, id: string): Promise<Uint8Array> {
    const { accountId } = reader;
    const { facts } = await this.#readable(reader, id);
    return this.#stored(accountId, id, facts.sha256, 'package');
  }

  /** @throws HttpRefusal as {@link body}; 404 also for a report that was issued without one */
  async pdf(reader: Reader, id: string): Promise<{ readonly bytes: Uint8Array; readonly sha256: string }> {
    const { accountId } = reader;
    const { pdfSha256 } = (await this.#readable(reader, id)).facts;
    if (pdfSha256 === null) throw new HttpRefusal(404, 'this report has no PDF: it was issued as json');
    return { bytes: await this.#stored(accountId, id, pdfBlobName(pdfSha256), 'PDF'), sha256: pdfSha256 };
  }

  /** @throws HttpRefusal 404, 403 for a member who would publish the content of the trail */
  async setPublic({ accountId, role, userId }: Changer, id: string, isPublic: boolean): Promise<ReportRecord> {
    for (;;) {
      const report = await this.#report(accountId, id);
      if (isPublic && role === 'member' && opensTrail(report))
        throw new HttpRefusal(403, 'the report shows the content of the trail: only an admin may make it public');
      if (report.facts.public === isPublic) return this.#entry(report);
      const changed = { ...report, version: report.version + 1, facts: { ...report.facts, public: isPublic } };
      const events = await this.#issuer.recorded(reportPublished(changed, userId, isPublic));
      // Another instance may have changed it concurrently: the current state decides.
      if (!(await this.#issuer.store.updateReport(changed, events))) continue;
      await this.#issuer.flush();
      return this.#entry(changed);
    }
  }

  async scope(accountId: string): Promise<object> {
    const {
      soc2 = null,
      hipaa = null,
      euaiact = null,
      nydfs = null,
      ...declared
    } = await this.#issuer.store.scope(accountId);
    return { soc2, hipaa, euaiact, nydfs, ...declared };
  }

  /** Replaces the whole declaration; a member that is absent or null is undeclared. */
  async putScope(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    body: ComplianceScopeBody,
  ): Promise<object> {
    const scope: ComplianceScope = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const declaredAt = new Date(await this.#issuer.now()).toISOString();
    const events = await this.#issuer.recorded(scopeChanged(accountId, userId, scope));
    await this.#issuer.store.putScope(accountId, { scope, declaredAt }, events);
    await this.#issuer.flush();
    return this.scope(accountId);
  }

  /** Reports that the erasure of an event's content withdraws, newest first. */
  async #opening(accountId: string, eventId: string, limit: number, offset: number): Promise<ReportPage> {
    const { archive } = this.#issuer;
    let found = await archive.withProfile(accountId, eventId);
    if (found === null) {
      // An event that was answered just before may not be archived yet.
      await this.#directory.settled();
      found = await archive.withProfile(accountId, eventId);
    }
    if (found === null) throw new HttpRefusal(404, 'no such event');
    const { sequence, envelope } = found.event;
    const opening = await this.#openingReports.of({ agentId: envelope.leaf.agentId, sequence });
    const reports = opening
      .filter(({ facts }) => facts.accountId === accountId && facts.withdrawn === null)
      .sort((a, b) => Number(a.facts.createdAt < b.facts.createdAt) - Number(a.facts.createdAt > b.facts.createdAt));
    return { reports: reports.slice(offset, offset + limit), total: reports.length };
  }

  async #readable({ accountId, role }: Reader, id: string): Promise<StoredReport> {
    const report = await this.#available(accountId, id);
    if (role === 'member' && !report.facts.public && opensTrail(report))
      throw new HttpRefusal(403, 'the report shows the content of the trail, which is for admins and auditors');
    return report;
  }

  /** @throws HttpRefusal 404 also for a report that was withdrawn by an erasure */
  async #available(accountId: string, id: string): Promise<StoredReport> {
    const report = await this.#report(accountId, id);
    if (report.facts.withdrawn !== null) throw new HttpRefusal(404, `withdrawn: ${report.facts.withdrawn}`);
    return report;
  }

  async #stored(accountId: string, id: string, name: string, what: string): Promise<Uint8Array> {
    const bytes = await this.#issuer.blobs.get(name);
    if (bytes !== null) return bytes;
    // It may have been withdrawn since it was read.
    await this.#available(accountId, id);
    throw new Error(`the stored ${what} of report ${id} is missing`);
  }

  async #report(accountId: string, id: string): Promise<StoredReport> {
    const report = await this.#issuer.store.report(accountId, id);
    if (report === null) throw new HttpRefusal(404, 'no such report');
    return report;
  }

  async #entry({ id, facts, agentIds, from, to, summary }: StoredReport): Promise<ReportRecord> {
    const { events = null, anchored = null, title = null, issuedBy = null } = summary ?? {};
    return {
      ...{ range: { from, to }, agents: agentIds.length, events, anchored, title, issuedBy },
      withdrawn: facts.withdrawn,
      id,
      createdAt: facts.createdAt,
      format: facts.format,
      frameworks: facts.frameworks,
      public: facts.public,
      sha256: facts.sha256,
      pdfSha256: facts.pdfSha256,
      contentHash: facts.contentHash,
      anchor: await shownAnchor(this.#issuer.store, id),
    };
  }
}
