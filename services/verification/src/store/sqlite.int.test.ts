import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inspectFacts } from './inspect.js';
import { openSqlitePublicFacts } from './open.js';
import { MIGRATIONS } from './sqlite-migrations.js';
import { AGENT, ANCHOR, DRAWN, KEY, publicFactsContract } from './store.contract.js';

let directory = '';
const file = (): string => join(directory, 'public-facts.db');

publicFactsContract('SQLite', {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'public-facts-'));
    return openSqlitePublicFacts(file());
  },
  async reopen(facts) {
    await facts.close();
    return openSqlitePublicFacts(file());
  },
  async clean() {
    rmSync(directory, { recursive: true });
  },
});

describe('a file of public facts of a layout before documents', () => {
  it.each([1, 2, 3])('is turned into documents: %i', async (layout) => {
    directory = mkdtempSync(join(tmpdir(), 'public-facts-'));
    const database = new Database(file());
    for (const sql of MIGRATIONS.slice(0, layout)) database.exec(sql);
    database.pragma(`user_version = ${layout}`);
    const insert = database.prepare('INSERT INTO facts (kind, id, version, body) VALUES (?, ?, ?, ?)');
    insert.run('key', 'key_1', 3, JSON.stringify(KEY));
    insert.run('key', 'key_2', 4, null);
    insert.run('report', 'r2', 2, JSON.stringify(DRAWN));
    insert.run('report-anchor', 'r1', 1, JSON.stringify(ANCHOR));
    insert.run('agent', 'a1', 5, JSON.stringify(AGENT));
    database.prepare('INSERT INTO positions VALUES (?, ?, ?)').run('reports', 2, 7);
    database.close();
    for (let times = 0; times < 2; times += 1) {
      const facts = await openSqlitePublicFacts(file());
      expect(await facts.keys()).toEqual([{ id: 'key_1', facts: KEY }]);
      expect(await facts.reportBySha256(DRAWN.sha256)).toEqual({ id: 'r2', facts: DRAWN });
      expect(await facts.reportByPdfSha256(DRAWN.pdfSha256!)).toEqual({ id: 'r2', facts: DRAWN });
      expect(await facts.reportAnchor('r1')).toEqual(ANCHOR);
      expect(await facts.agentBySsn(AGENT.ssn)).toEqual({ id: 'a1', facts: AGENT });
      expect([await facts.position('reports', 2), await facts.position('reports', 0)]).toEqual([7, null]);
      await facts.keep([{ kind: 'key', id: 'key_2', version: 3, value: KEY }], 'signing-keys', 0, 1);
      expect(await facts.key('key_2')).toBeNull();
      await facts.close();
    }
    const inspection = await inspectFacts({ file: file() });
    for await (const { place } of inspection.problems()) throw new Error(`${place} is named`);
    await inspection.close();
    rmSync(directory, { recursive: true });
  });
});
