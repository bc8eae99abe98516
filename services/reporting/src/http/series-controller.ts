import { Controller, Inject } from '@nestjs/common';
import { reportSeriesRoutes, type PageQuery } from '@countersign/contracts';
import { HttpAnswer, type RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { REPORT_SERIES, type ReportSeries } from '../issue-series/report-series.js';

function answer(id: string, bytes: Uint8Array): HttpAnswer {
  return HttpAnswer.text(200, 'application/json', bytes, { 'x-series-id': id });
}

@Controller()
export class SeriesController {
  readonly #series: ReportSeries;
  constructor(@Inject(REPORT_SERIES) series: ReportSeries) {
    this.#series = series;
  }

  @HttpRoute(reportSeriesRoutes.issueSeries)
  async issue(@Input() { caller, body }: RouteInput): Promise<HttpAnswer> {
    const { series, pieces } = await this.#series.issue(caller, body);
    return answer(series.id, Buffer.concat([...pieces()]));
  }

  @HttpRoute(reportSeriesRoutes.listSeries)
  list(@Input() { caller, query }: RouteInput<unknown, PageQuery>): unknown {
    return this.#series.list(caller.accountId, query.limit, query.offset);
  }

  @HttpRoute(reportSeriesRoutes.getSeries)
  async get(@Input() { caller, params }: RouteInput): Promise<HttpAnswer> {
    const id = params['id']!.toLowerCase();
    return answer(id, await this.#series.body(caller.accountId, id));
  }
}
