import fc from 'fast-check';
import { listedMemos } from './memo.js';

describe('listedMemos', () => {
  const column = (texts: readonly string[]): string =>
    texts.map((text) => `[${Buffer.byteLength(text)}] ${text}`).join('; ');

  it('returns the memos of a listing, whatever their texts', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('; ', '[1] x; [2] yy', 'é☃𝄞', ''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        const wellFormed = texts.map((one) => Buffer.from(one).toString());
        expect(listedMemos(column(wellFormed))).toEqual(wellFormed);
      }),
    );
  });

  it.each([null, '', 'x', '[5] abc', '[x] abc', '[-1] abc'])('returns nothing for %p', (given) => {
    expect(listedMemos(given)).toEqual([]);
  });

  it('ends where the format ends', () => {
    expect(listedMemos('[2] ab; [9] c')).toEqual(['ab']);
    expect(listedMemos('[2] abc; [1] d')).toEqual(['ab']);
  });
});
