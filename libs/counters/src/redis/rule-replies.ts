import { amountText, NOTHING } from '../amount.js';
import type { Amount } from '../amount.js';
import { isConditional } from '../judgement.js';
import type { OpenJudgement } from '../judgement.js';
import { balancesById, limitViolation, namesOfSet, resetsAt } from '../rule-findings.js';
import { UNKNOWN_FACTS } from '../rule-trip.js';
import type { TripApprovals } from '../rule-trip.js';
import type {
  AskedApproval,
  FoundApproval,
  Judgement,
  RuleCounts,
  RuleTrip,
  StaticViolation,
  TripLimit,
} from '../port.js';

/** The part of a trip's rules that a claim keeps. */
export interface KeptRules extends Pick<RuleTrip, 'facts' | 'sets'> {
  readonly limits: readonly Omit<TripLimit, 'violation'>[];
  readonly approvals?: Pick<TripApprovals, 'rules'>;
}

export function keptRules({ facts, sets, limits, approvals }: RuleTrip): KeptRules {
  const kept = { facts, sets, limits: limits.map(({ violation: _violation, ...limit }) => limit) };
  return approvals === undefined ? kept : { ...kept, approvals: { rules: approvals.rules } };
}

/** A finding as the script replies it. `oldestMs`: time of a limit's oldest amount, negative: none. */
export interface Finding {
  readonly code: number;
  readonly index: number;
  readonly oldestMs: number;
}
const NO_RULES: KeptRules = { facts: [], sets: [], limits: [] };
const NO_FLAGS: readonly boolean[] = [];
const SET = '1';
const UNKNOWN = '2';
const USED_BEFORE = '2';
const [COMMA, MINUS, ZERO] = [44, 45, 48] as const;
const RULE = 4;
const LIMIT = 5;
const NO_ROOM = 6;

/**
 * Adds balances, what was counted, and the violation of a rule or limit to a judgement.
 * @param text balances in the form of `lua/check-rules.ts`
 * @param kept the violation that a claim kept; `null`: it is in `rules`, which are those of a trip
 */
export function ruledJudgement(
  judgement: OpenJudgement,
  text: string,
  rules: RuleTrip | KeptRules | undefined,
  rated: boolean,
  finding: Finding,
  kept: StaticViolation | null,
): Judgement {
  const parts = rules === undefined ? [text] : text.split(';');
  const [balanceText = '', set = '', stored = '', counted = '', asked = '', found = ''] = parts;
  const numbers = readNumbers(balanceText);
  const [order = 0, day = 0, month = 0, rate = 0, used = 0] = numbers;
  const { facts, limits } = rules ?? NO_RULES;
  const balances = limits.map((_limit, index): Amount => {
    return { units: numbers[5 + 2 * index] ?? 0, nanos: numbers[6 + 2 * index] ?? 0 };
  });
  judgement.seen = {
    order,
    spent: { day, month },
    rate: rated ? rate : null,
    plan: { used },
    facts: namesOfSet(facts, flags(set, facts.length)),
    limits: balancesById(limits, balances),
  };
  if (rules === undefined) return judgement;
  const counts = countsOf(judgement.nowMs, rules, stored, counted);
  if (counts !== null) judgement.ruleCounts = counts;
  addApprovals(judgement, rules, asked, found);
  const violation = kept ?? violationOf(rules, finding);
  if (violation === null) return judgement;
  const limit = finding.code === LIMIT ? limits[finding.index] : undefined;
  judgement.violation = violation;
  if (isConditional(violation)) judgement.freezesAgent = false;
  if (limit === undefined) return judgement;
  const consumed = balances[finding.index] ?? NOTHING;
  const resetsAtMs = resetsAt(limit, finding.oldestMs < 0 ? null : finding.oldestMs);
  judgement.violation = limitViolation(limit, violation, consumed, resetsAtMs);
  judgement.limit = { id: limit.id, consumed: amountText(consumed), resetsAtMs };
  return judgement;
}

/** Adds the approval that is asked for, and those that were found. */
function addApprovals(
  judgement: OpenJudgement,
  { approvals }: RuleTrip | KeptRules,
  askedText: string,
  foundText: string,
): void {
  if (askedText !== '') {
    const [code = '', id = '', expiresAt = ''] = askedText.split(',');
    const expiresAtMs = id === '' ? null : Number(expiresAt);
    judgement.asked = { code: code as AskedApproval['code'], id: id === '' ? null : id, expiresAtMs };
  }
  if (foundText === '') return;
  judgement.approvals = foundText.split('|').map((one): FoundApproval => {
    const [position = '', id = '', expiresAt = '', again = ''] = one.split(',');
    const { ruleId = '', bindingSha256 = '' } = approvals?.rules[Number(position)] ?? {};
    const found = { ruleId, bindingSha256, id, expiresAtMs: Number(expiresAt), reusable: again === SET };
    return again === USED_BEFORE ? { ...found, usedBefore: true } : found;
  });
}

function violationOf(rules: RuleTrip | KeptRules, { code, index }: Finding): StaticViolation | null {
  if (!('conditional' in rules)) return null;
  if (code === RULE) return rules.conditional[index]?.violation ?? null;
  if (code === LIMIT) return rules.limits[index]?.violation ?? null;
  return code === NO_ROOM ? rules.noRoom : null;
}

function countsOf(nowMs: number, rules: RuleTrip | KeptRules, stored: string, counted: string): RuleCounts | null {
  if (!stored.includes(SET) && !stored.includes(UNKNOWN) && !counted.includes(SET)) return null;
  const isCounted = flags(counted, rules.limits.length);
  const facts = rules.sets.flatMap(({ fact, ttlSeconds }, index) => {
    const digit = stored[index];
    if (digit !== SET && digit !== UNKNOWN) return [];
    const { id, key } = digit === SET ? rules.facts[fact]! : UNKNOWN_FACTS;
    return [{ id, key, expiresAtMs: nowMs + ttlSeconds * 1000 }];
  });
  const limits = rules.limits
    .filter((_limit, index) => isCounted[index])
    .map(({ key, windowSeconds, amount, reserve }) => ({ key, windowSeconds, amount, reserve }));
  return { facts, limits };
}

/** Whole numbers with commas; a negative one is -1. Costs a tenth of `split` and `Number`. */
function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index === text.length ? COMMA : text.charCodeAt(index);
    if (code === COMMA) {
      numbers.push(number);
      number = 0;
    } else if (code === MINUS) {
      numbers.push(-1);
      index += 2;
    } else number = number * 10 + (code - ZERO);
  }
  return numbers;
}

/** One flag for each digit; absent ones are not set. */
function flags(digits: string, count: number): readonly boolean[] {
  if (count === 0) return NO_FLAGS;
  return Array.from({ length: count }, (_, index) => digits[index] === SET);
}
