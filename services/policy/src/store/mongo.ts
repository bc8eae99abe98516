import { createHash, randomUUID } from 'node:crypto';
import type { AgentFacts } from '@countersign/contracts';
import {
  isDuplicateKey,
  mongoOptions,
  Generation,
  StoreDamaged,
  tellingUnreachable,
} from '@countersign/document-store';
import { changeName, embeddedAnnouncements, embeddedOutbox, embeddedRows, pushRows } from '@countersign/topics';
import type { AnnouncementStore, EmbeddedRows, OutboxStore } from '@countersign/topics';
import { createConnection } from 'mongoose';
import type { Connection } from 'mongoose';
import type { Agent } from '../domain/agent.js';
import { policyCollections } from './mongo-collections.js';
import type { AgentDocument, PolicyCollections } from './mongo-collections.js';
import { MongoFollowing } from './mongo-following.js';
import { MongoUsage } from './mongo-usage.js';
import { AgentsFull, TransactionTaken } from './port.js';
import type { AgentWrite, FollowedBatch, FollowedEvent, FollowEffects, FollowState, Page } from './port.js';
import type { PolicyStore, UsageRow } from './port.js';

const PAGE = 500;

/**
 * @param suffix of collections that a rebuild fills; absent: those in use are opened
 * @throws when no server answers
 */
export async function openMongoPolicyStore(uri: string, suffix?: string): Promise<PolicyStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const generation = suffix === undefined ? await Generation.open(connection.db!, 'policy') : null;
    const collections = await policyCollections(connection, generation?.suffix ?? suffix);
    return tellingUnreachable(new MongoPolicyStore(connection, collections, generation));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** An agent, its outbox rows and its announcements are one document; several instances may use one database. */
