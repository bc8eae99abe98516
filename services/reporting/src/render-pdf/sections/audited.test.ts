import { periodText } from './audited.js';

describe('the period in words', () => {
  it.each([
    ['2026-10-01T00:00:00.000Z', 'from 1 October 2026, 00:00 UTC to '],
    ['2026-03-02T10:05:07.000Z', 'from 2 March 2026, 10:05:07 UTC to '],
    ['2026-12-31T23:59:59.999Z', 'from 31 December 2026, 23:59:59.999 UTC to '],
  ])('begins at %s', (from, words) => {
    expect(periodText({ from, to: '2027-01-01T00:00:00.000Z' })).toBe(
      `${words}1 January 2027, 00:00 UTC, which is not included (${from} to 2027-01-01T00:00:00.000Z)`,
    );
  });
});
