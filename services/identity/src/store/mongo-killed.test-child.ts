import { onPlan } from '../domain/plans.js';
import { openMongoIdentityStore } from './open.js';

/** Registers accounts `<prefix>-<n>`, each completely or not at all, until it is killed; prints a line for each one written. */
const [uri, prefix] = process.argv.slice(2);
const store = await openMongoIdentityStore(uri!);
const expiresAt = new Date(Date.UTC(2026, 2, 1)).toISOString();
for (let n = 0; ; n += 1) {
  const id = `${prefix}-${n}`;
  const email = `${id}@x.example`;
  const session = { accountId: id, userId: id, email, role: 'admin', expiresAt, revokedAt: null } as const;
  const key = { accountId: id, name: id, prefix: 'p', sha256: id, createdAt: expiresAt, revokedAt: null };
  const result = await store.write({
    accounts: [{ id, version: 1, facts: onPlan(id, 'core', {}, 0) }],
    users: [{ id, version: 1, accountId: id, email, role: 'admin', passwordHash: 'hash', createdAt: expiresAt }],
    apiKeys: [{ id, version: 1, facts: key }],
    sessions: [{ id, version: 1, facts: session }],
  });
  if (result !== 'written') throw new Error(`${id}: ${result}`);
  process.stdout.write(`${id}\n`);
}
