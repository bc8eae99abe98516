import { words, type Store } from '../open-stores.js';
import type { Check } from '../report.js';

/** A query of one store for rows that should not be there. Its columns name the row. */
export type Question = readonly [table: string, query: string, problem: string];

/**
 * Asks a store about its own rows. A question that cannot be asked is a finding: a row has made its query fail. One about
 * a column that came with a newer release than the one that wrote the store last is left out.
 */
export function askRows(file: string, store: Store, questions: readonly Question[], check: Check): void {
  for (const [table, query, problem] of questions) {
    check.examined += 1;
    try {
      for (const row of store.prepare(query).raw().iterate() as IterableIterator<unknown[]>) {
        check.wrong(`${file} ${table} ${row.map(named).join(' ')}`, problem);
      }
    } catch (error) {
      if (words(error).startsWith('no such column')) {
        check.note(`${file} ${table}: written by an older release, so not asked: ${words(error)}`);
        continue;
      }
      check.wrong(`${file} ${table}`, `a row of it cannot be read: ${words(error)}`);
    }
  }
}

/** Rows of which a column holds no JSON. */
export function notJson(table: string, id: string, column: string): Question {
  return [
    table,
    `SELECT ${id} FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`,
    `its ${column} is no JSON`,
  ];
}

/**
 * Rows of which a column is not what the JSON beside it says.
 * @param said column → path in the JSON, such as `$.facts.accountId`, or another expression over the row
 */
export function notAsTold(table: string, id: string, json: string, said: Readonly<Record<string, string>>): Question[] {
  return Object.entries(said).map(([column, path]) => {
    const wanted = path.startsWith('$') ? `${json} ->> '${path}'` : path;
    return [
      table,
      `SELECT ${id} FROM ${table} WHERE json_valid(${json}) AND ${column} IS NOT ${wanted}`,
      `its ${column} is not what its ${json} says`,
    ] as const;
  });
}

/** Rows that name something of another table that is not there. */
export function lost(table: string, id: string, column: string, other: string, key: string): Question {
  return [
    table,
    `SELECT ${id} FROM ${table} t WHERE ${column} IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM ${other} o WHERE o.${key} = t.${column})`,
    `its ${column} names nothing in ${other}`,
  ];
}

function named(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
}
