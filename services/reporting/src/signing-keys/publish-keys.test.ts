import type { SigningKeyFacts } from '@countersign/contracts';
import { SigningKeyMissing, type KeyRing } from './key-ring.js';
import { keysToPublish } from './publish-keys.js';

const facts = (status: SigningKeyFacts['status']): SigningKeyFacts => ({
  publicKeyHex: 'ab'.repeat(32),
  status,
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: null,
});

function ring(...keys: readonly { readonly id: string; readonly value: SigningKeyFacts }[]): KeyRing {
  const has = (id: string): boolean => keys.some((key) => key.id === id);
  return { directory: '/keys', facts: () => keys, has } as unknown as KeyRing;
}

describe('what is published of the signing keys', () => {
  const held = ring({ id: 'key_a', value: facts('active') });

  it('is each key once, and nothing where the topic says it already', () => {
    const [record, ...others] = keysToPublish(held, new Map());
    expect(others).toEqual([]);
    expect(record).toMatchObject({ topic: 'signing-keys', key: 'key_a' });
    expect(JSON.parse(record!.value)).toMatchObject({ id: 'key_a', version: 1, value: { status: 'active' } });
    expect(keysToPublish(held, new Map([['key_a', { version: 1, value: facts('active') }]]))).toEqual([]);
  });

  it('is a new version where the topic says something else', () => {
    const [record] = keysToPublish(
      ring({ id: 'key_a', value: facts('retired') }, { id: 'key_b', value: facts('active') }),
      new Map([['key_a', { version: 4, value: facts('active') }]]),
    );
    expect(JSON.parse(record!.value)).toMatchObject({ id: 'key_a', version: 5, value: { status: 'retired' } });
  });

  it.each(['active', 'published'] as const)('is refused beside a key that is %s and not held here', (status) => {
    const published = new Map([['key_lost', { version: 1, value: facts(status) }]]);
    expect(() => keysToPublish(held, published)).toThrow(SigningKeyMissing);
    expect(() => keysToPublish(held, published)).toThrow('/keys/key_lost.json is missing');
  });

  it('minds no key that signs no more, and makes no revoked one good', () => {
    const published = new Map([
      ['key_old', { version: 2, value: facts('retired') }],
      ['key_gone', { version: 2, value: null }],
      ['key_a', { version: 2, value: facts('revoked') }],
    ]);
    expect(keysToPublish(held, published)).toEqual([]);
  });
});
