import { keysOf } from '../port.js';
import type { Collection, Keys, KeyValue, Query, Range, Where } from '../port.js';

/** A value that better-sqlite3 binds. */
export type Bound = string | number | null;

const TYPES = { text: 'TEXT', number: 'REAL', boolean: 'INTEGER' } as const;
const COMPARISONS = {
  above: '> ?',
  from: '>= ?',
  below: '< ?',
  oneOf: 'IN (SELECT value FROM json_each(?))',
  noneOf: 'NOT IN (SELECT value FROM json_each(?))',
} as const;

export const tableOf = (collection: Pick<Collection<object>, 'name'>): string => quoted(`doc_${collection.name}`);
export const columnOf = (key: string): string => quoted(`k_${key}`);

export function bound(value: KeyValue | undefined): Bound {
  if (value === undefined) throw new Error('a key has no value: give null');
  return typeof value === 'boolean' ? Number(value) : value;
}

const isList = (value: KeyValue | readonly KeyValue[]): value is readonly KeyValue[] => Array.isArray(value);

export function columnDefinition(key: string, type: keyof typeof TYPES): string {
  return `${columnOf(key)} ${TYPES[type]}`;
}

/** `WHERE …`, or nothing where there is no condition. */
export function whereClause(where: Where<Keys> = {}): { readonly sql: string; readonly values: readonly Bound[] } {
  const conditions: string[] = [];
  const values: Bound[] = [];
  for (const [key, wanted] of Object.entries(where)) {
    const column = columnOf(key);
    if (wanted === null) conditions.push(`${column} IS NULL`);
    else if (typeof wanted === 'object') {
      for (const [comparison, limit] of Object.entries(wanted) as [keyof Range, KeyValue | readonly KeyValue[]][]) {
        const isWithin = comparison === 'contains';
        conditions.push(isWithin ? `instr(${column}, ?) > 0` : `${column} ${COMPARISONS[comparison]}`);
        values.push(isList(limit) ? JSON.stringify(limit.map(bound)) : bound(limit));
      }
    } else {
      conditions.push(`${column} = ?`);
      values.push(bound(wanted));
    }
  }
  return { sql: conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`, values };
}

export function orderClause({ by, descending = false }: Pick<Query<Keys>, 'by' | 'descending'>): string {
  const direction = descending ? ' DESC' : '';
  const columns = [...keysOf(by).map(columnOf), 'inserted'];
  return ` ORDER BY ${columns.map((column) => column + direction).join(', ')}`;
}

/** SQLite has no other way to take a name from the program: names are constants of the program, and quoted all the same. */
function quoted(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) throw new Error(`"${name}" is not the name of a table or column`);
  return `"${name}"`;
}
