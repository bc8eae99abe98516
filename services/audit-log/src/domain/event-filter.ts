import type { EventKind, EventsQuery, ExportQuery, LeafEvent, Openings } from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import { memberOf } from './member-of.js';

/** Filter of `GET /v1/events` within one account; absent members do not restrict. */
export interface EventFilter {
  /** Lower case. */
  readonly agentId?: string;
  /** ms since the epoch; in. */
  readonly fromMs?: number;
  /** ms since the epoch; out. */
  readonly toMs?: number;
  readonly type?: string;
  readonly outcome?: string;
  readonly allowed?: boolean;
  readonly violationType?: string;
  /** Exactly `rule` of the leaf. Only `pageAfter` of the store knows it. */
  readonly rule?: string;
  /** Trace id of the context, 32 lower-case hex characters. Only `pageAfter` of the store knows it. */
  readonly trace?: string;
  readonly kind?: EventKind;
  /** Id of a user in lower case, see {@link isByPerson}. Only `pageAfter` of the store knows it. */
  readonly by?: string;
}

/** A day that no calendar has, such as the 30th of February. */
export class NoSuchTime extends Error {
  override readonly name = 'NoSuchTime';
}

/** @throws NoSuchTime naming the parameter */
export function eventFilter(query: EventsQuery | ExportQuery): EventFilter {
  return {
    ...(query.agentId === undefined ? {} : { agentId: query.agentId.toLowerCase() }),
    ...(query.from === undefined ? {} : { fromMs: instantOf('from', query.from) }),
    ...(query.to === undefined ? {} : { toMs: instantOf('to', query.to) }),
    ...(query.type === undefined ? {} : { type: query.type }),
    ...(query.outcome === undefined ? {} : { outcome: query.outcome }),
    ...(query.allowed === undefined ? {} : { allowed: query.allowed }),
    ...(query.violation_type === undefined ? {} : { violationType: query.violation_type }),
    ...(query.rule === undefined ? {} : { rule: query.rule }),
    ...(query.trace === undefined ? {} : { trace: query.trace }),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(query.by === undefined ? {} : { by: query.by.toLowerCase() }),
  };
}

/**
 * True for an event that this user caused, and for an event of the account that is about the user: by the pseudonym of the leaf, or
 * by the content while that is kept.
 */
export function isByPerson({ detail }: LeafEvent, { action }: Openings, userId: string): boolean {
  if (detail === `user:${userId}`) return true;
  const value = action?.value;
  const by = memberOf(value, 'by');
  return [by, memberOf(by, 'id'), memberOf(memberOf(value, 'user'), 'id')].includes(userId);
}

/**
 * First millisecond at or after `text` (ISO 8601 with a zone): events have milliseconds, so a bound with a finer
 * fraction stands at the next one.
 */
function instantOf(name: string, text: string): number {
  const ms = parseTime(text);
  if (ms === null) {
    throw new NoSuchTime(`${name} must be a time that the calendar has, such as 2026-03-01T00:00:00.000Z`);
  }
  const finer = /\.\d{3}(\d*)/.exec(text)?.[1] ?? '';
  return /[1-9]/.test(finer) ? ms + 1 : ms;
}
