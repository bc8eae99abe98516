import type { ActionKind } from '@countersign/contracts';
import type { CompiledProfile } from './compile-profile.js';
import { coverageOf } from './coverage.js';
import { judgeConditional } from './judge/conditional.js';
import type { ConditionalJudgement, Surroundings } from './judge/conditional.js';
import {
  judgeAllowedActions,
  judgeAllowedApis,
  judgeAllowedScopes,
  judgeBlockedApis,
  judgeBlockedScopes,
  judgeCostDoubt,
  judgeOffLimits,
  judgePayloadDoubt,
  judgeRequired,
} from './judge/lists.js';
import { argumentAddresses, isToolCall, names, subjectOf, urlOf } from './judge/subject.js';
import type { Action, Subject } from './judge/subject.js';
import type { ReadingBudget } from './urls/path-views.js';
import { dollarsToMicros } from './money.js';
import { judgeOutput, judgeOutputInSlices } from './output/judge-output.js';
import type { Violation } from './violation.js';

export interface Decision {
  /** By the static rules; the counters judge spending and rate. */
  readonly violation: Violation | null;
  /**
   * By rules with conditions, which are judged whether or not there is a violation: facts may be set, and are known to
   * the counters only. `null`: the profile has none.
   */
  readonly rules: ConditionalJudgement | null;
  /** The members of the profile that apply to the action, ascending; empty where none does. */
  readonly coverage: readonly string[];
  /** Cost of the action, in whole micro-dollars. */
  readonly costMicros: number;
  readonly actionKind: ActionKind;
}

/**
 * The verdict of the static rules, in the order off-limits and allowed actions, APIs, data scope, output; the first
 * that denies. Total and pure: every input has a decision. The caller applies `observe` to a violation.
 * @param around what rules with conditions read in addition to the action; needed where the profile has some
 * @param budget of the request, where it asks about several actions
 */
export function decide(
  profile: CompiledProfile,
  action: Action,
  around?: Surroundings,
  budget?: ReadingBudget,
): Decision {
  const subject = subjectOf(action, budget);
  return decided(profile, action, subject, around, judge(profile, subject));
}

/**
 * {@link decide} in time slices: it yields after each piece of a large payload that the output rules have read, and
 * returns the result of `decide`.
 */
export function* decideInSlices(
  profile: CompiledProfile,
  action: Action,
  around?: Surroundings,
  budget?: ReadingBudget,
): Generator<undefined, Decision, undefined> {
  const subject = subjectOf(action, budget);
  const { output } = profile;
  if (output === null || subject.payload === undefined) return decide(profile, action, around, budget);
  const violation =
    judgeBeforeOutput(profile, subject) ??
    (yield* judgeOutputInSlices(output, subject.payload)) ??
    judgePayloadDoubt(subject) ??
    judgeAfterOutput(profile, subject);
  return decided(profile, action, subject, around, violation);
}

/**
 * The verdict of the lists on a tool by its name alone. A call of it may still be denied for its other members, and for
 * missing ones.
 */
export function judgeTool(profile: CompiledProfile, name: string): Violation | null {
  return judgeBeforeOutput(profile, subjectOf({ type: 'tool_use', toolName: name }));
}

/**
 * Reports whether the payload, where it is not known, could change a verdict on a call, by the lists of APIs. A `url`
 * is taken for the only address of the call.
 */
export function needsArguments(profile: CompiledProfile, action: Action, violation: Violation | null): boolean {
  const { allowedApis, blockedApis } = profile;
  const subject = subjectOf(action);
  if (!isToolCall(subject)) return false;
  const limits = allowedApis?.limitsAddresses === true;
  if (violation === null) return !names(subject, 'url') && (limits || blockedApis?.namesUrls === true);
  if (violation.rule === 'require:url') return true;
  // A list of tools only does not limit a url that repeats an argument.
  return violation.rule?.startsWith('allowed_apis:') === true && !limits && names(subject, 'url');
}

/** The verdict of the output rules on one text, in time slices, as {@link decideInSlices}. */
export function* scanInSlices(
  profile: CompiledProfile,
  text: string,
): Generator<undefined, Violation | null, undefined> {
  return profile.output === null ? null : yield* judgeOutputInSlices(profile.output, text);
}

function decided(
  profile: CompiledProfile,
  action: Action,
  subject: Subject,
  around: Surroundings | undefined,
  violation: Violation | null,
): Decision {
  const rules = profile.rules === null ? null : judgeConditional(profile.rules, action, needed(around));
  return {
    violation,
    rules,
    coverage: coverageOf(profile, subject, violation, rules),
    costMicros: costOf(subject),
    actionKind: subject.kind,
  };
}

function needed(around: Surroundings | undefined): Surroundings {
  if (around === undefined) throw new TypeError('rules with conditions are judged by the surroundings of an action');
  return around;
}

/** In whole micro-dollars; 0 where none is named. */
export function costOf({ cost }: Subject): number {
  return typeof cost === 'number' ? dollarsToMicros(cost) : 0;
}

function judge(profile: CompiledProfile, subject: Subject): Violation | null {
  return judgeBeforeOutput(profile, subject) ?? judgePayload(profile, subject) ?? judgeAfterOutput(profile, subject);
}

function judgePayload({ output }: CompiledProfile, subject: Subject): Violation | null {
  if (output === null) return null;
  const violation = subject.payload === undefined ? null : judgeOutput(output, subject.payload);
  return violation ?? judgePayloadDoubt(subject);
}

function judgeAfterOutput({ required, spending }: CompiledProfile, subject: Subject): Violation | null {
  return (
    (required === null ? null : judgeRequired(required, subject)) ??
    (spending === null ? null : judgeCostDoubt(subject))
  );
}

function judgeBeforeOutput(profile: CompiledProfile, subject: Subject): Violation | null {
  const { offLimitsActions, allowedActions, blockedDataScopes, allowedDataScopes } = profile;
  return (
    (offLimitsActions === null ? null : judgeOffLimits(offLimitsActions, subject)) ??
    (allowedActions === null ? null : judgeAllowedActions(allowedActions, subject)) ??
    judgeApis(profile, subject) ??
    (blockedDataScopes === null ? null : judgeBlockedScopes(blockedDataScopes, subject)) ??
    (allowedDataScopes === null ? null : judgeAllowedScopes(allowedDataScopes, subject))
  );
}

function judgeApis({ allowedApis, blockedApis }: CompiledProfile, subject: Subject): Violation | null {
  if (allowedApis === null && blockedApis === null) return null;
  const found = argumentAddresses(subject);
  const url = urlOf(subject, found);
  return (
    (blockedApis === null ? null : judgeBlockedApis(blockedApis, url, found, subject)) ??
    (allowedApis === null ? null : judgeAllowedApis(allowedApis, url, found, subject))
  );
}
