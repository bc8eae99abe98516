import type { AccountActor, AccountEventType } from './account-events.js';
import type { JsonValue } from './leaf.js';

/** An event before it has an id and a time. */
export interface AccountEventDraft {
  readonly type: AccountEventType;
  readonly by: AccountActor;
  readonly outcome?: 'succeeded' | 'failed';
  /** Id of the event that it is about. */
  readonly refersTo?: string;
  /** Committed with `by`, each member by itself: names, e-mail addresses, IP addresses. At most 31 members. */
  readonly content: Readonly<Record<string, JsonValue>>;
}
