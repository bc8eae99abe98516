import type { StoredEvent } from '../domain/event-record.js';
import type { ExportForm } from './export-stream.js';
import { apiActivity } from './ocsf-api-activity.js';
import { entityManagement } from './ocsf-entity-management.js';
import type { OcsfEvent } from './ocsf-event.js';

/** Decisions and what became of them are API Activity; all other types are changes of what is governed: Entity Management. */
const API_ACTIVITIES: ReadonlySet<string> = new Set(['action.checked', 'action.unanswered', 'action.outcome']);

/** The event as OCSF 1.5.0 says it; decision 0039. */
export function ocsfEvent(event: StoredEvent, accountId: string): OcsfEvent {
  const write = API_ACTIVITIES.has(event.leaf.type) ? apiActivity : entityManagement;
  return write(event, accountId);
}

/** JSON lines, one OCSF event each. */
export function ocsf(accountId: string): ExportForm {
  return {
    contentType: 'application/x-ndjson',
    fileName: 'events.ocsf.jsonl',
    head: '',
    write: (events) => events.map((event) => `${JSON.stringify(ocsfEvent(event, accountId))}\n`).join(''),
  };
}
