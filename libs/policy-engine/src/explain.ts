import type { CompiledProfile } from './compile-profile.js';
import { explainLimits, explainRules } from '@countersign/rules';
import type { CompiledRules, ExplainedRule, RuleViolation } from '@countersign/rules';
import { countedRules, isOwnFact } from './counted-rules.js';
import { denialsWhere, judgedAction } from './judge/conditional.js';
import type { ConditionalJudgement, Surroundings } from './judge/conditional.js';
import { costOf, decideInSlices } from './decide.js';
import type { Decision } from './decide.js';
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
import { argumentAddresses, namesApi, namesData, subjectOf, urlOf } from './judge/subject.js';
import type { Action, Subject } from './judge/subject.js';
import type { CompiledOutputRules } from './output/compile-output-rules.js';
import { judgeOutputInSlices } from './output/judge-output.js';
import type { Violation } from './violation.js';

/** The rules of a profile in the order of evaluation. */
export const RULE_NAMES = [
  'off_limits_actions',
  'allowed_actions',
  'blocked_apis',
  'allowed_apis',
  'blocked_data_scopes',
  'allowed_data_scopes',
  'output_rules.blocked_pii',
  'output_rules.block_secrets',
  'output_rules.blocked_topics',
  'output_rules.max_length',
  'require',
  'spending_limit',
  'rate_limit',
] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/** Result of one rule by itself, independent of the others. */
export type RuleTrace =
  /** It denies. */
  | { readonly rule: RuleName; readonly result: 'matched'; readonly violation: Violation }
  | { readonly rule: RuleName; readonly result: 'passed' }
  /** The reason: it is not set, or does not apply to this kind of action. */
  | { readonly rule: RuleName; readonly result: 'not_applicable'; readonly because: string };

/** The denials of the counters, each by itself: the caller has their figures. */
export interface CountedFindings {
  readonly spending: Violation | null;
  readonly rate: Violation | null;
}

export interface Explained {
  readonly decision: Decision;
  readonly rules: readonly RuleTrace[];
  /** Rules with conditions, then limits, in the order of the profile. */
  readonly conditional: readonly ConditionalTrace[];
}

/** Result of a rule with conditions, or of a limit, by itself, with the facts of its surroundings. */
export interface ConditionalTrace extends ExplainedRule {
  /** Its denial, also one that is only observed; `null` where it denies nothing. */
  readonly violation: Violation | null;
}

const NOT_SET = 'the profile sets no such rule';
const NO_API = 'the action names no API and no tool';
const NO_DATA = 'the action names no data scope and is no data access';
const NO_PAYLOAD = 'the action has no payload';
const NO_COST = 'the action names no cost';

/**
 * The decision and the result of every rule, each evaluated alone. The first rule that matched is the one that denies:
 * its violation is that of `decide`, or of the counters. In time slices as `decideInSlices`: each output rule reads the
 * whole payload again.
 */
export function* explainInSlices(
  profile: CompiledProfile,
  action: Action,
  counted: CountedFindings,
  around?: Surroundings,
): Generator<undefined, Explained, undefined> {
  const subject = subjectOf(action);
  const decision = yield* decideInSlices(profile, action, around);
  const output = yield* outputTraces(profile.output, subject);
  return {
    decision,
    rules: [...listTraces(profile, subject), ...output, ...countedTraces(profile, subject, counted)],
    conditional: conditionalTraces(profile, action, decision, around),
  };
}

function conditionalTraces(
  { rules }: CompiledProfile,
  action: Action,
  { rules: judgement }: Decision,
  around: Surroundings | undefined,
): readonly ConditionalTrace[] {
  if (rules === null || judgement === null || around === undefined) return [];
  const facts = factsOf(rules, judgement, around);
  const isSet = (position: number): boolean => facts[rules.facts[position]!.member.id] === true;
  const denials = new Map(denialsWhere(judgement, isSet).map(({ violation }) => [violation.rule, violation]));
  const judged = judgedAction(action, around, judgement.offsets);
  const withExtras = (violation: RuleViolation): Violation => ({ ...violation, extras: violation.extras ?? null });
  const denialOf = (rule: string): Violation | null => {
    const violation = denials.get(rule);
    return violation === undefined ? null : withExtras(violation);
  };
  const limits = explainLimits(rules, judged, around.balances).map(({ charge, ...explained }) => {
    const exceeded = explained.result === 'matched' && charge !== null;
    return { ...explained, violation: exceeded ? withExtras(charge.violation) : denialOf(explained.rule) };
  });
  return [
    ...explainRules(rules, judged, facts).map((explained) => ({ ...explained, violation: denialOf(explained.rule) })),
    ...limits,
  ];
}

