import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.min.json';
import { isPossibleNumber } from './calling-codes.js';

const byLibrary = (digits: string): boolean =>
  parsePhoneNumberFromString(`+${digits}`, metadata)?.isPossible() ?? false;

const code = fc.oneof(
  fc.constantFrom(...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)),
  fc.stringMatching(/^\d{1,3}$/),
);
const number = fc
  .tuple(code, fc.constantFrom('', '', '0', '1', '8', '01', '0015', '044', '268'), fc.stringMatching(/^\d{4,12}$/))
  .map((parts) => parts.join('').slice(0, 15))
  .filter((digits) => digits.length >= 7);

describe('a number with its calling code', () => {
  it('is possible wherever libphonenumber says so, and seldom elsewhere', () => {
    let more = 0;
    const numRuns = 5000;
    fc.assert(
      fc.property(number, (digits) => {
        const possible = isPossibleNumber(digits);
        if (byLibrary(digits)) expect([digits, possible]).toEqual([digits, true]);
        else if (possible) more += 1;
      }),
      { numRuns },
    );
    expect(more / numRuns).toBeLessThan(0.1);
  });

  it.each(['0044207946', '999123456789', '', '1', '44'])('%j is none', (digits) => {
    expect(isPossibleNumber(digits)).toBe(false);
  });

  it.each(['442079460958', '4402079460958', '14155552671', '114155552671', '80012345678'])('%s is one', (digits) => {
    expect(isPossibleNumber(digits)).toBe(true);
  });
});
