import Database from 'better-sqlite3';
import { words, type Store } from '../open-stores.js';

interface Acknowledged {
  readonly id: string;
  readonly n: number;
  readonly at: string | null;
}

/**
 * Takes over what no topic holds of the archive: up to which event each account's inbox was acknowledged, and when.
 * @param fresh file of the archive that was made anew: events have the numbers that they had
 * @returns what was lost, in plain words; `null`: nothing
 */
export function takeAcknowledgements(damaged: Store | null, fresh: string): string | null {
  if (damaged === null) return 'acknowledgements of the inbox: the old archive cannot be read';
  let acknowledged: readonly Acknowledged[];
  try {
    acknowledged = damaged
      .prepare<[], Acknowledged>(
        `SELECT id, acknowledged_n AS n, acknowledged_at AS at FROM accounts WHERE acknowledged_at IS NOT NULL
           AND acknowledged_n >= 0`,
      )
      .all();
  } catch (error) {
    return `acknowledgements of the inbox: ${words(error)}`;
  }
  const store = new Database(fresh);
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
