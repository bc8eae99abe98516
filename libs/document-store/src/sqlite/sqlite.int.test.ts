import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { documentStoreContract } from '../document-store.contract.js';
import { inspectSqliteDocuments } from './inspect-sqlite.js';
import { openSqliteDocumentStore } from './sqlite-document-store.js';

documentStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'));
  const file = join(folder, 'documents.db');
  return {
    open: async (collections) => openSqliteDocumentStore(file, collections),
    inspect: async (collections) => inspectSqliteDocuments(file, collections),
    damage: async (id, field, value) => {
      const database = new Database(file);
      const column = field === 'owner' ? 'k_owner' : field;
      database.prepare(`UPDATE doc_things SET ${column} = ? WHERE id = ?`).run(value, id);
      database.close();
    },
    cleanup: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
