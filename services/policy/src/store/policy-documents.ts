import { Conflict, POSITIONS, UniqueTaken } from '@countersign/document-store';
import type { DocumentStore } from '@countersign/document-store';
import type { AnnouncementStore, OutboxStore } from '@countersign/topics';
import type { Agent } from '../domain/agent.js';
import { ApprovalDocuments } from './approvals.js';
import { agentOf, agentStored, publishAgent, replaceAgent } from './agents.js';
import { AGENTS, folded } from './documents.js';
import { adoptClients, writeClients } from './oauth-clients.js';
import { followBatch, forgetSeen } from './follow.js';
import { AgentsFull, TransactionTaken } from './port.js';
import type {
  AgentFilter,
  AgentWrite,
  FollowedBatch,
  FollowedEvent,
  FollowEffects,
  FollowState,
  Page,
} from './port.js';
import type { PolicyStore, UsageRow } from './port.js';
import { UsageRows } from './usage-rows.js';

const REMEMBERED_MS = 72 * 3600 * 1000;
const FORGET_EVERY_MS = 60_000;
/** Intervals of ids, with a batch: more than a batch brings, so that they do not pile up. */
const FORGOTTEN_AT_ONCE = 2000;

/** The store of policy on a document store. */
export class PolicyDocuments implements PolicyStore {
  readonly outbox: OutboxStore;
  readonly announcements: AnnouncementStore;
  readonly approvals: ApprovalDocuments;
  readonly #usage: UsageRows;
  /** By partition: the log's time up to which ids were forgotten last. */
  readonly #forgotten = new Map<number, number>();

  constructor(private readonly documents: DocumentStore) {
    this.outbox = documents;
    this.announcements = documents as AnnouncementStore;
    this.approvals = new ApprovalDocuments(documents);
    this.#usage = new UsageRows(documents);
  }

  async create(write: AgentWrite, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id, facts } = write.agent;
    return this.documents.transact(async (transaction) => {
      if ((await transaction.get(AGENTS, id)) !== null) return false;
      const { accountId } = facts;
      if (most !== Number.POSITIVE_INFINITY && (await transaction.count(AGENTS, { accountId })) >= most) {
        throw new AgentsFull();
      }
      await writeClients(transaction, write.agent);
      await transaction.restore(AGENTS, [agentStored(write.agent)]);
      await publishAgent(transaction, write);
      return true;
    });
  }

  async replace(write: AgentWrite): Promise<boolean> {
    const replace = (): Promise<void> => this.documents.transact((transaction) => replaceAgent(transaction, write));
    try {
      await takingOnce(replace);
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  }

  async adopt(agent: Agent): Promise<void> {
    const adopt = (): Promise<void> =>
      this.documents.transact(async (transaction) => {
        const stored = await transaction.get(AGENTS, agent.id);
        if (stored !== null && stored.version >= agent.revision) return;
        await adoptClients(transaction, agent);
        await transaction.restore(AGENTS, [agentStored(agent)]);
      });
    await takingOnce(adopt);
  }

  async find(id: string): Promise<Agent | null> {
    const stored = await this.documents.get(AGENTS, id);
    return stored === null ? null : agentOf(stored);
  }

  async findOf(accountId: string, id: string): Promise<Agent | null> {
    const [stored] = await this.documents.find(AGENTS, { where: { accountId, id }, limit: 1 });
    return stored === undefined ? null : agentOf(stored);
  }

  async registeredBy(transaction: string): Promise<string | null> {
    const [stored] = await this.documents.find(AGENTS, { where: { transaction }, limit: 1 });
    return stored?.id ?? null;
  }

  async list(accountId: string, limit: number, offset: number, filter: AgentFilter = {}): Promise<Page<Agent>> {
    const { status, text, isByName = false } = filter;
    const where = {
      accountId,
      ...(status === undefined ? {} : { status }),
      ...(text === undefined ? {} : { searched: { contains: folded(text) } }),
    };
    const order = isByName ? ({ by: 'searched' } as const) : { descending: true };
    const [page, total] = await Promise.all([
      this.documents.find(AGENTS, { where, ...order, limit, offset }),
      this.documents.count(AGENTS, where),
    ]);
    return { items: page.map(agentOf), total };
  }

  async *all(): AsyncIterable<Agent> {
    for await (const stored of this.documents.all(AGENTS)) yield agentOf(stored);
  }

  async position(partition: number): Promise<number | null> {
    return (await this.documents.get(POSITIONS, String(partition)))?.body.next ?? null;
  }

  async follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void> {
    const { partition, logTimeMs } = batch;
    const forgets = logTimeMs - (this.#forgotten.get(partition) ?? -Infinity) >= FORGET_EVERY_MS;
    const forgotten = await this.documents.transact(async (transaction) => {
      const isFollowed = await followBatch(transaction, batch, decide);
      if (!isFollowed || !forgets) return null;
      return forgetSeen(transaction, partition, logTimeMs - REMEMBERED_MS, FORGOTTEN_AT_ONCE);
    });
    if (forgotten !== null && forgotten < FORGOTTEN_AT_ONCE) this.#forgotten.set(partition, logTimeMs);
  }

  async positions(): Promise<Readonly<Record<number, number>>> {
    const positions: Record<number, number> = {};
    for await (const { id, body } of this.documents.all(POSITIONS)) positions[Number(id)] = body.next;
    return positions;
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

  close(): Promise<void> {
    return this.documents.close();
  }
}

/** Of an agent, its transaction alone is unique. @throws TransactionTaken */
async function takingOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueTaken)) throw error;
    throw new TransactionTaken('another agent has this transaction', { cause: error });
  }
}
