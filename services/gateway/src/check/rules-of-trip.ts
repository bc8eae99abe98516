import type { CheckTrip } from '@countersign/counters';
import { countedRules } from '@countersign/policy-engine';
import type { Decision } from '@countersign/policy-engine';
import { withApprovals } from '../domain/asking-rules.js';
import type { EntropyPool } from '../domain/entropy.js';
import type { KnownAgent } from '../follow/read-model.js';
import type { CheckJob } from './check-job.js';

/**
 * Rules, facts and limits of a check for the counters, with the approvals that its rules ask for.
 * @param approvals key of the bindings of approvals, and most open ones of an agent
 */
export function rulesOfTrip(
  { key, prepared, origin, approvalId, isTimed = false }: CheckJob,
  { profile, asking }: KnownAgent,
  decision: Decision,
  entropy: Pick<EntropyPool, 'approvalId'>,
  approvals: { readonly key: Uint8Array; readonly mostPending: number },
): CheckTrip['rules'] {
  if (profile.rules === null) return undefined;
  const rules = countedRules(profile.rules, decision.rules!, origin.session);
  if (asking === null || rules === undefined) return rules;
  const check = {
    accountId: key.accountId,
    agentId: prepared.agentId,
    apiKeyId: key.id,
    principal: origin.principal,
    action: prepared.action,
    isTimed,
    candidateId: () => entropy.approvalId(),
    mostPending: approvals.mostPending,
    namedId: approvalId ?? null,
  };
  return withApprovals(rules, asking, check, approvals.key);
}
