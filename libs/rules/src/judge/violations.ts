import type { AnswerExtras, LimitMember, PatchOperation, RuleMember, Severity } from '@countersign/contracts';
import type { FaultCode } from '../cel/fault.js';

export const RULE_VIOLATION_TYPES = ['rule_denied', 'limit_exceeded', 'approval_required', 'rule_error'] as const;
export type RuleViolationType = (typeof RULE_VIOLATION_TYPES)[number];

/** A denial by a rule with conditions, or by a limit. It never quotes the action. */
export interface RuleViolation {
  readonly violation_type: RuleViolationType;
  readonly severity: Severity;
  /** The policy's own text, or a sentence about the rule. */
  readonly reason: string;
  /** `rules:<id>` or `limits:<id>`. */
  readonly rule: string;
  /** Code of the error; `null` for other denials. */
  readonly detail: string | null;
  /** Of `modify` and `defer`: how the action can be allowed; absent for other denials. */
  readonly extras?: AnswerExtras;
}

/** Until the next check, where a rule with the effect `defer` does not say. */
const DEFER_SECONDS = 30;
const MANAGED = "or have the agent's profile changed";

export function ruleDenied({ id, reason, effect }: RuleMember, severity: Severity): RuleViolation {
  const why =
    effect === 'deny_unless'
      ? `The action does not meet the conditions of rule ${id}. Send one that does, ${MANAGED}.`
      : `The action is denied by rule ${id}. Take another action, ${MANAGED}.`;
  return { violation_type: 'rule_denied', severity, reason: reason ?? why, rule: `rules:${id}`, detail: null };
}

export function approvalRequired({ id, reason }: RuleMember, severity: Severity): RuleViolation {
  const why = `The action needs the approval of a person (rule ${id}). Ask whoever manages this agent.`;
  return { violation_type: 'approval_required', severity, reason: reason ?? why, rule: `rules:${id}`, detail: null };
}

/** @param patch operations after which the rule allows the action; `null`: there are none */
export function modificationNeeded(
  { id, reason }: RuleMember,
  severity: Severity,
  patch: readonly PatchOperation[] | null,
): RuleViolation {
  const why =
    patch === null
      ? `The action is denied by rule ${id}, and the change that the rule proposes does not make it allowed. Take another action, ${MANAGED}.`
      : `The action can be allowed in another form (rule ${id}). Apply the patch to it, and check the result.`;
  return {
    violation_type: 'rule_denied',
    severity,
    reason: reason ?? why,
    rule: `rules:${id}`,
    detail: null,
    extras:
      patch === null
        ? { decision: 'modify', next_action: 'none' }
        : { decision: 'modify', next_action: 'modify', patch },
  };
}

/** @param reads members that the rule reads, of which one is missing */
export function ruleDeferred(
  { id, reason, missing, retry_after_seconds: seconds = DEFER_SECONDS }: RuleMember,
  severity: Severity,
  reads: readonly string[],
): RuleViolation {
  const why = `The action cannot be decided yet (rule ${id}). Provide what is missing, and check it again later.`;
  return {
    violation_type: 'rule_denied',
    severity,
    reason: reason ?? why,
    rule: `rules:${id}`,
    detail: null,
    extras: {
      decision: 'defer',
      next_action: 'retry',
      missing: missing ?? reads,
      retry_after: seconds,
    },
  };
}

export function ruleError(rule: string, code: FaultCode | LimitFault): RuleViolation {
  return {
    violation_type: 'rule_error',
    severity: 'P1',
    reason: `The action cannot be judged by ${rule}: ${MEANINGS[code]}. Send what the rule reads and check again, ${MANAGED}.`,
    rule,
    detail: code,
  };
}

export function limitExceeded({ id, reason, window_seconds: seconds }: LimitMember, severity: Severity): RuleViolation {
  const why = `The action would exceed limit ${id}, which covers ${seconds} seconds. Wait, ${MANAGED}.`;
  return { violation_type: 'limit_exceeded', severity, reason: reason ?? why, rule: `limits:${id}`, detail: null };
}

/** Why a key or a sum of a limit cannot be used, in addition to a {@link FaultCode}. */
export type LimitFault = 'negative_sum' | 'not_a_key';

const MEANINGS: Readonly<Record<FaultCode | LimitFault, string>> = {
  absent: 'a member that it reads is missing',
  wrong_type: 'a member that it reads has another type than the rule compares it with',
  overflow: 'a number is too large',
  division_by_zero: 'it divides by zero',
  number_too_large: 'a number is beyond 2^53, where JSON numbers are not exact',
  too_many_elements: 'a list or object has more than 1,000 elements',
  text_too_long: 'a text is longer than 65,536 characters',
  not_convertible: 'a value cannot be converted to the kind that the rule needs',
  zone_unknown: 'the offset of its time zone is not known',
  too_costly: 'its values are too large to be compared',
  negative_sum: 'the amount is negative',
  not_a_key: 'its key is not a text, number or boolean',
};
