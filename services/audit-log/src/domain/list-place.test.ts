import fc from 'fast-check';
import { placeOfText, placeText } from './list-place.js';

const AGENT = '7c1f8a52-3d0e-4b61-9c37-5f0e2a94d610';

describe('the place of a list as text', () => {
  it('gives the cursor back to the same list, and to no other', () => {
    const agent = fc.constantFrom(undefined, AGENT);
    fc.assert(
      fc.property(agent, fc.array(fc.maxSafeInteger(), { minLength: 2, maxLength: 3 }), (agentId, cursor) => {
        const text = placeText(agentId, cursor);
        expect(placeOfText(agentId, text)).toEqual(cursor);
        expect(placeOfText(agentId === undefined ? AGENT : undefined, text)).toBeNull();
      }),
    );
  });

  it('refuses every other text', () => {
    fc.assert(fc.property(fc.string(), (text) => placeOfText(undefined, text) === null));
    const forged = [{}, ['', 1], ['', 1, '2'], ['', 1, 2.5], ['', 1, 2, 3, 4], null, [1, 2, 3]];
    for (const value of forged) {
      expect(placeOfText(undefined, Buffer.from(JSON.stringify(value)).toString('base64url'))).toBeNull();
    }
  });
});
