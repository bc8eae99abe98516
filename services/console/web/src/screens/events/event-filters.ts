import { ACCOUNT_EVENT_TYPES, isAccountStream } from './account-events.js';
import type { CheckOutcome, EventRecord, LeafType, ReportedOutcome, ViolationType } from '@countersign/contracts';

/** Filters of the list of events, as they stand in the address. */
export interface EventFilters {
  /** `account`: the trail, what the people of the account did; `null`: the events of the agents. */
  readonly kind: 'account' | null;
  /** Of the trail: id of the person who did it, or whom it is about. */
  readonly by: string | null;
  readonly agent: string | null;
  readonly outcome: string | null;
  readonly violation: string | null;
  readonly type: string | null;
  readonly range: RangeName;
  /** Of the range `custom`: ISO 8601 in UTC, inclusive. */
  readonly from: string | null;
  /** Of the range `custom`, exclusive. */
  readonly to: string | null;
}

export type FilterName = 'by' | 'agent' | 'outcome' | 'violation' | 'type' | 'range';

export const OUTCOMES = [
  'allowed',
  'denied',
  'frozen',
  'sandbox_expired',
  'action_cap',
  'succeeded',
  'failed',
  'skipped',
] as const satisfies readonly (CheckOutcome | ReportedOutcome)[];

export const VIOLATIONS = [
  'api_not_allowed',
  'off_limits_action',
  'data_scope_denied',
  'spending_limit_exceeded',
  'rate_limit_exceeded',
  'unsafe_output',
  'rule_denied',
  'limit_exceeded',
  'approval_required',
  'rule_error',
] as const satisfies readonly ViolationType[];

export const TYPES = [
  'action.checked',
  'action.unanswered',
  'action.outcome',
  'agent.created',
  'agent.updated',
  'agent.frozen',
  'agent.unfrozen',
  'agent.deactivated',
  'agent.registered',
  'profile.changed',
  'content.erased',
  'retention.applied',
] as const satisfies readonly LeafType[];

export const RANGES = ['all', 'hour', 'day', 'week', 'month', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  all: 'All time',
  hour: 'Last hour',
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  custom: 'From … to …',
};

const HOUR = 3_600_000;
const LENGTH: Readonly<Partial<Record<RangeName, number>>> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 168 * HOUR,
  month: 720 * HOUR,
};

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/** The types of the list. */
export function typesOf(kind: EventFilters['kind']): readonly string[] {
  return kind === null ? TYPES : ACCOUNT_EVENT_TYPES;
}

/** Reads the filters of an address; a value that no filter has is left out. */
export function filtersOf(query: URLSearchParams): EventFilters {
  const one = (name: string, among: readonly string[]): string | null => {
    const value = query.get(name);
    return value !== null && among.includes(value) ? value : null;
  };
  const matching = (name: string, pattern: RegExp): string | null => {
    const value = query.get(name);
    return value !== null && pattern.test(value) ? value : null;
  };
  const kind = query.get('kind') === 'account' ? 'account' : null;
  return {
    kind,
    by: kind === null ? null : (matching('by', UUID)?.toLowerCase() ?? null),
    agent: kind === null ? (matching('agent', UUID)?.toLowerCase() ?? null) : null,
    outcome: one('outcome', OUTCOMES),
    violation: kind === null ? one('violation', VIOLATIONS) : null,
    type: one('type', typesOf(kind)),
    range: (one('range', RANGES) ?? 'all') as RangeName,
    from: matching('from', TIME),
    to: matching('to', TIME),
  };
}

/** The members of an address that give these filters. */
export function queryOf(filters: EventFilters): Readonly<Record<string, string | null>> {
  const { range, from, to, ...others } = filters;
  return {
    ...others,
    range: range === 'all' ? null : range,
    from: range === 'custom' ? from : null,
    to: range === 'custom' ? to : null,
  };
}

/** Names of the filters that leave something out. */
export function activeFilters(filters: EventFilters): readonly FilterName[] {
  const named = (['by', 'agent', 'outcome', 'violation', 'type'] as const).filter((name) => filters[name] !== null);
  return filters.range === 'all' ? named : [...named, 'range'];
}

export function withoutFilter(filters: EventFilters, name: FilterName): EventFilters {
  return name === 'range' ? { ...filters, range: 'all', from: null, to: null } : { ...filters, [name]: null };
}

/**
 * The parameters of `GET /v1/events`.
 * @param openedAt when the list was opened, ms: presets count back from it
 * @param end ISO time at which the list ends, exclusive; `null`: it has no end but that of the filters
 */
export function apiFilters(
  { kind, by, agent, outcome, violation, type, range, from, to }: EventFilters,
  openedAt: number,
  end: string | null,
): Readonly<Record<string, string>> {
  const length = LENGTH[range];
  const begin = length === undefined ? null : new Date(openedAt - length).toISOString();
  const first = range === 'custom' ? from : begin;
  const isEarlier = to !== null && (end === null || Date.parse(to) < Date.parse(end));
  const last = range === 'custom' && isEarlier ? to : end;
  return {
    kind: kind ?? 'agents',
    ...(by === null ? {} : { by }),
    ...(agent === null ? {} : { agentId: agent }),
    ...(outcome === null ? {} : { outcome }),
    ...(violation === null ? {} : { violation_type: violation }),
    ...(type === null ? {} : { type }),
    ...(first === null ? {} : { from: withSeconds(first) }),
    ...(last === null ? {} : { to: withSeconds(last) }),
  };
}

/**
 * Returns true if an event is one of the list that `apiFilters` asks for.
 * @param openedAt when the list was opened, ms
 */
export function matches(filters: EventFilters, openedAt: number, event: EventRecord): boolean {
  const { kind, by, agent, outcome, violation, type, range, from, to } = filters;
  const length = LENGTH[range];
  const at = Date.parse(event.occurredAt);
  const begin = range === 'custom' ? from : null;
  return (
    isAccountStream(event.agentId) === (kind === 'account') &&
    (by === null || isBy(event, by)) &&
    (agent === null || event.agentId === agent) &&
    (outcome === null || event.outcome === outcome) &&
    (violation === null || event.violation_type === violation) &&
    (type === null || event.type === type) &&
    (length === undefined || at >= openedAt - length) &&
    (begin === null || at >= Date.parse(begin)) &&
    (range !== 'custom' || to === null || at < Date.parse(to))
  );
}

/** True for what the person did, and for what is about the person. */
function isBy({ detail, action }: EventRecord, id: string): boolean {
  const { user } = (action ?? {}) as { readonly user?: { readonly id?: unknown } | null };
  return detail === `user:${id}` || user?.id === id;
}

/** The API wants seconds; a field of a page may leave them out. */
function withSeconds(time: string): string {
  return /T\d{2}:\d{2}Z$/.test(time) ? time.replace('Z', ':00Z') : time;
}
