import { commitV2, opens } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { shownOpenings } from './shown-openings.js';

const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const { sha256 } = nodeCrypto;
const action = { salt: SALT, value: { type: 'a' } };
const plain = { salt: SALT, value: { effect: 'allow', session: 's' } };
const signed = { salt: SALT, value: { ...plain.value, signature: { base: 'digest', publicKey: 'k', signature: 's' } } };

describe('the openings of a report', () => {
  it('are whole where nothing is withheld', () => {
    expect(shownOpenings({ action, context: signed }, [], sha256)).toEqual({ action, context: signed });
  });

  it('do not show the signature, which covers a digest of the body, beside a withheld action or payload', () => {
    for (const kind of ['action', 'payload'] as const) {
      const { context } = shownOpenings({ action, context: signed }, [kind], sha256);
      expect(JSON.stringify(context)).not.toContain('digest');
      expect(JSON.stringify(context)).toContain('"session"');
      const leaf = { v: 2, context: commitV2('context', SALT, signed.value, sha256) } as unknown as Parameters<
        typeof opens
      >[0];
      expect(opens(leaf, 'context', context!, sha256)).toBe('opens-in-part');
    }
  });

  it('show another context as it is, and none that is withheld', () => {
    expect(shownOpenings({ action, context: plain }, ['action'], sha256)).toEqual({ context: plain });
    expect(shownOpenings({ action, context: signed }, ['context'], sha256)).toEqual({ action });
  });
});
