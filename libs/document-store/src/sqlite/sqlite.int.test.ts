import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentStoreContract } from '../document-store.contract.js';
import { openSqliteDocumentStore } from './sqlite-document-store.js';

documentStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'));
  return {
    open: async (collections) => openSqliteDocumentStore(join(folder, 'documents.db'), collections),
    cleanup: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
