import { exportBody, type ExportBody } from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import { schemaCheck, HttpRefusal } from '@countersign/http-edge';

/** Body of `POST /v1/events/export-signed`, validated and normalised. */
export interface ExportRequest extends Required<Omit<ExportBody, 'fit' | 'trail'>> {
  /** The content of the events of the account itself; absent: withheld. */
  readonly trail?: ExportBody['trail'];
  /** The most events of the package, which ends earlier where the range has more; `null`: all or none. */
  readonly fit?: number | null;
  /** Lower case; empty means all agents of the account. */
  readonly agentIds: readonly string[];
  /** ISO 8601 UTC with milliseconds. `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string;
}

const problemOf = schemaCheck(exportBody);

/** @throws HttpRefusal 400 naming the change that is needed */
export function readExportRequest(body: unknown): ExportRequest {
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, 'framework'))
    throw new HttpRefusal(400, 'framework is no longer accepted: send frameworks, a list');
  const problem = problemOf(body);
  if (problem !== null) throw new HttpRefusal(400, problem);
  const {
    agentIds = [],
    format,
    frameworks,
    from,
    to,
    withhold = [],
    fit = null,
    trail = 'withheld',
  } = body as ExportBody;
  const range = { from: readInstant('from', from), to: readInstant('to', to) };
  if (range.from >= range.to) throw new HttpRefusal(400, 'from must be before to');
  return {
    agentIds: [...new Set(agentIds.map((id) => id.toLowerCase()))],
    format,
    frameworks,
    ...range,
    withhold,
    fit,
    trail,
  };
}

/**
 * A time of a request as ISO 8601 UTC with milliseconds.
 * @param name of the member or parameter, for the message
 * @throws HttpRefusal 400
 */
export function readInstant(name: string, text: string): string {
  const ms = parseTime(text);
  const date = new Date(ms ?? NaN);
  if (ms === null || date.getUTCFullYear() > 9999) {
    throw new HttpRefusal(400, `${name} must be a time that the calendar has, such as 2026-03-01T00:00:00.000Z`);
  }
  if (ms < 0) throw new HttpRefusal(400, `${name} must not be before 1970-01-01T00:00:00.000Z`);
  return date.toISOString();
}
