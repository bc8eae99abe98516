import { approvalUuid } from '@countersign/contracts';
import type { ApprovalEventValue, EventEnvelope, JsonValue } from '@countersign/contracts';
import { commitV2, plainEnvelope, plainLeaf, toBase64Url, utf8, uuidV7 } from '@countersign/evidence';
import { isoTime } from './agent.js';
import type { EventEntropy } from './agent-event.js';
import { hasComments, wasDecided, withoutComments } from './approval.js';
import type { Approval, Decision } from './approval.js';
import type { Digest } from './profile.js';

/** Members of an event of an approval in addition to the approval itself. */
export interface ApprovalEvent {
  readonly type: 'approval.requested' | 'approval.decided' | 'approval.expired' | 'approval.consumed';
  /** The check that it refers to. */
  readonly refersTo: string;
  readonly occurredAtMs: number;
}

/** The message of `agent-events` for a change of an approval: a leaf of version 2 that commits the approval. */
export function approvalEvent(
  approval: Approval,
  { type, refersTo, occurredAtMs }: ApprovalEvent,
  entropy: EventEntropy,
  sha256: Digest,
): EventEnvelope {
  const salt = toBase64Url(entropy.salt);
  const saysDecisions = type === 'approval.decided' || type === 'approval.expired';
  const value = valueOf(commitsComments(approval, { type }) ? approval : withoutComments(approval), saysDecisions);
  const leaf = plainLeaf({
    v: 2,
    type,
    eventId: uuidV7(occurredAtMs, entropy.id),
    refersTo,
    agentId: approval.agentId,
    occurredAt: isoTime(occurredAtMs),
    outcome: outcomeOf(approval, type),
    rule: `rules:${approval.ruleId}`,
    profileVersion: approval.profileVersion,
    profileSha256: approval.profileSha256,
    action: commitV2('action', salt, value, sha256),
  });
  const { accountId, cadenceSeconds } = approval;
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId: null, openings: { action: { salt, value } } });
}

/** `true` for the one event of an approval that says what people wrote: the erasure of its content leaves none of it. */
export function commitsComments(approval: Approval, { type }: Pick<ApprovalEvent, 'type'>): boolean {
  if (!hasComments(approval)) return false;
  return type === 'approval.decided' || (type === 'approval.expired' && !wasDecided(approval));
}

/**
 * Entropy of an event that follows from the message of a check: a check that is followed again, after its store was put
 * back from a copy, gives the same event. The binding is secret.
 */
export function entropyOf(approval: Approval, { type, refersTo }: ApprovalEvent, sha256: Digest): EventEntropy {
  const bytes = sha256(utf8(JSON.stringify([type, approval.id, refersTo, approval.bindingSha256])));
  return { id: bytes.slice(0, 10), salt: bytes.slice(16) };
}

/** Of a decision what was decided; of the end of its time whether anybody had decided, whether too few had approved, and whether what was approved was used. */
function outcomeOf({ state, usableUntilMs, usedBy, decisions }: Approval, type: ApprovalEvent['type']): string | null {
  if (type === 'approval.decided') return state;
  if (type !== 'approval.expired') return null;
  if (usableUntilMs === undefined) return decisions.length === 0 ? 'undecided' : 'too_few';
  return usedBy.length === 0 ? 'unused' : 'used';
}

function valueOf(approval: Approval, withDecisions: boolean): { readonly [key: string]: JsonValue } {
  const { id, ruleId, ruleSha256, bindingSha256, decisions } = approval;
  const value: ApprovalEventValue = { approval: approvalUuid(id), rule: ruleId, ruleSha256, bindingSha256 };
  const last = decisions.at(-1);
  if (!withDecisions || last === undefined) return { ...value, expiresAt: isoTime(approval.expiresAtMs) };
  const earlier = decisions.slice(0, -1).map((one) => decisionValue(one, approval));
  return {
    ...value,
    ...decisionValue(last, approval),
    ...(earlier.length === 0 ? {} : { earlier }),
  };
}

function decisionValue(decision: Decision, { requestedAtMs }: Approval): { readonly [key: string]: JsonValue } {
  const { userId, role, atMs, comment, shownSha256 } = decision;
  return {
    by: userId,
    role,
    decision: decision.decision,
    latencyMs: Math.max(0, atMs - requestedAtMs),
    ...(shownSha256 === undefined ? {} : { shownSha256 }),
    ...(comment === undefined ? {} : { comment }),
  };
}
