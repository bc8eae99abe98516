import type { SqliteDatabase } from '@countersign/document-store';
import type { HourlyCount, HourlyQuery } from './port.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

interface HourRow {
  readonly agentId: string | null;
  readonly hour: number;
  readonly classN: number;
  readonly count: number;
}

/** Reads the counts of events by hour and class. */
export class SqliteHours {
  readonly #database: SqliteDatabase;
  readonly #numbers: SqliteNumbers;

  constructor(database: SqliteDatabase, numbers: SqliteNumbers) {
    this.#database = database;
    this.#numbers = numbers;
  }

  count(accountId: string, query: HourlyQuery): readonly HourlyCount[] {
    const { agentIds, filter, firstHour, endHour, hoursEach } = query;
    const accountN = this.#numbers.knownAccount(accountId);
    const classes = this.#numbers.matching(filter);
    if (accountN === null || classes?.length === 0) return [];
    const agents =
      agentIds === undefined
        ? 'h.agent_n = 0 AND ? IS NULL'
        : `h.agent_n IN (SELECT n FROM agents WHERE account_n = h.account_n AND id IN (SELECT value FROM json_each(?)))`;
    const rows = this.#database
      .prepare<(number | string | null)[], HourRow>(
        `SELECT (SELECT id FROM agents WHERE n = agent_n) AS agentId, step AS hour, class_n AS classN, sum(count) AS count
         FROM (SELECT h.agent_n, h.class_n, h.count, h.hour - ((h.hour % ? + ?) % ?) AS step FROM hours h
           WHERE h.account_n = ? AND ${agents} AND h.hour >= ? AND h.hour < ?
           ${classes === null ? '' : `AND h.class_n IN (${classes.join(',')})`})
         GROUP BY agent_n, step, class_n`,
      )
      .all(
        ...[hoursEach, hoursEach, hoursEach, accountN],
        agentIds === undefined ? null : JSON.stringify(agentIds),
        ...[firstHour, endHour],
      );
    const byNumber = this.#numbers.classes();
    return rows.map(({ classN, ...row }) => ({ ...row, class: byNumber.get(classN)! }));
  }
}
