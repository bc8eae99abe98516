/**
 * The leaf event: the hashed, anchored and proven part of an event. It holds decisions and pseudonyms, never content.
 * Its format is fixed; `libs/evidence/FORMAT.md` is its specification.
 */

export const LEAF_TYPES = [
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

export const VIOLATION_TYPES = [
  'api_not_allowed',
  'off_limits_action',
  'data_scope_denied',
  'spending_limit_exceeded',
  'rate_limit_exceeded',
  'unsafe_output',
] as const;
export type ViolationType = (typeof VIOLATION_TYPES)[number];

export const ACTION_KINDS = ['http_call', 'llm_response', 'data_access', 'tool_use', 'other'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** Every leaf has every key; a key that does not apply is `null`. */
export interface LeafEvent {
  readonly v: 1;
  readonly type: LeafType;
  /** UUID v7, lower case. */
  readonly eventId: string;
  /** The event that this one refers to, or `null`. */
  readonly refersTo: string | null;
  /** UUID, lower case. */
  readonly agentId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string;
  readonly outcome: CheckOutcome | ReportedOutcome | null;
  readonly allowed: boolean | null;
  readonly reason: string | null;
  readonly severity: Severity | null;
  readonly violation_type: ViolationType | null;
  /** `<field>:<entry>` of the profile; never quotes the action. */
  readonly rule: string | null;
  /** Limits and counters; never quotes the action. */
  readonly detail: string | null;
  readonly actionKind: ActionKind | null;
  readonly profileVersion: number | null;
  /** Lower-case hex of SHA-256 over the JCS of the profile as `GET /v1/agents/{id}/profile` returns it. */
  readonly profileSha256: string | null;
  /** Commitment: lower-case hex of SHA-256(JCS(["action", salt, value])). */
  readonly action: string | null;
  /** Commitment: lower-case hex of SHA-256(JCS(["payload", salt, value])). */
  readonly payload: string | null;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Opens a commitment. `salt`: 16 random bytes in base64url without padding. Without `value`, the value was not stored. */
export interface Opening {
  readonly salt: string;
  readonly value?: JsonValue;
}

export interface Openings {
  readonly action?: Opening;
  readonly payload?: Opening;
}
