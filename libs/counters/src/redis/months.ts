const DAY_MS = 86_400_000;

/** `2026-11-21` as days since 1970; `''` as 0. */
export function dayNumber(day: string): number {
  return day === '' ? 0 : Date.parse(day) / DAY_MS;
}

/** `2026-11` as months since the year 0; `''` as 0. */
export function monthNumber(month: string): number {
  return month === '' ? 0 : Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

export function monthText(number: number): string {
  const month = `${(number % 12) + 1}`.padStart(2, '0');
  return `${Math.floor(number / 12)}`.padStart(4, '0') + `-${month}`;
}
