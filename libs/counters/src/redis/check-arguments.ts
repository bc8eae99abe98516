import type { CheckTrip, ClaimBounds, RuleBounds } from '../port.js';
import { shortHash } from './keys.js';
import type { Keys } from './keys.js';
import { claimFacts } from './replies.js';
import { SCRIPTS } from './script.js';
import type { Script } from './script.js';
import { ruleArgument, violationTexts } from './rule-arguments.js';

/** Arguments of the check's script: see `lua/check.ts`. */
export interface CheckArguments {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** The script for a trip: see `lua/check.ts`. */
export function checkScriptOf({ rules, wantsSeen }: CheckTrip): Script {
  if (rules !== undefined) return SCRIPTS.ruledCheck;
  return wantsSeen === true ? SCRIPTS.seenCheck : SCRIPTS.check;
}

export function checkArguments(
  trip: CheckTrip,
  names: Keys,
  bounds: ClaimBounds,
  ruleBounds: RuleBounds,
  script: Script,
): CheckArguments {
  const ruled = script === SCRIPTS.ruledCheck;
  const { accountId, agentId, apiKeyId, versions, plan, spending, rate, idempotency } = trip;
  const keys = [
    names.state,
    names.account(accountId),
    names.agent(agentId),
    names.name + names.versioned('api-key', apiKeyId),
    names.rate(agentId),
  ];
  const args = [
    versions.account,
    versions.apiKey,
    versions.agent,
    trip.frozen ? 1 : 0,
    trip.observe ? 1 : 0,
    trip.violation === null ? 0 : 1,
    trip.costMicros,
    spending === null ? '' : spending.limitMicros,
    spending === null ? '' : spending.window,
    rate === null ? '' : rate.max,
    rate === null ? '' : rate.per_seconds,
    plan.actionCap ?? '',
    plan.plan === 'sandbox' ? 1 : 0,
    plan.sandboxExpiresAtMs ?? '',
  ];
  if (ruled) {
    const without = trip.wantsSeen === true ? '' : '-';
    args.push(trip.rules === undefined ? without : ruleArgument(trip.rules, ruleBounds));
  }
  if (idempotency !== null) {
    const { keySha256, bodySha256 } = idempotency;
    keys.push(names.claim(accountId, keySha256));
    args.push(agentId, bodySha256, trip.entropy, JSON.stringify(claimFacts(trip)), bounds.all, bounds.account);
    args.push(accountId, shortHash(keySha256), trip.profileVersion);
    if (ruled) args.push(violationTexts(trip.rules));
  }
  return { keys, args };
}
