import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { SigningKeyFacts } from '@countersign/contracts';
import { jsonWebKeySet } from './json-web-key-set.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const publicKeyHex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const key = (id: string, status: SigningKeyFacts['status']) => ({
  id,
  facts: { publicKeyHex, status, validFrom: '2026-01-01T00:00:00.000Z', validTo: null },
});

describe('the JWK set', () => {
  it('has keys that an implementation of RFC 8037 verifies with', () => {
    const [jwk] = jsonWebKeySet([key('key_a', 'active')]).keys;
    expect(jwk).toEqual({
      ...publicKey.export({ format: 'jwk' }),
      alg: 'EdDSA',
      use: 'sig',
      kid: 'key_a',
      status: 'active',
      validFrom: '2026-01-01T00:00:00.000Z',
      validTo: null,
    });
    const imported = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    const message = Buffer.from('a report');
    expect(verify(null, message, imported, sign(null, message, privateKey))).toBe(true);
  });

  it('has the active key first, and no revoked one', () => {
    const keys = [key('d', 'revoked'), key('c', 'retired'), key('b', 'published'), key('a', 'active')];
    expect(jsonWebKeySet(keys).keys.map(({ kid }) => kid)).toEqual(['a', 'b', 'c']);
  });
});
