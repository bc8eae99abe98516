import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqliteIdentityStore } from './open.js';
import { MIGRATIONS } from './sqlite-migrations.js';
import { identityStoreContract } from './store.contract.js';

identityStoreContract('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-store-'));
  const file = join(directory, 'identity.sqlite');
  let store = await openSqliteIdentityStore(file);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openSqliteIdentityStore(file);
      return store;
    },
    async cleanup() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describe('an identity file of the layout before documents', () => {
  it('is converted to documents, in its order, with its unpublished records', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'identity-store-'));
    const file = join(directory, 'identity.sqlite');
    const database = new Database(file);
    for (const sql of MIGRATIONS.slice(0, 2)) database.exec(sql);
    database.pragma('user_version = 2');
    const key = (n: number) => ({
      accountId: 'a',
      name: `k${n}`,
      prefix: 'p',
      sha256: 's',
      createdAt: '',
      revokedAt: null,
    });
    const session = {
      accountId: 'a',
      userId: 'u1',
      email: 'u1@x.example',
      role: 'admin',
      expiresAt: 'z',
      revokedAt: null,
    };
    database.exec(`
      INSERT INTO accounts VALUES ('b', 1, '{"name":"B"}', 0), ('a', 3, '{"name":"A"}', 2);
      INSERT INTO users VALUES (5, 'u2', 1, 'a', 'u2@x.example', 'member', '$hash', 'then'),
        (4, 'u1', 2, 'a', 'u1@x.example', 'admin', '$hash', 'then');
      INSERT INTO api_keys VALUES (2, 'k2', 1, 'a', '${JSON.stringify(key(2))}', NULL),
        (1, 'k1', 4, 'a', '${JSON.stringify(key(1))}', '2026-03-01T00:00:00.000Z');
      INSERT INTO sessions VALUES ('s1', 1, 'u1', 'z', 0, '${JSON.stringify(session)}');
      INSERT INTO login_failures VALUES (70, 'u1@x.example', '10.0.0.1'), (71, 'u1@x.example', '10.0.0.2');
      INSERT INTO sign_in_places VALUES ('u1@x.example', '10.0.0.1', 7);
      INSERT INTO positions VALUES (0, 9);
      INSERT INTO outbox (topic, key, value) VALUES ('accounts', 'a', '{}');
      INSERT INTO announcements (kind, id, version) VALUES ('account', 'a', 3);
    `);
    database.close();
    for (let times = 0; times < 2; times += 1) {
      const store = await openSqliteIdentityStore(file);
      expect(await store.account('a')).toEqual({ id: 'a', version: 3, facts: { name: 'A' } });
      expect([await store.members('a'), await store.members('b')]).toEqual([
        { version: 2, admins: 1 },
        { version: 0, admins: 0 },
      ]);
      expect((await store.users('a', 9, 0)).items.map(({ id, version }) => [id, version])).toEqual([
        ['u2', 1],
        ['u1', 2],
      ]);
      expect(await store.userByEmail('u1@x.example')).toMatchObject({ passwordHash: '$hash', createdAt: 'then' });
      expect((await store.apiKeys('a', 9, 0)).items).toEqual([
        { id: 'k2', version: 1, facts: key(2), lastUsedAt: null },
        { id: 'k1', version: 4, facts: key(1), lastUsedAt: '2026-03-01T00:00:00.000Z' },
      ]);
      expect(await store.openSessions('u1')).toEqual([{ id: 's1', version: 1, facts: session }]);
      const limits = { ofPair: 9, ofAddress: 9, ofIp: 9 };
      expect(await store.failures('u1@x.example', '10.0.0.1', 0, limits)).toMatchObject({ ofAddress: [71, 70] });
      expect(await store.hasSignedInFrom('u1@x.example', '10.0.0.1', 6)).toBe(true);
      expect(await store.position(0)).toBe(9);
      expect((await store.outbox.pending(9)).map(({ record }) => record.key)).toEqual(['a']);
      expect(await store.announcements.unannounced(9)).toMatchObject([{ kind: 'account', id: 'a', version: 3 }]);
      await store.close();
    }
    rmSync(directory, { recursive: true });
  });
});
