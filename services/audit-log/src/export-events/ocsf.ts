import { attested, ocsfEvent } from '@countersign/event-formats';
import type { ExportForm } from './export-stream.js';

/** JSON lines, one OCSF event each. None refers to another: an export is the newest first, and its filters leave some out. */
export function ocsf(accountId: string): ExportForm {
  return {
    contentType: 'application/x-ndjson',
    fileName: 'events.ocsf.jsonl',
    head: '',
    write: (events) =>
      events.map((event) => `${JSON.stringify(attested(ocsfEvent(event, accountId), null).event)}\n`).join(''),
  };
}
