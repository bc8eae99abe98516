import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRATIONS_PER_IP } from '../domain/lock-out.js';
import { SqliteIdentityStore } from '../store/sqlite.js';
import { CountedAttempts } from './counted-attempts.js';

describe('attempts that are counted by where they come from', () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-attempts-'));
  const store = new SqliteIdentityStore(join(directory, 'identity.sqlite'));
  const attempts = new CountedAttempts({ clock: () => Date.UTC(2026, 2, 1) }, store);
  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it('come from one IP when they come from one /64 of IPv6, and from another elsewhere', async () => {
    for (let n = 0; n < REGISTRATIONS_PER_IP; n += 1) await attempts.registration(`2001:db8:0:7::${n.toString(16)}`);
    await expect(attempts.registration('2001:db8:0:7:ffff:ffff:ffff:ffff')).rejects.toMatchObject({ status: 429 });
    await attempts.registration('2001:db8:0:8::1');
    await attempts.registration('192.0.2.1');
  });
});
