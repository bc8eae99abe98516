import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { LONGEST_SHARE_SECONDS, type NewShareRecord, type ShareBody, type SharedForm } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { pdfBlobName } from '../blobs/blob-store.js';
import { RunningComputations, type ComputationLimits } from '../count-coverage/running-computations.js';
import type { Issuer } from '../issue-report/issue.js';
import { opensTrail } from '../reports.js';
import type { FetchedShare, StoredReport } from '../store/port.js';
import { reportShared, shareRevoked } from '../trail/acts.js';
import { openedKinds } from './opened-kinds.js';
import { hashOfToken, isValid, newToken, shareRecord, type ReportShare } from './report-share.js';

/** Injection token of {@link ReportShares}. */
export const REPORT_SHARES = Symbol('report-shares');

/** Links of a report that are valid at a time. */
export const MOST_VALID = 100;
/** Each parses a stored package. */
const READING: ComputationLimits = { ofOneAccount: 1, ofAll: 2, named: 'reports', retryAfterSeconds: 5 };
const NO_REPORT = 'no such report';
/** The one answer for every token by which nothing is read. */
export const NOT_VALID = 'no link is valid with this token';
const NO_TIME = 'the end of links cannot be judged now: try again';
const PLURAL = { action: 'actions', payload: 'payloads', context: 'contexts' } as const;

type Caller = Pick<SessionCaller, 'accountId' | 'userId' | 'email' | 'role'>;

/** A report as the holder of a link receives it. */
export interface SharedReport {
  readonly reportId: string;
  readonly form: SharedForm;
  readonly bytes: Uint8Array;
}

/** Links by which stored reports are read without an account: make, list, revoke, read. */
export class ReportShares {
  readonly #reading = new RunningComputations(READING);
  constructor(
    private readonly issuer: Pick<Issuer, 'store' | 'blobs' | 'publicUrl' | 'now' | 'recorded' | 'flush'>,
    private readonly log: Pick<ServiceContext['log'], 'info'>,
  ) {}

  /**
   * The link is in this answer alone.
   * @throws HttpRefusal 404 by report, 403 for a member and a report that opens the trail, 400 by end, 409 where the report opens
   * what is to be withheld or has as many links as it may have, 503 while other reports are read or there is no time
   */
  async create(caller: Caller, reportId: string, body: ShareBody): Promise<NewShareRecord> {
    const { accountId, userId, email, role } = caller;
    const { form = 'package', withhold = [], note = null } = body;
    const report = await this.#shareable(accountId, reportId, form);
    if (role === 'member' && opensTrail(report))
      throw new HttpRefusal(403, 'the report shows the content of the trail: only an admin or auditor may share it');
    const nowMs = await this.#now();
    const expiresAt = endOf(body, nowMs);
    await this.#requireWithheld(report, withhold);
    const token = newToken();
    const share: ReportShare = {
      ...{ id: randomUUID(), accountId, reportId, form, note, createdBy: { id: userId, email } },
      ...{ createdAt: new Date(nowMs).toISOString(), expiresAt, revokedAt: null },
      ...{ tokenSha256: hashOfToken(token), fetches: 0, log: [] },
    };
    const events = await this.issuer.recorded(reportShared(report, share));
    const added = await this.issuer.store.addShare(share, MOST_VALID, events);
    if (added === 'withdrawn') throw new HttpRefusal(404, NO_REPORT);
    if (added === 'full')
      throw new HttpRefusal(
        409,
        `the report has ${MOST_VALID} links that are valid, which is the most: revoke one of them`,
      );
    this.#publish();
    return { ...shareRecord(share, false, true), url: `${this.issuer.publicUrl()}/v1/shared/${token}` };
  }

  /** @throws HttpRefusal 404 */
  async list({ accountId, role }: Caller, reportId: string, limit: number, offset: number): Promise<object> {
    const report = await this.issuer.store.report(accountId, reportId);
    if (report === null) throw new HttpRefusal(404, NO_REPORT);
    const isWithdrawn = report.facts.withdrawn !== null;
    const { shares, total } = await this.issuer.store.shares(accountId, reportId, limit, offset);
    const records = shares.map((share) => shareRecord(share, isWithdrawn, role !== 'member'));
    return { shares: records, total, limit, offset };
  }

  /** From its answer on the link is not valid; a repetition changes nothing. @throws HttpRefusal 404, 503 without a time */
  async revoke(
    { accountId, userId }: Pick<SessionCaller, 'accountId' | 'userId'>,
    reportId: string,
    id: string,
  ): Promise<void> {
    const at = new Date(await this.#now()).toISOString();
    const events = await this.issuer.recorded(shareRevoked(accountId, userId, reportId, id));
    if (!(await this.issuer.store.revokeShare(accountId, reportId, id, at, events)))
      throw new HttpRefusal(404, 'the report has no such link');
    this.#publish();
  }

  /** Appends the event of a change that is stored; not waited for: the change holds while the log cannot take it. */
  #publish(): void {
    this.issuer.flush().catch(() => undefined);
  }

