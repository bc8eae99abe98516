import { isAccountEvent } from '../account-event.js';
import { isAboutAction, type FormattedEvent } from '../formatted-event.js';
import { accountActivity } from './account-activity.js';
import { apiActivity } from './api-activity.js';
import type { OcsfEvent } from './common-attributes.js';
import { entityManagement } from './entity-management.js';

/** The event as OCSF 1.9.0 says it, without its attestation; decisions 0039, 0105 and 0117. */
export function ocsfEvent(event: FormattedEvent, accountId: string): OcsfEvent {
  if (isAccountEvent(event.leaf.type)) return accountActivity(event, accountId);
  const write = isAboutAction(event.leaf.type) ? apiActivity : entityManagement;
  return write(event, accountId);
}
