import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { newMessage } from '../domain/message.js';
import { START } from '../testing/violations.js';
import { openSqliteAlertStore } from './sqlite.js';
import { alertStoreContract } from './store.contract.js';

let directory = '';
const file = (): string => join(directory, 'alerts.db');

alertStoreContract('SQLite', {
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
});

describe('claims in SQLite', () => {
  it('end with the process that has them', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    const owner = { accountId: 'a', destinationId: 'd' };
    const message = newMessage(owner, 'm', { type: 't', timestamp: '', data: {} }, 1, START);
    const killed = openSqliteAlertStore(file());
    await killed.addMessages([message]);
    expect(await killed.claim(START, START + 60_000, [])).not.toBeNull();
    const next = openSqliteAlertStore(file());
    expect((await next.claim(START, START + 60_000, []))?.message).toEqual(message);
    await killed.close();
    await next.close();
    rmSync(directory, { recursive: true });
  });
});

describe('a store in SQLite of an older release', () => {
  it('gets the index by which a claim goes past destinations that wait', async () => {
    directory = mkdtempSync(join(tmpdir(), 'alert-store-'));
    await openSqliteAlertStore(file()).close();
    const older = new Database(file());
    older.exec(`DROP INDEX messages_due; CREATE INDEX messages_due ON messages (due_ms) WHERE due_ms IS NOT NULL;
             PRAGMA user_version = 1;`);
    older.close();
    await openSqliteAlertStore(file()).close();
    const db = new Database(file());
    const plan = db
      .prepare(
        `EXPLAIN QUERY PLAN SELECT rowid FROM messages WHERE due_ms <= 1 AND destination_id NOT IN ('d')
         ORDER BY due_ms LIMIT 1`,
      )
      .all() as readonly { readonly detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH messages USING COVERING INDEX messages_due (due_ms<?)']);
    db.close();
    rmSync(directory, { recursive: true });
  });
});
