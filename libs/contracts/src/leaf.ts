/**
 * The leaf event: the hashed, anchored and proven part of an event. It holds decisions and pseudonyms, never content.
 * Its format is fixed; `libs/evidence/FORMAT.md` is its specification.
 */

import { ACCOUNT_EVENT_TYPES } from './account-events.js';

/** Types of a leaf of version 1. */
export const LEAF_TYPES_V1 = [
  'action.checked',
  'action.unanswered',
  'action.outcome',
  'agent.created',
  'agent.updated',
  'agent.frozen',
  'agent.unfrozen',
  'agent.deactivated',
  'agent.registered',
  'profile.changed',
  'content.erased',
  'retention.applied',
] as const;
/** All registered types; a leaf of version 2 may have another one. */
export const LEAF_TYPES = [
  ...LEAF_TYPES_V1,
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'approval.consumed',
  ...ACCOUNT_EVENT_TYPES,
] as const;
export type LeafTypeV1 = (typeof LEAF_TYPES_V1)[number];
export type LeafType = (typeof LEAF_TYPES)[number];

/** Outcomes of a check: what the service decided. */
export const CHECK_OUTCOMES = ['allowed', 'denied', 'frozen', 'sandbox_expired', 'action_cap'] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** Outcomes that a caller reports afterwards (`action.outcome`). */
export const REPORTED_OUTCOMES = ['succeeded', 'failed', 'skipped'] as const;
export type ReportedOutcome = (typeof REPORTED_OUTCOMES)[number];

/** Tolerated difference between clocks, ms: an event further in the future was dated by a clock that is ahead. */
export const EVENT_AHEAD_MS = 60_000;

export const SEVERITIES = ['P1', 'P2', 'P3'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Violation types of a leaf of version 1. */
export const VIOLATION_TYPES_V1 = [
  'api_not_allowed',
  'off_limits_action',
  'data_scope_denied',
  'spending_limit_exceeded',
  'rate_limit_exceeded',
  'unsafe_output',
] as const;
/** All registered violation types; a leaf of version 2 may have another one. */
export const VIOLATION_TYPES = [
  ...VIOLATION_TYPES_V1,
  'rule_denied',
  'limit_exceeded',
  'approval_required',
  'rule_error',
] as const;
export type ViolationTypeV1 = (typeof VIOLATION_TYPES_V1)[number];
export type ViolationType = (typeof VIOLATION_TYPES)[number];

export const ACTION_KINDS = ['http_call', 'llm_response', 'data_access', 'tool_use', 'other'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** A name that is not registered yet: a later release adds it, and today's readers take it as it is. */
export type LaterName = string & {};

/**
 * Every leaf has every key of its version; a key that does not apply is `null`. Version 1 has all but `context` and
 * `coverage`, and only names that are registered for it.
 */
export interface LeafEvent {
  readonly v: 1 | 2;
  readonly type: LeafType | LaterName;
  /** UUID v7, lower case. */
  readonly eventId: string;
  /** The event that this one refers to, or `null`. */
  readonly refersTo: string | null;
  /** UUID, lower case; of an event of the account itself `accountStream` of the account. */
  readonly agentId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string;
  readonly outcome: CheckOutcome | ReportedOutcome | LaterName | null;
  readonly allowed: boolean | null;
  readonly reason: string | null;
  readonly severity: Severity | null;
  readonly violation_type: ViolationType | LaterName | null;
  /** `<field>:<entry>` of the profile; never quotes the action. */
  readonly rule: string | null;
  /** Limits and counters; never quotes the action. Of an event of the account itself its person as a pseudonym. */
  readonly detail: string | null;
  readonly actionKind: ActionKind | null;
  readonly profileVersion: number | null;
  /** Lower-case hex of SHA-256 over the JCS of the profile as `GET /v1/agents/{id}/profile` returns it. */
  readonly profileSha256: string | null;
  /** Commitment to the action, lower-case hex. Version 2 commits each member of an object by itself. */
  readonly action: string | null;
  /** Commitment to the payload, likewise. */
  readonly payload: string | null;
  /** Version 2: commitment to the facts that the verdict depended on. In every check. */
  readonly context?: string | null;
  /** Version 2: the members of the profile that applied to the action, ascending. In every check. */
  readonly coverage?: readonly string[] | null;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Opens a commitment. `salt`: 16 random bytes in base64url without padding. Without `value`, the value was not stored. */
export interface Opening {
  readonly salt: string;
  readonly value?: JsonValue;
}

/** The openings of an event as services keep them. */
export interface Openings {
  readonly action?: Opening;
  readonly payload?: Opening;
  readonly context?: Opening;
}

/** A member of a committed object that is shown. `salt`: 32 lower-case hex digits. */
export interface ShownMember {
  readonly name: string;
  readonly salt: string;
  readonly value: JsonValue;
}

/** Opens a commitment member by member, in their order: a text is the digest of a member that is withheld. */
export interface MembersOpening {
  readonly members: readonly (ShownMember | string)[];
}

/** The openings of an event as a package shows them. */
export interface ShownOpenings {
  readonly action?: Opening | MembersOpening;
  readonly payload?: Opening | MembersOpening;
  readonly context?: Opening | MembersOpening;
}
