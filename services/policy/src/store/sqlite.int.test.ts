import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nodeCrypto, StoreDamaged } from '@countersign/service-kit';
import { createAgent } from '../domain/life-cycle.js';
import { SqlitePolicyStore } from './sqlite.js';
import { registeredContract } from './registered.contract.js';
import { policyStoreContract } from './store.contract.js';
import type { OpenedStore } from './store.contract.js';

async function opened(): Promise<OpenedStore> {
  const directory = mkdtempSync(join(tmpdir(), 'policy-store-'));
  const file = join(directory, 'policy.sqlite');
  let store = new SqlitePolicyStore(file);
  return {
    store,
    async reopen() {
      await store.close();
      store = new SqlitePolicyStore(file);
      return store;
    },
    async cleanup() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

policyStoreContract('SQLite', opened);
registeredContract('SQLite', opened);

describe('a damaged policy store', () => {
  it('is named and never served: one changed byte of an agent', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'policy-store-'));
    const file = join(directory, 'policy.sqlite');
    const fields = { name: 'agent', type: null, purpose: null, version: null };
    const { agent } = createAgent('a', 'account', fields, { kind: 'user', id: 'u' }, 1, nodeCrypto.sha256);
    const store = new SqlitePolicyStore(file);
    await store.create({ agent, records: [] });
    await store.close();
    const raw = new Database(file);
    raw.prepare(`UPDATE agents SET facts = replace(facts, '"enforce"', '"observe"')`).run();
    raw.close();
    const again = new SqlitePolicyStore(file);
    await expect(again.find('a')).rejects.toThrow(StoreDamaged);
    await expect(again.find('a')).rejects.toThrow(file);
    await again.close();
    rmSync(directory, { recursive: true });
  });
});
