import type { ComplianceScope, JsonValue } from '@countersign/contracts';
import type { Act } from '@countersign/topics';
import type { ExportRequest } from '../issue-report/request.js';
import type { ReportShare } from '../sharing/report-share.js';
import type { StoredReport, StoredSeries } from '../store/port.js';

/** A signed report was issued, and stored. */
export function reportIssued(report: StoredReport, userId: string, request: ExportRequest): Act {
  const { agentIds, summary } = report;
  const { withhold, trail = 'withheld' } = request;
  const title = summary?.title ?? null;
  return byUser('account.report_issued', report, userId, {
    report: { ...named(report), events: summary?.events ?? null, sha256: report.facts.sha256 },
    // Those of its request; empty: all of the account.
    agentIds: [...request.agentIds],
    agents: agentIds.length,
    withhold: [...withhold],
    trail,
    ...(title === null ? {} : { title }),
  });
}

/** Anyone with its address may read it from now on, or no longer. */
export function reportPublished(report: StoredReport, userId: string, isPublic: boolean): Act {
  const type = isPublic ? 'account.report_published' : 'account.report_unpublished';
  return byUser(type, report, userId, { report: named(report) });
}

/** Its stored bodies are deleted, because content that they open was erased. */
export function reportWithdrawn(report: StoredReport, reason: string): Act {
  const { accountId } = report.facts;
  const content = { report: named(report), reason };
  return { accountId, type: 'account.report_withdrawn', by: { kind: 'system' }, content };
}

export function reportShared(report: StoredReport, share: ReportShare): Act {
  const { id, form, expiresAt, note } = share;
  return byUser('account.report_shared', report, share.createdBy.id, {
    report: named(report),
    share: { id, form, expiresAt },
    ...(note === null ? {} : { note }),
  });
}

export function shareRevoked(accountId: string, userId: string, reportId: string, shareId: string): Act {
  const content = { report: { id: reportId }, share: { id: shareId } };
  return { accountId, type: 'account.report_share_revoked', by: { kind: 'user', id: userId }, content };
}

export function seriesIssued(series: StoredSeries, userId: string): Act {
  const { accountId, id, from, to, sha256, reportIds } = series;
  const content = { series: { id, from, to, sha256, reports: reportIds.length } };
  return { accountId, type: 'account.report_series_issued', by: { kind: 'user', id: userId }, content };
}

export function scopeChanged(accountId: string, userId: string, scope: ComplianceScope): Act {
  const content = { scope: scope as JsonValue };
  return { accountId, type: 'account.compliance_scope_changed', by: { kind: 'user', id: userId }, content };
}

function byUser(type: Act['type'], { facts }: StoredReport, id: string, content: Act['content']): Act {
  return { accountId: facts.accountId, type, by: { kind: 'user', id }, content };
}

function named({ id, from, to, facts }: StoredReport): Record<string, JsonValue> {
  return { id, from, to, format: facts.format, frameworks: [...facts.frameworks] };
}
