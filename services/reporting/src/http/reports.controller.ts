import { Controller, Inject } from '@nestjs/common';
import { reportingRoutes, type ComplianceScope } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal, HttpRoute, Input, type RouteInput } from '@countersign/service-kit';
import { REPORTS, type Reports } from '../reports.js';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

async function* inTurn(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

@Controller()
export class ReportsController {
  readonly #reports: Reports;
  constructor(@Inject(REPORTS) reports: Reports) {
    this.#reports = reports;
  }

  @HttpRoute(reportingRoutes.exportSigned)
  async exportSigned(@Input() { caller, body }: RouteInput): Promise<HttpAnswer> {
    const { report, pieces, bytes } = await this.#reports.issue(caller.accountId, body);
    return HttpAnswer.stream(200, 'application/json', inTurn(pieces()), {
      'x-report-id': report.id,
      'content-length': String(bytes),
    });
  }

  @HttpRoute(reportingRoutes.listReports)
  list(@Input() { caller, query }: RouteInput<unknown, Page>): unknown {
    return this.#reports.list(caller.accountId, query.limit, query.offset);
  }

  @HttpRoute(reportingRoutes.getReport)
  async get(@Input() { caller, params, headers }: RouteInput): Promise<HttpAnswer> {
    if (headers.accept?.split(',')[0]?.trim() === 'application/pdf')
      throw new HttpRefusal(404, 'this report has no PDF');
    const body = await this.#reports.body(caller.accountId, params['id']!.toLowerCase());
    return HttpAnswer.text(200, 'application/json', body);
  }

  @HttpRoute(reportingRoutes.updateReport)
  update(@Input() { caller, params, body }: RouteInput<{ readonly public: boolean }>): Promise<unknown> {
    return this.#reports.setPublic(caller.accountId, params['id']!.toLowerCase(), body.public);
  }

  @HttpRoute(reportingRoutes.getComplianceScope)
  scope(@Input() { caller }: RouteInput): unknown {
    return this.#reports.scope(caller.accountId);
  }

  @HttpRoute(reportingRoutes.putComplianceScope)
  putScope(@Input() { caller, body }: RouteInput<ComplianceScope>): unknown {
    return this.#reports.putScope(caller.accountId, body);
  }
}
