import { requireKept } from '@countersign/event-log';
import { uuidV7 } from '@countersign/evidence';
import { POSITIONS } from '@countersign/document-store';
import type { Collection, Keys, Stored, Transaction } from '@countersign/document-store';
import type { AccountTotals } from '../domain/usage.js';
import { claimKey, claimVersion } from '../domain/usage-records.js';
import {
  ACCOUNT_TOTALS,
  accountTotalsId,
  AGENT_TOTALS,
  AGENTS,
  APPROVALS,
  CLAIMS,
  SEEN_EVENTS,
  seenInterval,
} from './documents.js';
import { timeOfId } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import { publishApprovals } from './approvals.js';
import type { UsageBody } from './documents.js';
import { agentOf, replaceAgent } from './agents.js';
import type { FollowedBatch, FollowedEvent, FollowEffects, FollowState } from './port.js';

/** Approvals of one millisecond that are looked through for an event: people decide about one at a time. */
const MOST_COMMENTED = 1_000;

type Totals<T> = ReadonlyMap<string, Stored<UsageBody<T>>>;

interface Known {
  readonly state: FollowState;
  readonly accountTotals: Totals<AccountTotals>;
  readonly agentTotals: Totals<FollowEffects['agentTotals'][number]>;
  readonly approvals: ReadonlyMap<string, Stored<Approval>>;
}

/**
 * One batch in one transaction. Returns whether it was followed: another instance may have done so before.
 *
 * @throws StoreFellBack
 */
export async function followBatch<E extends FollowedEvent>(
  transaction: Transaction,
  { partition, next, events, ...batch }: FollowedBatch<E>,
  decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
): Promise<boolean> {
  const position = await transaction.get(POSITIONS, String(partition));
  requireKept(position?.body.next ?? null, batch);
  const from = position?.body.next ?? 0;
  if (next <= from) return false;
  const fresh = await firstOccurrences(
    transaction,
    partition,
    events.filter(({ offset }) => offset >= from),
  );
  const known = await knownOf(transaction, partition, fresh);
  const effects = decide(fresh, known.state);
  for (const write of effects.agents) await replaceAgent(transaction, write);
  await putTotals(
    transaction,
    ACCOUNT_TOTALS,
    known.accountTotals,
    effects.accountTotals.map((totals) => [accountTotalsId(totals.accountId, partition), totals]),
  );
  await putTotals(
    transaction,
    AGENT_TOTALS,
    known.agentTotals,
    effects.agentTotals.map((totals) => [totals.agentId, totals]),
  );
  await putClaims(transaction, effects.claims);
  if (effects.approvals.length > 0) {
    const documents = effects.approvals.map(({ approval }) => ({ id: approval.id, body: approval }));
    await write(transaction, APPROVALS, known.approvals, documents);
    await publishApprovals(transaction, effects.approvals, new Set(effects.agents.map(({ agent }) => agent.id)));
  }
  await write(transaction, POSITIONS, new Map(position === null ? [] : [[position.id, position]]), [
    { id: String(partition), body: { next } },
  ]);
  return true;
}

/** Removes at most `limit` intervals from before `timeMs`. Returns how many. */
export function forgetSeen(
  transaction: Transaction,
  partition: number,
  timeMs: number,
  limit: number,
): Promise<number> {
  const [from, below] = [0, Math.max(0, timeMs)].map((ms) => seenInterval(partition, lowestId(ms)));
  return transaction.removeRange(SEEN_EVENTS, from!, below!, limit);
}

/** Remembers the ids of the events; returns those whose id was not seen in the partition before. */
async function firstOccurrences<E extends FollowedEvent>(
  transaction: Transaction,
  partition: number,
  events: readonly E[],
): Promise<readonly E[]> {
  const intervalOf = ({ eventId }: E): string => seenInterval(partition, eventId);
  const stored = await transaction.getMany(SEEN_EVENTS, [...new Set(events.map(intervalOf))]);
  const seen = new Map([...stored].map(([interval, { body }]) => [interval, new Set(body.ids)]));
  const changed = new Set<string>();
  const first = events.filter((event) => {
    const interval = intervalOf(event);
    const ids = seen.get(interval) ?? new Set();
    if (ids.has(event.eventId)) return false;
    seen.set(interval, ids.add(event.eventId));
    changed.add(interval);
    return true;
  });
  const documents = [...changed].map((id) => ({ id, body: { ids: [...seen.get(id)!].sort() } }));
  await write(transaction, SEEN_EVENTS, stored, documents);
  return first;
}

