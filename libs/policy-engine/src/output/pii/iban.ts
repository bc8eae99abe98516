import { countrySpecs, isValidIBAN } from 'ibantools';
import { isAlphanumeric, isDigit, isLetter } from './characters.js';
import { gapEnd } from './gaps.js';

/** Length of an IBAN by its country, of the countries that have one (SWIFT registry and those that follow it). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries(countrySpecs).flatMap(([country, { chars, bban_regexp }]) =>
    typeof chars === 'number' && typeof bban_regexp === 'string' ? [[country, chars] as const] : [],
  ),
);

/**
 * IBANs (ISO 13616), in groups or not, in either case: the country's length and form, and check digits by modulus 97.
 */
export function ibanEnd(text: string, at: number): number {
  if (!begins(text, at)) return 0;
  const length = LENGTHS.get(text.slice(at, at + 2).toUpperCase());
  const end = length === undefined ? 0 : compactEnd(text, at, length);
  if (end === 0 || isAlphanumeric(text.charCodeAt(end))) return 0;
  return isValidIBAN(
    text
      .slice(at, end)
      .replace(/[^A-Za-z0-9]+/g, '')
      .toUpperCase(),
  )
    ? end
    : 0;
}

function begins(text: string, at: number): boolean {
  return (
    isDigit(text.charCodeAt(at + 2)) &&
    isDigit(text.charCodeAt(at + 3)) &&
    isLetter(text.charCodeAt(at)) &&
    isLetter(text.charCodeAt(at + 1))
  );
}

/** End of `length` letters and digits from `at` on, with a gap between two or none; 0 where there are fewer. */
function compactEnd(text: string, at: number, length: number): number {
  let taken = 0;
  for (let i = at; i < text.length;) {
    if (isAlphanumeric(text.charCodeAt(i))) {
      taken += 1;
      i += 1;
      if (taken === length) return i;
    } else {
      const end = gapEnd(text, i);
      if (end === i) return 0;
      i = end;
    }
  }
  return 0;
}
