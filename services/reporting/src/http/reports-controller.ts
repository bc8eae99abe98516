import { Controller, Inject } from '@nestjs/common';
import { reportingRoutes, type BodyOf, type ComplianceScopeBody, type ReportsQuery } from '@countersign/contracts';
import { HttpAnswer } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { REPORTS, type Reports } from '../reports.js';

async function* inTurn(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** True if the first accepted type is PDF. */
function prefersPdf(accept: string | undefined): boolean {
  return accept?.split(/[,;]/)[0]?.trim().toLowerCase() === 'application/pdf';
}

function pdfAnswer(
  reportId: string,
  bytes: Uint8Array,
  sha256: string,
  further: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return HttpAnswer.text(200, 'application/pdf', bytes, {
    'x-report-id': reportId,
    'x-pdf-sha256': sha256,
    ...further,
    'content-disposition': `attachment; filename="countersign-report-${reportId}.pdf"`,
  });
}

@Controller()
export class ReportsController {
  readonly #reports: Reports;
  constructor(@Inject(REPORTS) reports: Reports) {
    this.#reports = reports;
  }

  @HttpRoute(reportingRoutes.exportSigned)
  async exportSigned(@Input() { caller, body }: RouteInput): Promise<HttpAnswer> {
    const { report, pieces, bytes, pdf } = await this.#reports.issue(caller, body);
    if (pdf !== null) return pdfAnswer(report.id, pdf, report.facts.pdfSha256!, { 'x-range-to': report.to });
    return HttpAnswer.stream(200, 'application/json', inTurn(pieces()), {
      'x-report-id': report.id,
      'x-range-to': report.to,
      'content-length': String(bytes),
    });
  }

  @HttpRoute(reportingRoutes.listReports)
  list(@Input() { caller, query }: RouteInput<unknown, ReportsQuery>): Promise<object> {
    return this.#reports.list(caller.accountId, query);
  }

  @HttpRoute(reportingRoutes.getReport)
  async get(@Input() { caller, params, headers }: RouteInput): Promise<HttpAnswer> {
    const id = params['id']!.toLowerCase();
    if (prefersPdf(headers.accept)) {
      const { bytes, sha256 } = await this.#reports.pdf(caller, id);
      return pdfAnswer(id, bytes, sha256);
    }
    const body = await this.#reports.body(caller, id);
    return HttpAnswer.text(200, 'application/json', body);
  }

  @HttpRoute(reportingRoutes.updateReport)
  update(@Input() { caller, params, body }: RouteInput<BodyOf<typeof reportingRoutes.updateReport>>): Promise<unknown> {
    return this.#reports.setPublic(caller, params['id']!.toLowerCase(), body.public);
  }

  @HttpRoute(reportingRoutes.getComplianceScope)
  scope(@Input() { caller }: RouteInput): unknown {
    return this.#reports.scope(caller.accountId);
  }

  @HttpRoute(reportingRoutes.putComplianceScope)
  putScope(@Input() { caller, body }: RouteInput<ComplianceScopeBody>): unknown {
    return this.#reports.putScope(caller, body);
  }
}
