import type { AnswerExtras, Severity, ViolationType } from '@countersign/contracts';

/**
 * A denial by a rule of the profile. Its words never quote the action: `rule` is `<field>:<entry>` of the profile,
 * `detail` holds limits.
 */
export interface Violation {
  readonly violation_type: ViolationType;
  readonly severity: Severity;
  readonly reason: string;
  readonly rule: string | null;
  readonly detail: string | null;
  readonly extras: AnswerExtras | null;
}

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

/** The member of the action that a rule speaks of. */
type Member = 'type' | 'url' | 'tool_name' | 'toolName';

const member = (name: Member): string => (name === 'type' ? "this action's type" : `the action's ${name}`);

export function offLimits(entry: string, by: Member): Violation {
  return {
    violation_type: 'off_limits_action',
    severity: 'P1',
    reason: `off_limits_actions forbids ${member(by)}. Do not retry it; ask whoever manages this agent if it is needed.`,
    rule: `off_limits_actions:${entry}`,
    detail: null,
    extras: null,
  };
}

export function actionNotListed(by: Member, count: number): Violation {
  return {
    violation_type: 'off_limits_action',
    severity: 'P1',
    reason: `allowed_actions has ${entries(count)}, and ${member(by)} is none of them. Take an action that is listed, or have it added to the agent's profile.`,
    rule: 'allowed_actions:not listed',
    detail: null,
    extras: null,
  };
}

export function apiBlocked(entry: string, by: Member, count: number): Violation {
  return api(
    `blocked_apis forbids ${member(by)}. Use another API or tool, or have the agent's profile changed.`,
    `blocked_apis:${entry}`,
    `blocked_apis has ${entries(count)}`,
  );
}

export function apiNotListed(by: Member, count: number): Violation {
  return api(
    `The API or tool of ${member(by)} is not on allowed_apis. Use one that is, or have it added to the agent's profile.`,
    'allowed_apis:not listed',
    `allowed_apis has ${entries(count)}`,
  );
}

export function urlUnreadable(field: 'allowed_apis' | 'blocked_apis', count: number): Violation {
  return api(
    `The action's URL is no http or https URL that could be judged by ${field}. Send the full URL that will be called.`,
    `${field}:unreadable URL`,
    `${field} has ${entries(count)}`,
  );
}

function api(reason: string, rule: string, detail: string): Violation {
  return { violation_type: 'api_not_allowed', severity: 'P2', reason, rule, detail, extras: null };
}

export function scopeBlocked(entry: string): Violation {
  return scope(
    `blocked_data_scopes forbids this data scope. Use another, or have the agent's profile changed.`,
    `blocked_data_scopes:${entry}`,
  );
}

export function scopeNotListed(count: number): Violation {
  return scope(
    `allowed_data_scopes has ${entries(count)}, and this data scope is none of them. Use one that is, or have it added to the agent's profile.`,
    'allowed_data_scopes:not listed',
  );
}

export function scopeMissing(count: number): Violation {
  return scope(
    `Data access needs a data scope that is on allowed_data_scopes (${entries(count)}). Send dataScope with the action.`,
    'allowed_data_scopes:no scope given',
  );
}

function scope(reason: string, rule: string): Violation {
  return { violation_type: 'data_scope_denied', severity: 'P1', reason, rule, detail: null, extras: null };
}
