import type { AccountFacts, DeclaredScope } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { EventIntake } from '../ingest/event-intake.js';
import type { ErasureGate } from '../legal-holds/erasure-gate.js';
import type { EventStore } from '../store/port.js';
import { Retention } from './retention.js';
import { retentionMetrics } from './retention-metrics.js';

/** Parts of audit-log that the job is made from. */
export interface FollowedByRetention {
  readonly store: EventStore;
  readonly intake: EventIntake;
  readonly accounts: Projection<AccountFacts>;
  readonly scopes: Projection<DeclaredScope>;
  readonly gate: ErasureGate;
}

/** Starts the job where content is not kept for ever; it waits for what accounts declared. */
export function followRetention(
  context: ServiceContext,
  { store, intake, accounts, scopes, gate }: FollowedByRetention,
): Retention | null {
  const { retentionMonths: months, anchorWindowSeconds } = context.config;
  if (months === null) return null;
  const retention = new Retention(context, {
    store,
    gate,
    months,
    declared: (accountId) => scopes.get(accountId)?.value ?? null,
    cadenceOf: (accountId) => anchorWindowSeconds ?? accounts.get(accountId)?.value.cadenceSeconds ?? null,
    carriedOut: (offsets, timeoutMs) => intake.caughtUp(offsets, timeoutMs),
    ranMs: () => performance.now(),
    metrics: retentionMetrics(context.metrics),
  });
  void Promise.all([scopes.caughtUp(), accounts.caughtUp()]).then(
    () => retention.start(),
    () => undefined,
  );
  return retention;
}
