import { createHash } from 'node:crypto';
import { accessRequestRoutes, APPROVAL_CODES } from '@countersign/contracts';
import type { AnswerExtras, CheckAnswer, EvaluationParts } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import { accessBindingHash, boundMembers } from '@countersign/service-kit';
import type { DenialTokens } from '@countersign/service-kit';
import type { Decision } from './outcome.js';
import { decisionOf } from './outcome.js';

/** Time for which a denial may be submitted, ms; the approval that it waits for may be open for longer. */
const HINT_MS = 600_000;
/** Seconds until the same evaluation is useful again, while it waits for a person. */
const RETRY_AFTER = 5;
const CODES: ReadonlySet<string> = new Set(APPROVAL_CODES);
/** After these the approval that was presented is of no use: the evaluation is made as if none had been. */
const USELESS: ReadonlySet<string> = new Set(['approval_expired', 'approval_consumed', 'out_of_scope']);

const TITLE = 'Request access';

/** Reports whether a check was denied only because the approval that was presented is not one for it. */
export function isUseless({ status, body }: CheckAnswer): boolean {
  if (status !== 200 || !body.includes('"code":"')) return false;
  return USELESS.has((JSON.parse(body) as AnswerExtras).code ?? '');
}

/** The `Idempotency-Key` of the check without the approval that is made after one with this key. */
export function keyOfNext(idempotencyKey: string | null): string | null {
  if (idempotencyKey === null) return null;
  return `without-approval-${createHash('sha256').update(idempotencyKey).digest('hex')}`;
}

/** Decisions as the AuthZEN Access Request and Approval Profile 1.0 (draft 1) has them. */
export class Requestable {
  constructor(
    private readonly tokens: Pick<DenialTokens, 'sign'>,
    private readonly publicUrl: () => string,
  ) {}

  /**
   * The decision, with `evaluation_id` and, where it waits for an approval, `access_request` (section "Requestable Denial
   * Context"). Then `reason` is a code, and its words are in `description`.
   * @param parts as they were sent
   * @param presented the approval of `context.approval`; `null`: none
   * @param first code of the denial of the check with `presented`, where this answer is of the check without it
   */
  async decision(
    answer: CheckAnswer,
    parts: EvaluationParts,
    presented: string | null,
    first: string | null,
  ): Promise<Decision> {
    const plain = decisionOf(answer);
    const { code, approval_id: id, expires_at: openUntil } = plain.context as AnswerExtras;
    if (plain.decision) {
      return answer.used === undefined ? plain : { ...plain, context: { ...plain.context, approval: answer.used } };
    }
    if (code === undefined || !CODES.has(code)) return plain;
    const evaluatedAtMs = timeOf(answer.eventId);
    const context = {
      evaluation_id: answer.eventId,
      evaluated_at: new Date(evaluatedAtMs).toISOString(),
      ...plain.context,
      ...reasonOf(code, id, presented, first),
      description: plain.context['reason'],
    };
    if (code !== 'approval_pending' || id === undefined || openUntil === undefined) return { ...plain, context };
    const expiresAt = new Date(Math.min(Date.parse(openUntil), evaluatedAtMs + HINT_MS)).toISOString();
    const { subject = {}, resource = {}, action = {}, context: asked = {} } = parts;
    const contextMembers = boundMembers(asked);
    const bindingHash = accessBindingHash({ subject, resource, action, context: asked }, contextMembers, canonicalize);
    const claims = { evaluationId: answer.eventId, approvalId: id, expiresAt, contextMembers, bindingHash };
    const request = {
      endpoint: this.publicUrl().replace(/\/+$/, '') + accessRequestRoutes.requestAccess.path,
      expires_at: expiresAt,
      binding_token: await this.tokens.sign(claims, evaluatedAtMs),
      display: { title: TITLE, description: plain.context['reason'] },
    };
    return { ...plain, context: { ...context, access_request: request } };
  }
}

/** Reason codes of section "Completion Semantics" and their next actions; further ones are ours. */
function reasonOf(
  code: string,
  id: string | undefined,
  presented: string | null,
  first: string | null,
): { readonly reason: string; readonly next_action?: 'request' | 'none'; readonly retry_after?: number } {
  if (first !== null) return { reason: first, next_action: code === 'approval_pending' ? 'request' : 'none' };
  if (code !== 'approval_pending') return { reason: code };
  if (presented === null) return { reason: 'approval_required', retry_after: RETRY_AFTER };
  if (presented === id) return { reason: code, retry_after: RETRY_AFTER };
  return { reason: 'approval_unverifiable', next_action: 'request' };
}

/** The time in a UUID of version 7 (RFC 9562, section 5.7), ms. */
function timeOf(eventId: string): number {
  return Number.parseInt(eventId.slice(0, 8) + eventId.slice(9, 13), 16);
}
