import { fieldBegins, fieldEnds, groups } from './digit-groups.js';
import { groupAfter, groupBefore } from './gaps.js';
import { isParcelNumber } from './other-numbers.js';

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

/** By the first four digits: a bit for each length in use. */
const LENGTHS = Uint32Array.from({ length: 10_000 }, (_, four) => {
  const issued = ISSUERS.filter(([first, last, digits]) => {
    const begins = Math.floor(four / 10 ** (4 - digits));
    return begins >= first && begins <= last;
  });
  return issued.flatMap(([, , , lengths]) => lengths).reduce((bits, length) => bits | (1 << length), 0);
});

/** Groups in which cards print their numbers. */
const PRINTED: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 4, 3],
];

/**
 * Card numbers of known issuers and lengths whose check digit (ISO/IEC 7812-1 annex B, Luhn) holds, plain or in groups.
 */
export function creditCardEnd(text: string, at: number): number {
  const track = beginsTrack(text, at);
  if (!track && !fieldBegins(text, at)) return 0;
  groups.read(text, track ? at + 1 : at);
  if (groups.count === 0 || groups.length(0) < 4) return 0;
  let digits = 0;
  for (let group = 0; group < groups.count; group += 1) {
    digits += groups.length(group);
    const end = groups.end(group);
    if (digits < 12 || !passesLuhn(digits) || !isIssued(digits) || !fieldEnds(text, end)) continue;
    if (!groups.areLoose(group + 1) || isPrinted(text, at, group + 1)) return isParcelNumber(text, at) ? 0 : end;
  }
  return 0;
}

/**
 * In cells, lines, columns or a list: as cards print it, with the same separator throughout, and no further group of
 * four next to it.
 */
function isPrinted(text: string, at: number, count: number): boolean {
  if (!groups.areUniform(count) || !PRINTED.some((lengths) => lengths.length === count && groups.areOf(lengths))) {
    return false;
  }
  const separator = groups.separator(1);
  return !groupBefore(text, at, 4, separator) && !groupAfter(text, groups.end(count - 1), 4, separator);
}

/** `%B`, with which track 1 of a magnetic stripe begins (ISO/IEC 7813). */
function beginsTrack(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x42 && text.charCodeAt(at - 1) === 0x25;
}

function isIssued(digits: number): boolean {
  return ((LENGTHS[groups.value(0, 4)]! >> digits) & 1) === 1;
}

/** Contribution of a doubled digit. */
const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);

function passesLuhn(count: number): boolean {
  const { digits } = groups;
  let sum = 0;
  for (let i = count - 1; i >= 0; i -= 2) sum += digits[i]!;
  for (let i = count - 2; i >= 0; i -= 2) sum += DOUBLED[digits[i]!]!;
  return sum % 10 === 0;
}
