import type { CheckTrip, ClaimBounds } from '../port.js';
import { shortHash } from './keys.js';
import type { Keys } from './keys.js';
import { claimFacts } from './replies.js';

/** Arguments of the check's script: see `lua/check.ts`. */
export interface CheckArguments {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

export function checkArguments(trip: CheckTrip, names: Keys, bounds: ClaimBounds): CheckArguments {
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
  if (idempotency !== null) {
    const { keySha256, bodySha256 } = idempotency;
    keys.push(names.claim(accountId, keySha256));
    args.push(agentId, bodySha256, trip.entropy, JSON.stringify(claimFacts(trip)), bounds.all, bounds.account);
    args.push(accountId, shortHash(keySha256), trip.profileVersion);
  }
  return { keys, args };
}
