import type { Severity } from '@countersign/contracts';
import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Fault } from '../cel/fault.js';
import type { FaultCode } from '../cel/fault.js';
import type { CelInput } from '../cel/program.js';
import { isInexact } from '../cel/values.js';
import type { Value } from '../cel/values.js';
import { nanosOf } from '../host/decimal.js';
import { copyBudget } from '../modify/apply-patch.js';
import type { CopyBudget } from '../modify/apply-patch.js';
import { fittingPatch } from '../modify/fitting-patch.js';
import type { Modified } from '../modify/fitting-patch.js';
import type { CompiledLimit, CompiledRule, CompiledRules } from './compile-rules.js';
import { inputOf } from './variables.js';
import type { JudgedAction } from './variables.js';
import {
  approvalRequired,
  limitExceeded,
  modificationNeeded,
  ruleDeferred,
  ruleDenied,
  ruleError,
} from './violations.js';
import type { LimitFault, RuleViolation } from './violations.js';

/** A rule that denies the action. */
export interface RuleFinding {
  readonly violation: RuleViolation;
  /** Of several findings the one with the lowest rank is the answer: effect, then severity, then position in the list. */
  readonly rank: number;
  /** The rule is tried: the finding is recorded, and denies nothing. */
  readonly observe: boolean;
}

/** A rule that denies the action where facts have certain values. */
export interface ConditionalFinding extends RuleFinding {
  /** Positions of the facts in the profile, in ascending order, at most four. */
  readonly facts: readonly number[];
  /** Bit `i` is set: the rule denies where fact `facts[b]` is set for each bit `b` of `i`, and for no other. */
  readonly truth: number;
}

/** Amount that an allowed check adds to a window of a limit. */
export interface LimitCharge extends RuleFinding {
  /** Position of the limit in the profile. */
  readonly limit: number;
  readonly id: string;
  /** SHA-256 of the canonical JSON (RFC 8785) of `[id, key]`, lower-case hex; the key of a limit without one is null. */
  readonly key: string;
  /** 1 for a count; for a sum, units of 10^-9. */
  readonly amount: bigint;
  /** Most that the window may hold, in the unit of `amount`. */
  readonly max: bigint;
  readonly windowSeconds: number;
  readonly reserve: boolean;
}

/** A fact that the action sets. */
export interface FactSet {
  /** Position of the fact in the profile. */
  readonly fact: number;
  readonly on: 'allowed' | 'checked';
}

export interface RuleJudgement {
  /** Findings that depend on no fact, by rank. */
  readonly findings: readonly RuleFinding[];
  readonly conditional: readonly ConditionalFinding[];
  /** Charged in the order of the profile. A limit whose key or sum cannot be read is among the findings. */
  readonly limits: readonly LimitCharge[];
  readonly facts: readonly FactSet[];
  /** At least one rule applies to the action. */
  readonly rulesApply: boolean;
  /** At least one limit applies to the action. */
  readonly limitsApply: boolean;
}

/**
 * Rank of an effect; the lowest of an action is its answer. No other effect outweighs a denial. A change comes before
 * what is only known later, and both before a person, who is asked about the action as it would be executed.
 */
export const EFFECT_RANKS = {
  deny: 0,
  deny_unless: 0,
  modify: 1,
  defer: 2,
  approve: 3,
} as const;
const SEVERITY_RANKS: Readonly<Record<Severity, number>> = { P1: 0, P2: 1, P3: 2 };
/** More than there are rules and limits. */
const PLACES = 1000;

/** Rank of a finding: most severe effect (deny, modify, defer, approve), then severity, then position. */
const rankOf = (effect: 0 | 1 | 2 | 3, severity: Severity, place: number): number =>
  (effect * 3 + SEVERITY_RANKS[severity]) * PLACES + place;

/**
 * Judges an action by the rules of a profile. Total and pure: every input has a judgement, and an expression that has no
 * value is a finding `rule_error`. Facts are not read: a rule that reads some is judged for each of their values, so
 * that the counters can decide in the step in which they read them.
 */
