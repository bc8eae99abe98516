import fc from 'fast-check';
import { placeOfText, placeText } from './list-place.js';

const AGENT = '7c1f8a52-3d0e-4b61-9c37-5f0e2a94d610';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the place of a list as text', () => {
  it('gives the cursor back to the same list, and to no other', () => {
    const lists = [{}, { agentId: AGENT }, { trace: TRACE }, { agentId: AGENT, trace: TRACE }];
    const cursors = fc.array(fc.maxSafeInteger(), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(fc.nat({ max: 3 }), cursors, (n, cursor) => {
        const text = placeText(lists[n]!, cursor);
        expect(lists.map((list) => placeOfText(list, text))).toEqual(lists.map((_, i) => (i === n ? cursor : null)));
      }),
    );
  });

  it('refuses every other text', () => {
    fc.assert(fc.property(fc.string(), (text) => placeOfText({}, text) === null));
    const forged = [{}, ['', 1], ['', 1, '2'], ['', 1, 2.5], ['', 1, 2, 3, 4], null, [1, 2, 3]];
    for (const value of forged) {
      expect(placeOfText({}, Buffer.from(JSON.stringify(value)).toString('base64url'))).toBeNull();
    }
  });
});
