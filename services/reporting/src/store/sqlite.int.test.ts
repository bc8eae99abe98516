import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteReportStore } from './sqlite.js';
import { reportStoreContract } from './store.contract.js';

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
