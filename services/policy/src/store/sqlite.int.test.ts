import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { uuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { StoreDamaged } from '@countersign/document-store';
import type { Agent } from '../domain/agent.js';
import { createAgent, freezeAgent } from '../domain/life-cycle.js';
import { registerAgent } from '../domain/registration.js';
import { claimRecord } from '../domain/usage-records.js';
import { openSqlitePolicyStore } from './open.js';
import { requireSoundFile } from './sqlite.js';
import { MIGRATIONS } from './sqlite-migrations.js';
import { approvalsContract } from './approvals.contract.js';
import { oauthClientsContract } from './oauth-clients.contract.js';
import { registeredContract } from './registered.contract.js';
import { policyStoreContract } from './store.contract.js';
import type { OpenedStore } from './store.contract.js';

const BY = { kind: 'user', id: 'u' } as const;
const FIELDS = { name: 'agent', type: null, purpose: null, version: null };
const T = Date.UTC(2026, 2, 1);

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'policy-store-'));
  file = join(directory, 'policy.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function opened(): Promise<OpenedStore> {
  let store = await openSqlitePolicyStore(file);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openSqlitePolicyStore(file);
      return store;
    },
    cleanup: () => store.close(),
  };
}

const agent = (id: string): Agent => createAgent(id, 'account', FIELDS, BY, 1, nodeCrypto.sha256).agent;

policyStoreContract('SQLite', opened);
registeredContract('SQLite', opened);
oauthClientsContract('SQLite', opened);
approvalsContract('SQLite', opened);

describe('a damaged policy store', () => {
  it('is named and never served: one changed byte of an agent', async () => {
    const store = await openSqlitePolicyStore(file);
    await store.create({ agent: agent('a'), records: [] });
    await store.close();
    const raw = new Database(file);
    raw.prepare(`UPDATE doc_agents SET body = replace(body, '"enforce"', '"observe"')`).run();
    raw.close();
    const again = await openSqlitePolicyStore(file);
    await expect(again.find('a')).rejects.toThrow(StoreDamaged);
    await expect(again.find('a')).rejects.toThrow(file);
    await expect(again.findOf('account', 'a')).rejects.toThrow(StoreDamaged);
    expect(await again.findOf('other', 'a')).toBeNull();
    await again.close();
  });
});

