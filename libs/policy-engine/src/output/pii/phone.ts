import { isPossibleNumber } from './calling-codes.js';
import { isAlphanumeric, isDigit } from './characters.js';
import { numberEnds } from './digit-groups.js';
import { isMoney, isNamedOtherwise, isParcelNumber } from './other-numbers.js';
import { isSaidPhone } from './phone-words.js';

/** ITU-T E.164 allows 15 digits. */
const MOST_DIGITS = 15;
const MOST_CHARACTERS = 32;
/** Characters of the lengths of six groups: `2-2-2-2-2-2`. */
const MOST_GROUPS = 11;
const SIGNS = ' -./()';
const PLUS = 0x2b;
const OPEN = 0x28;
const SPACE = 0x20;

/**
 * Phone numbers. With `+` or `00`: by the countries' numbers of libphonenumber. Without: by the groupings of national
 * numbers, which need no known country, and never a date, a social security number or a ZIP code.
 */
export function phoneEnd(text: string, at: number): number {
  return begins(text, at) ? longest(text, at, text.charCodeAt(at) === PLUS) : 0;
}

function begins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (text.charCodeAt(at) === PLUS) return !isAlphanumeric(before);
  if (isAlphanumeric(before) || before === PLUS || before === OPEN || before === 0x23 || before === 0x24) return false;
  // After a dash, a dot, a slash or a colon that follows a digit the number began earlier.
  const joint = (before >= 0x2c && before <= 0x2f) || before === 0x3a || before === 0x5f;
  return !(joint && isDigit(text.charCodeAt(at - 2)));
}

/** Thousands, as amounts are grouped. */
const THOUSANDS = /^[123](?:-3)+$/;

/**
 * Reports whether words or signs next to a national number in these groups identify it as an amount, or a carrier's
 * number.
 */
function isOtherNumber(text: string, at: number, end: number, digits: string, groups: string, shape: string): boolean {
  if ((THOUSANDS.test(groups) && isMoney(text, at, end)) || isParcelNumber(text, at)) return true;
  return isAmbiguous(text, at, end, digits, groups, shape) && !isSaidPhone(text, at);
}

/** Numbers with decimals, alone or in a row: one dot between two groups, and no dot on both sides of a group. */
const DECIMALS = /^\.(?:[^.]+\.)*$/;
/** Dots between some groups, and something other than brackets between others. */
const SOME_DOTS = /^(?=.*\.)[^()]*[ /-][^()]*$/;
const NORTH_AMERICAN = /^(?:1-)?3-3-4$/;
/** Groups that numbers of orders and parts and ranges have as well. */
const COMMON = /^(?:4-4|3-3-3|3-2-3|2-3-3|2-6)$/;
const RUN = /^1[01]$/;
const IN_LIST_BEFORE = /(?<!\d)\d{8,12}(?:[,;][ \t]?|[ \t](?:and|or|und|oder|et|y|[-–])[ \t])$/;
const IN_LIST_AFTER = /^(?:[,;][ \t]?|[ \t](?:and|or|und|oder|et|y|[-–])[ \t])\d{8,12}(?!\d)/;

/**
 * Reports whether other numbers are so often written this way that only a word before it identifies a national number.
 */
function isAmbiguous(text: string, at: number, end: number, digits: string, groups: string, shape: string): boolean {
  if (shape.includes('(')) return false;
  const isRun = RUN.test(groups);
  // Decimals have no leading zero before other digits, and ranges seldom: it is a trunk prefix.
  if (!digits.startsWith('0')) {
    if (DECIMALS.test(shape) || (SOME_DOTS.test(shape) && !NORTH_AMERICAN.test(groups))) return true;
    if (COMMON.test(groups) && shape.trim() !== '') return true;
    if (isRun && isInList(text, at, end)) return true;
  }
  return (isRun || COMMON.test(groups) || SHORT.test(groups)) && isNamedOtherwise(text, at);
}

/** Reports whether another run of about as many digits is next to it, as in a list of identifiers. */
function isInList(text: string, at: number, end: number): boolean {
  return IN_LIST_BEFORE.test(text.slice(Math.max(0, at - 20), at)) || IN_LIST_AFTER.test(text.slice(end, end + 20));
}

/**
 * Reports whether no other digits are next to it, one space away: otherwise a short number is part of something longer.
 */
function standsAlone(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at - 1) === SPACE && isDigit(text.charCodeAt(at - 2))) return false;
  return !(text.charCodeAt(end) === SPACE && isDigit(text.charCodeAt(end + 1)));
}

