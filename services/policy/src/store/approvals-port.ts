import type { ApprovalState } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Approval } from '../domain/approval.js';

export interface StoredApproval {
  readonly approval: Approval;
  /** Rises by one with every change. */
  readonly revision: number;
}

/** A changed approval, with the messages that publish the change. */
export interface ApprovalWrite {
  readonly approval: Approval;
  /** In the order in which they are published. */
  readonly records: readonly NewRecord[];
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly agentId?: string;
  /** Only approvals before this place (`approvalPlace`). */
  readonly below?: string;
}

/**
 * Approvals. New ones are written by `PolicyStore.follow`. A method that writes is durable when it resolves, and writes
 * everything or nothing; each rejects only when the store cannot be used.
 */
export interface ApprovalStore {
  find(id: string): Promise<StoredApproval | null>;
  /** Those of the ids that exist. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, Approval>>;
  /** Of an account, the newest request first. */
  list(accountId: string, filter: ApprovalFilter, limit: number): Promise<readonly Approval[]>;
  /** `false`: it is not at this revision, or another change of its agent was written meanwhile, and nothing was written. */
  replace(write: ApprovalWrite, revision: number): Promise<boolean>;
  /** Those whose time is over, the longest first. */
  due(nowMs: number, limit: number): Promise<readonly StoredApproval[]>;
  /** Removes at most `limit` that were over before this time. Returns how many. */
  forget(beforeMs: number, limit: number): Promise<number>;
  /** Requests that wait for a person, of all accounts. */
  pending(): Promise<number>;
  all(): AsyncIterable<Approval>;
}
