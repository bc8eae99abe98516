import type { RuleMember } from './http/rules.js';

/*
 * Terms of this file:
 * - approval: the decision of a person about one action of an agent, which a rule with the effect `approve` asks for.
 * - binding: HMAC-SHA-256, with a key of the installation, over the canonical form (RFC 8785) of `[account id, agent id,
 *   rule id, hash of the rule, action without the paths that the rule ignores]`, lower-case hex. Two checks with the same
 *   binding are about the same approval.
 * - requester: the API key of a check, and on whose behalf it acts.
 */

/** An approval is one of these until it is over: decided, used or not decided in time. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired', 'consumed'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** `code` of a denial with the violation type `approval_required`. */
export const APPROVAL_CODES = [
  'approval_pending',
  'approval_denied',
  'approval_expired',
  'approval_consumed',
  'out_of_scope',
  'too_many_pending',
] as const;
export type ApprovalCode = (typeof APPROVAL_CODES)[number];

/**
 * The next step of the caller after a denial that is not final: send the same action again later (`retry`), ask again
 * without naming an approval (`request`), apply the patch and check what results (`modify`), or none of these (`none`).
 */
export const NEXT_ACTIONS = ['retry', 'request', 'modify', 'none'] as const;
export type NextAction = (typeof NEXT_ACTIONS)[number];

/** Id of an approval: `apr_` and a UUID in lower case. `context.approval.id` of a leaf is that UUID. */
export const APPROVAL_ID_PATTERN = '^apr_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const PREFIX = 'apr_';

/** The UUID of an approval's id. */
export function approvalUuid(id: string): string {
  return id.slice(PREFIX.length);
}

/** The id of an approval by its UUID, which is in lower case. */
export function approvalId(uuid: string): string {
  return PREFIX + uuid;
}

/** The request of a rule for an approval. */
export interface ApprovalAsked {
  /** Of the rule, as in the profile: `night`. */
  readonly ruleId: string;
  /** SHA-256 of the rule's canonical JSON, lower-case hex. */
  readonly ruleSha256: string;
  readonly bindingSha256: string;
  readonly expiresSeconds: number;
  /** Absent: who may change the profile. */
  readonly approvers?: NonNullable<RuleMember['approvers']>;
  /** Absent: it is used once. */
  readonly reuse?: NonNullable<RuleMember['reuse']>;
}

/**
 * Of the message of a check: an approval that it waits for. Every check that waits says all of it, because the event of
 * the first one may not have reached the log: a consumer takes the first that it reads, and ignores the others.
 */
export interface ApprovalRequested extends ApprovalAsked {
  readonly state: 'requested';
  readonly id: string;
  /** ISO 8601 UTC with milliseconds: until then it is decided and used. */
  readonly expiresAt: string;
  readonly requester: { readonly apiKeyId: string; readonly principal?: string };
}

/** Of the message of an allowed check: an approval that it used. */
export interface ApprovalUsed {
  /** `consumed`: the approval is over. `used`: it may be used again, because its rule says `reuse`. */
  readonly state: 'consumed' | 'used';
  readonly id: string;
  readonly ruleId: string;
  readonly bindingSha256: string;
  /** As of its request. */
  readonly expiresAt: string;
}

/** An approval in the message of a check: at most one is requested, and several may be used. */
export type ApprovalOfCheck = ApprovalRequested | ApprovalUsed;

/**
 * Topic `approvals`, written by policy: what people decided. Key: the approval's id. The record is removed when the
 * approval is over.
 */
export interface ApprovalFacts {
  readonly accountId: string;
  readonly agentId: string;
  readonly ruleId: string;
  readonly bindingSha256: string;
  readonly state: 'approved' | 'denied';
  /** As of its request: a denial holds until then. ISO 8601 UTC with milliseconds, as the next. */
  readonly expiresAt: string;
  /** An approval may be used until then: `expiresAt`, or where the rule says `reuse`, by that from the decision on. */
  readonly usableUntil: string;
  /** Its rule says `reuse`: a use leaves it as it is. Absent: it is used once. */
  readonly reusable?: true;
}

/** The value that an event `approval.*` commits as its `action`. Later releases add members. */
export interface ApprovalEventValue {
  /** The UUID of the approval. */
  readonly approval: string;
  readonly rule: string;
  readonly ruleSha256: string;
  readonly bindingSha256: string;
  /** Of `approval.decided`: who and in which role, ms from the request to the decision, and what the person saw. */
  readonly by?: string;
  readonly role?: string;
  readonly decision?: 'approve' | 'deny';
  readonly latencyMs?: number;
  readonly shownSha256?: string;
  readonly comment?: string;
}
