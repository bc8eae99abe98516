const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Zero-width characters, joiners, marks of direction, soft hyphens, variation selectors, tags. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** Combining marks in a row, and the two letters that become one (U+FF9E, U+FF9F). */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const DECIMAL_DIGIT = /\p{Nd}/u;
/** Decimal digits beyond ASCII. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** White space of Unicode, U+0085 among it, hyphens, dashes, underscores and bars, that is not one space already. */
const BETWEEN_WORDS = /[\s\x85_|\-\u2010-\u2015\u2212]{2,}|[^\S ]|[\x85_|\-\u2010-\u2015\u2212]/g;
const FINAL_SIGMA = /ς/g;

/** Symbols and ordinal indicators next to a digit. */
const SYMBOLS = /[\p{So}ºª](?=\p{N})|[\p{So}ºª](?<=\p{N}.)/gu;
const LETTERS = /[A-Za-z]/;

/**
 * A text without characters of zero width, in NFKC, with the decimal digits of every script as ASCII's. More than 30
 * combining marks in a row are cut: no writing has them (UAX #15, Stream-Safe Text Format), and ordering n of them
 * takes n² steps.
 */
export function compatibleText(text: string): string {
  return BEYOND_ASCII.test(text) ? compatible(withoutHidden(text)) : text;
}

/**
 * A text as output rules read it: {@link compatibleText}, but a symbol that NFKC turns into letters (№, ℡, ™) does not
 * join a number next to it.
 */
export function normalText(text: string): string {
  return BEYOND_ASCII.test(text) ? compatible(withoutHidden(text).replace(SYMBOLS, apart)) : text;
}

function withoutHidden(text: string): string {
  return text.replace(IGNORABLE, '').replace(MARKS, '$1');
}

function compatible(text: string): string {
  const normal = text.normalize('NFKC');
  return OTHER_DIGIT.test(normal) ? normal.replace(OTHER_DIGITS, asciiDigit) : normal;
}

/** One letter in a circle or square is a letter in disguise. */
function apart(symbol: string): string {
  const letters = symbol.normalize('NFKC');
  const isSign = LETTERS.test(letters) && (letters.length > 1 || symbol === 'º' || symbol === 'ª');
  return isSign ? ` ${letters} ` : symbol;
}

/** Decimal values by character, filled on first use. */
const DIGIT_VALUES = new Map<string, string>();

/** The decimal digits of a script are contiguous from zero to nine, and no two scripts touch (except in NFKC's). */
function asciiDigit(character: string): string {
  const known = DIGIT_VALUES.get(character);
  if (known !== undefined) return known;
  let zero = character.codePointAt(0)!;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  const value = String(character.codePointAt(0)! - zero);
  DIGIT_VALUES.set(character, value);
  return value;
}

/**
 * A text of {@link normalText} with its case folded, normalized again, and runs of white space, hyphens, dashes,
 * underscores and bars as one space: words are separated in many ways.
 */
export function foldedText(normal: string): string {
  const plain = !BEYOND_ASCII.test(normal);
  const folded = plain
    ? normal.toLowerCase()
    : normal.toUpperCase().toLowerCase().replace(FINAL_SIGMA, 'σ').normalize('NFKC');
  return folded.replace(BETWEEN_WORDS, ' ');
}

/** Characters as Unicode counts them, a surrogate pair as one. */
export function characterCount(text: string): number {
  let count = text.length;
  if (!BEYOND_ASCII.test(text)) return count;
  for (let i = 1; i < text.length; i += 1) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}
