import type { SigningKeyFacts } from '@countersign/contracts';
import { keysInUse, keysToPublish, type PublishedKey } from './publish-keys.js';
import type { RingKey } from './ring.js';

const facts = (status: SigningKeyFacts['status']): SigningKeyFacts => ({
  publicKeyHex: 'ab'.repeat(32),
  status,
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: null,
});
const key = (version: number): RingKey => ({ id: 'key_a', version, custody: 'file', facts: facts('active') });

describe('the published signing keys', () => {
  it('are each key once, without its location, and nothing that the topic already has', () => {
    const [record, ...others] = keysToPublish([key(2)], new Map());
    expect(others).toEqual([]);
    expect(record).toMatchObject({ topic: 'signing-keys', key: 'key_a' });
    expect(JSON.parse(record!.value)).toEqual({ v: 1, id: 'key_a', version: 2, value: facts('active') });
    expect(keysToPublish([key(2)], new Map([['key_a', { version: 2, value: facts('active') }]]))).toEqual([]);
  });

  it('are never older than the topic', () => {
    expect(keysToPublish([key(2)], new Map([['key_a', { version: 3, value: facts('revoked') }]]))).toEqual([]);
    expect(keysToPublish([key(2)], new Map([['key_a', { version: 1, value: facts('published') }]]))).toHaveLength(1);
  });

  it('are in use if they may sign', () => {
    const statuses = ['published', 'active', 'retired', 'revoked'] as const;
    const published = new Map<string, PublishedKey>(
      statuses.map((status) => [status, { version: 1, value: facts(status) }]),
    );
    expect(keysInUse(published.set('gone', { version: 1, value: null }))).toEqual(['published', 'active']);
  });
});
