import { isAboutAction, type FormattedEvent } from '../formatted-event.js';
import { apiActivity } from './api-activity.js';
import type { OcsfEvent } from './common-attributes.js';
import { entityManagement } from './entity-management.js';

/** The event as OCSF 1.9.0 says it, without its attestation; decisions 0039 and 0105. */
export function ocsfEvent(event: FormattedEvent, accountId: string): OcsfEvent {
  const write = isAboutAction(event.leaf.type) ? apiActivity : entityManagement;
  return write(event, accountId);
}
