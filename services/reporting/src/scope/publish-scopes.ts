import type { DeclaredScope } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { newestRecords } from '@countersign/topics';
import { scopeRecord, type ReportStore } from '../store/port.js';

/**
 * Makes store and topic `compliance-scopes` say the same, at the start: what the topic lacks is told, and what a store
 * that was put back from an older copy lacks is taken from the topic, which holds scopes whole. What was declared before
 * scopes were told counts as declared now.
 */
export async function publishScopes(
  log: EventLog,
  store: Pick<ReportStore, 'scopes' | 'putScope' | 'adoptScope' | 'enqueue'>,
  now: string,
): Promise<void> {
  const told = await newestRecords<DeclaredScope>(log, 'compliance-scopes');
  const kept = new Map<string, number>();
  for (const scope of await store.scopes()) {
    const known = told.get(scope.accountId)?.version ?? 0;
    kept.set(scope.accountId, scope.version);
    if (known > scope.version) continue;
    if (scope.version === 0) await store.putScope(scope.accountId, { scope: scope.scope, declaredAt: now });
    else if (known < scope.version) await store.enqueue([scopeRecord(scope)]);
  }
  for (const [accountId, { version, value }] of told) {
    if (value !== null && version > (kept.get(accountId) ?? 0))
      await store.adoptScope({ accountId, version, ...value });
  }
}
