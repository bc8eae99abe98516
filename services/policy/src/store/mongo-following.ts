import { duplicatesOf, SeenEvents } from '@countersign/document-store';
import type { mongo } from 'mongoose';
import type { Agent } from '../domain/agent.js';
import { claimKey, claimVersion } from '../domain/usage-records.js';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';
import type {
  AccountPart,
  AccountUsageDocument,
  AgentUsageDocument,
  ClaimDocument,
  PolicyCollections,
} from './mongo-collections.js';
import type { AgentWrite, FollowedBatch, FollowedEvent, FollowEffects, FollowState } from './port.js';

const MAX_TRIES = 20;

/** Agents of the store, as following needs them. */
export interface FollowedAgents {
  find(ids: readonly string[]): Promise<readonly Agent[]>;
  /** `false`: it is not at the revision before. */
  replace(write: AgentWrite): Promise<boolean>;
}

interface Known extends FollowState {
  /** Up to which (exclusive) the account's share of this partition stands. */
  accountOffset(id: string): number | null;
  agentOffset(id: string): number | null;
}

/**
 * A batch without a transaction. Every document that it changes says up to which offset of the partition it stands, and
 * is written only where it still stands where it was read; an event below that is not counted into it again. Claims and
 * freezes are stored before the totals of their agent, and the position last: whatever dies in between, or works on
 * after a rebalance has given its partition away, changes nothing twice and moves nothing back.
 */
export class MongoFollowing {
  readonly #seen: SeenEvents;

  constructor(
    private readonly collections: PolicyCollections,
    private readonly agents: FollowedAgents,
  ) {
    this.#seen = new SeenEvents(collections.seen);
  }

  async position(partition: number): Promise<number | null> {
    const document = await this.collections.positions.findOne({ _id: partition });
    return document?.next ?? null;
  }

  async follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void> {
    const { partition, next, logTimeMs, events } = batch;
    const from = (await this.position(partition)) ?? 0;
    if (next <= from) return;
    const first = await this.#seen.first(
      partition,
      events.filter(({ offset }) => offset >= from),
    );
    for (let tries = 1; !(await this.#apply(partition, first, decide)); tries += 1) {
      if (tries === MAX_TRIES)
        throw new Error(`partition ${partition} or an agent of it is changed by too many others`);
    }
    await this.#move(partition, next);
    await this.#seen.forget(partition, logTimeMs);
  }

  /** `false`: something was changed by another meanwhile; what was written until then is not written again. */
  async #apply<E extends FollowedEvent>(
    partition: number,
    events: readonly E[],
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<boolean> {
    const known = await this.#read(partition, events);
    const forAgents = events.filter(({ agentId, offset }) => offset >= (known.agentOffset(agentId) ?? 0));
    const forAccounts = events.filter(({ accountId, offset }) => offset >= (known.accountOffset(accountId) ?? 0));
    const effects = decide(forAgents, known);
    // A part of the batch was stored before: the others are decided apart.
    const same = forAgents.length === forAccounts.length && forAgents.every((event, i) => event === forAccounts[i]);
    const { accountTotals } = same ? effects : decide(forAccounts, known);
    await this.#writeClaims(effects.claims);
    const replaced = await Promise.all(effects.agents.map((write) => this.agents.replace(write)));
    if (replaced.includes(false)) return false;
    const { accountUsage, agentUsage } = this.collections;
    const written = await Promise.all([
      writeAll(
        accountUsage,
        accountTotals.map((totals) => accountWrite(totals, partition, known.accountOffset(totals.accountId))),
      ),
      writeAll(
        agentUsage,
        effects.agentTotals.map((totals) => agentWriteOf(totals, known.agentOffset(totals.agentId))),
      ),
    ]);
    return !written.includes(false);
  }

