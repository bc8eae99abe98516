import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteIdentityStore } from './sqlite.js';
import { identityStoreContract } from './store.contract.js';

identityStoreContract('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-store-'));
  const file = join(directory, 'identity.sqlite');
  let store = new SqliteIdentityStore(file);
  return {
    store,
    async reopen() {
      await store.close();
      store = new SqliteIdentityStore(file);
      return store;
    },
    async cleanup() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});