export function judgeRules(compiled: CompiledRules, judged: JudgedAction): RuleJudgement {
  const { action } = judged;
  const input = inputOf(judged);
  const findings: RuleFinding[] = [];
  const conditional: ConditionalFinding[] = [];
  const rules = compiled.ruleIndex.match(action);
  const budget = copyBudget();
  for (const at of rules) {
    const rule = compiled.rules[at]!;
    if (rule.facts.length > 0) conditional.push(...conditionally(rule, at, judged, input, compiled, budget));
    else {
      const outcome = outcomeOf(rule, input);
      const modified = outcome === 'denied' ? modifiedBy(rule, judged, budget) : null;
      const finding = findingOf(rule, at, outcome, allows(rule, judged, modified) ? modified : null);
      if (finding !== null) findings.push(finding);
    }
  }
  const limits: LimitCharge[] = [];
  const charged = compiled.limitIndex.match(action);
  for (const at of charged) {
    const place = compiled.rules.length + at;
    const charge = chargeOf(compiled.limits[at]!, at, place, input);
    if ('key' in charge) limits.push(charge);
    else findings.push(charge);
  }
  const facts = compiled.factIndex.match(action).flatMap((at): readonly FactSet[] => {
    const { member, setWhen } = compiled.facts[at]!;
    // An error sets the fact: what cannot be judged may be what it is about.
    return setWhen.run(input) === false ? [] : [{ fact: at, on: member.on ?? 'allowed' }];
  });
  findings.sort((a, b) => a.rank - b.rank);
  return { findings, conditional, limits, facts, rulesApply: rules.length > 0, limitsApply: charged.length > 0 };
}

/** `null`: the rule finds nothing. */
export type RuleOutcome = 'denied' | FaultCode | null;

/** The result of a rule by its conditions. */
export function outcomeOf({ member, matchers, when }: CompiledRule, input: CelInput): RuleOutcome {
  const byMatchers = matchers === null ? true : matchers.run(input);
  if (member.effect === 'deny_unless') {
    // A member that is missing or of another type proves nothing.
    if (byMatchers !== true) return 'denied';
    const byWhen = when === null ? true : when.run(input);
    return byWhen === true ? null : byWhen === false ? 'denied' : byWhen;
  }
  if (byMatchers === false) return null;
  const byWhen = when === null ? true : when.run(input);
  if (byWhen === false) return null;
  if (typeof byMatchers === 'string') return byMatchers;
  return byWhen === true ? 'denied' : byWhen;
}

/**
 * The action as the rule's patch changes it; `null`: the rule has none, none of it fits, or it would copy too much.
 * @param budget shared by all rules of a judgement
 */
export function modifiedBy(
  { member: { patch } }: CompiledRule,
  { action }: JudgedAction,
  budget: CopyBudget = copyBudget(),
): Modified | null {
  return patch === undefined ? null : fittingPatch(action, patch, budget);
}

/** Reports whether the rule finds nothing in a modified action: the others judge it when it is checked. */
export function allows(
  rule: CompiledRule,
  judged: JudgedAction,
  modified: Modified | null,
  facts?: Readonly<Record<string, boolean>>,
): boolean {
  if (modified === null) return false;
  return outcomeOf(rule, inputOf({ ...judged, action: modified.action }, facts)) === null;
}

/** @param modified of `modify`: the action that the rule allows; `null`: its patch leads to none */
function findingOf(
  { member, severity, waitsFor }: CompiledRule,
  place: number,
  outcome: RuleOutcome,
  modified: Modified | null,
): RuleFinding | null {
  if (outcome === null) return null;
  const observe = member.mode === 'observe';
  if (outcome !== 'denied') {
    return { violation: ruleError(`rules:${member.id}`, outcome), rank: rankOf(0, 'P1', place), observe };
  }
  return {
    violation: violationOf(),
    rank: rankOf(EFFECT_RANKS[member.effect], severity, place),
    observe,
  };

  function violationOf(): RuleViolation {
    switch (member.effect) {
      case 'approve':
        return approvalRequired(member, severity);
      case 'modify':
        return modificationNeeded(member, severity, modified?.patch ?? null);
      case 'defer':
        return ruleDeferred(member, severity, waitsFor);
      default:
        return ruleDenied(member, severity);
    }
  }
}

