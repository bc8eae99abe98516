import type { UsageFacts } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { LAYOUT } from '../layout.js';
import { digestOf, newestRecords } from '../newest-records.js';
import type { Store } from '../open-stores.js';
import type { Check } from '../report.js';

interface ClaimRow {
  readonly key: string;
  readonly claim: string | null;
  readonly version: number;
  readonly published: number;
}

/** Answers kept for repeated idempotency keys, as policy has told them in `usage`, against its store. Embedded profile. */
export function checkClaims(log: StoredLog, policy: Store, check: Check): void {
  const told = newestRecords(log, 'usage', { keys: (key) => key.startsWith('claim:') });
  const rows = policy.prepare<[], ClaimRow>('SELECT key, claim, version, published FROM claims');
  for (const { key, claim, version, published } of rows.iterate()) {
    check.examined += 1;
    const place = `${LAYOUT.policy} claims ${key}`;
    const newest = told.get(key);
    told.delete(key);
    if (published > (newest?.version ?? 0))
      check.wrong(place, `version ${published} was told, by the topic usage ${newest?.version ?? 0}`);
    else if ((newest?.version ?? 0) > version)
      check.wrong(place, `the topic usage has version ${newest!.version}, the store ${version}`);
    else if (newest?.version === version && claim !== null && newest.digest !== digestOf(valueOf(claim)))
      check.wrong(place, `it is not what the topic usage says at offset ${newest.offset}`);
    else if (newest === undefined || newest.version < version) check.behind += 1;
  }
  for (const [key, { digest, offset }] of told) {
    if (digest !== null) check.wrong(`usage offset ${offset}`, `${key} is not in ${LAYOUT.policy}`);
  }
}

interface TotalsRow {
  readonly key: string;
  readonly revision: number;
  readonly published: number;
}

/** Totals that policy says it has told must be in `usage`, and what it has not told yet waits. Embedded profile. */
export function checkToldTotals(log: StoredLog, policy: Store, check: Check): void {
  const told = newestRecords<UsageFacts>(log, 'usage', { keys: (key) => /^(account|agent):/.test(key) });
  const rows = policy.prepare<[], TotalsRow>(
    `SELECT 'account:' || account_id AS key, revision, published FROM account_totals
     UNION ALL SELECT 'agent:' || agent_id, revision, published FROM agent_totals`,
  );
  for (const { key, revision, published } of rows.iterate()) {
    const version = told.get(key)?.version ?? 0;
    if (published > version || version > revision)
      check.wrong(
        `${LAYOUT.policy} ${key}`,
        `it is at ${revision} of which ${published} was told, by the topic usage ${version}`,
      );
    else if (revision > published) check.behind += 1;
  }
}

function valueOf(claim: string): object {
  const { eventId, bodySha256, occurredAtMs, profileVersion, answer } = JSON.parse(claim) as Record<string, unknown>;
  const judged = profileVersion === undefined ? {} : { profileVersion };
  return { kind: 'claim', eventId, bodySha256, occurredAtMs, ...judged, answer };
}
