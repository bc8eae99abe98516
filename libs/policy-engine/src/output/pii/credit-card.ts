import { DigitGroups, fieldBegins, fieldEnds } from './digit-groups.js';

const MOST_DIGITS = 19;

/** Beginnings of the card numbers that are issued (ISO/IEC 7812), from longest to shortest, with the lengths in use. */
const ISSUERS: readonly (readonly [first: number, last: number, digits: number, lengths: readonly number[]])[] = [
  [4, 4, 1, [13, 16, 19]],
  [51, 55, 2, [16]],
  [2221, 2720, 4, [16]],
  [34, 34, 2, [15]],
  [37, 37, 2, [15]],
  [300, 305, 3, [14, 16, 17, 18, 19]],
  [3095, 3095, 4, [14, 16, 17, 18, 19]],
  [36, 36, 2, [14, 15, 16, 17, 18, 19]],
  [38, 39, 2, [14, 16, 17, 18, 19]],
  [35, 35, 2, [16, 17, 18, 19]],
  [1800, 1800, 4, [15]],
  [2131, 2131, 4, [15]],
  [2200, 2204, 4, [16, 17, 18, 19]],
  [6011, 6011, 4, [16, 17, 18, 19]],
  [62, 62, 2, [16, 17, 18, 19]],
  [64, 65, 2, [16, 17, 18, 19]],
  [81, 82, 2, [16, 17, 18, 19]],
  [50, 50, 2, [12, 13, 14, 15, 16, 17, 18, 19]],
  [56, 58, 2, [12, 13, 14, 15, 16, 17, 18, 19]],
  [60, 61, 2, [16]],
  [63, 63, 2, [12, 13, 14, 15, 16, 17, 18, 19]],
  [66, 69, 2, [12, 13, 14, 15, 16, 17, 18, 19]],
];

const groups = new DigitGroups(MOST_DIGITS);

/** Card numbers of known issuers and lengths whose check digit (ISO/IEC 7812-1 annex B, Luhn) holds, plain or in groups. */
export function creditCardEnd(text: string, at: number): number {
  const track = beginsTrack(text, at);
  if (!track && !fieldBegins(text, at)) return 0;
  if (!groups.read(text, track ? at + 1 : at, 4) || groups.total < 12) return 0;
  let digits = 0;
  for (let group = 0; group < groups.count; group += 1) {
    digits += groups.length(group);
    const end = groups.end(group);
    if (digits >= 12 && passesLuhn(digits) && isIssued(digits) && fieldEnds(text, end)) return end;
  }
  return 0;
}

/** `%B`, with which track 1 of a magnetic stripe begins (ISO/IEC 7813). */
function beginsTrack(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x42 && text.charCodeAt(at - 1) === 0x25;
}

function isIssued(digits: number): boolean {
  for (const [first, last, length, lengths] of ISSUERS) {
    const begins = groups.value(0, length);
    if (begins >= first && begins <= last && lengths.includes(digits)) return true;
  }
  return false;
}

function passesLuhn(digits: number): boolean {
  let sum = 0;
  for (let i = digits - 1, doubled = false; i >= 0; i -= 1, doubled = !doubled) {
    const digit = groups.digits[i]!;
    sum += doubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}
