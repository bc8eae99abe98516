import { endOfString, type JsonText } from './json-text.js';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** So many digits every double holds, where nothing shifts them. */
const HELD = 15;

/**
 * The value, with a string in the place of each number that no double holds: the number as it is written, which is what
 * passes, and behind it, in brackets, what most readers take it for.
 * @param asText numbers that a double holds, and that stand as texts all the same
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

/** Whole, and of more than eight digits: as numbers of cards, telephones and people are. */
export function isLong(number: number): boolean {
  return Number.isInteger(number) && Math.abs(number) >= 1e8;
}

/** @param written a number of JSON */
function isHeld(written: string): boolean {
  if (written.length <= HELD && !/[eE]/.test(written)) return true;
  const held = Number(written);
  return Number.isFinite(held) && decimalOf(written) === decimalOf(String(held));
}

/** The same for two texts of one number: its digits without zeros at either end, and the power of ten behind them. */
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
