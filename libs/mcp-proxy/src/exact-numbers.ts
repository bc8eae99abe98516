import { endOfString, type JsonText } from './json-text.js';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Every double holds this many decimal digits exactly. */
const HELD = 15;

/**
 * The value with each number that a double cannot represent replaced by a string: the number as written, which is
 * what passes, followed by the value that most readers parse, in brackets.
 * @param asText selects numbers that a double represents but that become text anyway
 */
export function exactValue({ value, text }: JsonText, asText: (number: number) => boolean = () => false): unknown {
  const parts: string[] = [];
  let changed = false;
  let from = 0;
  const exactly = (written: string): string => {
    const held = Number(written);
    if (!isHeld(written)) return `"${written} (${held})"`;
    return asText(held) ? `"${held}"` : written;
  };
  const take = (to: number): void => {
    const between = text.slice(from, to);
    const exact = between.replace(NUMBER, exactly);
    changed ||= exact !== between;
    parts.push(exact);
  };
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', from)) {
    take(at);
    from = endOfString(text, at);
    parts.push(text.slice(at, from));
  }
  take(text.length);
  return changed ? (JSON.parse(parts.join('')) as unknown) : value;
}

/** Whole, and of more than eight digits: as card, telephone and identity numbers are. */
export function isLong(number: number): boolean {
  return Number.isInteger(number) && Math.abs(number) >= 1e8;
}

/** @param written a number of JSON */
function isHeld(written: string): boolean {
  if (written.length <= HELD && !/[eE]/.test(written)) return true;
  const held = Number(written);
  return Number.isFinite(held) && decimalOf(written) === decimalOf(String(held));
}

/** Canonical form of a decimal number: its digits without zeros at either end, and the exponent. */
function decimalOf(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const end = lengthWithoutZeros(digits);
  if (end === 0) return '0';
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

function lengthWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return end;
}
