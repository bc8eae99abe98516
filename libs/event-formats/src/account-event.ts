import { ACCOUNT_EVENTS } from '@countersign/contracts';
import type { JsonValue } from '@countersign/contracts';
import type { FormattedEvent } from './formatted-event.js';

/** People and places of an event of an account itself, as far as they are kept; `null`: not said, or erased. */
export interface AccountEventFacts {
  /** Id of the user who did it; `null` also for the operator, the system and a caller that is not known. */
  readonly actorId: string | null;
  /** Pseudonym of who did it, from the leaf: `user:<id>`, `operator`. */
  readonly actor: string;
  /** The user whom it is about. */
  readonly userId: string | null;
  readonly email: string | null;
  /** IP address. */
  readonly address: string | null;
  /** Failed attempts that the event stands for. */
  readonly count: number | null;
}

/** True for events of an account itself, also of types that a later release adds. */
export function isAccountEvent(type: string): boolean {
  return type.startsWith(ACCOUNT_EVENTS);
}

const USER = 'user:';

/** Reads an event of an account itself. */
export function accountEventFacts({ leaf, openings }: FormattedEvent): AccountEventFacts {
  const actor = leaf.detail ?? 'unknown';
  const actorId = actor.startsWith(USER) ? actor.slice(USER.length) : null;
  const value = openings.action?.value;
  const user = memberOf(value, 'user');
  const count = memberOf(value, 'count');
  return {
    actorId,
    actor,
    userId: textOf(memberOf(user, 'id')) ?? (user === undefined ? actorId : null),
    email: textOf(memberOf(user, 'email')),
    address: textOf(memberOf(value, 'address')),
    count: typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null,
  };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: JsonValue })[name] : undefined;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