  async #read(partition: number, events: readonly FollowedEvent[]): Promise<Known> {
    const agentIds = [...new Set(events.map(({ agentId }) => agentId))];
    const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
    const { accountUsage, agentUsage } = this.collections;
    const part = `parts.${partition}`;
    const [agents, ofAgents, ofAccounts] = await Promise.all([
      agentIds.length === 0 ? [] : this.agents.find(agentIds),
      agentIds.length === 0 ? [] : agentUsage.find({ _id: { $in: agentIds } }).toArray(),
      accountIds.length === 0
        ? []
        : accountUsage.find({ _id: { $in: accountIds } }, { projection: { [part]: 1 } }).toArray(),
    ]);
    const agent = lookUp(agentIds, agents, ({ id }) => id);
    const agentDocument = lookUp(agentIds, ofAgents, ({ _id }) => _id);
    const accountDocument = lookUp(accountIds, ofAccounts, ({ _id }) => _id);
    const partOf = (id: string): AccountPart | null => accountDocument(id)?.parts[partition] ?? null;
    return {
      agent,
      agentTotals: (id) => {
        const document = agentDocument(id);
        return document === null ? null : { agentId: id, ...document.totals };
      },
      accountTotals: (id) => {
        const stored = partOf(id);
        return stored === null ? null : totalsOfPart(id, partition, stored);
      },
      agentOffset: (id) => agentDocument(id)?.totals.offset ?? null,
      accountOffset: (id) => partOf(id)?.offset ?? null,
    };
  }

  async #writeClaims(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    const writes = claims.map((claim): mongo.AnyBulkWriteOperation<ClaimDocument> => {
      const version = claimVersion(claim.occurredAtMs, false);
      const fields = { claim: JSON.stringify(claim), version, liveSinceMs: claim.occurredAtMs, changed: true as const };
      return {
        updateOne: {
          filter: { _id: claimKey(claim), version: { $lt: version } },
          update: { $set: fields },
          upsert: true,
        },
      };
    });
    // A duplicate is this claim, or a later one of its key.
    await this.collections.claims.bulkWrite(writes, { ordered: false }).catch(duplicatesOf);
  }

  async #move(partition: number, next: number): Promise<void> {
    const filter = { _id: partition, next: { $lt: next } };
    await this.collections.positions
      .bulkWrite([{ updateOne: { filter, update: { $set: { next } }, upsert: true } }], { ordered: false })
      .catch(duplicatesOf);
  }
}

/** `false`: a document does not stand where it was read. */
async function writeAll<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  writes: readonly mongo.AnyBulkWriteOperation<D>[],
): Promise<boolean> {
  if (writes.length === 0) return true;
  try {
    const { matchedCount, upsertedCount } = await collection.bulkWrite([...writes], { ordered: false });
    return matchedCount + upsertedCount === writes.length;
  } catch (error) {
    duplicatesOf(error);
    return false;
  }
}

function accountWrite(
  { accountId, offsets, period, actionsInPeriod, actionsEver }: AccountTotals,
  partition: number,
  readAt: number | null,
): mongo.AnyBulkWriteOperation<AccountUsageDocument> {
  const part = `parts.${partition}`;
  const stands = readAt === null ? { [part]: { $exists: false } } : { [`${part}.offset`]: readAt };
  const after: AccountPart = { offset: offsets[partition]!, period, actionsInPeriod, actionsEver };
  const update = { $set: { [part]: after, changed: true }, $inc: { revision: 1 } };
  return {
    updateOne: { filter: { _id: accountId, ...stands }, update, upsert: readAt === null },
  } as mongo.AnyBulkWriteOperation<AccountUsageDocument>;
}

function agentWriteOf(
  { agentId, ...totals }: AgentTotals,
  readAt: number | null,
): mongo.AnyBulkWriteOperation<AgentUsageDocument> {
  const stands = readAt === null ? { totals: { $exists: false } } : { 'totals.offset': readAt };
  const update = { $set: { totals, changed: true as const }, $inc: { revision: 1 } };
  return { updateOne: { filter: { _id: agentId, ...stands }, update, upsert: readAt === null } };
}

/** One partition's share, as totals that stand on it alone. */
export function totalsOfPart(accountId: string, partition: number, { offset, ...sums }: AccountPart): AccountTotals {
  return { accountId, ...sums, offsets: { [partition]: offset } };
}

/** @throws for what was not asked of the store: nothing can be said about it */
function lookUp<D>(
  asked: readonly string[],
  found: readonly D[],
  idOf: (found: D) => string,
): (id: string) => D | null {
  const byId = new Map<string, D | null>(asked.map((id) => [id, null]));
  for (const each of found) byId.set(idOf(each), each);
  return (id) => {
    const known = byId.get(id);
    if (known === undefined) throw new Error(`${id} is not of this batch`);
    return known;
  };
}
