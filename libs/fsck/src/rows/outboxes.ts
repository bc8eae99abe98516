import type { TopicName, VersionedRecord } from '@countersign/contracts';
import type { RowId, StoreInspection, VersionRaise } from '@countersign/document-store';
import { readMessage } from '@countersign/evidence';
import { LAYOUT } from '../layout.js';
import { digestOf } from '../newest-records.js';
import { words, type ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';

interface OutboxRow {
  readonly id: RowId;
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}
type Raise = VersionRaise & { readonly row: RowId };

const ANNOUNCED: Readonly<Record<string, string>> = {
  account: 'accounts',
  'api-key': 'api-keys',
  session: 'sessions',
  agent: 'agents',
};

/** Stored state of a record that waits to be published; `null`: none. */
type Lookup = (topic: string, key: string) => Waiting['stored'];

interface Waiting {
  readonly stored: { readonly version: number; readonly value: object } | null | 'not-owned';
}

/**
 * Records that wait to be published, after a stop in between, have the content of the store: its newest version, or an
 * older one. Events are leaves of their key. Embedded profile.
 */
export async function checkOutboxes(
  stores: Pick<ServiceStores, 'alerts' | 'holds' | 'identity' | 'policy' | 'reports'>,
  check: Check,
): Promise<void> {
  const { alerts, holds, identity, policy, reports } = stores;
  if (identity !== null) await checkInspected(LAYOUT.identity, identity, ['accounts', 'api-keys', 'sessions'], check);
  if (reports !== null) await checkInspected(LAYOUT.reports, reports, ['reports', 'compliance-scopes'], check);
  if (policy !== null) await checkInspected(LAYOUT.policy, policy, ['agents', 'approvals'], check);
  if (alerts !== null) await checkInspected(LAYOUT.alerts, alerts, [], check);
  if (holds !== null) await checkInspected(LAYOUT.holds, holds, [], check);
}

async function checkInspected(
  file: string,
  store: StoreInspection,
  topics: readonly TopicName[],
  check: Check,
): Promise<void> {
  const stored = new Map<string, Waiting['stored']>();
  for (const topic of topics) {
    for await (const { id, version, value } of store.owned(topic)) stored.set(`${topic} ${id}`, { version, value });
  }
  const lookup: Lookup = (topic, key) =>
    topics.some((owned) => owned === topic) ? (stored.get(`${topic} ${key}`) ?? null) : 'not-owned';
  for await (const { id, record } of store.outbox()) checkRow(file, { id, ...record }, lookup, check);
  for await (const raise of store.raises()) checkRaise(file, raise, lookup, check);
}

function checkRow(file: string, row: OutboxRow, lookup: Lookup, check: Check): void {
  check.examined += 1;
  check.behind += 1;
  const problem = problemOf(row, lookup);
  if (problem !== null) check.wrong(`${file} outbox ${row.id} (${row.topic} ${row.key})`, problem);
}

function problemOf({ topic, key, value }: OutboxRow, lookup: Lookup): string | null {
  if (topic === 'agent-events') {
    const reading = readMessage(Buffer.from(value));
    if (!reading.ok) return `it is no event: ${reading.problem}`;
    return reading.value.leaf.agentId === key ? null : 'it is an event of another agent than its key';
  }
  let record: VersionedRecord<object>;
  try {
    record = JSON.parse(value) as VersionedRecord<object>;
  } catch (error) {
    return `it is not JSON: ${words(error)}`;
  }
  if (record.v !== 1 || record.id !== key || !Number.isSafeInteger(record.version)) return 'it is no record of its key';
  if (record.value === null) return null;
  const stored = lookup(topic, key);
  if (stored === 'not-owned') return null;
  if (stored === null) return 'it publishes something that is not stored';
  if (record.version > stored.version) return `it publishes version ${record.version}, the store has ${stored.version}`;
  if (record.version === stored.version && digestOf(record.value) !== digestOf(stored.value))
    return 'it does not say what is stored';
  return null;
}

function checkRaise(file: string, { row, kind, id, version }: Raise, lookup: Lookup, check: Check): void {
  check.examined += 1;
  check.behind += 1;
  const topic = ANNOUNCED[kind];
  const stored = topic === undefined ? 'not-owned' : lookup(topic, id);
  // What is gone is announced with the version of its end.
  if (stored === 'not-owned' || (stored !== null && version > stored.version))
    check.wrong(
      `${file} announcements ${row}`,
      `it announces version ${version} of ${kind} ${id}, which is not stored`,
    );
}
