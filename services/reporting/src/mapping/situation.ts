import type { JsonValue, LeafEvent } from '@countersign/contracts';

/** The situations of the stored mapping: kinds of events, in the terms of the controls. */
export const SITUATIONS = [
  'allowed_tool_use',
  'allowed_http_call',
  'allowed_llm_response',
  'allowed_data_access',
  'denied_off_limits',
  'denied_data_scope',
  'denied_rate_limit',
  'denied_spending_limit',
  'denied_unsafe_output',
  'denied_pii',
  'denied_api',
  'denied_frozen',
  'agent_frozen',
  'agent_unfrozen',
  'profile_change',
  'content_disposed',
  'approval_requested',
  'approval_decided',
  'approval_expired',
  'approval_used',
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** Conditions of a mapping row on the event itself, in addition to the account's scope. */
export interface EventConditions {
  /** The action names a cost above zero. */
  readonly financial: boolean;
  /** The action names an address with TLS. */
  readonly tls: boolean;
}

/** Situation of a row that serves every event, also one of a kind without a situation. */
export const ANY_EVENT = 'any_event';

/**
 * The situation of an event, or `null` if the mapping has no row for its kind: it then serves the controls of every event.
 * @param category the denial's `category` (unsafe output only): `pii` has rows of its own.
 */
export function situationOf(leaf: LeafEvent, category: string | null): Situation | null {
  switch (leaf.type) {
    case 'action.checked':
      return checkSituation(leaf, category);
    case 'agent.frozen':
      return 'agent_frozen';
    case 'agent.unfrozen':
      return 'agent_unfrozen';
    case 'profile.changed':
      return 'profile_change';
    case 'content.erased':
    case 'retention.applied':
      return 'content_disposed';
    case 'approval.requested':
      return 'approval_requested';
    case 'approval.decided':
      return 'approval_decided';
    // What was approved and not used in time was decided by a person: that event is another one.
    case 'approval.expired':
      return leaf.outcome === 'undecided' || leaf.outcome === 'too_few' ? 'approval_expired' : null;
    case 'approval.consumed':
      return 'approval_used';
    default:
      return null;
  }
}

function checkSituation(leaf: LeafEvent, category: string | null): Situation | null {
  if (leaf.outcome === 'frozen') return 'denied_frozen';
  if (leaf.outcome === 'sandbox_expired' || leaf.outcome === 'action_cap') return null;
  switch (leaf.violation_type) {
    // A rule with conditions forbids an action as the list does, by its arguments instead of its name.
    case 'rule_denied':
    case 'rule_error':
    case 'approval_required':
    case 'off_limits_action':
      return 'denied_off_limits';
    case 'data_scope_denied':
      return 'denied_data_scope';
    case 'limit_exceeded':
    case 'rate_limit_exceeded':
      return 'denied_rate_limit';
    case 'spending_limit_exceeded':
      return 'denied_spending_limit';
    case 'unsafe_output':
      return category === 'pii' ? 'denied_pii' : 'denied_unsafe_output';
    case 'api_not_allowed':
      return 'denied_api';
    case null:
      return allowedSituation(leaf);
    default:
      return null;
  }
}

function allowedSituation(leaf: LeafEvent): Situation | null {
  switch (leaf.actionKind) {
    case 'tool_use':
      return 'allowed_tool_use';
    case 'http_call':
      return 'allowed_http_call';
    case 'llm_response':
      return 'allowed_llm_response';
    case 'data_access':
      return 'allowed_data_access';
    case 'other':
    case null:
      return null;
  }
}

/** Evaluates the conditions on the opened action; without one, none is met. */
export function eventConditions(action: JsonValue | undefined): EventConditions {
  const cost = memberOf(action, 'estimatedCost');
  const url = memberOf(action, 'url');
  return {
    financial: typeof cost === 'number' && cost > 0,
    tls: typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:',
  };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: JsonValue })[name] : undefined;
}