/** Values of the facts. A recorded check names those that are set of the ones that it read: of the others nothing is known. */
function factsOf(
  rules: CompiledRules,
  judgement: ConditionalJudgement,
  { facts, known, session }: Surroundings,
): Readonly<Record<string, boolean | null>> {
  if (known !== undefined) return known;
  if (facts === undefined) return {};
  const read = new Set((countedRules(rules, judgement, session)?.facts ?? []).map(({ id }) => id).filter(isOwnFact));
  const ids = rules.facts.map(({ member: { id } }) => id);
  return Object.fromEntries(ids.map((id) => [id, read.has(id) ? facts.includes(id) : null]));
}

/** Cost of the action, in whole micro-dollars. */
export function actionCost(action: Action): number {
  return costOf(subjectOf(action));
}

function listTraces(profile: CompiledProfile, subject: Subject): readonly RuleTrace[] {
  const apis = namesApi(subject) ? null : NO_API;
  const data = namesData(subject) ? null : NO_DATA;
  const found = argumentAddresses(subject);
  const url = urlOf(subject, found);
  return [
    trace('off_limits_actions', profile.offLimitsActions, null, (list) => judgeOffLimits(list, subject)),
    trace('allowed_actions', profile.allowedActions, null, (list) => judgeAllowedActions(list, subject)),
    trace('blocked_apis', profile.blockedApis, apis, (list) => judgeBlockedApis(list, url, found, subject)),
    trace('allowed_apis', profile.allowedApis, apis, (list) => judgeAllowedApis(list, url, found, subject)),
    trace('blocked_data_scopes', profile.blockedDataScopes, data, (list) => judgeBlockedScopes(list, subject)),
    trace('allowed_data_scopes', profile.allowedDataScopes, data, (list) => judgeAllowedScopes(list, subject)),
  ];
}

const NO_OUTPUT_RULES: CompiledOutputRules = {
  pii: null,
  secrets: false,
  topics: null,
  maxLength: null,
  cleanNames: null,
};

function* outputTraces(
  output: CompiledOutputRules | null,
  subject: Subject,
): Generator<undefined, readonly RuleTrace[], undefined> {
  const { payload } = subject;
  const { pii, secrets, topics, maxLength } = output ?? NO_OUTPUT_RULES;
  const because = payload === undefined ? NO_PAYLOAD : null;
  const traces: RuleTrace[] = [];
  for (const [rule, set, alone] of [
    ['output_rules.blocked_pii', pii, { pii }],
    ['output_rules.block_secrets', secrets ? secrets : null, { secrets }],
    ['output_rules.blocked_topics', topics, { topics }],
    ['output_rules.max_length', maxLength, { maxLength }],
  ] as const) {
    const asked = set !== null && because === null;
    const found = asked ? yield* judgeOutputInSlices({ ...NO_OUTPUT_RULES, ...alone }, payload) : null;
    traces.push(trace(rule, set, because, () => found ?? judgePayloadDoubt(subject)));
  }
  return traces;
}

function countedTraces(
  { required, spending, rate }: CompiledProfile,
  subject: Subject,
  counted: CountedFindings,
): readonly RuleTrace[] {
  const costs = subject.cost !== undefined;
  return [
    trace('require', required, null, (members) => judgeRequired(members, subject)),
    trace(
      'spending_limit',
      spending,
      costs ? null : NO_COST,
      () => judgeCostDoubt(subject) ?? (costs ? counted.spending : null),
    ),
    trace('rate_limit', rate, null, () => counted.rate),
  ];
}

/** @param because why the rule does not apply to the action unless it denies it for a missing member, or `null` */
function trace<R>(
  rule: RuleName,
  set: R | null,
  because: string | null,
  judge: (set: R) => Violation | null,
): RuleTrace {
  if (set === null) return { rule, result: 'not_applicable', because: NOT_SET };
  const violation = judge(set);
  if (violation !== null) return { rule, result: 'matched', violation };
  return because === null ? { rule, result: 'passed' } : { rule, result: 'not_applicable', because };
}
