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
  /** Exactly the rule of an event. */
  readonly rule: string | null;
  readonly type: string | null;
  readonly range: RangeName;
  /** Of the range `custom`: ISO 8601 in UTC, inclusive. */
  readonly from: string | null;
  /** Of the range `custom`, exclusive. */
  readonly to: string | null;
}

export type FilterName = 'by' | 'agent' | 'outcome' | 'violation' | 'rule' | 'type' | 'range';

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

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Length of a range, and the steps in which its events are counted: it begins with a whole one. */
const PRESETS: Readonly<Partial<Record<RangeName, readonly [length: number, step: number]>>> = {
  hour: [HOUR, MINUTE],
  day: [DAY, HOUR],
  week: [7 * DAY, HOUR],
  month: [30 * DAY, DAY],
};
/** The most steps of days that are counted. */
const ALL_DAYS = 1_498;
/** The longest rule that the API takes. */
const LONGEST_RULE = 1024;

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
    rule: kind === null ? query.get('rule')?.slice(0, LONGEST_RULE) || null : null,
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
  const named = (['by', 'agent', 'outcome', 'violation', 'rule', 'type'] as const).filter(
    (name) => filters[name] !== null,
  );
  return filters.range === 'all' ? named : [...named, 'range'];
}

export function withoutFilter(filters: EventFilters, name: FilterName): EventFilters {
  return name === 'range' ? { ...filters, range: 'all', from: null, to: null } : { ...filters, [name]: null };
}

/** False for filters that need a look at each event: such a list has no total. */
export function isCounted({ rule, by }: EventFilters): boolean {
  return rule === null && by === null;
}

/** When a preset begins, ms; `null`: the range is none. */
function beginOf(range: RangeName, openedAt: number): number | null {
  const preset = PRESETS[range];
  if (preset === undefined) return null;
  const [length, step] = preset;
  return Math.floor((openedAt - length) / step) * step;
}

/** A range of time as its events are counted: `to` is exclusive, `null`: now; `step` in seconds. */
export interface CountedRange {
  readonly from: number;
  readonly to: number | null;
  readonly step: number;
}

/** The range of a list, with steps of which there are not too many to draw. */
export function countedRange({ range, from, to }: EventFilters, openedAt: number): CountedRange {
  const preset = PRESETS[range];
  const begin = beginOf(range, openedAt);
  if (preset !== undefined && begin !== null) return { from: begin, to: null, step: preset[1] / 1000 };
  const end = range === 'custom' && to !== null ? Date.parse(to) : null;
  const all = (end ?? openedAt) - ALL_DAYS * DAY;
  const first = range === 'custom' && from !== null ? Math.max(Date.parse(from), all) : all;
  const length = (end ?? openedAt) - first;
  const step = length <= 2 * HOUR ? MINUTE : length <= DAY ? 5 * MINUTE : length <= 14 * DAY ? HOUR : DAY;
  return { from: first, to: end, step: step / 1000 };
}

/**
 * The parameters of `GET /v1/events`.
 * @param openedAt when the list was opened, ms: presets count back from it
 * @param end ISO time at which the list ends, exclusive; `null`: it has no end but that of the filters
 */
export function apiFilters(
  { kind, by, agent, outcome, violation, rule, type, range, from, to }: EventFilters,
  openedAt: number,
  end: string | null,
): Readonly<Record<string, string>> {
  const begin = beginOf(range, openedAt);
  const first = range === 'custom' ? from : begin === null ? null : new Date(begin).toISOString();
  const isEarlier = to !== null && (end === null || Date.parse(to) < Date.parse(end));
  const last = range === 'custom' && isEarlier ? to : end;
  return {
    kind: kind ?? 'agents',
    ...(by === null ? {} : { by }),
    ...(agent === null ? {} : { agentId: agent }),
    ...(outcome === null ? {} : { outcome }),
    ...(violation === null ? {} : { violation_type: violation }),
    ...(rule === null ? {} : { rule }),
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
  const { kind, by, agent, outcome, violation, rule, type, range, from, to } = filters;
  const at = Date.parse(event.occurredAt);
  const begin = range === 'custom' ? (from === null ? null : Date.parse(from)) : beginOf(range, openedAt);
  return (
    isAccountStream(event.agentId) === (kind === 'account') &&
    (by === null || isBy(event, by)) &&
    (agent === null || event.agentId === agent) &&
    (outcome === null || event.outcome === outcome) &&
    (violation === null || event.violation_type === violation) &&
    (rule === null || event.rule === rule) &&
    (type === null || event.type === type) &&
    (begin === null || at >= begin) &&
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
