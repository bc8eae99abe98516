import type { Framework } from '@countersign/contracts';
import { reportWords } from '../../words/reports.js';

/** The selection of the screen of coverage, as it stands in the address. */
export interface CoveragePlace {
  readonly framework: Framework;
  readonly range: RangeName;
  /** Of the range `custom`: ISO 8601 in UTC; `null`: not given yet. */
  readonly from: string | null;
  readonly to: string | null;
  readonly agent: string | null;
  readonly by: 'day' | 'agent';
}

export const RANGES = ['day', 'week', 'month', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

const DAY = 86_400_000;
const DAYS: Readonly<Record<Exclude<RangeName, 'custom'>, number>> = { day: 1, week: 7, month: 30 };
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

export const FRAMEWORKS = Object.keys(reportWords.frameworks) as readonly Framework[];

/** Reads an address; a value that it cannot have is left out. */
export function coveragePlace(query: URLSearchParams): CoveragePlace {
  const framework = query.get('framework');
  const range = query.get('range');
  return {
    framework: FRAMEWORKS.find((one) => one === framework) ?? 'soc2',
    range: RANGES.find((one) => one === range) ?? 'week',
    from: timeOf(query, 'from'),
    to: timeOf(query, 'to'),
    agent: agentOf(query),
    by: query.get('by') === 'agent' ? 'agent' : 'day',
  };
}

/** The members of an address that give this place. */
export function placeQuery({
  framework,
  range,
  from,
  to,
  agent,
  by,
}: CoveragePlace): Readonly<Record<string, string | null>> {
  return {
    framework,
    range: range === 'week' ? null : range,
    from: range === 'custom' ? from : null,
    to: range === 'custom' ? to : null,
    agent,
    by: by === 'day' ? null : by,
  };
}

/** The bounds that are asked for; `null`: a bound of a range of one's own is missing. @param now ms */
export function boundsOf(
  { range, from, to }: CoveragePlace,
  now: number,
): { readonly from: string; readonly to: string } | null {
  if (range !== 'custom')
    return { from: new Date(now - DAYS[range] * DAY).toISOString(), to: new Date(now).toISOString() };
  return from === null || to === null ? null : { from: withSeconds(from), to: withSeconds(to) };
}

/** The part of a range that lies in a day in UTC. @param day `2026-03-01` */
export function boundsOfDay(
  { from, to }: { readonly from: string; readonly to: string },
  day: string,
): { readonly from: string; readonly to: string } {
  const begin = `${day}T00:00:00.000Z`;
  const end = new Date(Date.parse(begin) + DAY).toISOString();
  return { from: begin > from ? begin : from, to: end < to ? end : to };
}

export function timeOf(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  return value !== null && TIME.test(value) ? value : null;
}

export function agentOf(query: URLSearchParams): string | null {
  const value = query.get('agent');
  return value !== null && UUID.test(value) ? value.toLowerCase() : null;
}

/** The API wants seconds; a field of a page may leave them out. */
function withSeconds(time: string): string {
  return /T\d{2}:\d{2}Z$/.test(time) ? time.replace('Z', ':00Z') : time;
}
