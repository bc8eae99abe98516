/** The next number with two significant digits that is not below: 118.2 becomes 120, 7 remains 7. */
export function roundedUp(value: number): number {
  if (value <= 0) return value === 0 ? 0 : -roundedDown(-value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return plain(Math.ceil(plain(value / step)), step);
}

function roundedDown(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return plain(Math.floor(plain(value / step)), step);
}

/** A product without the digits that binary fractions add: 12 × 0.1 is 1.2. */
function plain(value: number, step = 1): number {
  return Number((value * step).toPrecision(12));
}

/** The next whole number with two significant digits that is not below `value × factor`. */
export const withHeadroom = (value: number, factor: number): number => roundedUp(Math.ceil(plain(value * factor)));

/**
 * The texts that remain if the rarest are left out, as long as the checks of those are at most `allowance`.
 * @param lists texts of each check
 * @returns by code unit
 */
export function frequent(lists: readonly (readonly string[])[], allowance: number): readonly string[] {
  const checks = new Map<string, number>();
  for (const list of lists) for (const text of new Set(list)) checks.set(text, (checks.get(text) ?? 0) + 1);
  const rarest = [...checks].toSorted((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
  let left = allowance;
  const first = rarest.findIndex(([, count]) => (left -= count) < 0);
  return (first < 0 ? [] : rarest.slice(first)).map(([text]) => text).toSorted();
}
