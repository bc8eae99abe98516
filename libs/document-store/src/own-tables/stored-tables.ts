/** A value as a table of SQLite takes it. */
export type Cell = string | number | Uint8Array | null;

/** A collection as rows of the table that the embedded profile stores the same data in. */
export interface StoredTable {
  readonly name: string;
  /** Names of the cells of each row, in order. */
  readonly columns: readonly string[];
  /** Reads the collection again, in the order in which the server returns it. */
  rows(): AsyncIterable<readonly Cell[]>;
}

/** @param columns separated by blanks */
export function storedTable(name: string, columns: string, rows: () => AsyncIterable<readonly Cell[]>): StoredTable {
  return { name, columns: columns.split(' '), rows };
}

/** Read-only view of a store of the distributed profile, to check it. */
export interface StoredTables {
  readonly tables: readonly StoredTable[];
  close(): Promise<void>;
}
