import type { AnchorFacts, ComplianceScope, DeclaredScope, Framework, ReportFacts } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { versionedRecord } from '@countersign/topics';
import type { OutboxStore } from '@countersign/topics';

/** A report as it was issued. The package itself lies in the blob store under `sha256`. */
export interface StoredReport {
  readonly id: string;
  readonly facts: Omit<ReportFacts, 'frameworks'> & { readonly frameworks: readonly Framework[] };
  readonly version: number;
  readonly agentIds: readonly string[];
  /** Which events' content the stored body opens; absent in what was issued before that was kept: any of its agents'. */
  readonly opens?: readonly OpenedRun[];
  readonly from: string;
  readonly to: string;
}

/** An unbroken stretch of an agent's events whose content a package opens. */
export interface OpenedRun {
  readonly agentId: string;
  readonly first: number;
  readonly last: number;
}

/** What an account declared last. */
export interface StoredScope extends DeclaredScope {
  readonly accountId: string;
  readonly version: number;
}

export type ReportAnchorFacts = Extract<AnchorFacts, { kind: 'report' }>;
export type AuthorityFacts = Extract<AnchorFacts, { kind: 'authority' }>;
/** What reporting needs of the topic `anchors`: a newer version of the same replaces an older one. */
export interface KeptAnchor {
  readonly version: number;
  readonly value: ReportAnchorFacts | AuthorityFacts;
}

export interface ReportPage {
  readonly reports: readonly StoredReport[];
  readonly total: number;
}

/**
 * What reporting owns; several instances may share it. Every write that others must learn of puts its messages into the
 * outbox in the same step, so that a crash after it loses nothing.
 */
export interface ReportStore extends OutboxStore {
  addReport(report: StoredReport): Promise<void>;
  /** Replaces facts and version, unless a version as high is there: then it is `false`, and nothing is told. */
  updateReport(report: StoredReport): Promise<boolean>;
  report(accountId: string, id: string): Promise<StoredReport | null>;
  /** Whoever's it is. */
  anyReport(id: string): Promise<StoredReport | null>;
  /** Of all accounts. */
  all(): AsyncIterable<StoredReport>;
  /** Newest first. */
  reports(accountId: string, limit: number, offset: number): Promise<ReportPage>;
  /** Reports whose stored body may open this event's content, withdrawn ones among them. */
  opening(agentId: string, sequence: number): Promise<readonly StoredReport[]>;
  scope(accountId: string): Promise<ComplianceScope>;
  /** Each change is a version of its own, and is told. */
  putScope(accountId: string, declared: DeclaredScope): Promise<void>;
  /** Of all accounts. */
  scopes(): Promise<readonly StoredScope[]>;
  /** Takes what the topic says, unless a version as high is there; nothing is told. */
  adoptScope(scope: StoredScope): Promise<void>;
  /** Offset after the last message of `anchors` that was kept, or `null`. */
  anchorsPosition(partition: number): Promise<number | null>;
  /** Keeps authorities and reports' transactions, and the position once they are kept. Nothing ever goes back. */
  keepAnchors(anchors: readonly KeptAnchor[], partition: number, nextOffset: number): Promise<void>;
  reportAnchor(reportId: string): Promise<ReportAnchorFacts | null>;
  /** In the order of their addresses. */
  authorities(): Promise<readonly AuthorityFacts[]>;
  /** Messages that no other write of this store tells of: signing keys, anchor requests. */
  enqueue(records: readonly NewRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** Names an anchor among those that are kept. */
export function anchorKey({ value }: KeptAnchor): string {
  return value.kind === 'report' ? `report:${value.reportId}` : `authority:${value.address}`;
}

export function scopeRecord({ accountId, version, scope, declaredAt }: StoredScope): NewRecord {
  return versionedRecord<DeclaredScope>('compliance-scopes', accountId, version, { scope, declaredAt });
}

/** What the body of a report may open: all of its agents' events where that was not kept. */
export function mayOpen({ opens, agentIds }: StoredReport): readonly OpenedRun[] {
  return opens ?? agentIds.map((agentId) => ({ agentId, first: 1, last: Number.MAX_SAFE_INTEGER }));
}

/** The public message of a report. */
export function reportRecord(report: StoredReport): NewRecord {
  return versionedRecord<ReportFacts>('reports', report.id, report.version, report.facts);
}