async function knownOf(transaction: Transaction, partition: number, events: readonly FollowedEvent[]): Promise<Known> {
  const agentIds = [...new Set(events.map(({ agentId }) => agentId))];
  const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
  const agents = await transaction.getMany(AGENTS, agentIds);
  const agentTotals = await transaction.getMany(AGENT_TOTALS, agentIds);
  const accountTotals = await transaction.getMany(
    ACCOUNT_TOTALS,
    accountIds.map((id) => accountTotalsId(id, partition)),
  );
  const approvalIds = [...new Set(events.flatMap((event) => event.approvalIds ?? []))];
  const approvals: Map<string, Stored<Approval>> = new Map(
    approvalIds.length === 0 ? [] : await transaction.getMany(APPROVALS, approvalIds),
  );
  const erased = [...new Set(events.flatMap(({ erases = [] }) => erases))];
  const commented = new Map<string, readonly string[]>();
  for (const eventId of erased) {
    const where = { commentsAtMs: timeOfId(eventId) };
    const found = await transaction.find(APPROVALS, { where, by: 'commentsAtMs', limit: MOST_COMMENTED });
    for (const stored of found) if (!approvals.has(stored.id)) approvals.set(stored.id, stored);
    commented.set(
      eventId,
      found.map(({ id }) => id),
    );
  }
  const ofBatch = new Set([...agentIds, ...accountIds, ...approvalIds]);
  const requireAsked = (id: string): string => {
    if (!ofBatch.has(id)) throw new Error(`${id} is not of this batch`);
    return id;
  };
  const state: FollowState = {
    agent: (id) => {
      const stored = agents.get(requireAsked(id));
      return stored === undefined ? null : agentOf(stored);
    },
    agentTotals: (id) => agentTotals.get(requireAsked(id))?.body.totals ?? null,
    accountTotals: (id) => accountTotals.get(accountTotalsId(requireAsked(id), partition))?.body.totals ?? null,
    approval: (id) => approvals.get(requireAsked(id))?.body ?? null,
    commented: (eventId) => {
      const ids = commented.get(eventId);
      if (ids === undefined) throw new Error(`the batch does not erase ${eventId}`);
      return ids.map((id) => approvals.get(id)!.body);
    },
  };
  return { state, accountTotals, agentTotals, approvals };
}

async function putTotals<T, K extends Keys>(
  transaction: Transaction,
  collection: Collection<UsageBody<T>, K>,
  stored: Totals<T>,
  totals: readonly (readonly [id: string, totals: T])[],
): Promise<void> {
  const documents = totals.map(([id, after]) => {
    const { revision = 0, published = 0 } = stored.get(id)?.body ?? {};
    return { id, body: { totals: after, revision: revision + 1, published } };
  });
  await write(transaction, collection, stored, documents);
}

/** A claim replaces an older one of its key alone. */
async function putClaims(transaction: Transaction, claims: FollowEffects['claims']): Promise<void> {
  if (claims.length === 0) return;
  const newest = new Map<string, FollowEffects['claims'][number]>();
  for (const claim of claims) {
    const key = claimKey(claim);
    if (claim.occurredAtMs > (newest.get(key)?.occurredAtMs ?? -1)) newest.set(key, claim);
  }
  const stored = await transaction.getMany(CLAIMS, [...newest.keys()]);
  const documents = [...newest].flatMap(([id, claim]) => {
    const revision = claimVersion(claim.occurredAtMs, false);
    const before = stored.get(id)?.body;
    if (before !== undefined && before.revision >= revision) return [];
    return [{ id, body: { claim, revision, published: before?.published ?? 0 } }];
  });
  await write(transaction, CLAIMS, stored, documents);
}

/** Replaces documents that were read in the transaction, and inserts the others. */
async function write<B extends object, K extends Keys>(
  transaction: Transaction,
  collection: Collection<B, K>,
  stored: ReadonlyMap<string, Stored<B>>,
  documents: readonly Omit<Stored<B>, 'version'>[],
): Promise<void> {
  await transaction.put(
    collection,
    documents.flatMap((document) => {
      const before = stored.get(document.id);
      return before === undefined ? [] : [{ ...document, version: before.version + 1 }];
    }),
  );
  const inserted = documents.filter(({ id }) => !stored.has(id));
  if (inserted.length > 0) await transaction.set(collection, inserted);
}

/** The lowest UUID v7 of a time (RFC 9562 section 5.7): its first 48 bits are the milliseconds. */
function lowestId(ms: number): string {
  return uuidV7(ms, new Uint8Array(10));
}
