/** Maximum of sums of micro-dollars. */
export const MAX_MICROS = Number.MAX_SAFE_INTEGER;

/**
 * US dollars in whole micro-dollars, rounded up: of the number's decimal text, so 0.1 is exactly 100,000. Clamped at
 * {@link MAX_MICROS}. Zero for what is not above zero; the maximum for what is not a number.
 */
export function dollarsToMicros(dollars: number): number {
  return microsOf(dollars, 1);
}

/**
 * A limit in whole micro-dollars, rounded down, and below {@link MAX_MICROS}: a clamped cost or sum exceeds every
 * limit.
 */
export function limitToMicros(dollars: number): number {
  return Math.min(microsOf(dollars, 0), MAX_MICROS - 1);
}

function microsOf(dollars: number, roundUp: 0 | 1): number {
  if (!(dollars > 0)) return Number.isNaN(dollars) ? MAX_MICROS : 0;
  if (dollars >= 9_007_199_255) return MAX_MICROS;
  if (Number.isInteger(dollars)) return Math.min(dollars * 1_000_000, MAX_MICROS);
  const text = `${dollars}`;
  const exponentAt = text.indexOf('e');
  // Below 2^53 / 10^6 only small numbers have an exponent (1e-7, 1.5e-10): none of them reaches a micro-dollar.
  if (exponentAt >= 0) return roundUp;
  const point = text.indexOf('.');
  const whole = Number(text.slice(0, point));
  const micros = Number(text.slice(point + 1, point + 7).padEnd(6, '0'));
  const sum = whole * 1_000_000 + micros + (text.length > point + 7 ? roundUp : 0);
  return Math.min(sum, MAX_MICROS);
}
