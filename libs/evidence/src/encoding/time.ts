const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Reports whether `value` is a real instant from 1970 on in ISO 8601 UTC with milliseconds: `2026-03-01T09:30:00.000Z`.
 */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const ms = Date.parse(value);
  return ms >= 0 && new Date(ms).toISOString() === value;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})T/;

/**
 * Milliseconds since the epoch of an ISO 8601 time with a zone, cut to whole milliseconds; `null` for a day that does
 * not exist, such as the 30th of February, which `Date.parse` takes for the 2nd of March.
 */
export function parseTime(text: string): number | null {
  const ms = Date.parse(text);
  const [, year, month, day] = DATE.exec(text) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(ms) || !(Number(day) <= lastDay) ? null : ms;
}

const DURATION = /^PT([1-9]\d*)([SMH])$/;
const UNIT_SECONDS = { S: 1, M: 60, H: 3600 } as const;

/**
 * ISO 8601 duration in the largest whole unit of hours, minutes and seconds: `PT1S`, `PT5M`, `PT1H`.
 * @throws RangeError unless `seconds` is a positive whole number
 */
export function isoDuration(seconds: number): string {
  if (!Number.isSafeInteger(seconds) || seconds <= 0) throw new RangeError('seconds must be a positive whole number');
  if (seconds % 3600 === 0) return `PT${seconds / 3600}H`;
  if (seconds % 60 === 0) return `PT${seconds / 60}M`;
  return `PT${seconds}S`;
}

/** Seconds of a duration in the form that {@link isoDuration} gives; `null` for any other text. */
export function parseIsoDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1]) * UNIT_SECONDS[match[2] as keyof typeof UNIT_SECONDS];
  return Number.isSafeInteger(seconds) && isoDuration(seconds) === text ? seconds : null;
}
