import { approvalUuid } from '@countersign/contracts';
import type { AnswerExtras, ApprovalCode, ApprovalOfCheck, CheckAnswer, NextAction } from '@countersign/contracts';
import type { Judgement } from '@countersign/counters';
import { canonicalize } from '@countersign/evidence';
import type { Origin } from './origin.js';

const NEXT: Readonly<Record<ApprovalCode, NextAction>> = {
  approval_pending: 'retry',
  approval_denied: 'none',
  approval_expired: 'request',
  approval_consumed: 'request',
  out_of_scope: 'request',
  too_many_pending: 'retry',
};

/** Of the codes whose denial is not for want of an approval alone. */
const REASONS: Readonly<Partial<Record<ApprovalCode, string>>> = {
  approval_denied: 'A person has denied this action. Do not act, and do not ask again before expires_at.',
  approval_expired: 'The approval that was named has expired. Do not act; send the check without it to ask again.',
  approval_consumed: 'The approval that was named is used up. Do not act; send the check without it to ask again.',
  out_of_scope:
    'The approval that was named is for another action. Do not act; send the action as it was, or the check without it.',
  too_many_pending: 'Too many actions of this agent wait for an approval. Do not act; try again later.',
};

/** Seconds until the next retry, while an action waits for an approval. */
const RETRY_AFTER = '5';
const RETRIES = '"next_action":"retry"';

/**
 * Value of the header `Retry-After` of a decision, of an action that waits for an approval or is deferred; `null`: none.
 * @param body of an answer with status 200
 */
export function retryAfterOf(body: string): string | null {
  if (!body.includes(RETRIES)) return null;
  // A patch may contain the same text.
  const { next_action: next, retry_after: seconds } = JSON.parse(body) as AnswerExtras;
  return next === 'retry' ? (seconds?.toString() ?? RETRY_AFTER) : null;
}

/** Reason and members of a denial for want of an approval; `null`: the judgement is no such denial. */
export function approvalAnswer(
  { asked, violation }: Judgement,
  approvalsUrl: string,
): { readonly reason: string; readonly extras: AnswerExtras } | null {
  if (asked === undefined || violation === null) return null;
  const { code, id, expiresAtMs } = asked;
  const open =
    id === null || expiresAtMs === null
      ? {}
      : { approval_id: id, approval_url: approvalsUrl + id, expires_at: new Date(expiresAtMs).toISOString() };
  return {
    reason: REASONS[code] ?? violation.reason,
    extras: { decision: 'step_up', code, next_action: NEXT[code], ...open },
  };
}

/** The approvals of a check as its message has them; `null`: none. */
export function approvalsOfCheck(
  { asked, violation, approvals = [], outcome }: Judgement,
  apiKeyId: string,
  { principal }: Pick<Origin, 'principal'>,
): readonly ApprovalOfCheck[] | null {
  const all: ApprovalOfCheck[] = [];
  const approval = violation?.approval;
  if (asked?.code === 'approval_pending' && asked.id !== null && asked.expiresAtMs !== null && approval !== undefined) {
    const requester = { apiKeyId, ...(principal === null ? {} : { principal }) };
    const expiresAt = new Date(asked.expiresAtMs).toISOString();
    all.push({ state: 'requested', id: asked.id, ...approval, expiresAt, requester });
  }
  if (outcome === 'allowed') {
    for (const { id, ruleId, bindingSha256, expiresAtMs, reusable } of approvals) {
      const expiresAt = new Date(expiresAtMs).toISOString();
      all.push({ state: reusable ? 'used' : 'consumed', id, ruleId, bindingSha256, expiresAt });
    }
  }
  return all.length === 0 ? null : all;
}

/** The member `approval` of a check's context, in canonical form; `null`: none. */
export function contextApproval({ asked, violation, approvals = [], outcome }: Judgement): string | null {
  const used = approvals.map(({ id, ruleId, reusable }) => {
    const state = outcome !== 'allowed' ? 'approved' : reusable ? 'used' : 'consumed';
    return { id: approvalUuid(id), rule: ruleId, state };
  });
  const waits =
    asked === undefined || asked.id === null || violation?.approval === undefined
      ? []
      : [{ id: approvalUuid(asked.id), rule: violation.approval.ruleId, state: STATES[asked.code] ?? 'pending' }];
  const [first, ...also] = [...waits, ...used];
  if (first === undefined) return null;
  return canonicalize(also.length === 0 ? first : { ...first, also });
}

const STATES: Readonly<Partial<Record<ApprovalCode, string>>> = { approval_denied: 'denied' };

/** The answer of an allowed check, with the first approval that it used. */
export function withUsed(answer: CheckAnswer, { approvals = [] }: Judgement): CheckAnswer {
  const [first] = approvals;
  if (first === undefined) return answer;
  const until = first.reusable ? {} : { approved_until: new Date(first.expiresAtMs).toISOString() };
  return { ...answer, used: { id: first.id, ...until } };
}
