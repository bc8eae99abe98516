import { randomUUID } from 'node:crypto';
import { reportJobBody, type ReportJobBody, type ReportJobRecord } from '@countersign/contracts';
import { HttpRefusal, schemaCheck, type SessionCaller } from '@countersign/http-edge';
import { agentsOf, type Directory } from '../directory.js';
import { readExportRequest } from '../issue-report/request.js';
import { exportingAccount, requireMayOpen } from '../reports.js';
import type { ReportStore } from '../store/port.js';
import { reportJobRecord, type ReportJob } from './report-job.js';

/** Injection token of {@link ReportJobs}. */
export const REPORT_JOBS = Symbol('report-jobs');

/** Jobs of an account that have not ended. */
const MOST_OPEN = 4;
const problemOf = schemaCheck(reportJobBody);

/** The account's report jobs: create, list, read, cancel. */
export class ReportJobs {
  constructor(
    private readonly store: ReportStore,
    private readonly directory: Directory,
    private readonly now: () => Promise<number>,
    /** Says that a job was added. */
    private readonly added: () => void,
  ) {}

  /** @throws HttpRefusal 403 by plan, 400 by body, 403 by role, 404 by agent, 429 while as many are open as may be – in this order */
  async create(
    { accountId, userId, email, role }: Pick<SessionCaller, 'accountId' | 'userId' | 'email' | 'role'>,
    body: unknown,
  ): Promise<ReportJobRecord> {
    exportingAccount(this.directory, accountId);
    const problem = problemOf(body);
    if (problem !== null) throw new HttpRefusal(400, problem);
    const { title = null, split = false, ...exported } = body as ReportJobBody;
    const request = readExportRequest(exported);
    requireMayOpen(request, role);
    await agentsOf(this.directory, accountId, request.agentIds);
    const job: ReportJob = {
      ...{ id: randomUUID(), accountId, userId, email, request, title, split },
      createdAt: new Date(await this.now()).toISOString(),
      ...{ state: 'waiting', next: request.from, done: 0, of: null, reports: [], error: null, attempts: 0 },
    };
    if (!(await this.store.addJob(job, MOST_OPEN))) {
      throw new HttpRefusal(429, `${MOST_OPEN} report jobs of the account have not ended: try again later`, {
        'retry-after': '30',
      });
    }
    this.added();
    return reportJobRecord(job);
  }

  async list(accountId: string, limit: number, offset: number): Promise<object> {
    const { jobs, total } = await this.store.jobs(accountId, limit, offset);
    return { jobs: jobs.map(reportJobRecord), total, limit, offset };
  }

  /** @throws HttpRefusal 404 for another account's too */
  async get(accountId: string, id: string): Promise<ReportJobRecord> {
    const job = await this.store.job(accountId, id);
    if (job === null) throw unknown();
    return reportJobRecord(job);
  }

  /** From its answer on the job issues nothing. @throws HttpRefusal 404 */
  async remove(accountId: string, id: string): Promise<void> {
    if (!(await this.store.removeJob(accountId, id))) throw unknown();
  }
}

function unknown(): HttpRefusal {
  return new HttpRefusal(404, 'no such job');
}
