import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteReportStore } from './sqlite.js';
import { reportStoreContract } from './store.contract.js';

reportStoreContract('SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'report-store-'));
  const file = join(directory, 'reports.db');
  let store = openSqliteReportStore(file);
  return {
    store,
    reopen: () => {
      store.close();
      store = openSqliteReportStore(file);
      return store;
    },
    cleanup: () => {
      store.close();
      rmSync(directory, { recursive: true });
    },
  };
});
