import { saidBefore, wordsOf } from './context.js';
import { fieldBegins, fieldEnds, groups } from './digit-groups.js';
import { isMoney } from './other-numbers.js';
import { DASH, SLASH } from './gaps.js';
import type { PiiMatcher } from './matcher.js';

/** Recognition of a number that consists of digits only. */
interface NumberForm {
  readonly digits: number;
  /** True if the digits that were read can be such a number: by their check digits, and the date in them. */
  readonly holds: () => boolean;
  /** Words that identify it: after them it is found in any groups. */
  readonly words: RegExp;
  /**
   * True if this many groups, none in cells or lines, are such a number without words: where its check digits and its
   * grouping make it unlikely that numbers of orders, files and items match.
   */
  readonly alone: (count: number) => boolean;
}

const { digits } = groups;
const never = (): boolean => false;

/** Austrian social insurance numbers: serial, check digit (modulus 11), date of birth. */
export const atSvnrEnd = matcherOf({
  digits: 10,
  holds: () => {
    const sum = weighted([3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11;
    return digits[0] !== 0 && sum === digits[3] && isDay(groups.value(4, 6)) && isMonth(groups.value(6, 8));
  },
  words: wordsOf('svnr|sv[ -]?nr|sozialversicherungs?(?:nummer|nr)|versicherungsnummer|vsnr'),
  alone: (count) => count === 2 && groups.areOf([4, 6]),
});

/** Belgian national register numbers, of foreigners (bis) as well: date of birth, serial, modulus 97. */
export const beRrnEnd = matcherOf({
  digits: 11,
  holds: () => {
    const number = groups.value(0, 9);
    const check = groups.value(9, 11);
    const month = groups.value(2, 4);
    if (!isMonth(month > 40 ? month - 40 : month > 20 ? month - 20 : month) || !isDay(groups.value(4, 6))) return false;
    return check === 97 - (number % 97) || check === 97 - ((2_000_000_000 + number) % 97);
  },
  words: wordsOf('rrn|niss|insz|rijksregister\\w{0,8}|registre national|national register'),
  alone: (count) => count === 1 || groups.areOf([2, 2, 2, 3, 2]) || groups.areOf([6, 3, 2]),
});

/** Czech and Slovak birth numbers since 1954: date of birth, serial, the whole a multiple of 11. */
export const czRodneCisloEnd = matcherOf({
  digits: 10,
  holds: () => {
    const month = groups.value(2, 4) % 50;
    if (!isMonth(month > 20 ? month - 20 : month) || !isDay(groups.value(4, 6))) return false;
    return groups.value(0, 10) % 11 === 0 || (groups.value(0, 9) % 11 === 10 && digits[9] === 0);
  },
  words: wordsOf('rodn[eé] [cč][ií]slo|rodne_?cislo|birth number|r\\.? ?[cč]\\.?'),
  // `260512/0042` is the number of an order.
  alone: (count) => count === 2 && groups.areOf([6, 4]) && groups.separator(1) === SLASH && groups.value(0, 2) >= 54,
});

/** German tax identification numbers: one digit two or three times among the first ten, ISO 7064 modulus 11, 10. */
export const deSteuerIdEnd = matcherOf({
  digits: 11,
  holds: () => digits[0] !== 0 && hasOneRepeated() && iso7064Mod11And10(),
  words: wordsOf(
    'steuer[ -]?id(?:entifikationsnummer|nr)?|steuerliche[a-z]{0,2} identifikationsnummer|id-?nr|tin|tax id',
  ),
  alone: (count) => count === 1 || groups.areOf([2, 3, 3, 3]),
});

/** Dutch citizen service numbers: nine digits, weighted sum a multiple of 11. */
export const nlBsnEnd = matcherOf({
  digits: 9,
  holds: () => groups.value(0, 9) > 0 && weighted([9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  words: wordsOf('bsn|burger[ -]?service[ -]?nummer|sofi(?:[ -]?nummer)?|citizen service number'),
  alone: never,
});

/** Polish PESEL numbers: date of birth, serial, modulus 10. */
export const plPeselEnd = matcherOf({
  digits: 11,
  holds: () => {
    const month = groups.value(2, 4) % 20;
    return isMonth(month) && isDay(groups.value(4, 6)) && weighted([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
  },
  words: wordsOf('pesel'),
  alone: never,
});

/** Portuguese tax numbers of people: nine digits, modulus 11. */
export const ptNifEnd = matcherOf({
  digits: 9,
  holds: () => {
    const check = 11 - (weighted([9, 8, 7, 6, 5, 4, 3, 2, 0]) % 11);
    return [1, 2, 3].includes(digits[0]!) && (check > 9 ? 0 : check) === digits[8];
  },
  words: wordsOf('nif|contribuinte|n[uú]mero fiscal|numero_fiscal|portuguese tax (?:id|number)'),
  alone: never,
});

/** Romanian personal numeric codes: sex and century, date of birth, county, modulus 11. */
export const roCnpEnd = matcherOf({
  digits: 13,
  holds: () => {
    const county = groups.value(7, 9);
    if (digits[0] === 0 || !isMonth(groups.value(3, 5)) || !isDay(groups.value(5, 7))) return false;
    if (county < 1 || (county > 48 && county !== 51 && county !== 52 && county !== 70)) return false;
    const check = weighted([2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9, 0]) % 11;
    return (check === 10 ? 1 : check) === digits[12];
  },
  words: wordsOf('cnp|cod(?:ul)? numeric personal'),
  alone: never,
});

/** Swedish personal identity numbers, with or without the century: date of birth, serial, Luhn. */
const SE_WORDS = wordsOf('person(?:al)?(?: identity)?[ -]?(?:nummer|number|nr)|samordningsnummer|pnr');
const seShort = matcherOf({
  digits: 10,
  holds: () => isSwedish(0),
  words: SE_WORDS,
  // `260512-0042` is the number of an order.
  alone: (count) => count === 2 && groups.areOf([6, 4]) && groups.separator(1) === DASH && groups.value(0, 2) >= 30,
});
const seLong = matcherOf({
  digits: 12,
  holds: () => [19, 20].includes(groups.value(0, 2)) && isSwedish(2),
  words: SE_WORDS,
  alone: (count) => count === 2 && groups.areOf([8, 4]) && groups.separator(1) === DASH && groups.value(0, 2) === 19,
});
export const sePersonnummerEnd: PiiMatcher = (text, at) => seShort(text, at) || seLong(text, at);

function isSwedish(from: number): boolean {
  const day = groups.value(from + 4, from + 6);
  if (!isMonth(groups.value(from + 2, from + 4)) || !isDay(day > 60 ? day - 60 : day)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i += 1) {
    const twice = digits[from + i]! * (i % 2 === 0 ? 2 : 1);
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

function matcherOf({ digits: wanted, holds, words, alone }: NumberForm): PiiMatcher {
  return (text, at) => {
    if (!fieldBegins(text, at)) return 0;
    groups.read(text, at);
    const count = groups.groupsOf(wanted);
    if (count === 0 || !holds()) return 0;
    const end = groups.end(count - 1);
    if (!fieldEnds(text, end)) return 0;
    if (saidBefore(words, text, at)) return end;
    const isAmount = count > 1 && groups.length(count - 1) === 3 && isMoney(text, at, end);
    return standsAlone(count, alone) && !isAmount ? end : 0;
  };
}

/** A slash counts as a cell separator, except where the number is written with one. */
function standsAlone(count: number, alone: NumberForm['alone']): boolean {
  return (!groups.areLoose(count) || (count === 2 && groups.separator(1) === SLASH)) && alone(count);
}

/** The digits, each times its weight. */
function weighted(weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) sum += weights[i]! * digits[i]!;
  return sum;
}

function isDay(day: number): boolean {
  return day >= 1 && day <= 31;
}

function isMonth(month: number): boolean {
  return month >= 1 && month <= 12;
}

function hasOneRepeated(): boolean {
  const times = new Uint8Array(10);
  for (let i = 0; i < 10; i += 1) times[digits[i]!]! += 1;
  let repeated = 0;
  for (const count of times) {
    if (count > 3) return false;
    if (count > 1) repeated += 1;
  }
  return repeated === 1;
}

function iso7064Mod11And10(): boolean {
  let product = 10;
  for (let i = 0; i < 10; i += 1) {
    const sum = (digits[i]! + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digits[10];
}
