const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTES_OF_DAY = 1440;
const TIMES = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/**
 * Compiles `hours(time, zone, days, times)`. Days are `mon-fri`, `sat,sun` or `daily`. Times are `07:00-19:00`, the end
 * excluded; where the end is not after the beginning, it is that of the next day, and the day is that of the beginning.
 * @returns a function that reports whether a local time is inside; it takes seconds since 1970 plus the zone's offset
 * @throws RangeError with the rest of a sentence, for days or times that are none
 */
export function compileHours(days: string, times: string): (localSeconds: number) => boolean {
  const isDay = daysOf(days);
  const [, h1, m1, h2, m2] = TIMES.exec(times) ?? [];
  if (h1 === undefined) throw new RangeError('has times that are not of the form 07:00-19:00');
  const begin = Number(h1) * 60 + Number(m1);
  const end = Number(h2) * 60 + Number(m2);
  if (end > MINUTES_OF_DAY) throw new RangeError('has a time after 24:00');
  return (localSeconds) => {
    const minutes = Math.floor(localSeconds / 60);
    const minute = minutes - Math.floor(minutes / MINUTES_OF_DAY) * MINUTES_OF_DAY;
    // 1970-01-01 was a Thursday.
    const day = (((Math.floor(minutes / MINUTES_OF_DAY) + 4) % 7) + 7) % 7;
    if (begin < end) return isDay[day]! && minute >= begin && minute < end;
    return (isDay[day]! && minute >= begin) || (isDay[(day + 6) % 7]! && minute < end);
  };
}

function daysOf(text: string): readonly boolean[] {
  const isDay = DAYS.map(() => text === 'daily');
  if (text === 'daily') return isDay;
  for (const part of text.split(',')) {
    const [from, to, ...more] = part.split('-').map((name) => DAYS.indexOf(name));
    if (from === undefined || from < 0 || (to !== undefined && to < 0) || more.length > 0) {
      throw new RangeError('has days that are not of the form mon-fri, sat,sun or daily');
    }
    for (let day = from; ; day = (day + 1) % 7) {
      isDay[day] = true;
      if (day === (to ?? from)) break;
    }
  }
  return isDay;
}

const ZONE = /^(?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2})$/;

/**
 * The offset of a time zone from UTC at a time, in minutes, east positive, by the time zone data of this process;
 * `null` for an unknown zone. Callers commit to the offset, so that a verdict can be computed again with other data.
 * @param zone a name of the IANA time zone database
 * @param seconds since 1970
 */
export function zoneOffset(zone: string, seconds: number): number | null {
  if (!ZONE.test(zone)) return null;
  const clock = clockOf(zone);
  if (clock === null) return null;
  const parts = new Map(clock.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return Math.round((local / 1000 - Math.floor(seconds)) / 60);
}

const clocks = new Map<string, Intl.DateTimeFormat | null>();
/** Zones of the database, and aliases of them. */
const MAX_CLOCKS = 1000;

function clockOf(zone: string): Intl.DateTimeFormat | null {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  let clock: Intl.DateTimeFormat | null;
  try {
    clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-hc-h23', {
      timeZone: zone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    clock = null;
  }
  if (clocks.size < MAX_CLOCKS) clocks.set(zone, clock);
  return clock;
}
