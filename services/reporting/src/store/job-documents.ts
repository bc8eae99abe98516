import { randomUUID } from 'node:crypto';
import { UniqueTaken } from '@countersign/document-store';
import type { Collection, DocumentStore, Stored, Transaction } from '@countersign/document-store';
import { JobGone, type JobClaim, type ReportJob } from '../report-jobs/report-job.js';
import type { JobPage } from './port.js';

/** Maximum number of documents removed in one transaction. */
const AT_ONCE = 500;

export interface JobBody {
  readonly job: ReportJob;
  /** Of the instance that works on it. */
  readonly token: string | null;
  /** When an instance may claim it, ms; `null`: it has ended. */
  readonly dueAtMs: number | null;
  /** Among the account's jobs that have not ended, from 0; absent: an older one. */
  readonly place?: number;
}

// A type, because interfaces have no index signature.
type JobKeys = {
  accountId: string;
  createdAt: string;
  dueAtMs: number | null;
  isOpen: boolean;
  /** Account and place: transactions that read the same open jobs cannot both add one. */
  open: string | null;
};

export const JOBS: Collection<JobBody, JobKeys> = {
  name: 'jobs',
  keysOf: ({ job: { accountId, createdAt }, dueAtMs, place }) => ({
    ...{ accountId, createdAt, dueAtMs, isOpen: dueAtMs !== null },
    open: dueAtMs === null || place === undefined ? null : `${accountId}/${place}`,
  }),
  keys: { accountId: 'text', createdAt: 'text', dueAtMs: 'number', isOpen: 'boolean', open: 'text' },
  keysVersion: 2,
  indexes: [['accountId', 'createdAt'], ['dueAtMs']],
  unique: ['open'],
};

/** The report jobs of the store of reporting. */
export class JobDocuments {
  constructor(protected readonly documents: DocumentStore) {}

  async addJob(job: ReportJob, mostOpen: number): Promise<boolean> {
    for (;;) {
      try {
        return await this.documents.transact((transaction) => addIn(transaction, job, mostOpen));
      } catch (error) {
        // Another job was added meanwhile.
        if (!(error instanceof UniqueTaken)) throw error;
      }
    }
  }

  async job(accountId: string, id: string): Promise<ReportJob | null> {
    const job = (await this.documents.get(JOBS, id))?.body.job ?? null;
    return job?.accountId === accountId ? job : null;
  }

  async jobs(accountId: string, limit: number, offset: number): Promise<JobPage> {
    const query = { where: { accountId }, by: 'createdAt', descending: true, limit, offset } as const;
    const [page, total] = await Promise.all([
      this.documents.find(JOBS, query),
      this.documents.count(JOBS, { accountId }),
    ]);
    return { jobs: page.map(({ body }) => body.job), total };
  }

  async removeJob(accountId: string, id: string): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await transaction.get(JOBS, id);
      if (stored?.body.job.accountId !== accountId) return false;
      await transaction.remove(JOBS, [stored]);
      return true;
    });
  }

  async claimJob(nowMs: number, untilMs: number): Promise<JobClaim | null> {
    const query = { where: { dueAtMs: { from: 0, below: nowMs + 1 } }, by: 'dueAtMs', limit: 1 } as const;
    // Usually nothing is due: that needs no transaction.
    if ((await this.documents.find(JOBS, query)).length === 0) return null;
    return this.documents.transact(async (transaction) => {
      const [stored] = await transaction.find(JOBS, query);
      if (stored === undefined) return null;
      const job = { ...stored.body.job, attempts: stored.body.job.attempts + 1 };
      const token = randomUUID();
      await this.#put(transaction, stored, { ...stored.body, job, token, dueAtMs: untilMs });
      return { job, token };
    });
  }

  async keepJob(token: string, job: ReportJob, dueAtMs: number | null, release: boolean): Promise<boolean> {
    return this.documents.transact(async (transaction) => {
      const stored = await this.#claimed(transaction, token, job.id);
      if (stored === null) return false;
      await this.#put(transaction, stored, { ...stored.body, job, token: release ? null : token, dueAtMs });
      return true;
    });
  }

  /** Keeps a claimed job in a transaction that writes something else for it. @throws JobGone */
  async keepIn(transaction: Transaction, { token, job }: JobClaim): Promise<void> {
    const stored = await this.#claimed(transaction, token, job.id);
    if (stored === null) throw new JobGone();
    await this.#put(transaction, stored, { ...stored.body, job });
  }

  async forgetJobs(createdBefore: string): Promise<void> {
    const where = { isOpen: false, createdAt: { below: createdBefore } };
    while ((await this.documents.transact((transaction) => transaction.removeWhere(JOBS, where, AT_ONCE))) === AT_ONCE);
  }

  async #claimed(transaction: Transaction, token: string, id: string): Promise<Stored<JobBody> | null> {
    const stored = await transaction.get(JOBS, id);
    return stored?.body.token === token ? stored : null;
  }

  #put(transaction: Transaction, { id, version }: Stored<JobBody>, body: JobBody): Promise<void> {
    return transaction.put(JOBS, [{ id, version: version + 1, body }]);
  }
}

/** Adds a job at the first place that is free. @throws UniqueTaken where another transaction takes it */
async function addIn(transaction: Transaction, job: ReportJob, mostOpen: number): Promise<boolean> {
  const { id, accountId, createdAt } = job;
  const open = await transaction.find(JOBS, { where: { accountId, isOpen: true }, limit: mostOpen });
  if (open.length >= mostOpen) return false;
  let place = 0;
  while (open.some(({ body }) => body.place === place)) place += 1;
  const body = { job, token: null, dueAtMs: Date.parse(createdAt), place };
  await transaction.put(JOBS, [{ id, version: 1, body }]);
  return true;
}
