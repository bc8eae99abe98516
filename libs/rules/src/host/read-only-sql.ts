import type { SqlParser } from './sql-parser.js';
import { isPlainSql } from './sql-text.js';

const MAX_SQL = 2048;
/** Words and signs, strings and quoted names as one each: parsing takes up to two microseconds for each. */
const MAX_TOKENS = 400;
/** Nested parentheses: the parser's tree is visited by recursion. */
const MAX_DEPTH = 32;

/** Kinds of nodes that read: statements, clauses and expressions of a query. */
const READING = new Set(
  (
    'SelectStmt ResTarget ColumnRef A_Star RangeVar RangeSubselect RangeFunction JoinExpr Alias A_Const A_Expr BoolExpr NullTest ' +
    'BooleanTest SubLink CaseExpr CaseWhen CoalesceExpr MinMaxExpr FuncCall TypeCast TypeName SortBy WindowDef ' +
    'WithClause CommonTableExpr List String Integer Float Boolean A_ArrayExpr RowExpr ParamRef GroupingSet GroupingFunc ' +
    'CollateClause SQLValueFunction A_Indirection A_Indices'
  ).split(' '),
);

/** Functions that read their arguments alone. Others may write: `nextval`, `setval`, `pg_terminate_backend`, `dblink`. */
const PURE = new Set(
  (
    'count sum avg min max array_agg string_agg group_concat json_agg jsonb_agg json_object_agg jsonb_object_agg bool_and bool_or ' +
    'every stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp percentile_cont ' +
    'percentile_disc mode row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value ' +
    'nth_value abs ceil ceiling floor round trunc sign sqrt cbrt exp ln log log10 power pow mod div pi degrees radians ' +
    'sin cos tan asin acos atan atan2 greatest least length char_length character_length octet_length bit_length lower ' +
    'upper initcap trim btrim ltrim rtrim lpad rpad left right substr substring replace translate reverse repeat ' +
    'position strpos split_part concat concat_ws format ascii chr md5 overlay starts_with coalesce nullif ifnull ' +
    'regexp_replace regexp_match regexp_matches regexp_like regexp_count regexp_substr to_char to_date to_number ' +
    'to_timestamp now date_trunc date_part extract age make_date make_time make_timestamp timezone justify_days ' +
    'current_date current_time localtime localtimestamp date time datetime strftime julianday datediff date_add date_sub ' +
    'year month day hour minute second array_length array_position array_to_string string_to_array cardinality unnest ' +
    'generate_series json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text ' +
    'json_array_length jsonb_array_length json_build_object jsonb_build_object json_build_array jsonb_build_array ' +
    'row_to_json to_json to_jsonb jsonb_array_elements json_array_elements jsonb_array_elements_text'
  ).split(' '),
);

/**
 * Reports whether a text is one SQL statement that only reads: PostgreSQL's own parser (libpg_query) reads it, all
 * dialects divide it into the same strings and comments, and every part of it is a query: no `INTO`, no locks, no
 * writing CTE, and no function that is not known to read only. Words within strings and names do not count.
 * @param parse PostgreSQL's parser
 */
export function readsOnly(sql: string, parse: SqlParser): boolean {
  if (sql.length > MAX_SQL || !isPlainSql(sql) || isLarge(sql)) return false;
  let parsed: ReturnType<SqlParser>;
  try {
    parsed = parse(sql);
  } catch {
    return false;
  }
  const [statement, ...others] = parsed.stmts ?? [];
  if (others.length > 0) return false;
  const query = (statement as { readonly stmt?: unknown } | undefined)?.stmt;
  return isObject(query) && Object.hasOwn(query, 'SelectStmt') && reads(query);
}

const TOKEN = /'[^']*'|"[^"]*"|[\w.$]+|\S/g;

/** Reports whether it has too many tokens, or too many of them in parentheses of each other. */
function isLarge(sql: string): boolean {
  let depth = 0;
  let count = 0;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    count += 1;
    if (depth > MAX_DEPTH || count > MAX_TOKENS) return true;
  }
  return false;
}

/** Reports whether all nodes of a parser's tree read. A node is an object with its kind as the name of one member. */
function reads(root: unknown): boolean {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) {
      waiting.push(...(value as unknown[]));
      continue;
    }
    if (!isObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (/^[A-Z]/.test(name) && !READING.has(name)) return false;
      if (name === 'intoClause' || name === 'lockingClause') return false;
      if (name === 'FuncCall' && !callsPure(member)) return false;
      waiting.push(member);
    }
  }
  return true;
}

function callsPure(call: unknown): boolean {
  const names = isObject(call) && Array.isArray(call['funcname']) ? (call['funcname'] as unknown[]) : [];
  const texts = names.map((name) => {
    const held = isObject(name) ? name['String'] : undefined;
    return isObject(held) ? held['sval'] : undefined;
  });
  const [first, second, ...more] = texts;
  if (more.length > 0) return false;
  const name = second === undefined ? first : first === 'pg_catalog' ? second : undefined;
  return typeof name === 'string' && PURE.has(name);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
