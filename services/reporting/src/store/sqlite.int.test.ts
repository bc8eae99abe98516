import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqliteReportStore } from './open.js';
import { MIGRATIONS } from './sqlite-migrations.js';
import { ANCHOR, AUTHORITY, report, reportStoreContract } from './store.contract.js';

let directory = '';
const file = (): string => join(directory, 'reports.db');

reportStoreContract('SQLite', {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'report-store-'));
    return openSqliteReportStore(file());
  },
  async reopen(store) {
    await store.close();
    return openSqliteReportStore(file());
  },
  async clean() {
    rmSync(directory, { recursive: true });
  },
});

describe('a file of reports of the layout before documents', () => {
  it('is converted to documents, with the opened runs and the unpublished records', async () => {
    directory = mkdtempSync(join(tmpdir(), 'report-store-'));
    const database = new Database(file());
    for (const sql of MIGRATIONS.slice(0, 3)) database.exec(sql);
    database.pragma('user_version = 3');
    const [first, second] = [
      report('r1', 'a', '2026-01-02T00:00:00.000Z'),
      report('r2', 'a', '2026-01-03T00:00:00.000Z'),
    ];
    const insert = (table: string, ...values: readonly unknown[]): void => {
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
    };
    for (const one of [second, first]) {
      insert('reports', one.id, 'a', one.facts.createdAt, one.version, JSON.stringify(one));
      insert('openings', one.id, 'agent', 1, Number.MAX_SAFE_INTEGER);
    }
    insert('scopes', 'a', '{"hipaa":{"ephi":true}}', 2, 'then');
    insert('scopes', 'b', '{}', 0, '');
    insert('anchors', 'report:r1', 'report', JSON.stringify(ANCHOR), 1);
    insert('anchors', 'authority:addr', 'authority', JSON.stringify(AUTHORITY), 3);
    insert('positions', 0, 7);
    insert('outbox', 1, 'reports', 'r2', '{}');
    database.close();
    for (let times = 0; times < 2; times += 1) {
      const store = await openSqliteReportStore(file());
      expect((await store.reports('a', 9, 0)).reports).toEqual([second, first]);
      expect((await store.opening('agent', 5)).map(({ id }) => id)).toEqual(['r1', 'r2']);
      expect(await store.scopes()).toEqual([
        { accountId: 'a', scope: { hipaa: { ephi: true } }, declaredAt: 'then', version: 2 },
        { accountId: 'b', scope: {}, declaredAt: '', version: 0 },
      ]);
      expect([await store.reportAnchor('r1'), await store.authorities()]).toEqual([ANCHOR, [AUTHORITY]]);
      expect(await store.anchorsPosition(0)).toBe(7);
      expect((await store.pending(9)).map(({ record }) => record.key)).toEqual(['r2']);
      await store.close();
    }
    rmSync(directory, { recursive: true });
  });
});
