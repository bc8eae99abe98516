import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventLogContract } from '../event-log.contract.js';
import { openSqliteLog } from './sqlite-log.js';

const DAY_MS = 86_400_000;

eventLogContract('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'event-log-'));
  const file = join(directory, 'log.db');
  let log = await openSqliteLog({ file });
  return {
    log,
    async reopen() {
      await log.close();
      log = await openSqliteLog({ file });
      return log;
    },
    compact: () => log.maintain(Date.now()),
    expireAll: () => log.maintain(Date.now() + 31 * DAY_MS),
    async cleanup() {
      await log.close();
      rmSync(directory, { recursive: true });
    },
  };
});
