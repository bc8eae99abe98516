import { PHONE_WORDS } from './pii/phone-words.js';

/** A number with its separators, short enough that its name counts: digits, at most two letters at either end. */
const NUMBER = /^[A-Za-z]?\d[\d ./-]{5,22}[A-Za-z]{0,2}$/;
const HUMP = /([a-z])([A-Z])/g;
/** Digits of a national number of North America; longer ones begin with a country code. */
const NATIONAL_DIGITS = 10;
/** Number of characters of a name that are read. */
const MOST_NAME = 48;

/**
 * The value of a member that is a number, after its name, which says what it is: `{"ssn": 123456789}`. `null` where the
 * value is not a number, or has no name.
 */
export function namedNumber(name: string, value: string): string | null {
  if (name === '' || value.length < 7 || !NUMBER.test(value)) return null;
  const words = wordsOfName(name);
  if (value.length > NATIONAL_DIGITS && PHONE_WORDS.test(words) && /^[1-9]\d+$/.test(value))
    return `${words}: +${value}`;
  return `${words}: ${value}`;
}

/**
 * A JSON number as text: as it was received, up to 2^53, beyond which a double holds other digits. After `#` where its
 * name does not mean a telephone: amounts and counts of ten digits look like a phone number of North America.
 */
export function numberText(name: string, number: number): string {
  const digits = String(number);
  const words = wordsOfName(name);
  if (PHONE_WORDS.test(words)) return namedNumber(name, digits) ?? digits;
  return `${words} #${digits}`;
}

function wordsOfName(name: string): string {
  return name.slice(-MOST_NAME).replace(HUMP, '$1 $2');
}