/** The end of the longest phone number that begins at `at`, 0 when none does. */
function longest(text: string, at: number, international: boolean): number {
  const limit = Math.min(text.length, at + MOST_CHARACTERS);
  let digits = '';
  let groups = '';
  let shape = '';
  let found = 0;
  let group = 0;
  for (let i = international ? at + 1 : at, gap = 0; i <= limit; i += 1) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) {
      gap = 0;
      group += 1;
      if (group > MOST_DIGITS) return found;
      continue;
    }
    if (group > 0) {
      digits += text.slice(i - group, i);
      groups += groups === '' ? `${group}` : `-${group}`;
      group = 0;
      if (digits.length > MOST_DIGITS || groups.length > MOST_GROUPS) return found;
      if (digits.length >= 7 && ends(text, i) && isPhone(digits, groups, shape, international)) {
        const isShort = SHORT.test(groups) && !standsAlone(text, at, i);
        if (!isShort && (international || !isOtherNumber(text, at, i, digits, groups, shape))) found = i;
      }
      // A first group of one digit is a country's, or the 1 of North America.
      if (groups === '1' && !international && digits !== '1') return 0;
    }
    if (!SIGNS.includes(text.charAt(i)) || gap === 3) return found;
    shape += text.charAt(i);
    gap += 1;
  }
  return found;
}

/** An extension may follow: `x4587`. */
function ends(text: string, end: number): boolean {
  if (text.charCodeAt(end) === 0x78 && isDigit(text.charCodeAt(end + 1))) return true;
  return numberEnds(text, end);
}

function isPhone(digits: string, groups: string, shape: string, international: boolean): boolean {
  if (international) return isPossibleNumber(shape.includes('(') ? withoutTrunkZero(digits, groups) : digits);
  if (digits.startsWith('00') && digits.length >= 10) return isPossibleNumber(digits.slice(2));
  return isNational(digits, groups, shape);
}

/** `+46 (0)8 …`: the zero in brackets is dialled only within the country. */
function withoutTrunkZero(digits: string, groups: string): string {
  const country = Number.parseInt(groups, 10);
  return digits.charAt(country) === '0' ? digits.slice(0, country) + digits.slice(country + 1) : digits;
}

const DATE = /^(?:4-2-2|2-2-4|1-2-4|2-1-4|1-1-4|4-1-2|4-2-1|4-1-1)$/;
/** Social security numbers, ZIP+4, cards in groups of four. */
const OTHER_NUMBER = /^(?:3-2-4|5-4|4-4-4.*|4-6-[45])$/;
/** IPv4 addresses, and thousands with dots. */
const DOTTED_NUMBER = /^(?:[123](?:-[123]){3}|[123](?:-3)+)$/;
/** Numbers of materials and versions. */
const DOTTED_PARTS = /^[23]-[23]-2$/;
/** Two groups are a number only when they are alone. */
const SHORT = /^(?:3-4|4-4|2-6)$/;
const NANP = /^1?[2-9]\d\d[2-9]\d{6}$/;
/** Groups of national numbers, by their lengths: after two or three digits two to four groups of two to four. */
const NATIONAL = /^[23](?:-[2-4]){2,4}$/;

/** @param groups the lengths of the groups, `3-3-4` */
function isNational(digits: string, groups: string, shape: string): boolean {
  const { length } = digits;
  if (groups === '10' || groups === '11') return NANP.test(digits) || (length === 11 && /^0[1-9]/.test(digits));
  if (!groups.includes('-') || length > 12 || DATE.test(groups) || OTHER_NUMBER.test(groups)) return false;
  if (DOTTED_NUMBER.test(groups) && /^\.+$/.test(shape)) return false;
  if (DOTTED_PARTS.test(groups) && /^\.+$/.test(shape)) return false;
  // `639 - 1703` subtracts.
  if (groups === '3-4') return /^[2-9]/.test(digits) && shape.length === 1;
  if (groups === '4-4') return /^[- ]$/.test(shape) && /^[2-9]/.test(digits) && !digits.startsWith('20');
  if (groups === '1-3-3-4') return digits.startsWith('1');
  if (digits.startsWith('0')) return length >= 9 && digits.charAt(1) !== '0';
  if (shape.startsWith('(')) return length >= 8;
  return groups === '2-6' || (length >= 8 && NATIONAL.test(groups));
}
