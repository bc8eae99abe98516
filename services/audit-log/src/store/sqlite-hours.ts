import type { SqliteDatabase } from '@countersign/document-store';
import type { HourlyCount, HourlyQuery, StepCount, StepQuery } from './port.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

interface HourRow {
  readonly agentId: string | null;
  readonly hour: number;
  readonly classN: number;
  readonly count: number;
}

interface StepRow extends Omit<StepCount, 'class'> {
  readonly classN: number;
}

/** Reads the counts of events by hour and class, and counts events in shorter steps and by rule. */
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

  countSteps(accountId: string, query: StepQuery): readonly StepCount[] {
    const { agentIds, filter, fromMs, toMs, stepMs, byRule } = query;
    const accountN = this.#numbers.knownAccount(accountId);
    const classes = this.#numbers.matching(filter);
    if (accountN === null || classes?.length === 0) return [];
    const index = byRule ? 'events_by_rule' : agentIds === undefined ? 'events_by_account' : 'events_by_agent';
    const agents = `agent_n IN (SELECT n FROM agents WHERE account_n = @accountN AND id IN (SELECT value FROM json_each(@agents)))`;
    const rows = this.#database
      .prepare<object, StepRow>(
        `SELECT ${agentIds === undefined ? 'NULL' : '(SELECT id FROM agents WHERE n = agent_n)'} AS agentId,
           occurred_at - ((occurred_at % @stepMs + @stepMs) % @stepMs) AS at, class_n AS classN,
           ${byRule ? 'rule' : 'NULL'} AS rule, count(*) AS count
         FROM events INDEXED BY ${index}
         WHERE ${index === 'events_by_agent' ? '' : 'account_n = @accountN AND'} occurred_at >= @fromMs AND occurred_at < @toMs
           ${byRule ? 'AND rule IS NOT NULL' : ''} ${agentIds === undefined ? '' : `AND ${agents}`}
           ${classes === null ? '' : `AND class_n IN (${classes.join(',')})`}
         GROUP BY 1, 2, 3, 4`,
      )
      .all({ accountN, fromMs, toMs, stepMs, agents: JSON.stringify(agentIds ?? []) });
    const byNumber = this.#numbers.classes();
    return rows.map(({ classN, ...row }) => ({ ...row, class: byNumber.get(classN)! }));
  }
}
