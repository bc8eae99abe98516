import type { SeriesFacts } from '@countersign/evidence';
import type { AnchorFacts, ComplianceScope, DeclaredScope, Framework, ReportFacts } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { versionedRecord } from '@countersign/topics';
import type { OutboxStore } from '@countersign/topics';
import type { JobClaim, ReportJob } from '../report-jobs/report-job.js';
import type { ReportShare, ShareFetch } from '../sharing/report-share.js';

/** An issued report. The package itself is in the blob store under `sha256`. */
export interface StoredReport {
  readonly id: string;
  readonly facts: Omit<ReportFacts, 'frameworks'> & { readonly frameworks: readonly Framework[] };
  readonly version: number;
  readonly agentIds: readonly string[];
  /** The events whose content the stored body opens; absent for older reports: any event of its agents. */
  readonly opens?: readonly OpenedRun[];
  readonly from: string;
  readonly to: string;
  /** For lists of reports; absent for older ones and for those that were restored from the topic. */
  readonly summary?: ReportSummary;
}

/** Of the package and its request. */
export interface ReportSummary {
  readonly events: number;
  readonly anchored: number;
  readonly issuedBy: { readonly id: string; readonly email: string };
  readonly title: string | null;
}

/** The entry of a report in a series, and the hash of the stored body. */
export interface StoredEntry {
  readonly entry: SeriesFacts;
  /** SHA-256 of all bytes of the package, lower-case hex. */
  readonly bodySha256: string;
}

/** An issued series. The series itself is in the blob store under `sha256`. */
export interface StoredSeries {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly from: string;
  readonly to: string;
  /** In the order of their ranges. */
  readonly reportIds: readonly string[];
  readonly sha256: string;
  readonly contentHash: string;
  readonly keyId: string;
}

/** A contiguous range of an agent's events whose content a package opens. */
export interface OpenedRun {
  readonly agentId: string;
  readonly first: number;
  readonly last: number;
}

/** The latest declaration of an account. */
export interface StoredScope extends DeclaredScope {
  readonly accountId: string;
  readonly version: number;
}

export type ReportAnchorFacts = Extract<AnchorFacts, { kind: 'report' }>;
export type AuthorityFacts = Extract<AnchorFacts, { kind: 'authority' }>;
/** An item of the topic `anchors`: a newer version replaces an older one. */
export interface KeptAnchor {
  readonly version: number;
  readonly value: ReportAnchorFacts | AuthorityFacts;
}

export interface ReportPage {
  readonly reports: readonly StoredReport[];
  readonly total: number;
}

export interface JobPage {
  readonly jobs: readonly ReportJob[];
  readonly total: number;
}

export interface SharePage {
  readonly shares: readonly ReportShare[];
  readonly total: number;
}

/** A link with its report. */
export interface FetchedShare {
  readonly share: ReportShare;
  readonly report: StoredReport;
}

/**
 * The state of reporting; several instances may share it. Every write that is published puts its records into the
 * outbox in the same step, so that a crash after it loses nothing.
 */
