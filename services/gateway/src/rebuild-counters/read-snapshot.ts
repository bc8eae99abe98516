import { unpackAmounts } from '@countersign/contracts';
import type {
  AgentFacts,
  ApprovalFacts,
  JsonValue,
  KeptRules,
  TopicName,
  UsageFacts,
  VersionedRecord,
} from '@countersign/contracts';
import type { RuleSnapshot, StoredAnswer, UsageSnapshot, VersionedKind } from '@countersign/counters';
import type { EventReader, LogRecord } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import { approvalDecision } from '../follow/approval-decisions.js';
import type { StandsAt } from './counted-event.js';

const READ = 5_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** The content of the compacted topics for the counters, and its offsets in `agent-events`. */
export interface ReadSnapshot {
  readonly snapshot: UsageSnapshot;
  /** Everything below these offsets is in the snapshot; nothing of a partition without one. */
  readonly position: Readonly<Record<number, number>>;
  readonly standsAt: StandsAt;
}

/** Reads `usage` and the versions of all records that a gateway must not be behind of. */
export async function readSnapshot(log: EventReader): Promise<ReadSnapshot> {
  // Rows are published before the position that they reach: a row published in another partition during the reading may
  // reach beyond a row that was read before it.
  const before = await log.endOffsets('usage');
  const inTime = ({ partition, offset }: LogRecord, id: string) => id !== POSITION || offset < (before[partition] ?? 0);
  const usage = await readNewest<UsageFacts>(log, 'usage', inTime);
  const agents = await readNewest<AgentFacts>(log, 'agents');
  const snapshot: Mutable<UsageSnapshot> = { accounts: [], agents: [], claims: [], versions: [] };
  const accountOffsets = new Map<string, Readonly<Record<number, number>>>();
  const agentTotals = new Map<string, Extract<UsageFacts, { kind: 'agent' }>>();
  let position: Readonly<Record<number, number>> = {};
  for (const { id, value } of usage.values()) {
    if (value === null) continue;
    switch (value.kind) {
      case 'position':
        position = value.offsets;
        break;
      case 'account': {
        const accountId = id.slice('account:'.length);
        const { period, actionsInPeriod, actionsEver, offsets } = value;
        snapshot.accounts.push({ accountId, period, actionsInPeriod, actionsEver });
        accountOffsets.set(accountId, offsets);
        break;
      }
      case 'agent':
        agentTotals.set(id.slice('agent:'.length), value);
        break;
      case 'claim':
        snapshot.claims.push(claimOf(id, value));
        break;
    }
  }
  for (const { id, version, value } of agents.values()) {
    snapshot.versions.push({ kind: 'agent', id, version });
    if (value === null) continue;
    const totals = agentTotals.get(id);
    snapshot.agents.push({
      agentId: id,
      day: totals?.day ?? '',
      dayMicros: totals?.dayMicros ?? 0,
      month: totals?.month ?? '',
      monthMicros: totals?.monthMicros ?? 0,
      dayBackMicros: totals?.dayBackMicros ?? 0,
      monthBackMicros: totals?.monthBackMicros ?? 0,
      rateTimes: totals?.rateTimes ?? [],
      order: totals?.order ?? 0,
      ...(totals?.rules === undefined ? {} : { rules: rulesOf(totals.rules) }),
      frozen: value.status === 'frozen',
      unfrozenAtMs: value.unfrozenAtMs,
    });
  }
  const decisions = [...(await readNewest<ApprovalFacts>(log, 'approvals')).values()].flatMap(({ id, value }) =>
    value === null ? [] : [approvalDecision(id, value)],
  );
  for (const [topic, kind] of VERSIONED) {
    for (const { id, version } of (await readNewest(log, topic)).values())
      snapshot.versions.push({ kind, id, version });
  }
  return {
    snapshot: { ...snapshot, decisions },
    position,
    standsAt: {
      account: (accountId, partition) => accountOffsets.get(accountId)?.[partition] ?? 0,
      agent: (agentId) => agentTotals.get(agentId)?.offset ?? 0,
    },
  };
}

const POSITION = 'position';
const VERSIONED = [
  ['accounts', 'account'],
  ['api-keys', 'api-key'],
  ['sessions', 'session'],
] as const satisfies readonly (readonly [TopicName, VersionedKind])[];

/**
 * Facts and amounts of a record. The settings of a fact have become one that no check can take back: its order is 0.
 * @throws Error where amounts cannot be read: without them limits would allow too much
 */
function rulesOf({ facts, windows, approvals = [] }: KeptRules): RuleSnapshot {
  return {
    approvals: approvals.map(([id, bindingSha256, expiresAtMs, isConsumed]) => {
      return { id, bindingSha256, expiresAtMs, isConsumed };
    }),
    facts: facts.map(([id, key, expiresAtMs]) => ({ id, key, expiresAtMs, order: 0 })),
    limits: windows.flatMap(([key, windowSeconds, , text]) => {
      const amounts = unpackAmounts(text);
      if (amounts === null) throw new Error('the amounts of a limit in the topic usage cannot be read');
      return amounts.map((one) => ({ ...one, key, windowSeconds }));
    }),
  };
}

function claimOf(id: string, value: Extract<UsageFacts, { kind: 'claim' }>): UsageSnapshot['claims'][number] {
  const [, accountId = '', keySha256 = ''] = id.split(':');
  const { bodySha256, occurredAtMs, profileVersion = null } = value;
  return { accountId, keySha256, bodySha256, occurredAtMs, profileVersion, answer: storedAnswer(value.answer) };
}

function storedAnswer(answer: JsonValue): StoredAnswer {
  return answer as unknown as StoredAnswer;
}

/** The newest version of each id of a compacted topic, among the records that `counts` accepts. */
async function readNewest<T>(
  log: EventReader,
  topic: TopicName,
  counts: (record: LogRecord, id: string) => boolean = () => true,
): Promise<Map<string, VersionedRecord<T>>> {
  const newest = new Map<string, VersionedRecord<T>>();
  const begin = await log.beginOffsets(topic);
  const partitions = await log.partitions(topic);
  for (let partition = 0; partition < partitions; partition += 1) {
    let offset = begin[partition] ?? 0;
    for (;;) {
      const records = await log.read(topic, partition, offset, READ);
      if (records.length === 0) break;
      for (const record of records) {
        const read = readVersionedRecord<T>(record);
        const known = newest.get(read.id);
        if (known !== undefined && known.version >= read.version) continue;
        if (counts(record, read.id)) newest.set(read.id, read);
      }
      offset = records.at(-1)!.offset + 1;
    }
  }
  return newest;
}