  /**
   * The report and form that a link serves, without bytes and uncounted.
   * @throws HttpRefusal 404, the same for every token by which nothing is read; 503 without a time
   */
  async look(token: string): Promise<Omit<SharedReport, 'bytes'>> {
    const { share, report } = await this.#valid(token);
    return { reportId: report.id, form: share.form };
  }

  /**
   * Reads the report of a link. The fetch is durable before it resolves; none is counted that has no bytes.
   * @param remoteAddress of the caller
   * @throws HttpRefusal 404, the same for every token by which nothing is read; 503 without a time
   */
  async read(token: string, remoteAddress: string): Promise<SharedReport> {
    const { share, report, at } = await this.#valid(token);
    const { id: reportId } = report;
    const name = nameOf(report, share.form);
    const bytes = name === null ? null : await this.issuer.blobs.get(name);
    if (bytes === null) {
      // It may have been withdrawn since it was found.
      const isWithdrawn = (await this.issuer.store.anyReport(reportId))?.facts.withdrawn !== null;
      if (isWithdrawn) throw new HttpRefusal(404, NOT_VALID);
      throw new Error(`the stored ${share.form} of report ${reportId} is missing`);
    }
    const address = isIP(remoteAddress) === 0 ? null : remoteAddress;
    // Revoked or withdrawn since it was found: not served.
    if ((await this.issuer.store.fetchShare(share.tokenSha256, { at, address })) === null)
      throw new HttpRefusal(404, NOT_VALID);
    this.log.info({ share: share.id, reportId, address }, 'a shared report is fetched');
    return { reportId, form: share.form, bytes };
  }

  /** @throws HttpRefusal 404, 503 */
  async #valid(token: string): Promise<FetchedShare & { readonly at: string }> {
    const found = await this.issuer.store.findShare(hashOfToken(token));
    if (found === null) throw new HttpRefusal(404, NOT_VALID);
    // Asked only of a link that there is: unknown tokens get their answer also while there is no time.
    const at = new Date(await this.#now()).toISOString();
    if (!isValid(found.share, at)) throw new HttpRefusal(404, NOT_VALID);
    return { ...found, at };
  }

  /** @throws HttpRefusal 503 where the counters, whose time all instances share, cannot be asked */
  async #now(): Promise<number> {
    try {
      return await this.issuer.now();
    } catch (error) {
      if (error instanceof CountersUnavailable) throw new HttpRefusal(503, NO_TIME, { 'Retry-After': '1' });
      throw error;
    }
  }

  /** @throws HttpRefusal 404 */
  async #shareable(accountId: string, reportId: string, form: SharedForm): Promise<StoredReport> {
    const report = await this.issuer.store.report(accountId, reportId);
    if (report === null) throw new HttpRefusal(404, NO_REPORT);
    if (report.facts.withdrawn !== null) throw new HttpRefusal(404, `withdrawn: ${report.facts.withdrawn}`);
    if (nameOf(report, form) === null) throw new HttpRefusal(404, 'this report has no PDF: it was issued as json');
    return report;
  }

  /** @throws HttpRefusal 409, 503 */
  async #requireWithheld(report: StoredReport, withhold: NonNullable<ShareBody['withhold']>): Promise<void> {
    if (withhold.length === 0 || report.opens?.length === 0) return;
    await this.#reading.run(report.facts.accountId, async () => {
      const body = await this.issuer.blobs.get(report.facts.sha256);
      if (body === null) throw new Error(`the stored package of report ${report.id} is missing`);
      const opened = openedKinds(body);
      const open = withhold.filter((kind) => opened.has(kind));
      if (open.length === 0) return;
      const kinds = open.map((kind) => PLURAL[kind]).join(' and ');
      const instead = `"withhold":${JSON.stringify(withhold)}`;
      throw new HttpRefusal(
        409,
        `the report opens ${kinds}, and is signed as it is: export its range with ${instead}, and share that report`,
      );
    });
  }
}

/** The end of a link. @throws HttpRefusal 400 */
function endOf({ expiresAt, expiresIn }: ShareBody, nowMs: number): string {
  if ((expiresAt === undefined) === (expiresIn === undefined))
    throw new HttpRefusal(400, 'name the end of the link: one of expiresAt and expiresIn');
  const endMs = expiresAt === undefined ? nowMs + expiresIn! * 1000 : Date.parse(expiresAt);
  if (!(endMs > nowMs)) throw new HttpRefusal(400, 'expiresAt is no time in the future');
  if (endMs - nowMs > LONGEST_SHARE_SECONDS * 1000)
    throw new HttpRefusal(400, 'expiresAt is more than 366 days from now');
  return new Date(endMs).toISOString();
}

/** Name of the stored body; `null`: the report has none of this form. */
function nameOf({ facts: { sha256, pdfSha256 } }: StoredReport, form: SharedForm): string | null {
  if (form === 'package') return sha256;
  return pdfSha256 === null ? null : pdfBlobName(pdfSha256);
}
