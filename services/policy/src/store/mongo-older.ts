import { olderDocuments, POSITIONS, START_OLDER_ONCE } from '@countersign/document-store';
import type { OlderLayout, OlderRow, ReadOlder } from '@countersign/document-store';
import type { AgentFacts } from '@countersign/contracts';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';
import {
  ACCOUNT_TOTALS,
  accountTotalsId,
  AGENT_TOTALS,
  AGENTS,
  CLAIMS,
  SEEN_EVENTS,
  seenInterval,
} from './documents.js';
import { requireSound } from './older-agents.js';

interface AgentRow extends OlderRow {
  readonly _id: string;
  readonly revision: number;
  readonly frozenAtMs: number;
  /** JSON. */
  readonly facts: string;
  readonly checksum: string;
  /** Messages and announcements that were not sent yet. */
  readonly outbox: readonly unknown[];
  readonly announcements: readonly unknown[];
}

interface ChangedRow extends OlderRow {
  readonly _id: string;
  readonly revision: number;
  /** Since it was published last; absent otherwise. */
  readonly changed?: true;
}
interface AccountRow extends ChangedRow {
  /** By partition. */
  readonly parts: Readonly<
    Record<string, Pick<AccountTotals, 'period' | 'actionsInPeriod' | 'actionsEver'> & { readonly offset: number }>
  >;
}
interface AgentTotalsRow extends ChangedRow {
  readonly totals: Omit<AgentTotals, 'agentId'>;
}
interface ClaimRow extends OlderRow {
  readonly _id: string;
  /** JSON. */
  readonly claim: string | null;
  readonly version: number;
  readonly changed?: true;
}
interface SeenRow extends OlderRow {
  /** Partition, with five digits, and event id. */
  readonly _id: string;
  readonly offset: number;
}
interface PositionRow extends OlderRow {
  readonly _id: number;
  readonly next: number;
}

/** The layout before documents, where a batch was several writes that were guarded by offsets, the position last. */
export const OFFSET_LAYOUT: OlderLayout = {
  name: 'offsets',
  collections: [
    'policy_agents',
    'policy_account_usage',
    'policy_agent_usage',
    'policy_claims',
    'policy_seen_events',
    'policy_positions',
  ],
  async problem(read) {
    for await (const { _id, outbox, announcements } of read<AgentRow>('policy_agents', { _id: 1 })) {
      if (outbox.length + announcements.length > 0)
        return `changes of agent ${_id} were not published yet: ${START_OLDER_ONCE}`;
    }
    return (await isInterrupted(read)) ? `a batch of agent-events was interrupted: ${START_OLDER_ONCE}` : null;
  },
  async *documents(read) {
    yield* olderDocuments(AGENTS, read<AgentRow>('policy_agents', { order: 1 }), (row) => {
      const { _id: id, revision, frozenAtMs, facts } = row;
      requireSound('MongoDB collection policy_agents', { ...row, id });
      return { id, version: revision, body: { facts: JSON.parse(facts) as AgentFacts, frozenAtMs } };
    });
    yield* olderDocuments(ACCOUNT_TOTALS, read<AccountRow>('policy_account_usage', { _id: 1 }), accountDocuments);
    yield* olderDocuments(AGENT_TOTALS, read<AgentTotalsRow>('policy_agent_usage', { _id: 1 }), (row) => {
      const { _id: id, totals } = row;
      return { id, version: 1, body: { totals: { agentId: id, ...totals }, ...revisionOf(row) } };
    });
    yield* olderDocuments(CLAIMS, read<ClaimRow>('policy_claims', { _id: 1 }), ({ _id: id, claim, ...row }) => ({
      id,
      version: 1,
      body: {
        claim: claim === null ? null : (JSON.parse(claim) as Claim),
        ...revisionOf({ ...row, revision: row.version }),
      },
    }));
    const seen = intervalsOf(read<SeenRow>('policy_seen_events', { _id: 1 }));
    yield* olderDocuments(SEEN_EVENTS, seen, ({ id, ids }) => ({ id, version: 1, body: { ids } }));
    yield* olderDocuments(POSITIONS, read<PositionRow>('policy_positions', { _id: 1 }), ({ _id: id, next }) => ({
      id: String(id),
      version: 1,
      body: { next },
    }));
  },
};

/** Ids of a batch were stored before anything else of it. */
async function isInterrupted(read: ReadOlder): Promise<boolean> {
  const positions = new Map<number, number>();
  for await (const { _id, next } of read<PositionRow>('policy_positions', { _id: 1 })) positions.set(_id, next);
  for await (const { _id, offset } of read<SeenRow>('policy_seen_events', { _id: 1 })) {
    if (offset >= (positions.get(Number(_id.split('/')[0])) ?? 0)) return true;
  }
  return false;
}

interface Interval {
  readonly id: string;
  readonly ids: readonly string[];
}

/** @param rows in the order of their ids */
async function* intervalsOf(rows: AsyncIterable<SeenRow>): AsyncIterable<Interval> {
  let id = '';
  let ids: string[] = [];
  for await (const { _id } of rows) {
    const [partition = '', eventId = ''] = _id.split('/');
    const next = seenInterval(Number(partition), eventId);
    if (next !== id && ids.length > 0) {
      yield { id, ids };
      ids = [];
    }
    id = next;
    ids.push(eventId);
  }
  if (ids.length > 0) yield { id, ids };
}

/** One for each partition. They share the revision of the account, which is the sum of theirs. */
function accountDocuments(row: AccountRow) {
  const { _id: accountId, parts } = row;
  return Object.entries(parts).map(([partition, { offset, ...sums }], n) => ({
    id: accountTotalsId(accountId, Number(partition)),
    version: 1,
    body: {
      totals: { accountId, ...sums, offsets: { [partition]: offset } },
      ...(n === 0 ? revisionOf(row) : { revision: 0, published: 0 }),
    },
  }));
}

function revisionOf({ revision, changed }: Pick<ChangedRow, 'revision' | 'changed'>) {
  return { revision, published: changed === true ? 0 : revision };
}
