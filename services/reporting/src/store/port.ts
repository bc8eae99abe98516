import type { AnchorFacts, ComplianceScope, Framework, ReportFacts } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { versionedRecord } from '@countersign/service-kit';
import type { OutboxStore } from '@countersign/service-kit';

/** A report as it was issued. The package itself lies in the blob store under `sha256`. */
export interface StoredReport {
  readonly id: string;
  readonly facts: Omit<ReportFacts, 'frameworks'> & { readonly frameworks: readonly Framework[] };
  readonly version: number;
  /** Bytes of the stored body, for erasure: agents and the time range it may open. */
  readonly agentIds: readonly string[];
  readonly from: string;
  readonly to: string;
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
  scope(accountId: string): Promise<ComplianceScope>;
  putScope(accountId: string, scope: ComplianceScope): Promise<void>;
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

/** The public message of a report. */
export function reportRecord(report: StoredReport): NewRecord {
  return versionedRecord<ReportFacts>('reports', report.id, report.version, report.facts);
}
