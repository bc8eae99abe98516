import { Conflict } from '@countersign/document-store';
import type { DocumentStore, Stored, Transaction } from '@countersign/document-store';
import type { Approval } from '../domain/approval.js';
import { AGENTS, APPROVALS } from './documents.js';
import type { ApprovalFilter, ApprovalStore, ApprovalWrite, StoredApproval } from './approvals-port.js';

/** The approvals, as documents. */
export class ApprovalDocuments implements ApprovalStore {
  constructor(private readonly documents: DocumentStore) {}

  async find(id: string): Promise<StoredApproval | null> {
    const stored = await this.documents.get(APPROVALS, id);
    return stored === null ? null : storedApproval(stored);
  }

  async many(ids: readonly string[]): Promise<ReadonlyMap<string, Approval>> {
    const stored = await this.documents.getMany(APPROVALS, ids);
    return new Map([...stored].map(([id, { body }]) => [id, body]));
  }

  async list(accountId: string, filter: ApprovalFilter, limit: number): Promise<readonly Approval[]> {
    const { state, agentId, below } = filter;
    const where = {
      accountId,
      ...(state === undefined ? {} : { state }),
      ...(agentId === undefined ? {} : { agentId }),
      ...(below === undefined ? {} : { place: { below } }),
    };
    const found = await this.documents.find(APPROVALS, { where, by: 'place', descending: true, limit });
    return found.map(({ body }) => body);
  }

  async replace(write: ApprovalWrite, revision: number): Promise<boolean> {
    try {
      await this.documents.transact(async (transaction) => {
        const { approval } = write;
        await transaction.put(APPROVALS, [{ id: approval.id, version: revision + 1, body: approval }]);
        await publishApprovals(transaction, [write], new Set());
      });
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  }

  async due(nowMs: number, limit: number): Promise<readonly StoredApproval[]> {
    const query = { where: { dueMs: { from: 0, below: nowMs + 1 } }, by: 'dueMs', limit } as const;
    return (await this.documents.find(APPROVALS, query)).map(storedApproval);
  }

  async forget(beforeMs: number, limit: number): Promise<number> {
    const where = { overMs: { from: 0, below: beforeMs } };
    // Most often there is none: that takes no transaction.
    if ((await this.documents.find(APPROVALS, { where, by: 'overMs', limit: 1 })).length === 0) return 0;
    return this.documents.transact((transaction) => transaction.removeWhere(APPROVALS, where, limit));
  }

  pending(): Promise<number> {
    return this.documents.count(APPROVALS, { state: 'pending' });
  }

  async *all(): AsyncIterable<Approval> {
    for await (const { body } of this.documents.all(APPROVALS)) yield body;
  }
}

/**
 * Publishes what a change of approvals says. Messages of an agent are in order, because each of their transactions depends
 * on the agent's document.
 * @param written agents whose document the transaction writes
 */
export async function publishApprovals(
  transaction: Transaction,
  writes: readonly ApprovalWrite[],
  written: ReadonlySet<string>,
): Promise<void> {
  const agentIds = [...new Set(writes.map(({ approval }) => approval.agentId))].filter((id) => !written.has(id));
  for (const [id, { version }] of await transaction.getMany(AGENTS, agentIds)) {
    await transaction.expect(AGENTS, id, version);
  }
  await transaction.publish(writes.flatMap(({ records }) => records));
}

function storedApproval({ version: revision, body: approval }: Stored<Approval>): StoredApproval {
  return { approval, revision };
}
