import type { Sha256 } from '@countersign/evidence';
import { openDatabase } from '@countersign/document-store';
import type { AnchorStore } from './port.js';
import { MIGRATIONS } from './schema.js';
import { sqliteAnchors } from './sqlite-anchors.js';
import { SqliteLeaves } from './sqlite-leaves.js';
import { completeCuts, writeCuts } from './sqlite-cuts.js';
import { sqliteWindows } from './sqlite-windows.js';

/** {@link AnchorStore} in one SQLite file. @throws StoreDamaged naming the file */
export function openSqliteAnchorStore(file: string, sha256: Sha256): AnchorStore {
  const database = openDatabase(file, MIGRATIONS);
  database.pragma('cache_size = -32768');
  database.pragma('wal_autocheckpoint = 4000');
  const leaves = new SqliteLeaves(database, sha256);
  const savePosition = database.prepare<[string, number, number]>(
    `INSERT INTO positions (topic, partition, next) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET next = max(next, excluded.next)`,
  );
  const readPosition = database
    .prepare<[string, number], number>('SELECT next FROM positions WHERE topic = ? AND partition = ?')
    .pluck();
  const transaction = (work: () => void): void => {
    try {
      database.transaction(work).immediate();
    } catch (error) {
      leaves.forget();
      throw error;
    }
  };

  return {
    ...sqliteWindows(database),
    ...sqliteAnchors(database),

    // The data directory's lock keeps other instances out.
    async lead() {
      return { ended: new Promise<never>(() => undefined) };
    },

    async position(topic, partition) {
      return readPosition.get(topic, partition) ?? null;
    },

    async takeLeaves(batch, { topic, partition, next }) {
      transaction(() => {
        leaves.take(batch, partition);
        savePosition.run(topic, partition, next);
      });
    },

    async cut(cuts, offsets) {
      transaction(() => writeCuts(database, cuts, offsets));
      leaves.windowsCut();
    },

    async completeCut() {
      transaction(() => completeCuts(database));
    },

    async requestReports(reports, { topic, partition, next }) {
      const request = database.prepare<[string, string]>(
        'INSERT OR IGNORE INTO reports (report_id, content_hash) VALUES (?, ?)',
      );
      const submit = database.prepare<[string, string]>('INSERT OR IGNORE INTO submissions (id, memo) VALUES (?, ?)');
      transaction(() => {
        for (const { reportId, contentHash, memo } of reports) {
          request.run(reportId, contentHash);
          submit.run(`report:${reportId}`, memo);
        }
        savePosition.run(topic, partition, next);
      });
    },

    async close() {
      database.close();
    },
  };
}
