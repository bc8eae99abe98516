import type { Offsets } from '@countersign/event-log';
import type { SqliteDatabase } from '@countersign/document-store';
import type { Cut } from './port.js';

interface CarriedRow {
  readonly agentId: string;
  readonly partition: number;
  readonly firstOffset: number;
}

/** Ends the open windows of `cuts`; inside the caller's transaction. */
export function writeCuts(database: SqliteDatabase, cuts: readonly Cut[], offsets: Offsets): void {
  const open = database.prepare<[number], { number: number; from: string }>(
    'SELECT open_number AS number, cut_offsets AS "from" FROM cadences WHERE cadence = ?',
  );
  const add = database.prepare<(string | number)[]>(
    `INSERT INTO windows (id, cadence, number, start_ms, end_ms, from_offsets, offsets, carried, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, '[]', 'ending')`,
  );
  const advance = database.prepare<[number, string, number]>(
    `UPDATE cadences SET open_number = open_number + 1, opened_at = NULL, last_end = ?, cut_offsets = ? WHERE cadence = ?`,
  );
  const end = JSON.stringify(offsets);
  for (const { cadenceSeconds, startMs, endMs } of cuts) {
    const { number, from } = open.get(cadenceSeconds)!;
    add.run(`${cadenceSeconds}-${number}`, cadenceSeconds, number, startMs, endMs, from, end);
    advance.run(endMs, end, cadenceSeconds);
  }
}

/**
 * Notes which agents with leaves below the cut are in another cadence's window, which goes on: one that ends at this
 * cut as well delays no other. Inside the caller's transaction.
 */
export function completeCuts(database: SqliteDatabase): void {
  const ending = database
    .prepare<[], { n: number; cadence: number; offsets: string }>(
      `SELECT n, cadence, offsets FROM windows WHERE state = 'ending' ORDER BY n`,
    )
    .all();
  const carried = database.prepare<[number], CarriedRow>(
    `SELECT a.id AS agentId, c.partition, c.first_offset AS firstOffset
     FROM carried c JOIN agents a ON a.n = c.agent_n JOIN cadences o ON o.cadence = c.cadence
     WHERE c.stamp = ? AND c.window_number = o.open_number ORDER BY a.id`,
  );
  const complete = database.prepare<[string, number]>(`UPDATE windows SET carried = ?, state = 'cut' WHERE n = ?`);
  for (const { n, cadence, offsets } of ending) {
    const ends = JSON.parse(offsets) as Offsets;
    const below = carried.all(cadence).filter((row) => row.firstOffset < (ends[row.partition] ?? 0));
    complete.run(JSON.stringify([...new Set(below.map((row) => row.agentId))]), n);
  }
  database.exec(
    `DELETE FROM carried WHERE window_number < (SELECT open_number FROM cadences o WHERE o.cadence = carried.cadence)`,
  );
}
