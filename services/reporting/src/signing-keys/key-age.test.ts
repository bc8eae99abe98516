import type { SigningKeyFacts } from '@countersign/contracts';
import { Registry } from 'prom-client';
import { observeKeyAge } from './key-age.js';

const facts = (status: SigningKeyFacts['status'], validFrom: string): SigningKeyFacts => ({
  publicKeyHex: '00'.repeat(32),
  status,
  validFrom,
  validTo: null,
});

describe('age of the signing key', () => {
  it('is that of the active key, and absent where none is active', async () => {
    let keys: { id: string; version: number; value: SigningKeyFacts }[] = [
      { id: 'key_1', version: 2, value: facts('retired', '2026-01-01T00:00:00.000Z') },
      { id: 'key_2', version: 2, value: facts('active', '2026-11-01T00:00:00.000Z') },
      { id: 'key_3', version: 1, value: facts('published', '2026-11-02T00:00:00.000Z') },
    ];
    const registry = new Registry();
    observeKeyAge(registry, { values: () => keys.values() }, () => Date.parse('2026-11-03T00:00:00.000Z'));
    expect(await registry.metrics()).toMatch(/^countersign_signing_key_age_seconds 172800$/m);
    keys = keys.slice(0, 1);
    expect(await registry.metrics()).not.toMatch(/^countersign_signing_key_age_seconds /m);
  });
});
