/** PostgreSQL's parser. @throws for a text that is no SQL */
export type SqlParser = (sql: string) => { readonly stmts?: readonly unknown[] };

let provided: SqlParser | null = null;

/**
 * Provides the parser that `read_only_sql` reads with. Under Node the entry of this library has done so when its import ends;
 * in a browser the parser is a file of its own, and the caller that compiles rules loads it first.
 */
export function provideSqlParser(parse: SqlParser): void {
  provided = parse;
}

/** @throws RangeError without a parser: a rule that cannot be evaluated is not compiled */
export function sqlParser(): SqlParser {
  if (provided === null) throw new RangeError("needs PostgreSQL's parser, which is not loaded");
  return provided;
}