/** A file of an older layout. @param migrations that it was brought up to */
function older(migrations: number, fill: (insert: (table: string, row: object) => void) => void): void {
  const database = new Database(file);
  for (const sql of MIGRATIONS.slice(0, migrations)) database.exec(sql);
  database.pragma(`user_version = ${migrations}`);
  fill((table, row) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `@${column}`).join(', ');
    database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`).run(row);
  });
  database.close();
}

function agentRow({ id, revision, frozenAtMs, facts }: Agent): object {
  const text = JSON.stringify(facts);
  const checksum = createHash('sha256').update(`${id}\n${revision}\n${frozenAtMs}\n${text}`).digest();
  return { id, account_id: facts.accountId, revision, frozen_at_ms: frozenAtMs, facts: text, checksum };
}

describe('a policy store of before there were registrations', () => {
  it('is taken on: its agents are there, and none is registered', async () => {
    const agents = ['a', 'b'].map(agent);
    older(1, (insert) => agents.forEach((one) => insert('agents', agentRow(one))));
    const store = await openSqlitePolicyStore(file);
    for (const one of agents) {
      expect(await store.find(one.id)).toEqual(one);
      const change = freezeAgent(one, null, BY, 2, 2);
      if (change.kind !== 'changed') throw new Error('expected a change');
      expect(await store.replace({ agent: change.agent, records: [] })).toBe(true);
    }
    await store.close();
  });
});

describe('a policy store of the layout before documents', () => {
  const registration = { walletAddress: 'wallet', transactionSignature: 'transaction' };
  const change = registerAgent(agent('b'), registration, BY, T, nodeCrypto.sha256);
  const registered = change.kind === 'changed' ? change.agent : agent('b');
  const seen = uuidV7(T, new Uint8Array(10).fill(200));
  const account = { accountId: 'account', period: '2026-03', actionsInPeriod: 2, actionsEver: 9, offsets: { 0: 7 } };
  const totals = {
    ...{ agentId: 'a', partition: 0, offset: 7, day: '2026-03-01', dayMicros: 5, month: '2026-03', monthMicros: 5 },
    rateTimes: [T],
  };
  const claim = {
    ...{ accountId: 'account', keySha256: 'k', bodySha256: 'b', eventId: seen, occurredAtMs: T },
    answer: { status: 200 },
  };
  const outboxRow = { topic: 'agents', key: 'a', value: '{}' } as const;
  const fill = (insert: (table: string, row: object) => void): void => {
    insert('agents', agentRow(agent('a')));
    insert('agents', { ...agentRow(registered), transaction_signature: 'transaction' });
    insert('account_totals', { account_id: 'account', totals: JSON.stringify(account), revision: 4, published: 3 });
    insert('agent_totals', { agent_id: 'a', totals: JSON.stringify(totals), revision: 4, published: 4 });
    const row = { occurred_at_ms: T, published: 0 };
    insert('claims', { ...row, key: 'claim:account:k', claim: JSON.stringify(claim), version: T * 2 });
    insert('claims', { ...row, key: 'claim:account:o', claim: null, version: T * 2 + 1 });
    insert('seen_events', { partition: 0, id: Buffer.from(seen.replaceAll('-', ''), 'hex') });
    insert('positions', { partition: 0, next: 7, log_time_ms: T });
    insert('outbox', outboxRow);
    insert('announcements', { kind: 'agent', id: 'b', version: 2 });
  };

  it('is turned into documents, once', async () => {
    older(2, fill);
    for (let times = 0; times < 2; times += 1) {
      const store = await openSqlitePolicyStore(file);
      expect((await store.list('account', 9, 0)).items).toEqual([registered, agent('a')]);
      expect(await store.registeredBy('transaction')).toBe('b');
      expect(await store.positions()).toEqual({ 0: 7 });
      expect(await store.unpublished('', 9)).toEqual([
        { key: 'account:account', version: 4, value: { kind: 'account', ...account, accountId: undefined } },
        { ...claimRecord(claim), version: T * 2 },
        { key: 'claim:account:o', version: T * 2 + 1, value: null },
      ]);
      expect((await store.outbox.pending(9)).map(({ record }) => record)).toEqual([outboxRow]);
      expect(await store.announcements.unannounced(9)).toMatchObject([{ kind: 'agent', id: 'b', version: 2 }]);
      await store.close();
    }
    const store = await openSqlitePolicyStore(file);
    const again = { offset: 7, eventId: seen, agentId: 'a', accountId: 'account' };
    const own = { ...again, offset: 8, eventId: uuidV7(T, new Uint8Array(10)) };
    await store.follow({ partition: 0, next: 9, logTimeMs: T, events: [again, own] }, (fresh, state) => {
      expect(fresh).toEqual([own]);
      expect([state.agentTotals('a'), state.accountTotals('account')]).toEqual([totals, account]);
      return { agentTotals: [], accountTotals: [], claims: [], agents: [], approvals: [] };
    });
    await store.close();
  });

  it('is not taken over where an agent is not as it was written, and is left as it is', async () => {
    older(2, fill);
    const raw = new Database(file);
    raw.prepare(`UPDATE agents SET facts = replace(facts, '"enforce"', '"observe"') WHERE id = 'a'`).run();
    raw.close();
    for (let times = 0; times < 2; times += 1) {
      await expect(openSqlitePolicyStore(file)).rejects.toThrow(StoreDamaged);
      await expect(openSqlitePolicyStore(file)).rejects.toThrow(`${file} is damaged: agent a is not as it was written`);
    }
  });

  it('is checked after the rollback of a transaction that a crash has interrupted', async () => {
    older(2, fill);
    const raw = new Database(file);
    raw.prepare(`UPDATE agents SET facts = replace(facts, '"enforce"', '"observe"') WHERE id = 'a'`).run();
    // Few pages of cache: the transaction writes into the file before it commits.
    for (const pragma of ['journal_mode = DELETE', 'cache_size = 1', 'cache_spill = 1']) raw.pragma(pragma);
    raw.exec('CREATE TABLE filler (bytes BLOB); BEGIN');
    for (let n = 0; n < 100; n += 1) raw.prepare('INSERT INTO filler VALUES (randomblob(3000))').run();
    const interrupted = join(directory, 'interrupted.sqlite');
    for (const part of ['', '-journal']) copyFileSync(`${file}${part}`, `${interrupted}${part}`);
    raw.close();
    await expect(openSqlitePolicyStore(interrupted)).rejects.toThrow(`${interrupted} is damaged: agent a`);
  });

  it('is not opened where its agents cannot be read', async () => {
    const database = new Database(file);
    database.exec('CREATE TABLE agents (id TEXT)');
    database.close();
    expect(() => requireSoundFile(file)).toThrow('no such column: revision');
  });

  it('leaves a file that is not a database to the open, which says so', async () => {
    writeFileSync(file, 'not a database, '.repeat(100));
    expect(() => requireSoundFile(file)).not.toThrow();
    await expect(openSqlitePolicyStore(file)).rejects.toThrow(StoreDamaged);
  });
});
