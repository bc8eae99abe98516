import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { openDatabase, StoreDamaged } from '@countersign/document-store';
import { createAgent, freezeAgent } from '../domain/life-cycle.js';
import { MIGRATIONS } from './schema.js';
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

describe('a policy store of before there were registrations', () => {
  it('is taken on: its agents are there, and none is registered', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'policy-store-'));
    const file = join(directory, 'policy.sqlite');
    const by = { kind: 'user', id: 'u' } as const;
    const fields = { name: 'agent', type: null, purpose: null, version: null };
    const agents = ['a', 'b'].map((id) => createAgent(id, 'account', fields, by, 1, nodeCrypto.sha256).agent);
    const rows = new SqlitePolicyStore(file);
    for (const agent of agents) await rows.create({ agent, records: [] });
    await rows.close();
    const written = new Database(file);
    const stored = written.prepare('SELECT id, account_id, revision, frozen_at_ms, facts, checksum FROM agents').all();
    written.close();
    rmSync(file);
    const before = openDatabase(file, MIGRATIONS.slice(0, 1));
    const insert = before.prepare(
      `INSERT INTO agents (id, account_id, revision, frozen_at_ms, facts, checksum)
       VALUES (@id, @account_id, @revision, @frozen_at_ms, @facts, @checksum)`,
    );
    for (const row of stored) insert.run(row);
    before.close();
    const store = new SqlitePolicyStore(file);
    for (const agent of agents) {
      expect(await store.find(agent.id)).toEqual(agent);
      const change = freezeAgent(agent, null, by, 2, 2);
      if (change.kind !== 'changed') throw new Error('expected a change');
      expect(await store.replace({ agent: change.agent, records: [] })).toBe(true);
    }
    await store.close();
    rmSync(directory, { recursive: true });
  });
});
