import { Controller, Inject } from '@nestjs/common';
import { reportJobRoutes, type PageQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { REPORT_JOBS, type ReportJobs } from '../report-jobs/report-jobs.js';

@Controller()
export class ReportJobsController {
  readonly #jobs: ReportJobs;
  constructor(@Inject(REPORT_JOBS) jobs: ReportJobs) {
    this.#jobs = jobs;
  }

  @HttpRoute(reportJobRoutes.createReportJob)
  create(@Input() { caller, body }: RouteInput): Promise<unknown> {
    return this.#jobs.create(caller, body);
  }

  @HttpRoute(reportJobRoutes.listReportJobs)
  list(@Input() { caller, query }: RouteInput<unknown, PageQuery>): unknown {
    return this.#jobs.list(caller.accountId, query.limit, query.offset);
  }

  @HttpRoute(reportJobRoutes.getReportJob)
  get(@Input() { caller, params }: RouteInput): unknown {
    return this.#jobs.get(caller.accountId, params['id']!.toLowerCase());
  }

  @HttpRoute(reportJobRoutes.deleteReportJob)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.#jobs.remove(caller.accountId, params['id']!.toLowerCase());
  }
}
