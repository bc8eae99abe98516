import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { newMessage } from '../domain/message.js';
import { foldNotices } from '../domain/thread.js';
import { destination, notice, START, violation, WINDOW_MS } from '../testing/violations.js';
import { openSqliteAlertStore } from './open.js';
import { MIGRATIONS } from './sqlite-migrations.js';
import { alertStoreContract, type StoreHarness } from './store.contract.js';
import { streamStoreContract } from './streams.contract.js';

const CONTENT = { type: 't', timestamp: '', data: {} };

let directory = '';
const file = (): string => join(directory, 'alerts.db');

const harness: StoreHarness = {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    return openSqliteAlertStore(file());
  },
  async reopen(store) {
    await store.close();
    return openSqliteAlertStore(file());
  },
  async clean() {
    rmSync(directory, { recursive: true });
  },
};
alertStoreContract('SQLite', harness);
streamStoreContract('SQLite', harness);

describe('claims in SQLite', () => {
  it('end with the process that has them', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    const owner = { accountId: 'a', destinationId: 'd' };
    const message = newMessage(owner, 'm', { type: 't', timestamp: '', data: {} }, 1, START);
    const killed = await openSqliteAlertStore(file());
    await killed.addMessages([message]);
    expect(await killed.claim(START, START + 60_000, [])).not.toBeNull();
    const next = await openSqliteAlertStore(file());
    expect((await next.claim(START, START + 60_000, []))?.message).toEqual(message);
    await killed.close();
    await next.close();
    rmSync(directory, { recursive: true });
  });
});

describe('a claim in SQLite', () => {
  it('skips the messages of busy destinations by an index', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    await (await openSqliteAlertStore(file())).close();
    const db = new Database(file());
    const plan = db
      .prepare(
        `EXPLAIN QUERY PLAN SELECT id FROM doc_messages WHERE k_dueAtMs >= 0 AND k_dueAtMs < 2
           AND k_destinationId NOT IN (SELECT value FROM json_each('["d"]'))
         ORDER BY k_dueAtMs, k_destinationId, inserted LIMIT 1`,
      )
      .all() as readonly { readonly detail: string }[];
    expect(plan[0]!.detail).toMatch(/^SEARCH doc_messages USING INDEX doc_messages_dueAtMs_destinationId /);
    expect(plan.map(({ detail }) => detail).filter((detail) => detail.includes('ORDER BY'))).toEqual([]);
    db.close();
    rmSync(directory, { recursive: true });
  });
});

describe('a file of alerts of the layout before documents', () => {
  it('is converted to documents, and claims of the previous process are released', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    const database = new Database(file());
    for (const sql of MIGRATIONS.slice(0, 2)) database.exec(sql);
    database.pragma('user_version = 2');
    const to = destination('d', { revision: 3 });
    const message = newMessage({ accountId: to.accountId, destinationId: 'd' }, 'm', CONTENT, 1, START);
    const folded = foldNotices(null, [notice('d', violation(1))], WINDOW_MS, START);
    const insert = (table: string, ...values: readonly unknown[]): void => {
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
    };
    insert('destinations', 'd', to.accountId, to.createdAt, 1, 3, JSON.stringify(to));
    insert('threads', folded.thread.key, 'd', folded.thread.windowEndsMs, null, JSON.stringify(folded.thread));
    insert('messages', 'm', 'd', START, START + 60_000, 'token', JSON.stringify(message));
    insert('seen_events', 0, violation(1).eventId);
    insert('positions', 0, 2);
    database.close();
    for (let times = 0; times < 2; times += 1) {
      const store = await openSqliteAlertStore(file());
      expect(await store.destinations(to.accountId)).toEqual([to]);
      expect(await store.position(0)).toBe(2);
      expect((await store.deliveries('d', 9, 0)).messages).toEqual([message]);
      expect((await store.claim(START, START + 60_000, []))?.message).toEqual(message);
      const again = { partition: 0, next: 9, logTimeMs: START, notices: [notice('d', { ...violation(1), offset: 8 })] };
      if (times === 1) {
        await store.follow(again, () => {
          throw new Error('it was folded before');
        });
        expect(await store.replaceDestination({ ...to, revision: 4 })).toBe(true);
      }
      await store.close();
    }
    rmSync(directory, { recursive: true });
  });
});
