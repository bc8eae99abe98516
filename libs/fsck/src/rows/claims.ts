import type { UsageFacts } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import type { PolicyInspection } from '@countersign/policy';
import { LAYOUT } from '../layout.js';
import { digestOf, newestRecords } from '../newest-records.js';
import type { Check } from '../report.js';

/** Answers kept for repeated idempotency keys: the store of policy against what it has published in the topic `usage`. */
export async function checkClaims(log: StoredLog, policy: PolicyInspection, check: Check): Promise<void> {
  const inTopic = newestRecords(log, 'usage', { keys: (key) => key.startsWith('claim:') });
  for await (const { key, value, revision, published } of policy.claims()) {
    check.examined += 1;
    const place = `${LAYOUT.policy} claims ${key}`;
    const newest = inTopic.get(key);
    inTopic.delete(key);
    const version = newest?.version ?? 0;
    if (published > version)
      check.wrong(place, `version ${published} was published, the topic usage has version ${version}`);
    else if (version > revision) check.wrong(place, `the topic usage has version ${version}, the store ${revision}`);
    else if (newest !== undefined && version === revision && value !== null && newest.digest !== digestOf(value))
      check.wrong(place, `it is not what the topic usage says at offset ${newest.offset}`);
    else if (version < revision) check.behind += 1;
  }
  for (const [key, { digest, offset }] of inTopic) {
    if (digest !== null) check.wrong(`usage offset ${offset}`, `${key} is not in ${LAYOUT.policy}`);
  }
}

interface Revisions {
  revision: number;
  published: number;
}

/** Totals that policy has marked as published are in the topic `usage`; those that are not yet published are behind. */
export async function checkPublishedTotals(log: StoredLog, policy: PolicyInspection, check: Check): Promise<void> {
  const inTopic = newestRecords<UsageFacts>(log, 'usage', { keys: (key) => /^(account|agent):/.test(key) });
  const stored = new Map<string, Revisions>();
  // The record of an account has the sum of the revisions of its partitions.
  const add = (key: string, { revision, published }: Revisions): void => {
    const sums = stored.get(key) ?? { revision: 0, published: 0 };
    stored.set(key, { revision: sums.revision + revision, published: sums.published + published });
  };
  for await (const each of policy.accountTotals()) add(`account:${each.totals.accountId}`, each);
  for await (const each of policy.agentTotals()) add(`agent:${each.totals.agentId}`, each);
  for (const [key, { revision, published }] of stored) {
    const version = inTopic.get(key)?.version ?? 0;
    if (published > version || version > revision)
      check.wrong(
        `${LAYOUT.policy} ${key}`,
        `it is at revision ${revision}, of which ${published} was published; the topic usage has version ${version}`,
      );
    else if (revision > published) check.behind += 1;
  }
}
