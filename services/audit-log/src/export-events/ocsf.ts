import type { LeafType } from '@countersign/contracts';
import type { StoredEvent } from '../domain/event-record.js';
import type { ExportForm } from './export-stream.js';
import { apiActivity } from './ocsf-api-activity.js';
import { entityManagement } from './ocsf-entity-management.js';
import type { OcsfEvent } from './ocsf-event.js';

/** Decisions and what became of them are API Activity, changes of what is governed are Entity Management. */
const CLASS_OF: Readonly<Record<LeafType, (event: StoredEvent, accountId: string) => OcsfEvent>> = {
  'action.checked': apiActivity,
  'action.unanswered': apiActivity,
  'action.outcome': apiActivity,
  'agent.created': entityManagement,
  'agent.updated': entityManagement,
  'agent.frozen': entityManagement,
  'agent.unfrozen': entityManagement,
  'agent.deactivated': entityManagement,
  'agent.registered': entityManagement,
  'profile.changed': entityManagement,
  'content.erased': entityManagement,
  'retention.applied': entityManagement,
};

/** The event as OCSF 1.5.0 says it; decision 0039. */
export function ocsfEvent(event: StoredEvent, accountId: string): OcsfEvent {
  return CLASS_OF[event.leaf.type](event, accountId);
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
