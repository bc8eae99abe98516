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
/** What reporting needs of the topic `anchors`. */
export type KeptAnchor = ReportAnchorFacts | AuthorityFacts;

export interface ReportPage {
  readonly reports: readonly StoredReport[];
  readonly total: number;
}

/**
 * What reporting owns. Every write that others must learn of puts its messages into the outbox in the same step,
 * so that a crash after it loses nothing.
 */
export interface ReportStore {
  addReport(report: StoredReport): void;
  /** Replaces facts and version; the caller holds the newest version. */
  updateReport(report: StoredReport): void;
  report(accountId: string, id: string): StoredReport | null;
  /** Newest first. */
  reports(accountId: string, limit: number, offset: number): ReportPage;
  scope(accountId: string): ComplianceScope;
  putScope(accountId: string, scope: ComplianceScope): void;
  /** Offset after the last message of `anchors` that was kept, or `null`. */
  anchorsPosition(partition: number): number | null;
  /** Keeps authorities and reports' transactions, and the position, in one step. */
  keepAnchors(facts: readonly KeptAnchor[], partition: number, nextOffset: number): void;
  reportAnchor(reportId: string): ReportAnchorFacts | null;
  authorities(): readonly AuthorityFacts[];
  /** Messages that must follow a write of this store: signing keys, anchor requests. */
  enqueue(records: readonly NewRecord[]): void;
  pending: OutboxStore['pending'];
  sent: OutboxStore['sent'];
  close(): void;
}

/** The public message of a report. */
export function reportRecord(report: StoredReport): NewRecord {
  return versionedRecord<ReportFacts>('reports', report.id, report.version, report.facts);
}
