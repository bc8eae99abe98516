/** Decimals are counted in units of 10^-9. */
const PLACES = 9;
/** Below 10^9 units, so that a decimal is an integer of 64 bits. */
const MAX_WHOLE_DIGITS = 9;
const MAX_LENGTH = 40;
const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * The decimal of a text, or of the shortest text that gives the same double (ECMA-262, Number::toString), in whole
 * units of 10^-9: `"12.50"` is 12500000000n. `null` for any other text, more than nine places that are not zero, and
 * magnitudes of 10^9 and more.
 */
export function nanosOf(value: string | number | bigint): bigint | null {
  const text = String(value);
  const [, sign, whole, fraction = '', exponent = '0'] = text.length <= MAX_LENGTH ? (DECIMAL.exec(text) ?? []) : [];
  if (whole === undefined) return null;
  const shift = Number(exponent);
  if (Math.abs(shift) > MAX_LENGTH) return null;
  // Digits without a point, and the number of those after it.
  const digits = whole + fraction;
  const places = fraction.length - shift;
  const missing = PLACES - places;
  if (missing < 0 && /[1-9]/.test(digits.slice(missing))) return null;
  const nanos = BigInt(missing < 0 ? digits.slice(0, missing) || '0' : digits + '0'.repeat(missing));
  if (nanos >= 10n ** BigInt(MAX_WHOLE_DIGITS + PLACES)) return null;
  return sign === '-' ? -nanos : nanos;
}
