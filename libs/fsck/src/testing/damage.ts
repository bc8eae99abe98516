import Database from 'better-sqlite3';
import type { Store } from '../open-stores.js';

/** One column of one table of a file; `column: null`: whole rows. */
export interface Target {
  readonly table: string;
  readonly column: string | null;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** Gives a whole number from 0 to below `n`. */
export type Draw = (n: number) => number;

/** Everything in a file that can be removed or changed: every table that has rows, and every column of it. */
export function targetsIn(file: string): readonly Target[] {
  const store = new Database(file, { readonly: true });
  const tables = tablesOf(store).filter((table) => countOf(store, table) > 0);
  const targets = tables.flatMap((table) => [
    { table, column: null },
    ...columnsOf(store, table).map(({ name }) => ({ table, column: name })),
  ]);
  store.close();
  return targets;
}

/**
 * Removes one row, or changes one value a little: a number by one, one bit of bytes, one letter of a text, one value in
 * the depth of a JSON.
 * @returns what was done; `null`: the table's own constraints refuse it
 */
export function damage(file: string, { table, column }: Target, draw: Draw): string | null {
  const store = new Database(file);
  store.pragma('foreign_keys = OFF');
  try {
    const columns = columnsOf(store, table);
    const row = store
      .prepare<[number], Record<string, unknown>>(`SELECT * FROM ${table} LIMIT 1 OFFSET ?`)
      .get(draw(countOf(store, table)))!;
    const where = columns.map(({ name }) => `"${name}" IS @${name}`).join(' AND ');
    if (column === null) {
      store.prepare(`DELETE FROM ${table} WHERE ${where}`).run(row);
      return `row ${show(row)} removed`;
    }
    const { type } = columns.find(({ name }) => name === column)!;
    const value = changed(row[column], type, draw);
    if (value === row[column]) return null;
    store.prepare(`UPDATE ${table} SET "${column}" = @changed WHERE ${where}`).run({ ...row, changed: value });
    return `${column} of ${show(row)} changed to ${show({ value })}`;
  } catch (error) {
    if (String((error as { code?: string }).code).startsWith('SQLITE_CONSTRAINT')) return null;
    throw error;
  } finally {
    store.close();
  }
}

function tablesOf(store: Store): string[] {
  return store
    .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all();
}

function columnsOf(store: Store, table: string): Column[] {
  return store.prepare<[], Column>(`SELECT name, type, pk FROM pragma_table_info('${table}')`).all();
}

function countOf(store: Store, table: string): number {
  return store.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}

function changed(value: unknown, type: string, draw: Draw): unknown {
  if (Buffer.isBuffer(value)) {
    if (value.length === 0) return Buffer.from([1]);
    const bytes = Buffer.from(value);
    const at = draw(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << draw(8));
    return bytes;
  }
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return value.startsWith('{') ? changedJson(value, draw) : changedText(value, draw);
  if (type === 'INTEGER') return 1;
  return type === 'BLOB' ? Buffer.from([1]) : 'x';
}

function changedText(text: string, draw: Draw): string {
  if (text === '') return 'x';
  const at = draw(text.length);
  return text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
}

function changedJson(text: string, draw: Draw): string {
  const value = JSON.parse(text) as Record<string, unknown>;
  const places: { readonly of: Record<string, unknown>; readonly key: string }[] = [];
  const walk = (of: Record<string, unknown>): void => {
    for (const [key, inner] of Object.entries(of)) {
      if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0)
        walk(inner as Record<string, unknown>);
      else places.push({ of, key });
    }
  };
  walk(value);
  if (places.length === 0) return '{"x":1}';
  const { of, key } = places[draw(places.length)]!;
  const inner = of[key];
  of[key] =
    typeof inner === 'string'
      ? changedText(inner, draw)
      : typeof inner === 'number'
        ? inner + 1
        : inner === null
          ? 'x'
          : !inner;
  return JSON.stringify(value);
}

function show(row: Record<string, unknown>): string {
  const shown = JSON.stringify(row, (_key, value: unknown) =>
    (value as { type?: string } | null)?.type === 'Buffer' ? 'bytes' : value,
  );
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}
