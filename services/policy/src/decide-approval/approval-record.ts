import type { ApprovalRecord, ApprovalStatus, ApprovalSummary } from '@countersign/contracts';
import { isoTime } from '../domain/agent.js';
import type { Approval } from '../domain/approval.js';
import { shownSha256 } from './approvals.js';
import type { ShownAction } from './shown-action.js';

/** The part of an approval that its agent reads. */
export function approvalStatus({ id, state, agentId, ruleId, expiresAtMs }: Approval): ApprovalStatus {
  return { id, state, agent_id: agentId, rule: ruleId, expires_at: isoTime(expiresAtMs) };
}

/** @param refusal why the caller cannot decide now; `null`: the caller can */
export function approvalSummary(approval: Approval, refusal: string | null): ApprovalSummary {
  const { requestedAtMs, usableUntilMs } = approval;
  return {
    ...approvalStatus(approval),
    requested_at: isoTime(requestedAtMs),
    usable_until: usableUntilMs === undefined ? null : isoTime(usableUntilMs),
    may_decide: refusal === null,
    why_not: refusal,
  };
}

/** An approval for people who could decide about it, and for auditors. */
export function approvalRecord(approval: Approval, summary: ApprovalSummary, shown: ShownAction): ApprovalRecord {
  const { eventId, ruleSha256, bindingSha256, approvers = {}, reuse = null, requester, decisions, usedBy } = approval;
  return {
    ...summary,
    event_id: eventId,
    rule_sha256: ruleSha256,
    rule_member: shown.rule,
    binding_sha256: bindingSha256,
    shown_sha256: shownSha256(approval),
    approvers,
    reuse,
    requester: { api_key_id: requester.apiKeyId, principal: requester.principal ?? null },
    action: shown.action,
    payload: shown.payload,
    action_missing: shown.missing,
    decisions: decisions.map(({ decision, userId, role, atMs, comment = null, shownSha256: seen = null }) => ({
      decision,
      user_id: userId,
      role,
      decided_at: isoTime(atMs),
      latency_ms: Math.max(0, atMs - approval.requestedAtMs),
      comment,
      shown_sha256: seen,
    })),
    used_by: usedBy,
  };
}
