import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlitePublicFacts } from './sqlite.js';
import { publicFactsContract } from './store.contract.js';

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
