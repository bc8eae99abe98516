/** A value as a table of SQLite takes it. */
export type Cell = string | number | Uint8Array | null;

/** What a store holds of one kind, as rows of the table that the embedded profile keeps it in. */
export interface StoredTable {
  readonly name: string;
  /** They name the cells of each row, in this order. */
  readonly columns: readonly string[];
  /** Reads the collection anew, in the order in which the server gives it. */
  rows(): AsyncIterable<readonly Cell[]>;
}

/** @param columns separated by blanks */
export function storedTable(name: string, columns: string, rows: () => AsyncIterable<readonly Cell[]>): StoredTable {
  return { name, columns: columns.split(' '), rows };
}

/** A store of the distributed profile as it is read to be checked: nothing is made, changed or repaired. */
export interface StoredTables {
  readonly tables: readonly StoredTable[];
  close(): Promise<void>;
}