export interface ReportStore extends OutboxStore {
  /**
   * @param entry of a series; absent for reports that no series can list
   * @param claim of the job that issues the report: its new state is stored in the same step
   * @throws JobGone if the claim was lost; nothing is stored then
   */
  addReport(report: StoredReport, entry?: StoredEntry, claim?: JobClaim, events?: readonly NewRecord[]): Promise<void>;
  /** `null` for a report that was stored without one. */
  entryOf(reportId: string): Promise<StoredEntry | null>;
  /** Replaces facts and version, unless the stored version is as high: then it returns `false`, and publishes nothing. */
  updateReport(report: StoredReport, events?: readonly NewRecord[]): Promise<boolean>;
  report(accountId: string, id: string): Promise<StoredReport | null>;
  /** Of any account. */
  anyReport(id: string): Promise<StoredReport | null>;
  /** Of all accounts. */
  all(): AsyncIterable<StoredReport>;
  /** Newest first. */
  reports(accountId: string, limit: number, offset: number): Promise<ReportPage>;
  /** Reports whose stored body may open this event's content, withdrawn ones among them. */
  opening(agentId: string, sequence: number): Promise<readonly StoredReport[]>;
  /** @throws Conflict if it is there */
  addSeries(series: StoredSeries, events?: readonly NewRecord[]): Promise<void>;
  series(accountId: string, id: string): Promise<StoredSeries | null>;
  /** Newest first. */
  seriesPage(
    accountId: string,
    limit: number,
    offset: number,
  ): Promise<{ readonly series: readonly StoredSeries[]; readonly total: number }>;
  /** Of all accounts. */
  everySeries(): AsyncIterable<StoredSeries>;
  scope(accountId: string): Promise<ComplianceScope>;
  /** Each change is a version of its own, and is published. */
  putScope(accountId: string, declared: DeclaredScope, events?: readonly NewRecord[]): Promise<void>;
  /** Of all accounts. */
  scopes(): Promise<readonly StoredScope[]>;
  /** Publishes a stored scope again, unless it has changed since it was read. */
  republishScope(scope: StoredScope): Promise<void>;
  /** Stores the published state, unless the stored version is as high; publishes nothing. */
  adoptScope(scope: StoredScope): Promise<void>;
  /** Offset after the last stored record of `anchors`, or `null`. */
  anchorsPosition(partition: number): Promise<number | null>;
  /** Stores authorities and reports' transactions, then the position. Versions and positions never decrease. @throws StoreFellBack */
  keepAnchors(anchors: readonly KeptAnchor[], partition: number, nextOffset: number, from?: number): Promise<void>;
  reportAnchor(reportId: string): Promise<ReportAnchorFacts | null>;
  /** In the order of their addresses. */
  authorities(): Promise<readonly AuthorityFacts[]>;
  /** `false` if as many jobs of its account have not ended. */
  addJob(job: ReportJob, mostOpen: number): Promise<boolean>;
  /** `null` for a job of another account, too. */
  job(accountId: string, id: string): Promise<ReportJob | null>;
  /** Newest first. */
  jobs(accountId: string, limit: number, offset: number): Promise<JobPage>;
  /** Also one that an instance works on, whose claim is lost. `false`: the account has none of that id. */
  removeJob(accountId: string, id: string): Promise<boolean>;
  /**
   * Claims the job that has been due longest, and counts the attempt: one that ends the process is counted, too. A new job is
   * due since it was created.
   * @param untilMs when another instance may claim it
   */
  claimJob(nowMs: number, untilMs: number): Promise<JobClaim | null>;
  /**
   * Stores a claimed job.
   * @param dueAtMs when another instance may claim it; `null`: it has ended
   * @param release the claim ends
   * @returns `false` if the claim was lost; nothing was written
   */
  keepJob(token: string, job: ReportJob, dueAtMs: number | null, release: boolean): Promise<boolean>;
  /** Removes jobs that have ended and were created before this time. */
  forgetJobs(createdBefore: string): Promise<void>;
  /**
   * Adds a link to a report of its account.
   * @param mostValid of the links of the report, revoked and ended ones apart
   * @returns `withdrawn`: the account has no such report, or it was withdrawn; `full`: as many are valid
   */
  addShare(
    share: ReportShare,
    mostValid: number,
    events?: readonly NewRecord[],
  ): Promise<'added' | 'withdrawn' | 'full'>;
  /** Newest first. */
  shares(accountId: string, reportId: string, limit: number, offset: number): Promise<SharePage>;
  /** `false`: the report of the account has no such link. One that was revoked before keeps its time. */
  revokeShare(
    accountId: string,
    reportId: string,
    id: string,
    at: string,
    events?: readonly NewRecord[],
  ): Promise<boolean>;
  /** The link with this hash of its token. @returns `null`: there is none, it was revoked, or its report was withdrawn */
  findShare(tokenSha256: string): Promise<FetchedShare | null>;
  /**
   * Finds the link with this hash of its token, and counts the fetch in the same step.
   * @returns `null`: there is none, it is not valid at the time of the fetch, or its report was withdrawn; nothing is counted
   */
  fetchShare(tokenSha256: string, fetch: ShareFetch): Promise<FetchedShare | null>;
  /** Revokes the links of all accounts, ended ones too: another clock may judge their end. @returns how many */
  revokeEveryShare(at: string): Promise<number>;
  /** How many links of all accounts are not revoked. */
  unrevokedShares(): Promise<number>;
  /** Enqueues records that belong to no other write of this store: signing keys, anchor requests. */
  enqueue(records: readonly NewRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** Key of a stored anchor. */
export function anchorKey({ value }: KeptAnchor): string {
  return value.kind === 'report' ? `report:${value.reportId}` : `authority:${value.address}`;
}

export function scopeRecord({ accountId, version, scope, declaredAt }: StoredScope): NewRecord {
  return versionedRecord<DeclaredScope>('compliance-scopes', accountId, version, { scope, declaredAt });
}

/** The runs that the body of a report may open: all of its agents' events if they were not recorded. */
export function mayOpen({ opens, agentIds }: StoredReport): readonly OpenedRun[] {
  return opens ?? agentIds.map((agentId) => ({ agentId, first: 1, last: Number.MAX_SAFE_INTEGER }));
}

/** The published record of a report. */
export function reportRecord(report: StoredReport): NewRecord {
  return versionedRecord<ReportFacts>('reports', report.id, report.version, report.facts);
}
