import type { ReportJobRecord, ReportJobState } from '@countersign/contracts';
import type { ExportRequest } from '../issue-report/request.js';

/** A report, or several of adjacent ranges, that is made in the background. */
export interface ReportJob {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: string;
  /** Who asked for it. */
  readonly userId: string;
  readonly email: string;
  readonly request: ExportRequest;
  readonly title: string | null;
  readonly split: boolean;
  readonly state: ReportJobState;
  /** Beginning of the next package, ISO. */
  readonly next: string;
  readonly done: number;
  readonly of: number | null;
  readonly reports: readonly string[];
  readonly error: string | null;
  /** Attempts in succession that issued nothing, the one under way among them. */
  readonly attempts: number;
}

/** A job that one instance works on; `token` distinguishes its claim from a later one. */
export interface JobClaim {
  readonly job: ReportJob;
  readonly token: string;
}

/** The claim of an instance was lost: the job was cancelled, or another instance took it over. */
export class JobGone extends Error {
  override readonly name = 'JobGone';
}

/** The job in API answers. */
export function reportJobRecord({ request, ...job }: ReportJob): ReportJobRecord {
  const { id, createdAt, state, done, of, error, title, split } = job;
  const { format, frameworks, from, to } = request;
  return {
    ...{ id, createdAt, state, done, of, error, title, split, format, from, to },
    frameworks: [...frameworks],
    reports: [...job.reports],
  };
}
