import { judgementOf } from '../judgement.js';
import type { JudgedFacts } from '../judgement.js';
import type { CheckTrip, CheckTripResult, Judgement, RuleTrip, StaticViolation, StoredAnswer } from '../port.js';
import { rateViolation, spendingViolation } from '../violations.js';
import { keptRules, ruledJudgement } from './rule-replies.js';
import type { KeptRules } from './rule-replies.js';

/** First member of every script's reply. Values above 0 are specific to the script. */
export const LATE = -1;
export const REBUILDING = -2;
export const LOST = 0;
export const DONE = 1;

/** The facts of a trip that its judgement contains; kept with a claim. */
export type ClaimFacts = JudgedFacts & Pick<CheckTrip, 'violation' | 'spending'> & { readonly rules?: KeptRules };

const OUTCOMES = [null, 'allowed', 'denied', 'frozen', 'sandbox_expired', 'action_cap'] as const;

/** The claim was judged with more than the script reads: `RULED_CHECK` has to judge this trip. */
export const RULED = 8;

export function claimFacts(trip: CheckTrip): ClaimFacts {
  const facts: { -readonly [K in keyof ClaimFacts]: ClaimFacts[K] } = {
    entropy: trip.entropy,
    actionSalt: trip.actionSalt,
    payloadSalt: trip.payloadSalt,
    versions: trip.versions,
    costMicros: trip.costMicros,
    rate: trip.rate,
    freezeOnViolation: trip.freezeOnViolation,
    violation: trip.violation,
    spending: trip.spending,
  };
  if (trip.carried !== undefined) facts.carried = trip.carried;
  if (trip.rules !== undefined) facts.rules = keptRules(trip.rules);
  return facts;
}

/** The result in the reply of the check's script; `trip` is the one that was sent. */
export function checkResult(reply: readonly unknown[], trip: CheckTrip): CheckTripResult {
  switch (reply[0]) {
    case 1:
      return { kind: 'judged', judgement: judgementAt(reply, 1, trip, reply[6], trip.rules) };
    case 2:
      return { kind: 'stale', versions: { account: at(reply, 1), apiKey: at(reply, 2), agent: at(reply, 3) } };
    case 3:
      return { kind: 'answered', answer: JSON.parse(String(reply[1])) as StoredAnswer };
    case 4:
      return { kind: 'claimed', judgement: claimedAt(reply, 1, 6) };
    case 5:
      return {
        kind: 'rejudged',
        judgement: judgementAt(reply, 1, trip, reply[14], trip.rules),
        superseded: claimedAt(reply, 6, 11),
      };
    case 6:
      return { kind: 'conflict' };
    case 7:
      return { kind: 'crowded', most: at(reply, 1) };
    default:
      throw new Error(`the check's script replied ${String(reply[0])}`);
  }
}

function at(reply: readonly unknown[], index: number): number {
  return Number(reply[index]);
}

/** The judgement of a claim from `index` on, whose facts are at `facts`, followed by balances and violation. */
function claimedAt(reply: readonly unknown[], index: number, facts: number): Judgement {
  const kept = JSON.parse(String(reply[facts])) as ClaimFacts;
  const text = reply[facts + 2];
  const found = typeof text === 'string' && text !== '' ? (JSON.parse(text) as StaticViolation) : null;
  return judgementAt(reply, index, kept, reply[facts + 1], kept.rules, found);
}

/**
 * Time, outcome, finding, count and the time at which the next check fits, from `index` on.
 * @param seen balances in the form of `lua/check-rules.ts`; empty: none
 * @param found the violation of a rule or limit in a claim; `null`: it is in `rules`
 */
function judgementAt(
  reply: readonly unknown[],
  index: number,
  facts: ClaimFacts | CheckTrip,
  seen: unknown,
  rules: RuleTrip | KeptRules | undefined,
  found: StaticViolation | null = null,
): Judgement {
  const outcome = OUTCOMES[at(reply, index + 1)];
  if (outcome === undefined || outcome === null) throw new Error('the check’s script gave no outcome');
  const judgement = judgementOf(facts, at(reply, index), outcome, violationAt(reply, index + 2, facts));
  if (typeof seen !== 'string' || seen === '') return judgement;
  const finding = { code: at(reply, index + 2), index: at(reply, index + 3), oldestMs: at(reply, index + 4) };
  return ruledJudgement(judgement, seen, rules, facts.rate !== null, finding, found);
}

function violationAt(reply: readonly unknown[], index: number, facts: ClaimFacts | CheckTrip): StaticViolation | null {
  const counted = at(reply, index + 1);
  const fitsAt = at(reply, index + 2);
  switch (at(reply, index)) {
    case 1:
      return facts.violation;
    case 2:
      return facts.spending === null ? null : spendingViolation(facts.spending, counted, facts.costMicros);
    case 3:
      return facts.rate === null ? null : rateViolation(facts.rate, counted, fitsAt < 0 ? null : fitsAt);
    default:
      return null;
  }
}
