import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlitePublicFacts } from './sqlite.js';
import { publicFactsContract } from './store.contract.js';

publicFactsContract('SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'public-facts-'));
  const file = join(directory, 'public-facts.db');
  let facts = openSqlitePublicFacts(file);
  return {
    facts,
    reopen: () => {
      facts.close();
      facts = openSqlitePublicFacts(file);
      return facts;
    },
    cleanup: () => {
      facts.close();
      rmSync(directory, { recursive: true });
    },
  };
});
