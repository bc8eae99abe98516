import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, EXPORT_FORMATS, type ExportFormat, type ExportQuery } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { RouteInput, SessionCaller } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { shownTo } from '../domain/event-record.js';
import { filterOf } from '../list-events/filter-of.js';
import type { EventStore } from '../store/port.js';
import { STORE } from '../tokens.js';
import { CSV } from '../export-events/csv.js';
import { exportStream, type ExportForm } from '../export-events/export-stream.js';
import { ocsf } from '../export-events/ocsf.js';
import { RunningExports } from '../export-events/running-exports.js';

@Controller()
export class ExportEventsController {
  readonly #running = new RunningExports();

  constructor(@Inject(STORE) private readonly store: EventStore) {}

  @HttpRoute(auditLogRoutes.exportEvents)
  async export(@Input() { query, caller }: RouteInput<unknown, ExportQuery>): Promise<HttpAnswer> {
    const { format } = query;
    if (format === undefined) {
      throw new HttpRefusal(400, `the query parameter format is missing: it is ${EXPORT_FORMATS.join(' or ')}`);
    }
    const form = formFor(caller, formOf(format, caller.accountId));
    const cut = new AbortController();
    const pieces = exportStream(this.store, caller.accountId, filterOf(query), form);
    const counted = this.#counted(caller.accountId, pieces, cut);
    const disposition = `attachment; filename="${form.fileName}"`;
    return HttpAnswer.stream(200, form.contentType, counted, { 'content-disposition': disposition }, cut.signal);
  }

  /** Counts from the first piece that is asked for to the last, however the stream ends. */
  async *#counted(
    accountId: string,
    pieces: AsyncIterable<string>,
    cut: AbortController,
  ): AsyncGenerator<string, void, void> {
    const place = this.#running.begin(accountId, () => cut.abort());
    try {
      for await (const piece of pieces) {
        place.waits();
        yield piece;
        place.works();
      }
    } finally {
      place.end();
    }
  }
}

function formFor({ role }: SessionCaller, form: ExportForm): ExportForm {
  return { ...form, write: (events) => form.write(events.map((event) => shownTo(role, event))) };
}

function formOf(format: ExportFormat, accountId: string): ExportForm {
  switch (format) {
    case 'ocsf':
      return ocsf(accountId);
    case 'csv':
      return CSV;
  }
}
