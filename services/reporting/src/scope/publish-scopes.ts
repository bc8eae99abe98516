import type { DeclaredScope } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { newestRecords } from '@countersign/topics';
import type { ReportStore } from '../store/port.js';

/**
 * Reconciles store and topic `compliance-scopes` at startup: publishes what the topic lacks, and takes from the topic, which
 * holds complete scopes, what a store restored from an older copy lacks. Scopes declared before
 * they were published count as declared now.
 */
export async function publishScopes(
  log: EventLog,
  store: Pick<ReportStore, 'scopes' | 'putScope' | 'republishScope' | 'adoptScope'>,
  now: string,
): Promise<void> {
  const published = await newestRecords<DeclaredScope>(log, 'compliance-scopes');
  const kept = new Map<string, number>();
  for (const scope of await store.scopes()) {
    const known = published.get(scope.accountId)?.version ?? 0;
    kept.set(scope.accountId, scope.version);
    if (known > scope.version) continue;
    if (scope.version === 0) await store.putScope(scope.accountId, { scope: scope.scope, declaredAt: now });
    else if (known < scope.version) await store.republishScope(scope);
  }
  for (const [accountId, { version, value }] of published) {
    if (value !== null && version > (kept.get(accountId) ?? 0))
      await store.adoptScope({ accountId, version, ...value });
  }
}
