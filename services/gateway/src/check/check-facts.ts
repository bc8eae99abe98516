import type { Decision } from '@countersign/policy-engine';
import type { CheckFacts } from '../domain/check-event.js';
import type { KnownAccount, KnownAgent } from '../follow/read-model.js';
import type { CheckJob } from './check-job.js';

/** The facts of a check's event, from everything that it was judged by. */
export function checkFacts(
  { key, prepared, stamp, origin }: CheckJob,
  account: KnownAccount,
  agent: KnownAgent,
  decision: Decision,
  { upgradeUrl, approvalsUrl }: { readonly upgradeUrl: string; readonly approvalsUrl: () => string },
): CheckFacts {
  const { facts, profile } = agent;
  return {
    accountId: key.accountId,
    sandbox: account.plan.plan === 'sandbox',
    cadenceSeconds: account.cadenceSeconds,
    apiKeyId: key.id,
    agentId: prepared.agentId,
    profileVersion: facts.profileVersion,
    profileSha256: facts.profileSha256,
    storePayload: profile.storePayload,
    coverage: decision.coverage,
    plan: account.contextPlan,
    origin,
    actionKind: decision.actionKind,
    action: prepared.committed,
    payload: prepared.payload,
    idempotency: stamp,
    upgradeUrl,
    approvalsUrl: approvalsUrl(),
  };
}
