import { openDatabase, openReadOnly } from '@countersign/document-store';
import { MIGRATIONS } from './schema.js';

interface Acknowledged {
  readonly id: string;
  readonly n: number;
  readonly at: string | null;
}

/**
 * Copies what no topic holds of the archive: up to which event each account's inbox was acknowledged, and when.
 * @param damaged file of the archive that is replaced
 * @param fresh file of the rebuilt archive, in which events have the row numbers that they had
 * @returns what was lost; `null`: nothing
 */
export function takeAcknowledgements(damaged: string, fresh: string): string | null {
  let acknowledged: readonly Acknowledged[];
  try {
    acknowledged = acknowledgedIn(damaged);
  } catch (error) {
    return `acknowledgements of the inbox: ${error instanceof Error ? error.message : String(error)}`;
  }
  const store = openDatabase(fresh, MIGRATIONS);
  const take = store.prepare(
    `UPDATE accounts SET acknowledged_at = @at, acknowledged_n = min(@n, (SELECT coalesce(max(n), 0) FROM events)),
       open_count = (SELECT count(*) FROM events e WHERE e.account_n = accounts.n AND e.blocked = 1 AND e.n > @n)
     WHERE id = @id`,
  );
  store.transaction(() => {
    for (const row of acknowledged) {
      if (Number.isSafeInteger(row.n) && !Number.isNaN(Date.parse(row.at ?? ''))) take.run(row);
    }
  })();
  store.close();
  return null;
}

function acknowledgedIn(file: string): readonly Acknowledged[] {
  const store = openReadOnly(file);
  try {
    return store
      .prepare<[], Acknowledged>(
        `SELECT id, acknowledged_n AS n, acknowledged_at AS at FROM accounts WHERE acknowledged_at IS NOT NULL
           AND acknowledged_n >= 0`,
      )
      .all();
  } finally {
    store.close();
  }
}
