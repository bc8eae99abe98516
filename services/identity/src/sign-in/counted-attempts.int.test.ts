import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURES_PER_ADDRESS, FAILURES_PER_PAIR, REGISTRATIONS_PER_IP } from '../domain/lock-out.js';
import { openSqliteIdentityStore } from '../store/open.js';
import type { IdentityStore } from '../store/port.js';
import { CountedAttempts } from './counted-attempts.js';

describe('attempts counted by origin', () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-attempts-'));
  let store: IdentityStore;
  let attempts: CountedAttempts;
  beforeAll(async () => {
    store = await openSqliteIdentityStore(join(directory, 'identity.sqlite'));
    attempts = new CountedAttempts({ clock: () => Date.UTC(2026, 2, 1) }, store);
  });
  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it('share an origin within one IPv6 /64, and have another elsewhere', async () => {
    for (let n = 0; n < REGISTRATIONS_PER_IP; n += 1) {
      await attempts.registration(`${n}@x.example`, `2001:db8:0:7::${n.toString(16)}`);
    }
    const more = '2001:db8:0:7:ffff:ffff:ffff:ffff';
    await expect(attempts.registration('a@x.example', more)).rejects.toMatchObject({ status: 429 });
    await attempts.registration('a@x.example', '2001:db8:0:8::1');
    await attempts.registration('a@x.example', '192.0.2.1');
  });

  it('lock an address out for their origin, not for its owner elsewhere', async () => {
    const wrong = async () => null;
    for (let n = 0; n < FAILURES_PER_PAIR; n += 1) await attempts.login('one@x.example', '192.0.2.10', wrong);
    await expect(attempts.login('one@x.example', '192.0.2.10', async () => 'in')).rejects.toMatchObject({
      status: 429,
    });
    expect(await attempts.login('one@x.example', '192.0.2.11', async () => 'in')).toBe('in');
  });

  it('from many origins lock out all but those with an earlier sign-in', async () => {
    const address = 'two@x.example';
    expect(await attempts.login(address, '192.0.2.20', async () => 'in')).toBe('in');
    for (let n = 0; n < FAILURES_PER_ADDRESS; n += 1) {
      await attempts.login(address, `198.51.100.${1 + Math.floor(n / (FAILURES_PER_PAIR - 1))}`, async () => null);
    }
    await expect(attempts.login(address, '203.0.113.5', async () => 'in')).rejects.toMatchObject({ status: 429 });
    expect(await attempts.login(address, '192.0.2.20', async () => 'in')).toBe('in');
  });
});
