import { stringify, type Options } from 'csv-stringify/sync';
import type { JsonValue, ListedAction } from '@countersign/contracts';
import { eventRecord, type StoredEvent } from '../domain/event-record.js';
import type { ExportForm } from './export-stream.js';

type Cell = string | number | boolean | null;

const OPTIONS: Options = {
  record_delimiter: '\r\n',
  // Also either half of a line break, as RFC 4180 has it.
  quote_record_delimiter: true,
  // Spreadsheets take a cell that begins so for a formula: an apostrophe before it makes it a text (OWASP, CSV Injection).
  escape_formulas: true,
  cast: {
    boolean: String,
    // The one of OWASP's list that `escape_formulas` leaves out.
    string: (text) => (text.startsWith('\n') ? `'${text}` : text),
  },
};

/** Members of the record that `GET /v1/events` gives; `action` by its fields, and as JSON for types that have none. */
const COLUMNS = [
  'eventId',
  'type',
  'agentId',
  'refersTo',
  'occurredAt',
  'sequence',
  'outcome',
  'allowed',
  'reason',
  'severity',
  'violation_type',
  'detail',
  'action.type',
  'action.url',
  'action.tool_name',
  'action.dataScope',
  'action.estimatedCost',
  'action.metadata',
  'action',
  'payloadSha256',
  'profileVersion',
  'anchored',
] as const;

/**
 * RFC 4180 with a header line, for spreadsheets: UTF-8 with a byte order mark, without which they guess another encoding.
 * What is `null` is an empty cell. Times stay ISO 8601 in UTC, ids stay text.
 */
export const CSV: ExportForm = {
  contentType: 'text/csv; charset=utf-8; header=present',
  fileName: 'events.csv',
  head: `\u{feff}${stringify([[...COLUMNS]], OPTIONS)}`,
  write: (events) => (events.length === 0 ? '' : stringify(events.map(cellsOf), OPTIONS)),
};

function cellsOf(event: StoredEvent): readonly Cell[] {
  const record = eventRecord(event);
  const isCheck = record.type === 'action.checked';
  const { type, url, tool_name, dataScope, estimatedCost, metadata } = isCheck
    ? ((record.action ?? NOTHING) as ListedAction)
    : NOTHING;
  return [
    record.eventId,
    record.type,
    record.agentId,
    record.refersTo,
    record.occurredAt,
    record.sequence,
    record.outcome,
    record.allowed,
    record.reason,
    record.severity,
    record.violation_type,
    record.detail,
    cellOf(type),
    cellOf(url),
    cellOf(tool_name),
    cellOf(dataScope),
    cellOf(estimatedCost),
    cellOf(metadata),
    isCheck ? null : cellOf(record.action as JsonValue),
    record.payloadSha256,
    record.profileVersion,
    record.anchored,
  ];
}

const NOTHING: ListedAction = {
  type: null,
  url: null,
  tool_name: null,
  dataScope: null,
  estimatedCost: null,
  metadata: null,
};

function cellOf(value: JsonValue): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