class MongoPolicyStore implements PolicyStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;
  readonly #connection: Connection;
  readonly #collections: PolicyCollections;
  readonly #following: MongoFollowing;
  readonly #usage: MongoUsage;
  readonly #generation: Generation | null;
  /** Tells agents apart that instances create in one millisecond. */
  readonly #instance = randomUUID();
  #created = 0;

  constructor(connection: Connection, collections: PolicyCollections, generation: Generation | null) {
    this.#connection = connection;
    this.#generation = generation;
    this.#collections = collections;
    this.outbox = embeddedOutbox(collections.agents);
    this.announcements = embeddedAnnouncements(collections.agents);
    this.#usage = new MongoUsage(collections);
    const agents = {
      find: (ids: readonly string[]) => this.#some(ids),
      replace: (write: AgentWrite) => this.replace(write),
    };
    this.#following = new MongoFollowing(collections, agents);
  }

  async create(write: AgentWrite, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id, facts } = write.agent;
    const { agents } = this.#collections;
    if (most !== Number.POSITIVE_INFINITY && (await agents.countDocuments({ accountId: facts.accountId })) >= most) {
      if ((await agents.findOne({ _id: id }, { projection: { _id: 1 } })) !== null) return false;
      throw new AgentsFull();
    }
    this.#created += 1;
    const order = changeName(Date.parse(facts.created_at), this.#instance, this.#created);
    try {
      await this.#collections.agents.insertOne({
        _id: id,
        accountId: facts.accountId,
        order,
        ...stored(write.agent),
        ...rowsOf(write),
      });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async replace(write: AgentWrite): Promise<boolean> {
    const { id, revision } = write.agent;
    try {
      const { matchedCount } = await this.#collections.agents.updateOne(
        { _id: id, revision: revision - 1 },
        { $set: stored(write.agent), $push: pushRows(rowsOf(write)) },
      );
      return matchedCount === 1;
    } catch (error) {
      // No other unique field changes.
      if (!isDuplicateKey(error)) throw error;
      throw new TransactionTaken('another agent has this transaction', { cause: error });
    }
  }

  async adopt(agent: Agent): Promise<void> {
    const { id, revision, facts } = agent;
    const order = changeName(Date.parse(facts.created_at), id, 1);
    const set = { accountId: facts.accountId, order, ...embeddedRows(order, [], []) };
    const { agents } = this.#collections;
    await agents
      .updateOne({ _id: id, revision: { $lt: revision } }, { $set: stored(agent), $setOnInsert: set }, { upsert: true })
      .catch(async (error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        const there = await agents.countDocuments({ _id: id, revision: { $gte: revision } });
        if (there === 0) throw new TransactionTaken('another agent has this transaction', { cause: error });
      });
  }

  async find(id: string): Promise<Agent | null> {
    const document = await this.#collections.agents.findOne({ _id: id }, { projection: AGENT });
    return document === null ? null : agentOf(document);
  }

  async findOf(accountId: string, id: string): Promise<Agent | null> {
    const document = await this.#collections.agents.findOne({ _id: id, accountId }, { projection: AGENT });
    return document === null ? null : agentOf(document);
  }

  async registeredBy(transaction: string): Promise<string | null> {
    const document = await this.#collections.agents.findOne({ transaction }, { projection: { _id: 1 } });
    return document?._id ?? null;
  }

  async list(accountId: string, limit: number, offset: number): Promise<Page<Agent>> {
    const { agents } = this.#collections;
    const [documents, total] = await Promise.all([
      agents.find({ accountId }, { projection: AGENT, sort: { order: -1 }, skip: offset, limit }).toArray(),
      agents.countDocuments({ accountId }),
    ]);
    return { items: documents.map(agentOf), total };
  }

  async *all(): AsyncIterable<Agent> {
    for (let after = ''; ;) {
      const documents = await this.#collections.agents
        .find({ _id: { $gt: after } }, { projection: AGENT, sort: { _id: 1 }, limit: PAGE })
        .toArray();
      for (const document of documents) yield agentOf(document);
      if (documents.length < PAGE) return;
      after = documents.at(-1)!._id;
    }
  }

  async position(partition: number): Promise<number | null> {
    await this.#generation?.require();
    return this.#following.position(partition);
  }

  follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void> {
    return this.#following.follow(batch, decide);
  }

  positions(): Promise<Readonly<Record<number, number>>> {
    return this.#usage.positions();
  }

  unpublished(after: string, limit: number): Promise<readonly UsageRow[]> {
    return this.#usage.unpublished(after, limit);
  }

  published(rows: readonly UsageRow[]): Promise<void> {
    return this.#usage.published(rows);
  }

  endClaims(olderThanMs: number, limit: number): Promise<number> {
    return this.#usage.endClaims(olderThanMs, limit);
  }

  raiseUsage(versions: ReadonlyMap<string, number>): Promise<void> {
    return this.#usage.raise(versions);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #some(ids: readonly string[]): Promise<readonly Agent[]> {
    const documents = await this.#collections.agents.find({ _id: { $in: [...ids] } }, { projection: AGENT }).toArray();
    return documents.map(agentOf);
  }
}

const AGENT = { revision: 1, frozenAtMs: 1, facts: 1, checksum: 1 } as const;

type StoredAgent = Pick<AgentDocument, 'revision' | 'frozenAtMs' | 'facts' | 'checksum' | 'transaction'>;

function stored({ id, revision, frozenAtMs, facts }: Agent): StoredAgent {
  const text = JSON.stringify(facts);
  const { chain_tx_signature: transaction } = facts;
  const row = { revision, frozenAtMs, facts: text, checksum: checksum(id, revision, frozenAtMs, text) };
  return transaction === null ? row : { ...row, transaction };
}

function rowsOf({ agent: { id, revision, facts }, records }: AgentWrite): EmbeddedRows {
  const change = changeName(Date.parse(facts.updated_at), id, revision);
  return embeddedRows(change, records, [{ kind: 'agent', id, version: revision }]);
}

/** A document that is not as it was written would decide checks: it is never served. */
function agentOf({
  _id: id,
  revision,
  frozenAtMs,
  facts,
  checksum: written,
}: Pick<AgentDocument, '_id'> & StoredAgent): Agent {
  if (checksum(id, revision, frozenAtMs, facts) !== written) {
    throw new StoreDamaged(
      'MongoDB collection policy_agents',
      `is damaged: agent ${id} is not as it was written; restore a backup`,
    );
  }
  return { id, revision, frozenAtMs, facts: JSON.parse(facts) as AgentFacts };
}

function checksum(id: string, revision: number, frozenAtMs: number, facts: string): string {
  return createHash('sha256').update(`${id}\n${revision}\n${frozenAtMs}\n${facts}`).digest('hex');
}
