import { CommandFailed, EXIT } from '../exit-codes.js';

/** A range of whole days, in UTC. */
export interface Days {
  /** ISO. `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string;
  /** `2026Q4`, or `2026-10-01-2026-12-31`. */
  readonly name: string;
}

const QUARTER = /^(\d{4})-?Q([1-4])$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The days of a series: `--quarter`, or dates without times in `--from` and `--to`, of which the last day is included.
 * `null`: neither, so that one package is meant.
 * @throws CommandFailed 64 for dates that the calendar lacks, a time with a date, and a quarter with other dates
 */
export function daysOf(
  { quarter, from, to }: { readonly quarter?: string; readonly from: string; readonly to?: string },
  now: number = Date.now(),
): Days | null {
  if (quarter !== undefined) return quarterOf(quarter, from, to, now);
  const dates = [from, to].filter((text) => text !== undefined && DATE.test(text));
  if (dates.length === 0) return null;
  if (to === undefined || dates.length !== 2)
    throw new CommandFailed(EXIT.usage, 'give dates in both --from and --to, or times in both');
  const days = { from: startOf(from), to: startOf(to) + DAY_MS };
  if (days.from >= days.to) throw new CommandFailed(EXIT.usage, '--from must not be after --to');
  return untilNow(days.from, days.to, `${from}-${to}`, now);
}

const DAY_MS = 86_400_000;

function quarterOf(quarter: string, from: string, to: string | undefined, now: number): Days {
  const [, year, number] = QUARTER.exec(quarter) ?? [];
  if (year === undefined || Number(year) < 1970)
    throw new CommandFailed(EXIT.usage, `--quarter must be a year and a quarter, such as 2026Q4, not ${quarter}`);
  if (to !== undefined || !from.startsWith('1970-01-01T'))
    throw new CommandFailed(EXIT.usage, 'give --quarter, or --from and --to, not both');
  const month = 3 * (Number(number) - 1);
  const range = [Date.UTC(Number(year), month), Date.UTC(Number(year), month + 3)] as const;
  return untilNow(...range, `${year}Q${number}`, now);
}

/**
 * A package may not cover time that is still to come: events that happen later would be missing from it. Neither may it
 * cover the second of the sign-in, whose window is not anchored yet.
 */
function untilNow(from: number, to: number, name: string, now: number): Days {
  if (from >= now) throw new CommandFailed(EXIT.usage, `${name} has not begun: there is nothing to export yet`);
  return {
    from: new Date(from).toISOString(),
    to: new Date(Math.min(to, Math.floor(now / 1000) * 1000)).toISOString(),
    name,
  };
}

function startOf(date: string): number {
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  if (Number.isNaN(ms) || ms < 0 || new Date(ms).toISOString().slice(0, 10) !== date)
    throw new CommandFailed(EXIT.usage, `${date} is not a day that the calendar has, from 1970 on`);
  return ms;
}
