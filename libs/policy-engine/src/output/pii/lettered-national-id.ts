import { isDigit, isLetter } from './characters.js';
import { saidBefore, wordsOf } from './context.js';
import { fieldBegins, fieldEnds, groups } from './digit-groups.js';

const DNI = /\d{2}\.?\d{3}\.?\d{3}([ -]?)([A-Z])(?![A-Z0-9])/iy;
const NIE = /([XYZ])[ -]?(\d{7})[ -]?([A-Z])(?![A-Z0-9])/iy;
const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const DNI_WORDS = wordsOf('dni|nif|nie|documento(?: nacional)?|identidad|spanish (?:id|tax number)');

/**
 * Spanish identity numbers: of citizens (DNI) eight digits and of foreigners (NIE) X, Y or Z and seven, then a letter
 * by modulus 23. Without identifying words a DNI needs its dash: items have numbers of eight digits and a letter as
 * well.
 */
export function esDniEnd(text: string, at: number): number {
  const { length, match } = matched(text, at, isDigit(text.charCodeAt(at)) ? DNI : NIE);
  if (match === null || !(isLetter(text.charCodeAt(at)) || fieldBegins(text, at))) return 0;
  const foreign = match.length === 4;
  const number = foreign ? `${'XYZ'.indexOf(match[1]!.toUpperCase())}${match[2]!}` : match[0].replace(/\D/g, '');
  const letter = match[foreign ? 3 : 2]!.toUpperCase();
  if (DNI_LETTERS.charAt(Number(number) % 23) !== letter) return 0;
  return foreign || match[1] === '-' || saidBefore(DNI_WORDS, text, at) ? at + length : 0;
}

const HETU = /(\d{2})(\d{2})(\d{2})[-+A-FU-Y](\d{3})([0-9A-Y])(?![A-Z0-9])/iy;
const HETU_CHECKS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

/** Finnish personal identity codes: date of birth, sign of the century, serial, check character by modulus 31. */
export function fiHetuEnd(text: string, at: number): number {
  if (isDigit(text.charCodeAt(at + 6)) || !fieldBegins(text, at)) return 0;
  const { length, match } = matched(text, at, HETU);
  if (match === null) return 0;
  const [, day, month, year, serial, check] = match;
  if (Number(day) < 1 || Number(day) > 31 || Number(month) < 1 || Number(month) > 12) return 0;
  const number = Number(`${day}${month}${year}${serial}`);
  return HETU_CHECKS.charAt(number % 31) === check!.toUpperCase() ? at + length : 0;
}

const CORSICAN = /[1278][ .-]?\d{2}[ .-]?\d{2}[ .-]?2[AB][ .-]?\d{3}[ .-]?\d{3}[ .-]?\d{2}(?![A-Z0-9])/iy;
const NIR_GROUPS = [1, 2, 2, 2, 3, 3, 2];
const NIR_WORDS = wordsOf(
  'nir|n[°o] ?(?:de )?s[eé]curit[eé] sociale|s[eé]curit[eé] sociale|insee|num[eé]ro de s[eé]cu',
);

/** French social security numbers (NIR) with their key: sex, month of birth, place, serial, modulus 97. */
export function frNirEnd(text: string, at: number): number {
  const first = text.charCodeAt(at) - 0x30;
  if (first < 1 || first > 8 || first === 5 || first === 6 || !fieldBegins(text, at)) return 0;
  groups.read(text, at);
  const count = groups.groupsOf(15);
  if (count > 0) {
    const end = groups.end(count - 1);
    const number = String(groups.value(0, 13)).padStart(13, '0');
    if (!isNir(number, groups.value(13, 15)) || !fieldEnds(text, end)) return 0;
    const written = count === 1 || groups.areOf(NIR_GROUPS) || groups.areOf([13, 2]);
    return (written && !groups.areLoose(count)) || saidBefore(NIR_WORDS, text, at) ? end : 0;
  }
  const { length, match } = matched(text, at, CORSICAN);
  if (match === null) return 0;
  const compact = match[0].replace(/[^0-9AB]/gi, '').toUpperCase();
  const number = compact.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return isNir(number, Number(compact.slice(13))) ? at + length : 0;
}

/** Unknown months are numbered from 20. */
function isNir(number: string, key: number): boolean {
  const month = Number(number.slice(3, 5));
  return ((month >= 1 && month <= 12) || month >= 20) && 97 - (Number(number) % 97) === key;
}

const PPS = /(\d{7})([A-W])([A-IW]?)(?![A-Z0-9])/iy;
const PPS_LETTERS = 'WABCDEFGHIJKLMNOPQRSTUV';
const PPS_WORDS = wordsOf('ppsn?|personal public service(?: number)?');

/** Irish personal public service numbers: seven digits and one or two letters, the first by modulus 23. */
export function iePpsEnd(text: string, at: number): number {
  if (!isLetter(text.charCodeAt(at + 7)) || !fieldBegins(text, at)) return 0;
  const { length, match } = matched(text, at, PPS);
  if (match === null) return 0;
  const [, digits, letter, second] = match;
  let sum = second === '' ? 0 : 9 * PPS_LETTERS.indexOf(second!.toUpperCase());
  for (let i = 0; i < 7; i += 1) sum += Number(digits![i]) * (8 - i);
  return PPS_LETTERS.charAt(sum % 23) === letter!.toUpperCase() && saidBefore(PPS_WORDS, text, at) ? at + length : 0;
}

/** In groups or not; a letter may replace a digit, where two people would have the same code. */
const CODICE =
  /([A-Z]{3} ?[A-Z]{3} ?[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2} ?[A-Z][0-9LMNPQRSTUV]{3} ?)([A-Z])(?![A-Z0-9])/iy;
const LETTERS_FOR_DIGITS = 'LMNPQRSTUV';
/** Contribution of a character at an odd position, counted from 1 (decree of 23 December 1976). */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italian tax codes of people: name, date and place of birth, check letter by modulus 26. */
export function itCodiceFiscaleEnd(text: string, at: number): number {
  if (!isLetter(text.charCodeAt(at + 2)) || !isLetter(text.charCodeAt(at + 4))) return 0;
  const { length, match } = matched(text, at, CODICE);
  if (match === null) return 0;
  const code = match[1]!.replaceAll(' ', '').toUpperCase();
  const day = [...code.slice(9, 11)].map((character) => {
    const place = LETTERS_FOR_DIGITS.indexOf(character);
    return place < 0 ? character : `${place}`;
  });
  const born = Number(day.join('')) % 40;
  if (born < 1 || born > 31) return 0;
  let sum = 0;
  for (let i = 0; i < 15; i += 1) {
    const character = code.charCodeAt(i);
    const value = isDigit(character) ? character - 0x30 : character - 0x41;
    sum += i % 2 === 0 ? ODD[value]! : value;
  }
  return match[2]!.toUpperCase().charCodeAt(0) - 0x41 === sum % 26 ? at + length : 0;
}

function matched(text: string, at: number, form: RegExp): { match: RegExpExecArray | null; length: number } {
  form.lastIndex = at;
  const match = form.exec(text);
  return { match, length: match === null ? 0 : match[0].length };
}
