import { generateKeyPairSync } from 'node:crypto';
import { keysInSet } from './key-set-file.js';

const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const publicKey = new Uint8Array(Buffer.from(jwk.x!, 'base64url'));
const [validFrom, validTo] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];

describe('a JWK set as a key of verify', () => {
  it('gives keys with status and validity, and one of another issuer without', () => {
    const set = { keys: [{ ...jwk, kid: 'key_a', status: 'retired', validFrom, validTo }, jwk] };
    expect(keysInSet(JSON.stringify(set))).toEqual([
      { publicKey, status: 'retired', validFrom, validTo },
      { publicKey, status: 'active', validFrom: null, validTo: null },
    ]);
  });

  it('leaves out other keys than Ed25519, and those that are not to be trusted', () => {
    const others = [
      null,
      { kty: 'RSA' },
      { ...jwk, x: 'AA' },
      { ...jwk, crv: 'X25519' },
      { ...jwk, status: 'revoked' },
    ];
    expect(keysInSet(JSON.stringify({ keys: [...others, jwk] }))).toHaveLength(1);
    expect(keysInSet(JSON.stringify({ keys: others }))).toBeNull();
  });

  it.each(['', 'null', '[]', '{}', '{"keys":{}}', '-----BEGIN PUBLIC KEY-----'])('is not recognized in %j', (text) => {
    expect(keysInSet(text)).toBeNull();
  });
});