/** An action that the rule denies, and allows after its patch. */
const MODIFIABLE = 'modifiable';

/** One finding for each outcome that any values of the facts give. */
function conditionally(
  rule: CompiledRule,
  place: number,
  judged: JudgedAction,
  { values, offsets }: CelInput,
  { facts }: CompiledRules,
  budget: CopyBudget,
): readonly ConditionalFinding[] {
  const truths = new Map<Exclude<RuleOutcome, null> | typeof MODIFIABLE, number>();
  const modified = modifiedBy(rule, judged, budget);
  for (let i = 0; i < 2 ** rule.facts.length; i += 1) {
    const set: Record<string, boolean> = {};
    for (const [bit, at] of rule.facts.entries()) set[facts[at]!.member.id] = ((i >> bit) & 1) === 1;
    const outcome = outcomeOf(rule, { values: { ...values, facts: set }, offsets });
    if (outcome === null) continue;
    const found = outcome === 'denied' && allows(rule, judged, modified, set) ? MODIFIABLE : outcome;
    truths.set(found, (truths.get(found) ?? 0) | (1 << i));
  }
  return [...truths].map(([found, truth]) => {
    const finding =
      found === MODIFIABLE ? findingOf(rule, place, 'denied', modified) : findingOf(rule, place, found, null);
    return { ...finding!, facts: rule.facts, truth };
  });
}

/** The charge of an action to a limit that applies to it, or the finding that its key or sum cannot be read. @param place for its rank */
export function chargeOf(limit: CompiledLimit, at: number, place: number, input: CelInput): LimitCharge | RuleFinding {
  const { member, key, sum, maxNanos, severity } = limit;
  const observe = member.mode === 'observe';
  const refused = (code: FaultCode | LimitFault): RuleFinding => ({
    violation: ruleError(`limits:${member.id}`, code),
    rank: rankOf(0, 'P1', place),
    observe,
  });
  const value = key === null ? null : keyOf(key.value(input));
  if (typeof value === 'object' && value !== null) return refused(value.fault);
  const amount = sum === null ? 1n : amountOf(sum.value(input));
  if (typeof amount !== 'bigint') return refused(amount.fault);
  return {
    violation: limitExceeded(member, severity),
    rank: rankOf(0, severity, place),
    observe,
    limit: at,
    id: member.id,
    key: bytesToHex(sha256(new TextEncoder().encode(JSON.stringify([member.id, value])))),
    amount,
    max: maxNanos ?? BigInt(member.max_count ?? 0),
    windowSeconds: member.window_seconds,
    reserve: member.reserve === true,
  };
}

type Unusable = { readonly fault: FaultCode | LimitFault };
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const MAX_KEY = 4096;

/** A key as canonical JSON gives it: of a text, number or boolean it is that of `JSON.stringify`. */
function keyOf(value: Value): string | number | boolean | Unusable {
  if (value instanceof Fault) return { fault: value.code };
  switch (typeof value) {
    case 'string':
      if (value.length > MAX_KEY) return { fault: 'text_too_long' };
      return LONE_SURROGATE.test(value) ? { fault: 'not_a_key' } : value;
    case 'number':
      return isInexact(value) ? { fault: 'number_too_large' } : value;
    case 'bigint':
      return isInexact(Number(value)) ? { fault: 'number_too_large' } : Number(value);
    case 'boolean':
      return value;
    default:
      return { fault: 'not_a_key' };
  }
}

function amountOf(value: Value): bigint | Unusable {
  if (value instanceof Fault) return { fault: value.code };
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    return { fault: 'wrong_type' };
  if (isInexact(value)) return { fault: 'number_too_large' };
  const nanos = nanosOf(value);
  if (nanos === null) return { fault: 'not_convertible' };
  return nanos < 0n ? { fault: 'negative_sum' } : nanos;
}
