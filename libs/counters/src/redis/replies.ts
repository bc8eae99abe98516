import { judgementOf } from '../judgement.js';
import type { JudgedFacts } from '../judgement.js';
import type { CheckTrip, CheckTripResult, Judgement, StaticViolation, StoredAnswer } from '../port.js';
import { rateViolation, spendingViolation } from '../violations.js';

/** First member of every script's reply. Values above 0 are specific to the script. */
export const LATE = -1;
export const REBUILDING = -2;
export const LOST = 0;
export const DONE = 1;

/** The facts of a trip that its judgement contains; kept with a claim. */
export type ClaimFacts = JudgedFacts & Pick<CheckTrip, 'violation' | 'spending'>;

const OUTCOMES = [null, 'allowed', 'denied', 'frozen', 'sandbox_expired', 'action_cap'] as const;

export function claimFacts(trip: CheckTrip): ClaimFacts {
  const { entropy, actionSalt, payloadSalt, versions, costMicros, rate, freezeOnViolation, violation, spending } = trip;
  return { entropy, actionSalt, payloadSalt, versions, costMicros, rate, freezeOnViolation, violation, spending };
}

/** The result in the reply of the check's script; `trip` is the one that was sent. */
export function checkResult(reply: readonly unknown[], trip: CheckTrip): CheckTripResult {
  switch (reply[0]) {
    case 1:
      return { kind: 'judged', judgement: judgementAt(reply, 1, trip) };
    case 2:
      return { kind: 'stale', versions: { account: at(reply, 1), apiKey: at(reply, 2), agent: at(reply, 3) } };
    case 3:
      return { kind: 'answered', answer: JSON.parse(String(reply[1])) as StoredAnswer };
    case 4:
      return { kind: 'claimed', judgement: judgementAt(reply, 1, factsAt(reply, 6)) };
    case 5:
      return {
        kind: 'rejudged',
        judgement: judgementAt(reply, 1, trip),
        superseded: judgementAt(reply, 6, factsAt(reply, 11)),
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

function factsAt(reply: readonly unknown[], index: number): ClaimFacts {
  return JSON.parse(String(reply[index])) as ClaimFacts;
}

/** Time, outcome, finding, count and the time at which the next check fits, from `index` on. */
function judgementAt(reply: readonly unknown[], index: number, facts: ClaimFacts): Judgement {
  const outcome = OUTCOMES[at(reply, index + 1)];
  if (outcome === undefined || outcome === null) throw new Error('the check’s script gave no outcome');
  return judgementOf(facts, at(reply, index), outcome, violationAt(reply, index + 2, facts));
}

function violationAt(reply: readonly unknown[], index: number, facts: ClaimFacts): StaticViolation | null {
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
