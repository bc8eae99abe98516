import type { AnswerExtras } from './answer-extras.js';
import type { EventEnvelope } from './envelope.js';
import type { LeafEvent } from './leaf.js';

/** The answer of a check, byte for byte. */
export interface CheckAnswer {
  readonly status: 200 | 402 | 403 | 429;
  /** JSON text. */
  readonly body: string;
  readonly eventId: string;
  /** Header `x-policy-coverage`. */
  readonly coverage: string | null;
  /** Header `x-would-deny`: the violation that observe mode let pass; otherwise `null`. */
  readonly wouldDeny: string | null;
  /** The approval that the check used; absent: none, or the answer is repeated. */
  readonly used?: UsedApproval;
}

/** As the AuthZEN Access Request and Approval Profile names it in a decision. */
export interface UsedApproval {
  readonly id: string;
  /** ISO 8601 UTC with milliseconds; absent: it may be used again, and its rule says until when. */
  readonly approved_until?: string;
}

/** The part of an envelope that determines the answer. */
type AnsweredCheck = Pick<EventEnvelope, 'leaf' | 'answer' | 'coverage'>;

const EXTRAS = [
  ...(['category', 'pii_kind', 'matched_topic', 'length', 'decision', 'code', 'next_action'] as const),
  ...(['patch', 'missing', 'retry_after'] as const),
  ...(['approval_id', 'approval_url', 'expires_at', 'upgrade_url', 'budget'] as const),
] as const;

/**
 * The answer that the envelope of an `action.checked` event determines: the same bytes at the time of the check and at
 * every rebuild. `null` for other events.
 */
export function checkAnswer(envelope: AnsweredCheck): CheckAnswer | null {
  const { leaf, answer, coverage } = envelope;
  if (leaf.type !== 'action.checked') return null;
  const status = statusOf(envelope);
  if (status === null) return null;
  const of = { status, eventId: leaf.eventId, coverage };
  if (leaf.allowed) return { ...of, body: '{"allowed":true}', wouldDeny: wouldDenyOf(leaf) };
  return { ...of, body: JSON.stringify(denialBody(leaf, answer)), wouldDeny: null };
}

/** `<violation_type>; rule=<rule, percent-encoded as in a URL>` of an allowed check that breaks a rule; else `null`. */
export function wouldDenyOf({ violation_type, rule }: Pick<LeafEvent, 'violation_type' | 'rule'>): string | null {
  if (violation_type === null) return null;
  return rule === null ? violation_type : `${violation_type}; rule=${encodeURI(rule)}`;
}

/** Body of a denial; the order of its members is fixed. */
export function denialBody(
  denial: Pick<LeafEvent, 'reason' | 'severity' | 'violation_type' | 'detail' | 'rule'>,
  extras: AnswerExtras | null,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = { allowed: false };
  for (const member of ['reason', 'severity', 'violation_type', 'detail', 'rule'] as const) {
    if (denial[member] !== null) body[member] = denial[member];
  }
  for (const member of EXTRAS) {
    if (extras?.[member] !== undefined) body[member] = extras[member];
  }
  return body;
}

function statusOf({ leaf, answer }: AnsweredCheck): CheckAnswer['status'] | null {
  switch (leaf.outcome) {
    case 'allowed':
    case 'denied':
      return 200;
    case 'frozen':
      return 403;
    case 'sandbox_expired':
      return 402;
    case 'action_cap':
      return answer?.code === 'plan_action_cap' ? 429 : 402;
    default:
      return null;
  }
}

/** Reason of the 403 for a check of a frozen agent. */
export const FROZEN_REASON = 'This agent is frozen. Do not act; a member of the account must unfreeze it first.';
